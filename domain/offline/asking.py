"""Rules of the offline model about questions: the question, the subject, and the person whose words count.

A question needs no mark: `where is the spare key` is a question. A sentence with only the beginning of a question
(`what a day`, `when I get home`) is no question, unless a mark ends the sentence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from domain.memory.keywords import question_terms, terms
from domain.memory.porter import stem
from domain.text.mention import ADDRESSED, NAMED

_VERB = (
    "(?:is|are|was|were|am|do|does|did|can|could|should|would|will|has|have|had|isn.?t|aren.?t|wasn.?t|don.?t|doesn.?t"
    "|didn.?t)"
)
_WORD = "(?:what|where|who|whom|whose|when|why|how|which)"
_AS_QUESTION = re.compile(
    rf"(?:what|where|who|when|why|how)['\u2019]s\b|{_WORD} {_VERB}\b|who (?:said|told|wrote|has|knows|likes|owns)\b"
    rf"|(?:what|which|whose|how (?:many|much|old|far|long|often|big)) (?!a )(?:[\w-]+ ){{1,3}}?{_VERB}\b"
    rf"|tell (?:me|us)\b(?! to )|remind (?:me|us) (?:again )?{_WORD}\b"
    rf"|(?:do|does|did|can|could|would|will) (?:you|u|anyone|anybody|somebody|someone) (?:still |please |even )?"
    r"(?:know|remember|recall|tell)\b"
    rf"|i (?:forgot|forget|wonder|(?:can['\u2019]?t|don['\u2019]?t|do not|cannot) (?:remember|recall|know)) {_WORD}\b"
    rf"|any idea {_WORD}\b",
    re.IGNORECASE,
)
_LEAD = re.compile(
    rf"(?:(?:{ADDRESSED}|@\w+|hey|hi|hello|ok|okay|well|so|and|but|also|now|then|please|pls|sorry"
    r"|by the way|btw|bot|quick question)"
    r"[\s,:!.\u2013-]+)*",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[^.!?\n]*(?:[.](?=\S)[^.!?\n]*)*[.!?\n]*")
_ADDRESS = re.compile(r"https?://\S+")
_MENTION = re.compile(NAMED)
_MARK = re.compile(r"\?(?=[\s?!)\"'\u201d\u2019*_]|$)")

_ASKING = """
know known remember recall said say says saying told tell tells telling mention mentioned talk talked wrote write
written ask asked asking forgot forget wonder idea please again still ever earlier ago last lately before anyone anybody
somebody someone hey hello everything anything something thing things bot
"""
_OF_ASKING = frozenset(map(stem, _ASKING.split()))
"""Words of asking as such: the subject is in the other words."""
_KINDS = "name named names called call colour color time day date number kind sort place"
_OF_KIND = frozenset(map(stem, _KINDS.split()))
"""Words for the wanted kind of answer: the answer need not hold such words."""
_SAID_BY = re.compile(
    r"\bwhat (?:did|has|had) (?P<who>[\w.-]+)(?: [\w.-]+)? (?:just |ever |last )?"
    r"(?:say|said|tell|told|mention|mentioned|write|written)\b"
    r"|\bwhat (?P<other>[\w.-]+) (?:said|told|mentioned|wrote)\b",
    re.IGNORECASE,
)
_MINE = frozenset({"i"})
_EVERYBODY = "we you they he she it was anyone anybody somebody someone people everyone"
_ALL = frozenset(_EVERYBODY.split())


@dataclass(frozen=True, slots=True)
class Question:
    """A question of a user."""

    terms: frozenset[str]
    """Index terms of the subject; an answer holds more than half of the terms."""
    by: str = ""
    """Wanted speaker: part of a name in lower case, `i` for the asker's own words; empty for any person's."""


def question_of(prompt: str) -> Question | None:
    """Question of `prompt`, by the first asking sentence; None without a question."""
    for line in prompt.split("\n"):
        if line.lstrip().startswith(">"):
            continue  # somebody else's words
        for match in _SENTENCE.finditer(_ADDRESS.sub("", line)):
            if is_question(sentence := match[0]):
                return _parse_sentence(sentence)
    return None


def is_question(sentence: str) -> bool:
    """True if a sentence asks: by a mark, or by the beginning."""
    words = " ".join(sentence.split())
    return bool(_MARK.search(words)) or _AS_QUESTION.match(words, _end_of_lead(words)) is not None


def tells(text: str, question: Question) -> bool:
    """True if `text` holds more than half of the question's terms."""
    shared = question.terms & set(terms(text))
    return 2 * len(shared) > len(question.terms)


def _end_of_lead(words: str) -> int:
    lead = _LEAD.match(words)
    return lead.end() if lead else 0


def _parse_sentence(sentence: str) -> Question:
    said_by = _SAID_BY.search(sentence)
    who = ((said_by["who"] or said_by["other"]) if said_by else "").lower()
    by = "" if who in _ALL else who
    words = sentence
    if said_by is not None and by not in ("", *_MINE):
        words = sentence[: said_by.start()] + sentence[said_by.end() :]
    about = question_terms(_MENTION.sub(" ", words)) - _OF_ASKING
    own = re.search(r"\b(?:my|our|i|we)\b", sentence, re.IGNORECASE) is not None
    return Question(about - _OF_KIND or (about if own else frozenset()), by)
