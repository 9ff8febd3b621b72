"""Words found only in commands' output: no file may state such words as if a person had said them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from domain.text.lookalike import normalize
from domain.text.presentable import without_hidden
from messages.turn import SpokenTurn

_WORD = re.compile(r"[^\W_][\w./:@-]*[^\W_]|[^\W_]")
_JOINT = re.compile(r"[/:@]+")
"""Between the parts of an address or a path."""
_STEM = 5
"""Letters of a word to compare."""
_SHORTEST_WORD = 4
_FLAW = "must not tell what only a command printed"


class Printed:
    """Words printed only by commands."""

    def __init__(self, spoken: Iterable[SpokenTurn], known: Iterable[str] = (), *, least_digits: int = 1) -> None:
        """Collect the words of all turns for comparison.

        Args:
            spoken: The turns, with the results of their commands.
            known: Earlier content of files, which counts as said.
            least_digits: A number with fewer digits is ignored: commands print most short numbers.
        """
        self._least_digits = least_digits
        turns = tuple(spoken)
        texts = (*(f"{turn.author} {turn.text} {turn.answer}" for turn in turns), *known)
        self._spoken_stems = {stem for text in texts for stem in _stems(text)}
        self._printed = {stem for turn in turns for text in turn.results for stem in _stems(text)} - self._spoken_stems

    def flaw(self, text: str) -> str:
        """Reason why a text may not be written, as the end of a sentence; empty if allowed.

        A text is refused if more of its words come from outputs than from people, or if a name or number comes from
        outputs.
        """
        stems = set(_stems(text))
        printed = stems & self._printed
        spoken = stems & self._spoken_stems
        is_printed = any(map(self._is_telling, printed)) or (len(printed) > 1 and len(printed) > len(spoken))
        return _FLAW if is_printed else ""

    def _is_telling(self, stem: str) -> bool:
        return _is_name(stem) and not (stem.isdigit() and len(stem) < self._least_digits)


def _stems(text: str) -> Iterator[str]:
    """Stems of a text's words; of an address or path also the stems of the parts."""
    for word in _WORD.findall(normalize("NFKC", without_hidden(text)).casefold()):
        yield from _stem(word)
        if len(parts := _JOINT.split(word)) > 1:
            for part in parts:
                yield from _stem(part)


def _stem(word: str) -> Iterator[str]:
    if _is_name(word):
        yield word
    elif len(word) >= _SHORTEST_WORD or not word.isascii():
        yield word[:_STEM]


def _is_name(word: str) -> bool:
    """True if the word is no word of a sentence: a number, a path, an address."""
    return any(character in "0123456789./:@_" for character in word)
