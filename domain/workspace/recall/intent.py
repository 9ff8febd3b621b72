"""Intent of a message: what it asks of a workspace's files without a word that stands in them."""

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
    rf"\b(?:in|during|since|of|last|for|back in|from|by) (?P<en>{_EN})\b(?:,? (?P<en_year>(?:19|20)\d\d))?"
    rf"|\b(?:im|seit|vom|letzten|fur|aus dem) (?P<de>{_DE})\b(?: (?P<de_year>(?:19|20)\d\d))?"
    rf"|\b(?P<bare>{_EN}|{_DE}) (?P<bare_year>(?:19|20)\d\d)\b"
    r"|(?:(?P<cjk_year>(?:19|20)\d\d) ?[年년] ?)?"
    r"(?P<cjk>1[0-2]|[1-9]|十[一二]?|[一二三四五六七八九]) ?(?:月|월)(?!曜|亮|球)"
)
_QUESTION = re.compile(
    r"\?|^(?:what|when|which|who|where|how|did|was|were|list|show|tell|summari[sz]e|remind)\b"
    r"|^(?:was|wann|welche\w*|wer|wo|wie|hat|haben|hatten|zeig\w*|fass\w*)\b|什么|什麼|哪|吗|嗎|何|何を|どう|ですか|ました|뭐|무엇|했"
)
_HAN_NUMBERS = "一二三四五六七八九"

_ABOUT = {
    "constraints": r"\b(?:constraints?|rules?|restrictions?|einschrankungen|regeln|vorgaben)\b"
    "|约束|规则|限制|制約|ルール|제약|규칙",
    "decisions": r"\b(?:decisions?|decided?|entscheidung(?:en)?|entschieden|beschlossen)\b|决定|決定|결정",
    "open loops": r"\b(?:open (?:loops?|questions?|points?|issues?)|todos?|offene[nr]? (?:punkte|fragen))\b"
    "|待办|未解决|未解決",
    "preferences": r"\b(?:preferences?|vorlieben)\b|偏好|好み|선호",
    "errors & corrections": r"\b(?:errors?|mistakes?|corrections?|fehler)\b|错误|間違い|오류",
    "next steps": r"\b(?:next steps?|nachsten? schritte?)\b|下一步|次のステップ|다음 단계",
}
_SECTIONS = tuple((heading, re.compile(pattern)) for heading, pattern in _ABOUT.items())
_DURABLE = re.compile(
    r"\b(?:prefer\w*|like|favou?rite|style|always|never|rules?|usually|constraint\w*|polic\w+|convention\w*|allowed"
    r"|mag|immer|nie|regeln?|bevorzug\w*|stil|darf)\b|喜欢|偏好|总是|规则|好き|いつも|좋아|항상|규칙"
)
_NARRATIVE = re.compile(
    r"\b(?:ago|did we|did you|used to|back then|happened|history|originally|previously|earlier|first time"
    r"|last (?:year|month|week)|damals|fruher|passiert|letzte[sn]? (?:jahr|monat|woche)|haben wir)\b"
    r"|之前|以前|过去|当时|上个?[月周]|前に|当時|先[月週]|예전|지난"
)


@dataclass(frozen=True, slots=True)
class Intent:
    """What a message asks beside its words."""

    goes_on: bool = False
    """It wants to go on where the work was, and says nothing else."""
    months: tuple[tuple[int, int], ...] = ()
    """Years and months that it asks about."""
    sections: tuple[str, ...] = ()
    """Headings that it names, casefolded."""
    asks: bool = False
    """It is a question, or begins as one."""
    only_sections: bool = False
    """It asks for them, and says nothing else."""
    durable: bool = False
    """It asks about rules or tastes."""
    narrative: bool = False
    """It asks about what was."""

    def weight(self, entry: Entry) -> float:
        """By how much an entry's source suits it."""
        if self.durable and entry.source in (Source.MEMORY, Source.SHARED):
            return 1.3
        if (self.narrative or self.months) and entry.source is Source.HISTORY:
            return 1.5
        return 1.0


def intent(message: str, today: date, *, has_other_terms: bool) -> Intent:
    """What `message` asks beside its words.

    Args:
        message: Of a person.
        today: In the person's zone.
        has_other_terms: Whether something of it says what it is about.
    """
    text = _folded(message)
    about = tuple(heading for heading, pattern in _SECTIONS if pattern.search(text))
    only_goes_on = goes_on(text)
    return Intent(
        goes_on=only_goes_on,
        months=_months(text, today),
        sections=about,
        asks=bool(_QUESTION.search(text)),
        only_sections=bool(about) and not only_goes_on and not has_other_terms and bool(_QUESTION.search(text)),
        durable=bool(_DURABLE.search(text)),
        narrative=bool(_NARRATIVE.search(text)),
    )


def spent_words(message: str) -> str:
    """The words of `message` that name sections or months, which say nothing else of what it is about."""
    text = _folded(message)
    patterns = (*(pattern for _, pattern in _SECTIONS), _MONTH)
    return " ".join(match[0] for pattern in patterns for match in pattern.finditer(text))


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
