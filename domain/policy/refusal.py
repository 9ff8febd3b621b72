"""Refusals of model servers: the refused part of a request, and the limits in the words.

No list of servers' sentences is kept: a sentence is read by the subject (tokens, context, pictures, roles) and by the
words beside the subject (too long, at most, does not support).
`tests/domain/policy/wordings.py` has servers' sentences as tests of the rules, each with the source.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache


class Mend(StrEnum):
    """Change of a request after which a server may accept the request."""

    PICTURES = "pictures"
    """Leave pictures out."""
    ROLES = "roles"
    """Merge neighbouring messages of one role, and part a result from a user's message."""
    HISTORY = "history"
    """Cut the oldest messages."""
    SYSTEM = "system"
    """Put the system prompt into the first user message."""
    EMPTY = "empty"
    """Give messages without text a word."""
    CACHING = "caching"
    """Do not ask for the beginning of the request to be kept."""
    THOUGHTS = "thoughts"
    """Leave out the thoughts of the turn in hand."""
    FILLED = "filled"
    """Send an empty field of thoughts beside calls without thoughts."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Content of one refusal."""

    mends: frozenset[Mend]
    """Empty: the words are not recognised."""
    limit_tokens: int | None = None
    """Most tokens accepted by the server, if the words name a number."""
    counted_tokens: int | None = None
    """Size of the refused request, if the words name a number above the limit."""
    most_pictures: int | None = None
    """Most pictures in any request to this model, 0 for a model without vision; None: these pictures were bad."""
    is_of_bytes: bool = False
    """True if the size of the body is refused, mostly pictures."""
    is_final: bool = False
    """True if the server refuses the message's words, or tools; no mend helps."""


