"""Messages that only say that work goes on: "continue", "what's next?", "where were we?", in five languages."""

from __future__ import annotations

import re

LONGEST = 80
"""A message of more characters says more than that."""

_EN = r"""
continue(?: on)?|go on|carry on|keep (?:going|at it|it up)|proceed|resume|pick (?:it |things )?up
back to (?:it|work)|next steps?
what(?:'?s| is| comes| do we do| should (?:we|i) do) next|what next|what now|what remains|where am i
where (?:were|are|was) we|where did we (?:stop|leave|get(?: to)?|end)|where we left|(?:what|where) was i
(?:what(?:'?s| is) )?the (?:current )?(?:status|state)|status(?: update)?|what(?:'?s| is) left(?: to do)?
what (?:were|are) we (?:doing|working on)
"""
_DE = r"""
weiter(?: geht'?s| so| im text)?|mach(?:e|en wir)? weiter|fahr(?:e)? fort|weitermachen|fortfahren
wie geht(?:'?s| es) weiter|was (?:kommt|steht|ist) (?:als )?nachstes(?: an)?|was (?:kommt|steht) jetzt(?: an)?|was nun
(?:der |die )?nachste[rn]? schritte?|wo (?:waren|sind|stehen) wir(?: stehen ?geblieben)?|wo haben wir aufgehort
(?:was|wie) ist (?:der |unser )?stand|was fehlt noch|was ist noch (?:offen|zu tun)
"""
_ZH = r"""
继续(?:做|说|干|进行)?|接着(?:来|做|说|干)?|接下来(?:做什么|干什么|呢|怎么办|是什么|该做什么)?
下一步(?:是什么|做什么|干什么|呢|该做什么)?|然后呢
(?:刚才|上次)?(?:做|说|讲|聊)到(?:哪里|哪儿|哪|什么地方)了?|进度(?:如何|怎么样|怎样)|到哪一步了?
繼續(?:做|說|幹)?|進度(?:如何|怎麼樣)|接下來(?:做什麼|呢)?|下一步(?:是什麼|做什麼)?|(?:做|說|講|聊)到(?:哪裡|哪)了?
"""
_JA = r"""
続き(?:を|から)?|続け(?:て|よう|ましょう)?|つづ(?:きを?|けて)|再開(?:して|しよう|しましょう)?|進捗(?:は|どう)?
次(?:は(?:何|なに)?|に?(?:何|なに)を(?:する|します|しましょう|すれば(?:いい|よい))|のステップは?(?:何)?)
どこまで(?:やった|やりました|進んだ|進みました|行った|いった|話した|話しました)?(?:っけ)?|何をしていた(?:っけ)?
"""
_KO = r"""
계속(?:해 ?줘|해요|하자|해|합시다|진행해 ?줘|진행)?|이어서(?: ?해 ?줘| ?하자)?|진행 ?상황(?:은)?
다음(?:은|엔|에는|에|으로)?(?: ?(?:뭐야|뭐지|뭐 ?해|뭐|단계는?|할 일은?))?
어디까지 ?(?:했지|했어|했나요|했더라|했죠)?
"""
_FILLERS = """
ok okay please pls so then now well alright right thanks thank you great good hey hi hello and just lets let us s today
again morning the this from there here where yesterday last time we left off it that i im ready back can could you
should shall would do did with up to stopped ended
bitte mal jetzt nun dann also gut danke hallo und heute wieder doch einfach los ja bin da so machen mach wir uns lass
das es daran damit gestern letztes ich bereit kannst du sollen soll
请 那 那么 好 好的 吧 我们 咱们 现在 一下 谢谢 昨天 上次 今天 嗯 你 来 了 呢 請 我們 現在
じゃあ では さあ それでは お願いします お願い ください 今日 昨日 前回 の から はい ね よ です ます
ましょう か を し する に 何
자 그럼 이제 오늘 어제 제발 네 좀 지난번 우리 그래 에
"""


def _alternatives(lists: str) -> str:
    """Patterns of several lists, one a line, as one."""
    return "|".join(lists.split("\n")[1:]).strip("|")


_LATIN = _alternatives(_EN + _DE)
_OTHER = _alternatives(_ZH + _JA + _KO)
_PHRASE = re.compile(f"\\b(?:{_LATIN.replace('||', '|')})\\b|{_OTHER.replace('||', '|')}")
_WORD = re.compile(r"\w+")
_PLAIN = frozenset(filter(str.isascii, _FILLERS.split()))
_UNSPACED = tuple(sorted({each for each in _FILLERS.split() if not each.isascii()}, key=len, reverse=True))


def goes_on(message: str) -> bool:
    """Whether `message` says that work goes on, and nothing else.

    Args:
        message: In lower case, without accents on Latin letters.
    """
    if len(message) > LONGEST or not _PHRASE.search(message):
        return False
    return all(map(_is_filler, _WORD.findall(_PHRASE.sub(" ", message))))


def _is_filler(word: str) -> bool:
    """Whether a word is a filler, or in a script without blanks several of them."""
    if word.isascii():
        return word in _PLAIN
    for filler in _UNSPACED:
        word = word.replace(filler, "")
    return not word
