"""Intent of a message: requests about a workspace's files without a word of the files."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import date

from domain.workspace.recall.entries import Entry, Source
from domain.workspace.recall.go_on import goes_on

STATE_SECTIONS = ("current state", "next steps")
"""Headings of what goes on, in the order in which they are shown."""

_MONTHS_EN = "january february march april may june july august september october november december"
_MONTHS_DE = "januar februar marz april mai juni juli august september oktober november dezember"
_EN = "|".join(_MONTHS_EN.split())
_DE = "|".join(_MONTHS_DE.split())
_MONTH = re.compile(
    rf"\b(?:in|during|since|of|last|for|back in|from|by) (?P<en>{_EN})\b(?:,? (?P<en_year>(?:19|20)\d\d))?|\b(?:im"
    rf"|seit|vom|letzten|fur|aus dem) (?P<de>{_DE})\b(?: (?P<de_year>(?:19|20)\d\d))?|\b(?P<bare>{_EN}"
    rf"|{_DE}) (?P<bare_year>(?:19|20)\d\d)\b|(?:(?P<cjk_year>(?:19|20)\d\d) ?[年년] ?)?(?P<cjk>1[0-2]|[1-9]"
    "|十[一二]?|[一二三四五六七八九]) ?(?:月|월)(?!曜|亮|球)"
)
_QUESTION = re.compile(
    r"\?|^(?:(?:please|so|and|ok(?:ay)?|hey|hi|also|now|well|then|remind me)\b[, ]*)*(?:what|when|which|who(?:se"
    "|m)?|where|how|why|did|was|were|is there|are there|list|show|tell|summari[sz]e|remind|(?:can|could|would"
    r"|will) you)\b|^(?:(?:bitte|und|also|ok(?:ay)?|hallo|hey|so|na)\b[, ]*)*(?:was|wann|welche\w*|wer|wen|wem"
    r"|wo\w*|wie\w*|warum|hat|haben|hatten|gibt es|zeig\w*|fass\w*|kannst du|konntest du)\b|什么|什麼|哪|吗|嗎|何"
    "|多少|[几幾]个|[谁誰]|如何|怎么|怎麼|为何|是否|(?:告诉|告訴|说说|說說|讲讲|介绍)|どう|どこ|いつ|だれ|どの"
    "|どれ|いくら|なぜ|ですか|ますか|ました|(?:教え|おしえ|見せ|知らせ|挙げ|まとめ|説明し)て|知りたい|一覧|뭐|뭘"
    "|무엇|무슨|했|누[가구]|언제|어디|어떤|어떻|왜|얼마|나요|까요|(?:알려|보여|말해|가르쳐|설명해|정리해"
    "|얘기해) ?(?:줘|주|봐|달)|궁금"
)
_WISH = re.compile(
    r"^(?:please |bitte )?(?:give|name|explain|i (?:want|need)|nenn\w*|sag\w*|list\w*|erklar\w*|gib|ich (?:will"
    r"|brauche))\b|列出|列一?下|汇总|总结"
)
"""Beginning of a message that wants the subject named, without being a question."""
_HAN_NUMBERS = "一二三四五六七八九"

_ABOUT = {
    "constraints": r"\b(?:constraints?|rules?|restrictions?)\b"
    r"|\b(?:einschrankungen|beschrankungen|regeln?|vorgaben?|vorschriften|auflagen|verbote)\b"
    "|约束|約束条件|规则|規則|限制|规定|規定|禁止事项|制約(?:条件|事項)?|ルール|決まり|規約|禁止事項|制限"
    "|제약(?: ?조건| ?사항)?|규칙|규정|제한(?: ?사항)?|금지(?: ?사항)",
    "decisions": r"\b(?:decisions?|decided?|entscheidung(?:en)?|entschieden|entschlossen|beschluss\w*|beschlossen)\b"
    "|决定|決定(?:事項)?|決めたこと|결정(?: ?사항)?",
    "open loops": r"\b(?:open (?:loops?|questions?|points?|issues?)|todos?|offene[nr]? (?:punkte?|fragen?|themen))\b"
    "|待办(?:事项)?|未解决(?:的问题)?|未決|未解決|保留中|미해결|미결|열린 ?(?:문제|질문)",
    "preferences": r"\b(?:preferences?|vorlieben)\b|偏好|好み|선호",
    "errors & corrections": r"\b(?:errors?|mistakes?|corrections?|fehler)\b|错误|間違い|오류",
    "next steps": r"\b(?:next steps?|nachsten? schritte?)\b|下一步|次のステップ|다음 단계",
}
_WITH_SECTIONS = re.compile(
    r"\b(?:appl(?:y|ies|ied)|exist(?:s|ing)?|observe|follow(?:ed)?|obey|respect|force|effect|place|aware"
    "|current(?:ly)?|set|taken"
    "|reached|agreed|project|channel|team|task|bestehen|existieren|beachten|einhalten|befolgen|getroffen|gefasst"
    "|gefallen"
    r"|aktuell\w*|projekt|kanal|arbeit|vorhaben)\b|遵守|注意|适用|存在|项目|频道|守[らるり]|気をつけ|プロジェクト"
    r"|チャンネル|지켜|지키|주의|프로젝트|채널|보여\w*|정리\w*|요약\w*|적용\w*|전부|전체|모든|목록|현재|지금|문제"
    r"|\b(?:nenn\w*|zeig\w*|auflist\w*|liste|overview|full|complete)\b|列出|列一?下|汇总|总结|所有|全部|目前|当前|一覧|まとめ|すべて|現在|挙げ"
)
_SECTIONS = tuple((heading, re.compile(pattern)) for heading, pattern in _ABOUT.items())
_DURABLE = re.compile(
    r"\b(?:prefer\w*|like|favou?rite|style|always|never|rules?|usually|constraint\w*|polic\w+|convention\w*"
    r"|allowed|mag|immer|nie|regeln?|bevorzug\w*|stil|darf)\b|喜欢|偏好|总是|规则|好き|いつも|좋아|항상|규칙"
)
_NARRATIVE = re.compile(
    r"\b(?:ago|did we|did you|used to|back then|happened|history|originally|previously|earlier|first time"
    r"|last (?:year|month|week)|damals|fruher|passiert|letzte[sn]? (?:jahr|monat|woche)|haben wir)\b|之前|以前"
    "|过去|当时|上个?[月周]|前に|当時|先[月週]|예전|지난"
)


@dataclass(frozen=True, slots=True)
class Intent:
    """Requests of a message beside its words."""

    goes_on: bool = False
    """The message only wants work to go on."""
    months: tuple[tuple[int, int], ...] = ()
    """Years and months of the question."""
    sections: tuple[str, ...] = ()
    """Headings named by the message, casefolded."""
    asks: bool = False
    """The message is a question, or begins as a question."""
    only_sections: bool = False
    """The message asks for sections, without further words."""
    durable: bool = False
    """The message asks about rules or tastes."""
    narrative: bool = False
    """The message asks about the past."""

    def weight(self, entry: Entry) -> float:
        """By how much an entry's source suits it."""
        if self.durable and entry.source in (Source.MEMORY, Source.SHARED):
            return 1.3
        if (self.narrative or self.months) and entry.source is Source.HISTORY:
            return 1.5
        return 1.0