_TEXT = r"\b(?:context|tokens?|prompts?|inputs?|messages?|conversation|history|requests?|payload|body|sequence|kv)\b"
_OVER = (
    r"(?:exceed|too (?:long|large|big|many)|(?:long|larg|bigg|great|high)er than|more (?:\w+ )?than|overflow|beyond"
    r"|(?:does ?n[o']t|do ?n[o']t|can ?n?[o']t|won't|will not|fails? to) fit|is full|out of (?:context|range)|exhaust"
    r"|(?:limit|maximum)\w{0,9} (?:is |was |has been |of \S+ )?(?:reached|hit|passed)|reached \w+ (?:\w+ )?limit)"
)
_MOST = r"(?:max(?:imum)?\b|\blimit|at most|up to|no more than|<=|\bonly\b|cannot be longer|less than|not enough)"
_LENGTH = re.compile(
    rf"{_TEXT}.{{0,80}}?{_OVER}"
    rf"|{_OVER}.{{0,60}}?\b(?:context|tokens?|prompt|window|n_ctx|max_(?:seq|model)_len)\b"
    rf"|{_MOST}.{{0,40}}\b(?:tokens?|context|(?:prompt|input|model|sequence)[ -](?:length|size|tokens))\b"
    rf"|\b(?:tokens?|context (?:length|size|window)|(?:prompt|input|sequence) length)\b.{{0,60}}?{_MOST}"
    r"|(?:reduc|shorten|decreas|trim|truncat|shorter|smaller|fewer)\w{0,9}.{0,40}\b"
    r"(?:prompt|inputs?|messages?|context|length|conversation|history|tokens?)\b"
    r"|too many (?:\w+ )?(?:tokens|characters|total text bytes)|token.?limit|tokens_limit|max message tokens"
    r"|context.?(?:length|window|size|limit).{0,10}(?:exceed|error|overflow)|exceed.?context|max_prompt_tokens"
    r"|n_ctx|n_keep|max_(?:seq|model)_len|free space in the kv|no ?kv ?slot|range of input length|request_too_large"
    r"|(?:string|array) too long|above_max_length|context length of only"
    r"|reached \w+ (?:conversation|context|token|length)"
    r"|(?:长度|上下文|tokens?|输入|请求|内容|消息|对话|提示).{0,20}(?:超过|超出|超限|超长|过长|过大|太长|太大)"
    r"|(?:超过|超出).{0,20}(?:长度|上下文|限制|tokens?|输入)"
    r"|(?:token|контекст|токен|kontext).{0,40}(?:l[ií]mit|grenze|превы|überschr|supera|dépass|слишком)"
    r"|(?:превы|supera|dépass|überschr|zu lang|слишком длин).{0,40}(?:token|контекст|токен|kontext|context)"
    r"|(?:トークン|コンテキスト|入力|プロンプト).{0,20}(?:超|長すぎ|上限)",
    re.IGNORECASE,
)
_BYTES = re.compile(
    r"request_too_large|entity too large"
    r"|(?:payload|body|content|request)( size)? (?:is )?(?:too large|exceed)",
    re.IGNORECASE,
)
_OF_OUTPUT = re.compile(
    r"max_(?:completion_|output_)?tokens|(?:completion|output) tokens|\bn_predict\b",
    re.IGNORECASE,
)
_OF_INPUT = re.compile(
    r"context|prompt|inputs?\b|messages?\b|total",
    re.IGNORECASE,
)
_OF_RATE = re.compile(
    r"per.?(?:min|day|hour|second)|\btp[md]\b|rate.?limit|throttl|too many requests|please wait|try again later|quota"
    r"|daily|queue|pending|busy|overload|concurren|deadline|time.?out|maximum time|number of requests"
    r"|requests? limit (?:is |was |has )?(?:been )?(?:exceed|reach)|\bstop\b|\btools?\b.{0,30}too long|greater than 0",
    re.IGNORECASE,
)
"""Limits that a shorter history cannot meet."""
_PICTURE = (
    r"(?:images?\b|image_url|input_image|pictures?\b|photos?\b|vision\b|visual|multi-?modal|mmproj|base64\b"
    r"|inline_?data|mime.?type|media.?type|pixels?\b|图片|图像|多模态|画像)"
)
_WANTS_STRING = (
    r"content\W.{0,60}(?:must be|should be|expected|valid) (?:a )?(?:valid )?(?:string(?! with)|str\b)"
    r"|str type expected|expected (?:a )?string(?! with)|string_type|concatenate str|expected .text"
)
"""Text expected in place of a list of parts; only a message with a picture is such a list."""
_PICTURES = re.compile(
    rf"{_PICTURE}"
    rf"|{_WANTS_STRING}"
    r"|content (?:part|block)s? (?:type|is|are)|unsupported content|unknown variant .image|url error"
    r"|fetch content from|(?:plain|only \w{0,9}|text.only).text|text.only"
    r"|(?:type|got|found) .?(?:sequence|list|array)\b.{0,30}(?:string|str\b)",
    re.IGNORECASE,
)
_OF_ONE_PICTURE = re.compile(
    r"format|mime|media.?type|\bwebp|\bgif|dimension|pixel|\bsize|\bmb\b|bytes|corrupt|decod|process|valid image"
    r"|(?:fail\w{0,9} to|not|unable to) (?:load|open|read)|download|fetch|broken|damaged|url error|truncated"
    r"|(?:your|unsupported) image\b(?! (?:input|content))",
    re.IGNORECASE,
)
_NO_VISION = re.compile(
    rf"(?:not|n't|un|only|never|no)[ -]?\w{{0,9}} ?(?:support|accept|enabl|allow|handl|capab|able).{{0,60}}{_PICTURE}"
    rf"|{_PICTURE}.{{0,60}}(?:not|n't|un|no longer|only|dis)[ -]?(?:\w+ )?(?:support|accept|enabl|avail|allow|abl)"
    rf"|(?:not|n't) (?:a |an )?(?:\w+ )?{_PICTURE}"
    rf"|(?:no|without|lacks?) (?:\w+ )?(?:vision|{_PICTURE} (?:input|support))"
    rf"|support.{{0,20}}{_PICTURE}.{{0,3}} input|text[- ]only"
    r"|only (?:support\w{0,9} )?text|mmproj|unknown variant .image"
    rf"|{_WANTS_STRING}"
    r"|不支持.{0,10}(?:图|多模态|视觉)|(?:图|多模态|视觉).{0,10}不支持",
    re.IGNORECASE,
)
_COUNT_OF_PICTURES = re.compile(
    r"(?:at most|up to|max\w{0,9}(?: of)?|limit\w{0,9}(?: of| to| is)?|no more than|only|than) (\d{1,3})"
    r"(?: \w+)? images?\b"
    r"|images?\b.{0,60}?(?:max\w{0,9}|limit\w{0,9}|at most|up to|more than|allowed)\D{0,20}?"
    r"(\d{1,3})\b(?! ?(?:[kmg]i?b\b|px|pixel|byte|x))",
    re.IGNORECASE,
)
_MANY_PICTURES = re.compile(
    r"(?:many|at most|up to|more than|number of|count of|limit\w{0,9}).{0,20}images?\b|images? .{0,30}provided",
    re.IGNORECASE,
)
_ROLES = re.compile(
    r"alternat|(?:same|identical) role|roles? must|unexpected role|message.?order|expected last role"
    r"|consecutive.{0,40}(?:role|message|user|assistant)"
    r"|(?:user|assistant|messages?|roles?).{0,30}(?:in a row|consecutive)"
    r"|role .{0,40}(?:after|follow|order|sequence)|success(?:ive|ion)|adjacent|duplicate (?:user|assistant)"
    r"|\buser (?:message|turn|role).{0,30}(?:follow|after|another|succession)"
    r"|after (?:a |the )?user (?:message|turn|role)|(?:first|last) (?:message|role|turn)"
    r"|(?:messages?|role|turn)s? (?:sequence|order)|order of (?:the )?(?:messages|roles|turns)"
    r"|expected .?(?:assistant|user).{0,3},? (?:but )?got"
    r"|(?:start|begin|end)s? with (?:a |an |the )?.?(?:user|human|assistant)|角色.{0,10}交替",
    re.IGNORECASE,
)
_SYSTEM = re.compile(
    r"system.{0,20}(?:role|message|prompt|instruction)s?.{0,20}"
    r"(?:not|n't|un)[ -]?(?:be )?(?:supported|allowed|enabled)"
    r"|(?:not|n't) (?:support|allow|accept|have).{0,20}system|roles are supported, got.{0,3}system"
    r"|(?:unexpected|unsupported|invalid|unknown) role.{0,5}system|developer instruction is not enabled",
    re.IGNORECASE,
)
_FILTERED = re.compile(
    r"content.?(?:filter|polic|management|moderation)|responsible.?ai|safety (?:system|polic|filter|setting)"
    r"|\bmoderation|\bflagged\b|inappropriate|prohibited.?content|usage polic|data.?inspection|敏感|违规|审核",
    re.IGNORECASE,
)
_NO_TOOLS = re.compile(
    r"not support.{0,20}(?:tools?|functions?)\b|support tool use"
    r"|(?:tools?|function.?calling|tool use).{0,20}not (?:supported|enabled)"
    r"|enable-auto-tool-choice|--jinja",
    re.IGNORECASE,
)
_EMPTY = re.compile(
    r"non-?whitespace|non-?empty content|(?:content|text)\b.{0,60}(?:is|be|was|are) (?:empty|blank|null\b|missing)"
    r"|empty (?:content|text|message)|(?:content|text) (?:is |field )?(?:required|missing)|either content or tool"
    r"|内容不能为空",
    re.IGNORECASE,
)
_CACHING = re.compile(
    r"cache.?control|cache.?points?\b|prompt.?cach(?:e|ing)|cach(?:e|ing) (?:is )?not (?:supported|enabled)",
    re.IGNORECASE,
)
_OF_THOUGHTS = r"(?:reasoning(?:_content|_details|_text)?\b|thinking(?:_blocks)?\b|thought[ _]?signatures?\b)"
_MISSES_THOUGHTS = re.compile(
    rf"{_OF_THOUGHTS}.{{0,60}}(?:must be (?:passed|sent|provided|included)|(?:is|are) (?:missing|required))"
    rf"|(?:miss(?:es|ing)|lacks?|requires?)\W.{{0,30}}reasoning(?:_content|_details)?\b",
    re.IGNORECASE,
)
_REFUSES_THOUGHTS = re.compile(
    rf"(?:invalid|corrupted|unexpected|unknown|unsupported|extra)\b.{{0,60}}{_OF_THOUGHTS}"
    rf"|{_OF_THOUGHTS}.{{0,60}}(?:not (?:be |been )?(?:supported|allowed|permitted|valid|modified|included|recognized)"
    r"|cannot|unsupported|unrecognized|unexpected|extra|forbidden|invalid|should not)",
    re.IGNORECASE | re.DOTALL,
)
_ECHO = re.compile(r"[A-Za-z0-9+/=_-]{100,}")
"""Data of a picture in a server's report of the input."""
_MOST_CHARS = 4_000
"""Most characters of a server's words to read."""
_COMMA = re.compile(r"(?<=\d)[,_](?=\d{3}(?!\d))")
_LIMIT = re.compile(
    r"range of input length should be \[\d+, ?(\d+)\]"
    r"|(\d+) (?:token )?maximum"
    r"|(?:maximum|max\.? size|max_seq_len|max_model_len|max.length|\blimit|context.?(?:length|size|window)|n_ctx"
    r"|current batch size|less than|at most|cannot exceed|exceeds|up to|<=|不能超过|最大|超过|限制)"
    r"(?:(?!\bby\b)[^\d>]){0,60}?(\d+)",
    re.IGNORECASE,
)
_BEFORE_A_CODE = re.compile(r"(?:limit \(|\bcode\W{1,4}|\bstatus\W{1,4})$", re.IGNORECASE)
"""Words before a number other than a limit: MiniMax's code for invalid parameters, or a repeated status."""
_NAMED_LIMIT = re.compile(r"(?:n_ctx|max_model_len|max_seq_len)\W{1,4}(\d+)")
_ABOVE = re.compile(r"(?:tokens?|\d) ?> ?(\d+)")
_NUMBER = re.compile(r"\d+")
LEAST_LIMIT = 256
"""Least number of tokens accepted by any server able to hold a conversation."""
_MOST_LIMIT = 100_000_000


