"""Splitting of long texts into as many messages as they need, cut where a reader would cut them."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from domain.text.markdown_block import Block, block_around

LIMIT = 2000
"""Discord's longest message, in UTF-16 code units to be on the safe side."""

_SMALLEST_LIMIT = 200
_FENCE = "```"
_RUN = re.compile(r"`{3,}")
_CLOSING = re.compile(r"\s*`{3,}")
_LANGUAGE = re.compile(r"[A-Za-z0-9_+.#-]{1,32}(?=[^\S\n]*(?:\n|\Z))")
_LONGEST_CLUSTER = 64
"""Code points that are searched for the edge of a character before one is cut."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One message of a longer text."""

    source: str
    """Part of the text that the piece shows; the sources of all pieces together are the text, byte for byte."""
    text: str
    """Shown text: the source without blank edges, with a code block closed and opened again where a block was cut."""


@dataclass(frozen=True, slots=True)
class _Scan:
    """Fences of a stretch of text, as Discord reads it: three or more backticks open and close a code block."""

    language: str | None
    """Of the block that is open at the end; None when none is."""
    opened_at: int | None
    """Beginning of that block, if within the stretch."""
    block_is_blank: bool
    """True if that block shows no text so far."""
    is_blank: bool
    """True if only blanks and block marks are in the stretch."""


def split(text: str, limit: int = LIMIT) -> tuple[str, ...]:
    """The messages that show `text`, none blank and none longer than `limit`; empty for a blank text."""
    return tuple(piece.text for piece in pieces(text, limit))


def pieces(text: str, limit: int = LIMIT) -> tuple[Piece, ...]:
    """The messages that show `text`, each with its part of `text` as the source.

    Cuts fall between paragraphs, else lines, else words, else characters; never inside one if that can be avoided.
    A table or list goes into one message whole if it fits, else it is cut between rows or items.

    Without the marks of code blocks that were added, what is shown is the text but for blanks at the cuts, and but for
    a code block there that shows nothing.

    Args:
        limit: Most UTF-16 code units of a message, >= 200.
    """
    if limit < _SMALLEST_LIMIT:
        raise ValueError(f"limit {limit}: a message must have room for at least {_SMALLEST_LIMIT} units")
    stripped = text.strip()
    if not stripped:
        return ()
    if units(stripped) <= limit:
        return (Piece(text, stripped),)
    parts: list[Piece] = []
    begin = start = 0
    language: str | None = None
    while start < len(text):
        end, resume, scan = _cut(text, start, language, limit)
        if not scan.is_blank:
            parts.append(Piece(text[begin:resume], _dressed(text[start:end], language, scan.language)))
            begin = resume
        language = scan.language if resume == end else None
        start = resume
    return (*parts[:-1], Piece(parts[-1].source + text[begin:], parts[-1].text)) if parts else ()


def closed(text: str) -> str:
    """`text` with its last code block closed if it is open; at most four units longer."""
    after = _scan(text, 0, len(text), None).language
    return text if after is None else text + (_FENCE if text.endswith("\n") else "\n" + _FENCE)


def units(text: str) -> int:
    """Length in UTF-16 code units, which is never less than in code points."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def sendable(text: str) -> str:
    """`text` as it can be encoded: surrogate pairs joined, lone surrogates replaced."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _cut(text: str, start: int, language: str | None, limit: int) -> tuple[int, int, _Scan]:
    """End of the piece that begins at `start`, beginning of the next piece, and the scan of the piece."""
    room = limit - units(_opening(language))
    if len(text) - start <= room:
        rest = _scan(text, start, len(text), language)
        if units(_dressed(text[start:], language, rest.language)) <= limit:
            return len(text), len(text), rest
    farthest = _farthest(text, start, room - len(_FENCE) - 1)
    end = _best_break(text, start, farthest)
    scan = _scan(text, start, end, language)
    if scan.opened_at is not None and scan.opened_at > start:
        is_late = scan.opened_at - start >= (farthest - start) // 2
        if is_late or scan.block_is_blank:
            end = scan.opened_at
            scan = _scan(text, start, end, language)
    if scan.language is None and (better := _beside_block(text, start, end, farthest, limit)) != end:
        beside = _scan(text, start, better, language)
        if not beside.is_blank and beside.language is None:
            end, scan = better, beside
    closing = _CLOSING.match(text, end) if scan.language is not None else None
    return end, closing.end() if closing else end, scan


