"""Tail of a command's output for the model: the end, and a notice about the omitted part."""

from __future__ import annotations

from dataclasses import dataclass

from domain.text.imitation import defuse_output
from domain.text.terminal_text import plain

MAX_LINES = 2000
MAX_BYTES = 50 * 1024
"""Of the shown text in UTF-8, without notices."""
WINDOW_BYTES = 512 * 1024
"""Raw output to remember: ten times the shown size, because cleaning shrinks colours and progress bars."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """The end of an output, cleaned, within `MAX_LINES` and `MAX_BYTES`."""

    text: str
    """Without the last line feed."""
    first_line: int
    """1-based number of the first line shown."""
    line_count: int
    """Lines of the whole output."""
    cut_by_bytes: bool = False
    """True if the size, not the number of lines, left out text."""
    line_bytes: int | None = None
    """Raw size of the last line if even this line could not be shown whole."""

    @property
    def truncated(self) -> bool:
        """True if text was left out."""
        return self.first_line > 1 or self.line_bytes is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptOutput:
    """Record of the whole output of which the model sees the end."""

    path: str
    """File of the whole output; empty without a file."""
    lost_bytes: int = 0
    """Raw bytes discarded after the file's end."""
    fault: str = ""
    """Reason for an incomplete file, other than the size."""


class OutputTail:
    """Buffer of output's end, fed piece by piece, in bounded memory."""

    def __init__(self) -> None:
        self._window = bytearray()
        self._newlines = 0
        self._line_start = 0
        self._previous_line_start = 0
        self.total_bytes = 0
        """Raw size of all bytes fed."""

    def feed(self, piece: bytes) -> None:
        """Take the next bytes, cut anywhere."""
        self._note_lines(piece)
        self.total_bytes += len(piece)
        self._window += piece[-WINDOW_BYTES:]
        if len(self._window) > 2 * WINDOW_BYTES:
            del self._window[:-WINDOW_BYTES]

    @property
    def line_count(self) -> int:
        """Lines so far; an unfinished last line counts."""
        return self._newlines + (self.total_bytes > self._line_start)

    def excerpt(self) -> Excerpt:
        """The end of the output fed so far."""
        lines, is_partial = self._last_lines()
        if not lines:
            return Excerpt(text="", first_line=1, line_count=0)
        if is_partial and len(lines) > 1:
            del lines[0]
            is_partial = False
        fitting = _fitting(lines)
        if is_partial or not fitting:
            return self._part_of_last_line(lines[-1])
        return Excerpt(
            text="\n".join(fitting),
            first_line=self.line_count - len(fitting) + 1,
            line_count=self.line_count,
            cut_by_bytes=len(fitting) < min(self.line_count, MAX_LINES),
        )

    def _note_lines(self, piece: bytes) -> None:
        last = piece.rfind(b"\n")
        if last < 0:
            return
        before = piece.rfind(b"\n", 0, last)
        self._previous_line_start = self.total_bytes + before + 1 if before >= 0 else self._line_start
        self._line_start = self.total_bytes + last + 1
        self._newlines += piece.count(b"\n")

    def _last_lines(self) -> tuple[list[str], bool]:
        """The remembered lines, cleaned, and True if the first line may lack its beginning."""
        raw = bytes(self._window[-WINDOW_BYTES:])
        is_partial = len(raw) < self.total_bytes
        if is_partial:
            raw = _from_character_start(raw)
        lines = plain(raw.decode("utf-8", "replace")).split("\n")
        if lines[-1] == "" and self._line_start == self.total_bytes:
            lines.pop()
        return lines, is_partial

    def _part_of_last_line(self, line: str) -> Excerpt:
        if self.total_bytes > self._line_start:
            size = self.total_bytes - self._line_start
        else:
            size = self._line_start - 1 - self._previous_line_start
        text = _from_character_start(line.encode()[-MAX_BYTES:]).decode()
        number = self.line_count
        return Excerpt(text=text, first_line=number, line_count=number, cut_by_bytes=True, line_bytes=size)


def render(excerpt: Excerpt, output: KeptOutput, ending: str) -> str:
    """The tool result's text: the excerpt, the omitted part, the ending.

    Lines of the output that imitate the runtime's lines are marked, so text behind the output is the runtime's word.

    Args:
        excerpt: The end of the output.
        output: Used only if `excerpt` is truncated.
        ending: Words about the command's end; empty for an unremarkable end.
    """
    parts = [defuse_output(excerpt.text.rstrip("\n")) or "(no output)"]
    if excerpt.truncated:
        parts.append(f"[{_what_is_shown(excerpt)} {_where_the_rest_is(output)}]")
    if ending:
        parts.append(f"[{ending}]")
    return "\n\n".join(parts)


def size_text(size_bytes: int) -> str:
    """`size_bytes` for a reader, in units of 1,024."""
    if size_bytes < 1024:
        return f"{size_bytes} B"
    if size_bytes < 1024 * 1024:
        return f"{size_bytes / 1024:.1f} KB"
    return f"{size_bytes / (1024 * 1024):.1f} MB"


def _fitting(lines: list[str]) -> list[str]:
    """As many of the last `lines` as the limits allow; empty if not even the last line fits."""
    room = MAX_BYTES + 1
    first = len(lines)
    for line in reversed(lines[-MAX_LINES:]):
        room -= len(line.encode()) + 1
        if room < 0:
            break
        first -= 1
    return lines[first:]


def _from_character_start(raw: bytes) -> bytes:
    """`raw` without the rest of a character whose beginning was cut off."""
    start = 0
    while start < min(3, len(raw)) and raw[start] & 0xC0 == 0x80:
        start += 1
    return raw[start:]


def _what_is_shown(excerpt: Excerpt) -> str:
    if excerpt.line_bytes is not None:
        size = size_text(len(excerpt.text.encode()))
        return f"Showing last {size} of line {excerpt.line_count}, which has {size_text(excerpt.line_bytes)}."
    lines = f"lines {excerpt.first_line}-{excerpt.line_count} of {excerpt.line_count}"
    if excerpt.cut_by_bytes:
        return f"Showing {lines}; more than {size_text(MAX_BYTES)} is cut."
    return f"Showing {lines}; more than {MAX_LINES} lines are cut."


def _where_the_rest_is(output: KeptOutput) -> str:
    if not output.path:
        return f"The whole output could not be kept: {output.fault}."
    if not output.lost_bytes:
        return f"The whole output is in {output.path}"
    why = f" ({output.fault})" if output.fault else ""
    return f"Its beginning is in {output.path}; the last {size_text(output.lost_bytes)} were not kept{why}."