def is_about_length(words: str) -> bool:
    """True if a refusal calls the request too long."""
    return Mend.HISTORY in read_refusal(words).mends


def is_about_content(words: str) -> bool:
    """True if an error of any status, a 500 too, names a part of the request that a mend can change."""
    mends = read_refusal(words).mends
    if Mend.PICTURES in mends and (_NO_VISION.search(words) or _OF_ONE_PICTURE.search(words)):
        return True
    return bool(mends & {Mend.ROLES, Mend.SYSTEM}) or bool(_NO_TOOLS.search(words))


def is_about_cache(words: str) -> bool:
    """True if a refusal names a mark for the provider's cache, or the cache itself."""
    return bool(_CACHING.search(words))


def is_beyond_rate(words: str) -> bool:
    """True if a request alone exceeds the server's limit for a minute: no wait makes the request fit."""
    if not re.search(r"(?:request|prompt|input) (?:is )?too (?:large|long|big)", words, re.IGNORECASE):
        return False
    limit = _limit_in(words)
    return limit is not None and _counted_in(words, limit) is not None


@lru_cache(64)
def read_refusal(words: str, *, is_too_long: bool = False) -> Refusal:
    """Read the words of a refusal.

    Args:
        words: The body of the response, or the text of the error.
        is_too_long: True if the status alone says so.
    """
    words = _ECHO.sub("…", words[:_MOST_CHARS])
    if is_about_cache(words):
        return Refusal(frozenset({Mend.CACHING, *({Mend.EMPTY} if _EMPTY.search(words) else ())}))
    if _MISSES_THOUGHTS.search(words):
        return Refusal(frozenset({Mend.FILLED}))
    if _REFUSES_THOUGHTS.search(words):
        return Refusal(frozenset({Mend.THOUGHTS}))
    if _FILTERED.search(words) or _NO_TOOLS.search(words):
        return Refusal(frozenset(), is_final=True)
    rules = {Mend.ROLES: _ROLES, Mend.SYSTEM: _SYSTEM, Mend.EMPTY: _EMPTY, Mend.PICTURES: _PICTURES}
    mends = {mend for mend, rule in rules.items() if rule.search(words)}
    if _is_long(words) and (not mends or "token" in words.lower()):
        mends.add(Mend.HISTORY)
    is_of_bytes = bool(_BYTES.search(words)) and "token" not in words.lower() and not _OF_RATE.search(words)
    if is_of_bytes or (is_too_long and not mends):
        mends |= {Mend.HISTORY, Mend.PICTURES}
    limit = _limit_in(words) if Mend.HISTORY in mends else None
    most_pictures = _most_pictures(words) if Mend.PICTURES in mends and not is_of_bytes else None
    is_of_bytes = is_of_bytes or (is_too_long and {Mend.HISTORY, Mend.PICTURES} <= mends and limit is None)
    return Refusal(frozenset(mends), limit, _counted_in(words, limit), most_pictures, is_of_bytes)