def intent(message: str, today: date, *, has_other_terms: bool) -> Intent:
    """Requests of `message` beside its words.

    Args:
        message: Of a person.
        today: In the person's zone.
        has_other_terms: True if a word of the message tells the subject.
    """
    text = _folded(message)
    about = tuple(heading for heading, pattern in _SECTIONS if pattern.search(text))
    only_goes_on = goes_on(text)
    return Intent(
        goes_on=only_goes_on,
        months=_months(text, today),
        sections=about,
        asks=bool(_QUESTION.search(text)),
        only_sections=bool(about)
        and not only_goes_on
        and not has_other_terms
        and bool(_QUESTION.search(text) or _WISH.search(text)),
        durable=bool(_DURABLE.search(text)),
        narrative=bool(_NARRATIVE.search(text)),
    )


def spent_words(message: str) -> str:
    """The words of `message` that name sections or months, and do not tell the subject.

    With a section go verbs that rules and decisions have, and words for what all of it is about.
    """
    text = _folded(message)
    patterns = [*(pattern for _, pattern in _SECTIONS), _MONTH]
    if any(pattern.search(text) for _, pattern in _SECTIONS):
        patterns.append(_WITH_SECTIONS)
    return " ".join(match[0] for pattern in patterns for match in pattern.finditer(text))


def without_spent(question: str, spent: str) -> str:
    """`question` without the `spent` words of scripts that have no blanks, so that no pair is made with their ends."""
    for word in spent.split():
        question = question if word.isascii() else question.replace(word, " ")
    return question


def _folded(message: str) -> str:
    """In lower case, without accents on Latin letters, blanks as one."""
    text = unicodedata.normalize("NFKC", message[:1000]).casefold().replace("\u2019", "'")
    spelt = "".join(each for each in unicodedata.normalize("NFD", text) if not "\u0300" <= each <= "\u036f")
    return " ".join(unicodedata.normalize("NFC", spelt).split())


def _months(text: str, today: date) -> tuple[tuple[int, int], ...]:
    if not _QUESTION.search(text):
        return ()
    found = []
    for match in _MONTH.finditer(text):
        month = _month_number(match)
        given = match["en_year"] or match["de_year"] or match["bare_year"] or match["cjk_year"]
        year = int(given) if given else today.year if month <= today.month else today.year - 1
        found.append((year, month))
    return tuple(dict.fromkeys(found))


def _month_number(match: re.Match[str]) -> int:
    name = match["en"] or match["de"] or match["bare"]
    if name:
        names = _MONTHS_EN.split()
        return (names if name in names else _MONTHS_DE.split()).index(name) + 1
    digits = match["cjk"]
    if digits.isdigit():
        return int(digits)
    return (10 if digits[0] == "十" else 0) + (_HAN_NUMBERS.index(digits[-1]) + 1 if digits[-1] != "十" else 0)
