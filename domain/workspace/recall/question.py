"""Question: requests of a message beside its words: to go on, a month, or a section by its heading."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date

from domain.workspace.recall.addressed import strip_address
from domain.workspace.recall.terms import Telling, weigh_terms

_GO_ON = frozenset(
    """
continue|let us continue|go on|lets go on|carry on|keep going|proceed|resume|next|status|whats next|what is next
where were we|what is left|what is left to do|lets continue where we left off|lets pick up where we stopped
weiter|mach weiter|wie gehts weiter|wie geht es weiter|was kommt als nachstes|wo waren wir|wo waren wir stehen geblieben
继续|接下来|接下来做什么|下一步|続けて|続き|次は|次は何ですか|계속|계속해|다음은|이어서
""".strip()
    .replace("\n", "|")
    .split("|")
)
"""Messages that only ask to go on: the usual wordings, compared whole without parsing."""
_COURTESY = re.compile(r"\b(?:ok(?:ay)?|please|bitte|so|and|und)\b|^请|(?:して)?ください|をお願いします| ?(?:해)? ?줘")
_MONTHS = (
    r"(?P<m1>january?)|(?P<m2>february?)|(?P<m3>march|marz)|(?P<m4>april)|(?P<m5>ma[iy])|(?P<m6>jun[ei])"
    r"|(?P<m7>jul[iy])|(?P<m8>august)|(?P<m9>september)|(?P<m10>o[ck]tober)|(?P<m11>november)|(?P<m12>de[cz]ember)"
)
_MONTH = re.compile(
    rf"(?P<preposition>\b(?:in|im|en) )?\b(?:{_MONTHS})\b(?:,? (?P<year>(?:19|20)\d\d))?"
    r"|(?:(?P<cjk_year>(?:19|20)\d\d) ?[年년] ?)?"
    r"(?P<number>1[0-2]|[1-9]|十[一二]?|[一二三四五六七八九]) ?[月월](?!曜|亮|球)"
    r"|\b(?P<iso_year>(?:19|20)\d\d)-(?P<iso>0[1-9]|1[0-2])\b"
)
_HAN_NUMBERS = "一二三四五六七八九"


@dataclass(frozen=True, slots=True)
class Question:
    """A message, taken apart."""

    terms: Mapping[str, Telling]
    """Terms to look up, and how much each says."""
    asks: bool
    """True for a message with a question mark."""
    goes_on: bool
    """True if the message only asks to go on."""
    months: tuple[tuple[int, int], ...]
    """Years and months of the question."""

    @classmethod
    def of(cls, message: str, today: date) -> Question:
        """Take a message apart.

        Args:
            message: Of a person.
            today: In the person's zone.
        """
        message = strip_address(message)
        text = _fold(message)
        asks = "?" in text
        bare = " ".join(re.sub(r"[^\w\s]", "", _COURTESY.sub(" ", text)).split())
        return cls(weigh_terms(message), asks, bare in _GO_ON, _months(text, today) if asks else ())

    def names_only(self, headings: Collection[str]) -> bool:
        """True if a question's only telling words are words of some headings."""
        return self.asks and all(term in headings for term, telling in self.terms.items() if telling)


def _fold(message: str) -> str:
    """Fold a message to lower case, without accents on Latin letters, blanks as one."""
    text = unicodedata.normalize("NFKC", message[:1000]).casefold().replace("\u2019", "'")
    spelt = "".join(each for each in unicodedata.normalize("NFD", text) if not "\u0300" <= each <= "\u036f")
    return " ".join(unicodedata.normalize("NFC", spelt).split())


def _months(text: str, today: date) -> tuple[tuple[int, int], ...]:
    months = dict[tuple[int, int], None]()
    for match in _MONTH.finditer(text):
        year_text = match["year"] or match["cjk_year"] or match["iso_year"]
        name = match.lastgroup if match["number"] is None and match["iso"] is None else ""
        if name and not (match["preposition"] or year_text):
            continue  # a name that stands alone is a verb or a person
        month = _month_number(match)
        year = int(year_text) if year_text else today.year if month <= today.month else today.year - 1
        months[year, month] = None
    return tuple(months)


def _month_number(match: re.Match[str]) -> int:
    for number in range(1, 13):
        if match[f"m{number}"]:
            return number
    digits = match["iso"] or match["number"]
    if digits.isascii():
        return int(digits)
    return (10 if digits[0] == "十" else 0) + (_HAN_NUMBERS.index(digits[-1]) + 1 if digits[-1] != "十" else 0)
