"""People's own words of turns that are cut off, shortened: they hold the rules set by people, in any language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from domain.memory.block_json import block_json
from domain.text.token_estimate import CHARS_PER_TOKEN
from domain.workspace.answers.own_words import own_lines
from domain.workspace.files.wording import same_words
from messages.turn import SpokenTurn

SAID_TOKENS = 2_000
"""Most tokens of all words together, by the 4-characters rule."""
SAID_CHARS = SAID_TOKENS * CHARS_PER_TOKEN
LONGEST = 300
"""Characters of one message; of a longer message the beginning and the end are kept."""
_END = 100
_QUESTION = re.compile(r"[?\uff1f\u061f]\s*$|[?\uff1f\u061f]\s")


@dataclass(frozen=True, slots=True)
class SaidWords:
    """Words of people in one turn, and the place of the words."""

    turn_id: str
    path: str
    line: int
    """1-based, of the turn's beginning."""
    author: str
    text: str


def items_of(words: Iterable[SaidWords]) -> list[dict[str, str]]:
    """Form in a handover, in order: author and file stand with the first of several words in a row."""
    items = list[dict[str, str]]()
    author, path = None, ""
    for each in words:
        item = {"who": each.author[:80]} if each.author != author else {}
        item["said"] = each.text
        if each.path:
            item["at"] = f"{each.path if each.path != path else ''}:{each.line}"
        author, path = each.author, each.path
        items.append(item)
    return items


def said_words(spoken: Iterable[SpokenTurn]) -> tuple[SaidWords, ...]:
    """People's words of each turn, in order, without the agent's answers, commands' output, code and quotations."""
    return tuple(
        SaidWords(turn.turn_id, turn.path, turn.line, turn.author, text)
        for turn in spoken
        if (text := _shorten(" ".join(own_lines(turn.text))))
    )


def fit_words(words: Iterable[SaidWords], most_chars: int = SAID_CHARS) -> tuple[SaidWords, ...]:
    """The words that have room, in order and each once: of too many, long middle messages go, and questions first.

    The first words describe the beginning of the work, the last its state; both have a quarter of the room. The rest is
    for as many messages as possible, for rules come at any time and in few words. A question counts as twice as long.

    Args:
        words: Words in the order of the conversation.
        most_chars: Limit for all words together, as JSON.
    """
    by_wording = dict[str, SaidWords]()
    for each in words:
        by_wording.setdefault(same_words(each.text), each)
    once = [*by_wording.values()]
    if _cost(once) <= most_chars:
        return tuple(once)
    first = _fitting(once, most_chars // 4)
    last = _fitting(once[len(first) :][::-1], most_chars // 4)[::-1]
    middle = once[len(first) : len(once) - len(last)]
    ends = {id(each) for each in (*first, *last)}
    left, chosen = most_chars - _cost(first) - _cost(last), set[int]()
    for each in sorted(middle, key=_weight):
        left -= _own_cost(each)
        if left < 0:
            break
        chosen.add(id(each))
    fitting = [each for each in once if id(each) in ends or id(each) in chosen]
    while _cost(fitting) > most_chars and (inner := [each for each in fitting if id(each) in chosen]):
        fitting.remove(max(inner, key=_weight))
    while fitting and _cost(fitting) > most_chars:
        fitting.pop(len(fitting) // 2)
    return tuple(fitting)


def _fitting(words: Sequence[SaidWords], room: int) -> list[SaidWords]:
    """The first words that fit together."""
    fitting: list[SaidWords] = []
    for each in words:
        if _cost([*fitting, each]) > room:
            break
        fitting.append(each)
    return fitting


def _weight(words: SaidWords) -> int:
    return _own_cost(words) * (2 if _QUESTION.search(words.text) else 1)


def _own_cost(words: SaidWords) -> int:
    """Characters of words behind other words of the same author and log."""
    return len(block_json({"said": words.text, "at": f":{words.line}"})) + 1


def _cost(words: Iterable[SaidWords]) -> int:
    return sum(len(block_json(item)) + 1 for item in items_of(words))


def _shorten(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    return f"{text[: LONGEST - _END - 3].rstrip()} … {text[-_END:].lstrip()}"
