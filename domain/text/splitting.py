"""Splitting of long texts into as many messages as needed, at places where a reader would split."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from domain.text.characters import character_edge, farthest_end, is_joined, units
from domain.text.discord.blocks import Block, joints_between
from domain.text.discord.cuts import Cuts
from domain.text.discord.lines import FENCE

LIMIT = 2000
"""Discord's longest message, in UTF-16 code units to be on the safe side."""

_SMALLEST_LIMIT = 200
_FENCE = "```"
_SENTENCE_ENDS = "\u2026\u3001\u3002\uff01\uff0c\uff1a\uff1b\uff1f"
"""Marks behind which a text without spaces may be cut."""
_CLOSING = re.compile(r"\s*(?:>[^\S\n]*)?`{3,}")
_LANGUAGE = re.compile(r"[A-Za-z0-9_+.#-]{1,32}(?=[^\S\n]*(?:\n|\Z))")


@dataclass(frozen=True, slots=True)
class Piece:
    """One message of a longer text."""

    source: str
    """Part of the text that the piece shows; the sources of all pieces together are the text, byte for byte."""
    text: str
    """Shown text: the source without blank edges, with formats and code blocks closed and opened again at cuts."""


@dataclass(frozen=True, slots=True)
class _Scan:
    """Fences of a stretch of text, as Discord reads it: three or more backticks open and close a code block."""

    language: str | None
    """Language of the block open at the end; None without an open block."""
    opened_at: int | None
    """Beginning of the open block, if within the stretch."""
    block_is_blank: bool
    """True if the open block shows no text so far."""
    is_blank: bool
    """True if only blanks and block marks are in the stretch."""


def split(text: str, limit: int = LIMIT, *, is_growing: bool = False) -> tuple[str, ...]:
    """The messages that show `text`, each at most `limit` long and not blank; empty for a blank text."""
    return tuple(piece.text for piece in pieces(text, limit, is_growing=is_growing))


def pieces(text: str, limit: int = LIMIT, *, is_growing: bool = False) -> tuple[Piece, ...]:
    """The messages that show `text`, each with its part of `text` as the source.

    Cuts fall between paragraphs, else lines, else words, else characters; never inside a character if avoidable, nor
    inside a format shorter than a message. A table or list goes into one message whole if there is room, else it is
    cut between rows or outer items. The marks that both sides of a cut need: `domain/text/discord/cuts.py`.

    Without the added marks, the messages show the text except for blanks at the cuts and empty code blocks at the cuts.

    Args:
        text: Any text.
        limit: Most UTF-16 code units of a message, >= 200.
        is_growing: True if more text may follow: the last message is closed like all other messages.
    """
    if limit < _SMALLEST_LIMIT:
        raise ValueError(f"limit {limit}: a message must have room for at least {_SMALLEST_LIMIT} units")
    stripped = text.strip()
    if not stripped:
        return ()
    if units(stripped) <= limit and not is_growing:
        return (Piece(text, stripped),)
    splitter = _Splitter(text, limit, is_growing=is_growing)
    parts: list[Piece] = []
    begin = start = 0
    language: str | None = None
    while start < len(text):
        end, resume, scan = splitter.cut(start, language)
        if not scan.is_blank:
            parts.append(Piece(text[begin:resume], splitter.dress(start, end, language, scan.language)))
            begin = resume
        language = scan.language if resume == end else None
        start = splitter.cuts.behind_marks(resume)
    if not parts:
        return (Piece(text, stripped),) if is_growing and units(stripped) <= limit else ()
    return (*parts[:-1], Piece(parts[-1].source + text[begin:], parts[-1].text))


