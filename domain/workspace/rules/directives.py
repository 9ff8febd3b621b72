"""Directives: lines in which people set a rule that should hold, found without a model, and which of many are kept."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from zlib import crc32

from domain.text.presentable import without_hidden
from domain.workspace.files.wording import same_words
from domain.workspace.rules.english import OPENINGS, PHRASES, TOLD, Weighed
from domain.workspace.rules.english_talk import BEFORE, CONSOLING, LIMITING, NARRATED, PERSONAL, REQUESTS, TASK
from domain.workspace.rules.german import GERMAN, GERMAN_CONSOLING, GERMAN_NARRATED, GERMAN_TOLD, GERMAN_WORDS
from domain.workspace.rules.languages import CHINESE, CHINESE_NARRATED, JAPANESE, JAPANESE_FIRM, JAPANESE_NARRATED
from domain.workspace.rules.policies import HEDGED, POLICIES
from messages.turn import SpokenTurn

LONGEST_LINE = 300
_LOOKED_AT = 12_000
"""Characters of a line; no message has more."""
_LONGEST_SENTENCE = 400
"""Characters of a sentence that are looked at."""
_LEAST_SCORE = 0.45
_SHORTEST = 3
"""Words of a rule in a script that parts them."""
_FENCE = "```"
_SENTENCES = re.compile(r"(?<=[.!?…])[\"')\]]*\s+(?=[\"'(\[]*[^\sa-z])|(?<=[。\uff01\uff1f])\s*(?=\S)")
_CLAUSES = re.compile(
    r"(?:[,;:\u2013\u2014]\s+|\s-\s|\s-{2}\s)(?:(?:so|and|but|then|therefore|please)\s+)*(?=\w)"
    r"|\s(?:but|and|so)\s(?=(?:please|never|don't|do not|always|only|make sure|not|must|may|has to|have to)\s)"
)
_KANA = re.compile("[\u3040-\u30ff]")
_HAN = re.compile("[\u3400-\u9fff]")
_LEADING = re.compile(r"^[^\w\"'(\[#@/<>+.-]+")
"""Signs and pictures before a sentence."""
_MOST_CLAUSES = 10
_ASKED = 0.6
"""Score of a rule that is asked for politely."""
_FAINT = _LEAST_SCORE
_EXCLAIMED = 0.8
"""Share of a score that is left to what is called out."""
_REMEMBERED = 8_192
"""Sentences whose scores are known still, for what was found is compared next."""
_GRAM = 3
"""Characters of the pieces by which two rules are compared."""
_MARK_BITS = 1_024
"""Bits for the comparison of two rules; so many that few pieces share one."""
_MOST_COMPARED = 6_000
"""Lines that are compared; of more, such as lie evenly among them."""
_ALIKE = 0.95
"""Share of a score that a line loses at most for being like another: only the same words are left out."""


@dataclass(frozen=True, slots=True)
class FoundLine:
    """A line that sets a rule, and where it was said."""

    turn_id: str
    path: str
    line: int
    """1-based, of the turn's beginning."""
    author: str
    text: str
    score: float
    """Above 0, at most 1."""


def directive_score(line: str) -> float:
    """Certainty that a line sets a rule, from 0 to 1: certainty of the surest sentence."""
    return max((score for _, score in _scored(line)), default=0.0)


def found_lines(spoken: Iterable[SpokenTurn]) -> tuple[FoundLine, ...]:
    """Lines of people's words that set a rule, in their order; of a long one the sentences that do.

    The agent's words, commands' output, code and quotations are left out.
    """
    return tuple(
        FoundLine(turn.turn_id, turn.path, turn.line, turn.author, _short(line), score)
        for turn in spoken
        for line in _lines(turn.text)
        if (score := directive_score(line)) > 0
    )


def surest(found: Iterable[FoundLine], most: int) -> tuple[FoundLine, ...]:
    """At most so many of the lines, the surest first, none that says the same as another.

    A line counts for less the more it is like one that is chosen (maximal marginal relevance), so that a saying which
    is used again and again with other names takes one place and not all. Of equals come first those that are nearest
    to the beginning or the end: how the work was begun, and what was said of it last.
    """
    once: dict[str, tuple[int, FoundLine]] = {}
    for number, line in enumerate(found):
        key = same_words(line.text)
        if line.score > 0 and (key not in once or once[key][1].score < line.score):
            once[key] = number, line
    ordered = sorted(once.values(), key=lambda each: each[0])
    ends = {number: min(place, len(ordered) - 1 - place) for place, (number, _) in enumerate(ordered)}
    compared = _thinned(ordered)
    compared.sort(key=lambda each: (-each[1].score, ends[each[0]], each[0]))
    lines = [line for _, line in compared]
    marks = _marks(lines)
    counts = [mark.bit_count() for mark in marks]
    worth = [line.score for line in lines]
    chosen: list[FoundLine] = []
    while len(chosen) < min(most, len(lines)):
        best = worth.index(max(worth))
        chosen.append(lines[best])
        mark, count = marks[best], counts[best]
        for place, line in enumerate(lines):
            common = (mark & marks[place]).bit_count()
            worth[place] = min(worth[place], line.score * (1 - _ALIKE * common / (count + counts[place] - common)))
        worth[best] = -1.0
    return tuple(chosen)


