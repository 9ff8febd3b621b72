"""Tables and lists within a text, so that a cut can keep them whole or fall between their rows and items."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_FENCE = "```"
_ITEM = re.compile(r"[ \t]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+\S")
_INDENTED = re.compile(r"(?: {2,}|\t)\s*\S")
_DELIMITER = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)+\|?[ \t]*\r?\n?|[ \t]*\|-+\|\s*")


@dataclass(frozen=True, slots=True)
class Block:
    """A table or a list."""

    begin: int
    """Beginning of the first line."""
    end: int
    """Beginning of the line after the block; the end of the searched part, if the block is longer."""
    joints: tuple[int, ...]
    """Beginnings of rows or items at which the block may be cut, in order, all within."""


@dataclass(frozen=True, slots=True)
class _Line:
    begin: int
    end: int
    """Behind its line break."""
    text: str


def block_around(text: str, start: int, at: int, stop: int) -> Block | None:
    """The table or list that a cut of `text` at `at` would fall into; None when it falls into none.

    Args:
        text: Any; at `at` no code block is open.
        start: Where to stop looking backwards; the beginning of a line, or of what is left of one.
        at: Greater than `start`.
        stop: Where to stop looking forwards.
    """
    lines = [*reversed([*_backwards(text, start, at, stop)]), *_forwards(text, at, stop)]
    for block in (_table(lines, at), _list(lines, at)):
        if block is not None and block.begin < at < block.end:
            return block
    return None


def _backwards(text: str, start: int, at: int, stop: int) -> Iterator[_Line]:
    """The lines that begin before `at`, the nearest first, up to a mark of a code block."""
    end = _line_end(text, at - 1, stop)
    while end > start:
        begin = max(start, text.rfind("\n", start, end - 1) + 1)
        if _FENCE in text[begin:end]:
            return
        yield _Line(begin, end, text[begin:end])
        end = begin


def _forwards(text: str, at: int, stop: int) -> Iterator[_Line]:
    """The lines after that in which `at` is, or which ends there, up to a mark of a code block."""
    begin = _line_end(text, at - 1, stop)
    while begin < stop:
        end = _line_end(text, begin, stop)
        if _FENCE in text[begin:end]:
            return
        yield _Line(begin, end, text[begin:end])
        begin = end


def _line_end(text: str, at: int, stop: int) -> int:
    """Behind the line break that ends the line of the character at `at`, or `stop`: a line may be very long."""
    newline = text.find("\n", at, stop)
    return stop if newline < 0 else newline + 1


def _table(lines: list[_Line], at: int) -> Block | None:
    """The table among `lines` that `at` is in or behind; its head is not cut off."""
    run: list[_Line] = []
    for line in lines:
        if "|" in line.text:
            run.append(line)
        elif line.begin >= at:
            break
        else:
            run = []
    delimiters = [number for number, line in enumerate(run) if number and _DELIMITER.fullmatch(line.text)]
    if not delimiters:
        return None
    head = delimiters[0] - 1
    return Block(run[head].begin, run[-1].end, tuple(line.begin for line in run[head + 2 :]))


def _list(lines: list[_Line], at: int) -> Block | None:
    """The list among `lines` that `at` is in or behind, with what belongs to its items and the blank lines between."""
    run: list[_Line] = []
    blanks: list[_Line] = []
    for line in lines:
        is_item = _ITEM.match(line.text) is not None
        if not line.text.strip():
            blanks.append(line)
        elif is_item or (run and (not blanks or _INDENTED.match(line.text))):
            run += [*(blanks if run else ()), line]
            blanks = []
        elif line.begin >= at:
            break
        else:
            run, blanks = [], []
    if not run:
        return None
    return Block(run[0].begin, run[-1].end, tuple(line.begin for line in run[1:] if _ITEM.match(line.text)))