def sendable(text: str) -> str:
    """`text` in encodable form: surrogate pairs joined, lone surrogates replaced."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


class _Splitter:
    """Choice of the cuts of one text."""

    def __init__(self, text: str, limit: int, *, is_growing: bool) -> None:
        self._text = text
        self._limit = limit
        self.cuts = Cuts(text, limit, is_growing=is_growing)

    def cut(self, start: int, language: str | None) -> tuple[int, int, _Scan]:
        """End of the piece that begins at `start`, beginning of the next piece, and the scan of the piece."""
        text, limit = self._text, self._limit
        stop = self.cuts.edge(start)
        if stop - start <= limit:
            rest = _scan(text, start, stop, language)
            if units(self.dress(start, stop, language, rest.language)) <= limit:
                return stop, stop, rest
        room = limit - len(_FENCE) - 1
        while True:
            farthest = min(stop, max(start + 1, farthest_end(text, start, room)))
            end, scan = self._place(start, farthest, language)
            excess = units(self.dress(start, end, language, scan.language)) - limit
            if excess <= 0 or farthest == start + 1:
                break
            room = min(room, units(text[start:end])) - excess
        closing = _CLOSING.match(text, end) if scan.language is not None else None
        return end, closing.end() if closing else end, scan

    def dress(self, start: int, end: int, before: str | None, after: str | None) -> str:
        """Text of a piece with the marks of formats open before and after the piece.

        Args:
            start: Beginning of the piece.
            end: End of the piece.
            before: Language of the code block that the piece begins in; None outside of code.
            after: Language of the code block that the piece ends in; None outside of code.
        """
        text, cuts = self._text, self.cuts
        if before is None:
            piece = cuts.begin(end - len(text[start:end].lstrip()), end)
        else:
            piece = cuts.begin_code(start, end, _FENCE + before)
        if after is None:
            return piece.rstrip() + cuts.closing(end)
        mark = cuts.quote_of_code(end) + _FENCE
        return piece + (mark if piece.endswith("\n") else f"\n{mark}") + cuts.closing(end)

    def _place(self, start: int, farthest: int, language: str | None) -> tuple[int, _Scan]:
        """End of the piece and its scan, with room only up to `farthest`."""
        text, cuts = self._text, self.cuts
        end = farthest if farthest == cuts.edge(start) else self._best_break(start, farthest)
        scan = _scan(text, start, end, language)
        if scan.opened_at is not None and (opened_at := cuts.before(scan.opened_at)) > start:
            is_late = opened_at - start >= (farthest - start) // 2
            if is_late or scan.block_is_blank:
                end = opened_at
                scan = _scan(text, start, end, language)
        if scan.language is None and (better := self._beside_block(start, end, farthest)) != end:
            beside = _scan(text, start, better, language)
            if not beside.is_blank and beside.language is None:
                end, scan = better, beside
        return end, scan

    def _beside_block(self, start: int, end: int, farthest: int) -> int:
        """A better place than `end` for a cut inside a table or list; `end` without a better place."""
        block = self.cuts.blocks.around(end)
        if block is None:
            return end
        if block.end <= farthest and self.cuts.is_possible(block.end):
            return block.end
        if block.begin > start and self._fits(block.begin, block.end) and self.cuts.is_possible(block.begin):
            return block.begin
        return self._joint(block, start, farthest) or end

    def _joint(self, block: Block, start: int, farthest: int) -> int | None:
        """The last place, not too early, between two rows or outer items, or before a block that fits a message."""
        quarter = start + (farthest - start) // 4
        within = joints_between(block.joints, start + 1, farthest)
        for level in sorted({0, *(joint.level for joint in within)}):
            places = [joint.at for joint in within if joint.level <= level and self.cuts.is_possible(joint.at)]
            if start < block.begin <= farthest:
                places.insert(0, block.begin)
            if places and (places[-1] >= quarter or self._fits(places[-1], self._following(block, places[-1], level))):
                return places[-1]
        return None

    def _following(self, block: Block, at: int, level: int) -> int:
        """The next joint of the level behind `at`, or the end of the block."""
        following = joints_between(block.joints, at + 1, at + self._limit)
        return next((joint.at for joint in following if joint.level <= level), block.end)

    def _fits(self, begin: int, end: int) -> bool:
        """True if a message that begins at `begin` can reach `end` although more text follows."""
        return end - begin < self._limit and units(self._text[begin:end].rstrip()) <= self._limit - len(_FENCE) - 1

    def _best_break(self, start: int, farthest: int) -> int:
        """The best end in `(start, farthest]`: not too early, and as near to a reader's pause as can be."""
        cuts = self.cuts
        if (pause := self._pause(start, farthest, cuts.is_free)) is not None:
            return pause
        edge = character_edge(self._text, start, max(start, cuts.before_formats(farthest)))
        if edge >= start + (farthest - start) // 2 and cuts.is_free(edge):
            return edge
        if (pause := self._pause(start, farthest, cuts.is_possible)) is not None:
            return pause
        edge = character_edge(self._text, start, max(start, cuts.before(farthest)))
        return edge if edge > start else character_edge(self._text, start, farthest)

    def _pause(self, start: int, farthest: int, fits: Callable[[int], bool]) -> int | None:
        """The best fitting pause in `(start, farthest]`, or None."""
        text, span = self._text, farthest - start
        earliest = start + span // 4
        for mark, first in (("\n\n", start + span // 2), ("\n", earliest)):
            at = text.rfind(mark, first, farthest)
            while at >= 0:
                if fits(at + len(mark)):
                    return at + len(mark)
                at = text.rfind(mark, first, at + len(mark) - 1)
        for end in range(farthest, earliest, -1):
            if (text[end - 1].isspace() or text[end - 1] in _SENTENCE_ENDS) and not is_joined(text, end) and fits(end):
                return end
        return None


def _scan(text: str, start: int, end: int, language: str | None) -> _Scan:
    """Scan of `text[start:end]` when a block of `language` is open before the stretch (None: no block)."""
    opened_at: int | None = None
    blank, at = True, start
    for run in FENCE.finditer(text, start, end):
        blank = blank and not text[at : run.start()].strip()
        at = run.end()
        if language is not None:
            language = opened_at = None
            continue
        named = _LANGUAGE.match(text, at)
        language, opened_at = "", run.start()
        if named:
            language, at = named[0], named.end()
    tail_is_blank = not text[at:end].strip()
    return _Scan(language, opened_at, language is not None and tail_is_blank, blank and tail_is_blank)