def _thinned(lines: list[tuple[int, FoundLine]]) -> list[tuple[int, FoundLine]]:
    """As many of the lines as are compared: all, or of very many such as lie evenly among them."""
    if len(lines) <= _MOST_COMPARED:
        return lines
    return [lines[place * (len(lines) - 1) // (_MOST_COMPARED - 1)] for place in range(_MOST_COMPARED)]


def _marks(lines: list[FoundLine]) -> list[int]:
    """Mark for the comparison of each line: a bit for each piece of the line's rules, the same in every run."""
    bits: dict[str, int] = {}
    marks = []
    for line in lines:
        text = same_words(_rules(line.text))
        mark = 0
        for at in range(max(1, len(text) - _GRAM + 1)):
            gram = text[at : at + _GRAM]
            if gram not in bits:
                bits[gram] = 1 << crc32(gram.encode("utf-8", "surrogatepass")) % _MARK_BITS
            mark |= bits[gram]
        marks.append(mark)
    return marks


def _rules(line: str) -> str:
    """The sentences of a line that set a rule; all of a line that has one sentence, or none that does."""
    return _rule_sentences(line) or line if _SENTENCES.search(line) else line


def _rule_sentences(line: str) -> str:
    return " ".join(sentence for sentence, score in _scored(line) if score > 0)


def _lines(text: str) -> Iterator[str]:
    is_code = False
    for line in text.splitlines():
        bare = " ".join(without_hidden(line).split())
        if bare.startswith(_FENCE):
            is_code = not is_code
        elif bare and not is_code and not bare.startswith(">"):
            yield bare


def _short(line: str) -> str:
    """A line, or of one that is too long the sentences that set a rule."""
    if len(line) <= LONGEST_LINE:
        return line
    rules = _rule_sentences(line)
    return rules if len(rules) <= LONGEST_LINE else f"{rules[: LONGEST_LINE - 1].rstrip()}…"


def _scored(line: str) -> Iterator[tuple[str, float]]:
    """The sentences of a line, each with its score."""
    for sentence in _SENTENCES.split(without_hidden(line[:_LOOKED_AT]).replace("\u2019", "'")):
        score = _score(_LEADING.sub("", sentence).strip()[:_LONGEST_SENTENCE])
        yield sentence, score if score >= _LEAST_SCORE else 0.0


@lru_cache(maxsize=_REMEMBERED)
def _score(sentence: str) -> float:
    if _KANA.search(sentence):
        is_told = JAPANESE_NARRATED.search(sentence) and not JAPANESE_FIRM.search(sentence)
        return 0.0 if is_told else _sum(JAPANESE, sentence)
    if _HAN.search(sentence):
        return _sum(CHINESE, sentence) if not CHINESE_NARRATED.search(sentence) else 0.0
    if len(sentence.split()) < _SHORTEST:
        return 0.0
    score = max(_english(sentence), _german(sentence))
    return score * _EXCLAIMED if sentence.endswith("!") else score


def _english(sentence: str) -> float:
    if sentence.endswith("?"):
        return _ASKED if REQUESTS.search(sentence) else 0.0
    if CONSOLING.search(sentence) or HEDGED.search(sentence):
        return 0.0
    core = _core(sentence)
    parts = _CLAUSES.split(sentence, maxsplit=_MOST_CLAUSES)[1:]
    clauses = dict.fromkeys((sentence, core, *parts, *map(_core, parts)))
    opening = max(_sum(OPENINGS, clause, at_start=True) for clause in clauses)
    anywhere = 1 - (1 - _sum(TOLD, sentence)) * (1 - _sum(POLICIES, sentence))
    told = max(0.0 if NARRATED.match(clause) else _sum(PHRASES, clause) for clause in clauses)
    if not (opening or anywhere or told):
        return _FAINT if _may_be_rule(sentence) else 0.0
    return 1 - (1 - opening) * (1 - anywhere) * (1 - told)


def _core(clause: str) -> str:
    """A clause without what stands before an imperative."""
    before = BEFORE.match(clause)
    return clause[before.end() :] if before else clause


def _may_be_rule(sentence: str) -> bool:
    """True if a sentence is of things alone and limits them, without any of the phrases."""
    if len(sentence.split()) < _SHORTEST + 1 or sentence.endswith("!") or not sentence.isascii():
        return False
    return bool(LIMITING.search(sentence)) and not PERSONAL.search(sentence) and not TASK.match(sentence)


def _german(sentence: str) -> float:
    if sentence.endswith("?") or not GERMAN_WORDS.search(sentence) or GERMAN_CONSOLING.search(sentence):
        return 0.0
    told = _sum(GERMAN_TOLD, sentence)
    return told if GERMAN_NARRATED.match(sentence) else 1 - (1 - told) * (1 - _sum(GERMAN, sentence))


def _sum(phrases: Weighed, text: str, *, at_start: bool = False) -> float:
    """Certainty that the phrases of a text give together."""
    doubt = 1.0
    for weight, pattern in phrases:
        if pattern.match(text) if at_start else pattern.search(text):
            doubt *= 1 - weight
    return 1 - doubt