def _dressed(body: str, before: str | None, after: str | None) -> str:
    """`body` with the marks of the code blocks that were open before it and are open after it."""
    if before is None:
        body = body.lstrip()
    if after is None:
        return _opening(before) + body.rstrip()
    return _opening(before) + body + (_FENCE if body.endswith("\n") else "\n" + _FENCE)


def _opening(language: str | None) -> str:
    return "" if language is None else f"{_FENCE}{language}\n"


def _scan(text: str, start: int, end: int, language: str | None) -> _Scan:
    """Scan of `text[start:end]` when a block of `language` is open before it (None: no block)."""
    opened_at: int | None = None
    blank, at = True, start
    for run in _RUN.finditer(text, start, end):
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


def _farthest(text: str, start: int, room: int) -> int:
    """The greatest end for which `text[start:end]` has at most `room` units."""
    end = min(len(text), start + room)
    while (excess := units(text[start:end]) - room) > 0:
        end -= (excess + 1) // 2
    return end


def _beside_block(text: str, start: int, end: int, farthest: int, limit: int) -> int:
    """A better place than `end` for a cut that would fall into a table or list; `end` if there is none."""
    block = block_around(text, start, end, min(len(text), end + limit))
    if block is None:
        return end
    if block.end <= farthest:
        return block.end
    if block.begin > start and _fits(text, block.begin, block.end, limit):
        return block.begin
    return _joint(text, block, start, farthest, limit) or end


def _joint(text: str, block: Block, start: int, farthest: int, limit: int) -> int | None:
    """The last place between two rows or items that is not too early, or before one that fits a message."""
    joints = (block.begin, *block.joints)
    within = [at for at in joints if start < at <= farthest]
    if not within:
        return None
    at = within[-1]
    following = next((after for after in joints if after > at), block.end)
    return at if at >= start + (farthest - start) // 4 or _fits(text, at, following, limit) else None


def _fits(text: str, begin: int, end: int, limit: int) -> bool:
    """True if a message that begins at `begin` can reach `end` although more text follows."""
    return end - begin < limit and units(text[begin:end].rstrip()) <= limit - len(_FENCE) - 1


def _best_break(text: str, start: int, farthest: int) -> int:
    """The best end in `(start, farthest]`: not too early, and as near to a reader's pause as can be."""
    span = farthest - start
    paragraph = text.rfind("\n\n", start + span // 2, farthest)
    if paragraph >= 0:
        return paragraph + 2
    earliest = start + span // 4
    line = text.rfind("\n", earliest, farthest)
    if line >= 0:
        return line + 1
    for end in range(farthest, earliest, -1):
        if text[end - 1].isspace() and not _joined(text, end):
            return end
    return _character_edge(text, start, farthest)


def _character_edge(text: str, start: int, farthest: int) -> int:
    """The last place at or before `farthest` that cuts no character in two, nor a run of backticks."""
    for end in range(farthest, max(start, farthest - _LONGEST_CLUSTER), -1):
        if not _joined(text, end):
            return end
    return farthest - 1 if _is_pair(text, farthest) and farthest - 1 > start else farthest


def _joined(text: str, at: int) -> bool:
    """True if the code points before and after `at` are shown as one character (the common cases of UAX 29)."""
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    if before.isascii() and after.isascii():
        return before == after == "`" or (before, after) == ("\r", "\n")
    return before == "\u200d" or _extends(after) or _is_pair(text, at) or _splits_flag(text, at)


def _extends(character: str) -> bool:
    """True if the character belongs to the preceding character: marks, joiners, skin tones, tags, Hangul finals."""
    return (
        unicodedata.category(character) in {"Mn", "Mc", "Me"}
        or character in "\u200c\u200d"
        or "\U0001f3fb" <= character <= "\U0001f3ff"
        or "\U000e0020" <= character <= "\U000e007f"
        or "\u1160" <= character <= "\u11ff"
    )


def _is_pair(text: str, at: int) -> bool:
    return 0 < at < len(text) and "\ud800" <= text[at - 1] <= "\udbff" and "\udc00" <= text[at] <= "\udfff"


def _splits_flag(text: str, at: int) -> bool:
    """True if `at` is between the two letters of a flag."""
    if not (_is_flag_letter(text[at - 1]) and _is_flag_letter(text[at])):
        return False
    first = at - 1
    while first > 0 and _is_flag_letter(text[first - 1]):
        first -= 1
    return (at - first) % 2 == 1


def _is_flag_letter(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"
