"""Lines of the reminders' file: text lines, places for a new line, and edits that leave code and comments alone.

In a code block, a comment and the front matter no line is a reminder, whatever the line says, and no line is ever
changed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import cached_property

from domain.edit.lines import EditRefusedError, padding, separator, without_mark
from domain.reminder.line import InvalidReminderError, parse
from domain.text.markdown.lines import LineKind, MarkdownLine, markdown_lines

_FENCES = (b"```", b"~~~", b"%%", b"$$")
_TAG = re.compile(rb"<(?:[!?]|pre|script|style|textarea)", re.IGNORECASE)
_CODE = re.compile(rb"(?: {4}| {0,3}\t)[ \t]*[-*+0-9a-z]", re.IGNORECASE)
_LATER_CODE = re.compile(rb"[\r\n]" + _CODE.pattern, re.IGNORECASE)
_STUB = b"- \xe2\x80\xa6"
"""Bullet left of a removed line, if code or a comment depends on the line."""


class FileLines:
    """Lines of one version of the file, without line ends, from 0."""

    def __init__(self, data: bytes) -> None:
        """Take the file apart; joined again, the lines equal `data`."""
        body = without_mark(data)
        self._body = body
        self.mark = data[: len(data) - len(body)]
        self.separator = separator(body)
        self.lines = body.split(self.separator)
        self._hides = _may_hide(body)

    def join(self, lines: list[bytes]) -> bytes:
        """File of the lines, with this file's mark and line ends."""
        return self.mark + self.separator.join(lines)

    def is_text(self, index: int) -> bool:
        """True if the line is neither code nor comment nor front matter."""
        return not self._hides or index not in self.special or self.special[index].kind is LineKind.TEXT

    def texts(self) -> list[bytes]:
        """Text lines."""
        hidden = set(self.hidden_indices())
        return [line for index, line in enumerate(self.lines) if index not in hidden] if hidden else self.lines

    @cached_property
    def special(self) -> Mapping[int, MarkdownLine]:
        """Lines that are not plain text, by index."""
        raws = [f"{line.decode('utf-8', 'surrogateescape')}\n" for line in self.lines]
        return markdown_lines(raws, whole_note=True, opens_nothing=_is_reminder)

    def hidden_indices(self) -> list[int]:
        """Indices of the lines outside text."""
        if not self._hides:
            return []
        return [index for index, line in self.special.items() if line.kind is not LineKind.TEXT]

    def with_line(self, raw: bytes) -> bytes:
        """File with one more line of text: the last, or above an unclosed block.

        Raises:
            EditRefusedError: in any place, the line or another line would be hidden or come to light.
        """
        lines, last = self.lines, len(self.lines) - 1
        cr = padding(self._body)
        end = last if not lines[last] else last + 1
        if lines == [b""]:
            return self.mark + raw + self.separator
        at_end = [*lines[:last], raw + cr, b""] if end == last else [*lines[:last], lines[last] + cr, raw]
        if not self._differs(at_end, {end: 1}):
            return self.join(at_end)
        block = self.special.get(max(0, end - 1))
        if block is None or block.kind is LineKind.TEXT:
            raise EditRefusedError(
                "no place in the reminders' file would leave its comments and code blocks as they are"
            )
        above = [*lines[: block.first], raw + cr, *lines[block.first :]]
        if block.is_open and not self._differs(above, {block.first: 1}):
            return self.join(above)
        raise EditRefusedError(
            f"the reminders' file ends in {block.kind.value} that begins in line {block.first + 1}, where no reminder "
            "is read: close it first"
        )

    def with_changes(self, changes: Mapping[int, bytes | None]) -> bytes:
        """File with changed lines of text; None removes a line, save for a bullet on which other lines depend.

        Raises:
            EditRefusedError: a new line would hide another line, or reveal a hidden line.
        """
        changed = {index: raw for index, raw in changes.items() if raw is not None}
        gone = [index for index in changes if index not in changed]
        if gone:
            lines = self._change_lines(changed, gone)
            if not self._differs(lines, dict.fromkeys((index for index in gone if index < len(self.lines) - 1), -1)):
                return self.join(lines)
            changed.update({index: _STUB + b"\r" * self.lines[index].endswith(b"\r") for index in gone})
        lines = self._change_lines(changed, ())
        if self._differs(lines, {}):
            raise EditRefusedError(
                "the line would hide other lines of the reminders' file or uncover hidden ones: remove its comment "
                "marks"
            )
        return self.join(lines)

    def _change_lines(self, changed: Mapping[int, bytes], gone: Collection[int]) -> list[bytes]:
        lines = [changed.get(index, line) for index, line in enumerate(self.lines)] if changed else list(self.lines)
        for index in sorted(gone, reverse=True):
            if index == len(lines) - 1:
                lines[index] = b""
            else:
                del lines[index]
        return lines

    def _differs(self, lines: list[bytes], shifts: Mapping[int, int]) -> bool:
        """True if in the new version a line is hidden that was not, or the other way round.

        Args:
            lines: The new version.
            shifts: Index in the old version -> -1 for a removed line, 1 for a line of text inserted before the index.
        """
        joined = self.separator.join(lines)
        if not self._hides and not _may_hide(joined):
            return False
        before = self._kinds()
        for index in sorted(shifts, reverse=True):
            if shifts[index] < 0:
                del before[index]
            else:
                before.insert(index, LineKind.TEXT)
        return FileLines(joined)._kinds() != before

    def _kinds(self) -> list[LineKind]:
        kinds = [LineKind.TEXT] * len(self.lines)
        for index, line in self.special.items():
            kinds[index] = line.kind
        if not self.lines[-1]:  # what follows the last line end is no line
            kinds[-1] = LineKind.TEXT
        return kinds


def _may_hide(body: bytes) -> bool:
    """False if every line is text, as in most files; each look is a fast scan, as one pattern for all is not."""
    if body.startswith((b"---", b"+++")) or any(fence in body for fence in _FENCES):
        return True
    return any((_TAG.search(body), _CODE.match(body), _LATER_CODE.search(body)))


def _is_reminder(text: str) -> bool:
    """True for a line that is a reminder: the words of the message open no comment."""
    if not text.startswith("- ["):
        return False
    try:
        parse(text)
    except InvalidReminderError:
        return False
    return True
