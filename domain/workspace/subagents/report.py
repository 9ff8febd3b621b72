"""Report of a sub-agent's run for its parent: no line of the report can pass for a line of the runtime."""

from __future__ import annotations

import re

from domain.text.imitation import MARK, OwnLine, imitates
from domain.text.presentable import presentable
from domain.text.terminal_text import plain

TEXT_BYTES = 64 * 1024
"""Bytes kept of the end of a run's last words."""
_CUT = "[Showing the last {shown} of {size} bytes.]\n"
_LINE = re.compile("[^\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029]+")
_HEADS = (
    OwnLine(
        "head of a run",
        r"[\[({<]? ?(?:end ?of ?)?r\w{1,80} ?of ?[\w-]{1,64} ?(?:: ?(?:running|done|failed|stopped)|goes ?on)",
    ),
    OwnLine("head of what is cut", r"[\[({<] ?showing ?the ?last"),
)


def report_text(text: str) -> str:
    """A run's last words in stored form: as a reader sees the text, marked, and at most `TEXT_BYTES`."""
    data = text.encode("utf-8", "replace")
    marked = presentable(_mark_lines(plain(_end(data, TEXT_BYTES))))
    if len(data) <= TEXT_BYTES and len(marked.encode()) <= TEXT_BYTES:
        return marked
    ending = _end(marked.encode(), TEXT_BYTES)
    if _mark_lines(ending) != ending:  # the cut took a mark away
        ending = _mark_lines(_end(ending.encode(), TEXT_BYTES - len(MARK)))
    return _CUT.format(shown=len(ending.encode()), size=len(data)) + ending


def note_text(text: str) -> str:
    """Reason of a run's ending, in one line."""
    return " ".join(report_text(text).split())


def _mark_lines(text: str) -> str:
    return _LINE.sub(lambda line: MARK + line[0] if imitates(line[0], _HEADS) else line[0], text)


def _end(data: bytes, most: int) -> str:
    return data[-most:].decode("utf-8", "ignore")
