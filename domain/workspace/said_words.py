"""People's own words of turns that are cut off, shortened: the rules that people set are in them, in any language."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from domain.memory.block_json import block_json
from domain.text.presentable import without_hidden
from domain.text.token_estimate import CHARS_PER_TOKEN
from domain.workspace.files.wording import same_words
from messages.turn import SpokenTurn

SAID_TOKENS = 2_000
"""Most tokens of all words together, by the 4-characters rule."""
SAID_CHARS = SAID_TOKENS * CHARS_PER_TOKEN
LONGEST = 300
"""Characters of one message; of a longer one the beginning and the end."""
_END = 100
_FENCE = "```"


@dataclass(frozen=True, slots=True)
class SaidWords:
    """Words of people in one turn, and where they were said."""

    turn_id: str
    path: str
    line: int
    """1-based, of the turn's beginning."""
    author: str
    text: str

    def as_item(self) -> dict[str, str]:
        """Form in a handover."""
        where = {"at": f"{self.path}:{self.line}"} if self.path else {}
        return {"who": self.author[:80], "said": self.text, **where}


def said_words(spoken: Iterable[SpokenTurn]) -> tuple[SaidWords, ...]:
    """People's words of each turn, in order, without the agent's answers, commands' output, code and quotations."""
    return tuple(
        SaidWords(turn.turn_id, turn.path, turn.line, turn.author, text)
        for turn in spoken
        if (text := _shorten(" ".join(_lines(turn.text))))
    )


def fit_words(words: Iterable[SaidWords], most_chars: int = SAID_CHARS) -> tuple[SaidWords, ...]:
    """The words that have room, in order and each once: of too many, those in the middle go.

    The first words say how the work was begun, the last how it stands; both have half of the room.

    Args:
        words: In the order in which they were said.
        most_chars: Of all of them as JSON.
    """
    by_wording = dict[str, SaidWords]()
    for each in words:
        by_wording.setdefault(same_words(each.text), each)
    once = [*by_wording.values()]
    first = _fitting(once, most_chars // 2 if _cost(once) > most_chars else most_chars)
    last = _fitting(once[len(first) :][::-1], most_chars - _cost(first))
    return (*first, *last[::-1])


def _fitting(words: Sequence[SaidWords], room: int) -> list[SaidWords]:
    """The first of the words that fit together."""
    fitting: list[SaidWords] = []
    for each in words:
        room -= _cost([each])
        if room < 0:
            break
        fitting.append(each)
    return fitting


def _cost(words: Iterable[SaidWords]) -> int:
    return sum(len(block_json(each.as_item())) + 1 for each in words)


def _shorten(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    return f"{text[: LONGEST - _END - 3].rstrip()} … {text[-_END:].lstrip()}"


def _lines(text: str) -> Iterator[str]:
    is_code = False
    for line in text.splitlines():
        bare = " ".join(without_hidden(line).split())
        if bare.startswith(_FENCE):
            is_code = not is_code
        elif bare and not is_code and not bare.startswith(">"):
            yield bare