def _is_long(words: str) -> bool:
    """True if the request, and neither the answer nor a minute's share, is said to be too long."""
    if not _LENGTH.search(words) and not _LENGTH.search(words.replace("_", " ")):
        return False
    if _OF_RATE.search(words) and not is_beyond_rate(words):
        return False
    return not _OF_OUTPUT.search(words) or bool(_OF_INPUT.search(_OF_OUTPUT.sub("", words)))


def _most_pictures(words: str) -> int | None:
    """Most pictures of a request to the model; None if the words are about these pictures alone."""
    if _MANY_PICTURES.search(words) and (match := _COUNT_OF_PICTURES.search(words)):
        return int(next(group for group in match.groups() if group))
    if _NO_VISION.search(words) and not _OF_ONE_PICTURE.search(words):
        return 0
    return None


def _limit_in(words: str) -> int | None:
    plain = _COMMA.sub("", words)
    for match in (*_NAMED_LIMIT.finditer(plain), *_ABOVE.finditer(plain), *_LIMIT.finditer(plain)):
        if _BEFORE_A_CODE.search(plain[: match.start(match.lastindex or 0)][-16:]):
            continue
        number = int(next(group for group in match.groups() if group)[:12])
        if LEAST_LIMIT <= number <= _MOST_LIMIT:
            return number
    return None


def _counted_in(words: str, limit: int | None) -> int | None:
    """Smallest number above the limit, and not so far above as to be an id."""
    if limit is None:
        return None
    numbers = (int(number[:12]) for number in _NUMBER.findall(_COMMA.sub("", words)))
    return min((number for number in numbers if limit < number <= 20 * limit), default=None)
