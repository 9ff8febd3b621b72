"""Context of a memory: the log around its turn, for people with access to the log."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import msgspec

from actors.memory.recall.line_offsets import LineOffsets
from actors.memory.search.views import shown_log
from actors.memory.store import Store
from domain.log.window import full_path, parse_log_path
from domain.memory.expansion import MAX_CHARS, RECORD, LogRange, around
from messages.socket import Refused
from messages.turn import ExpandReference, ReferenceExpanded

_READ_BYTES = 8 * MAX_CHARS
"""Bytes read on each side of a record's heading: twice the most bytes of all characters shown."""


class Expansions:
    """Reader of logs around a place, at a cost that does not grow with the log."""

    def __init__(self, data_root: Path) -> None:
        self._data_root = data_root
        self._offsets = LineOffsets()

    def expand(self, store: Store, request: ExpandReference) -> ReferenceExpanded | Refused | None:
        """The lines around the memory at a place; only for a turn visible in the asking window.

        A log holds a single window's words, so its lines around a turn have the turn's readers.

        Returns:
            None when more of the log must be read to find the line: ask again.
        """
        # One sentence for what is not there and what may not be seen, so that asking tells nothing.
        unknown = f"path {request.path[:200]!r} line {request.line}: no memory that may be shown here"
        path = full_path(request.path, request.window)
        try:
            parse_log_path(PurePosixPath(path))
        except ValueError as error:
            return Refused(request_id=request.request_id, reason=str(error))
        if path.count("/") != 3 or not store.may_show(path, request.line, request.window):
            return Refused(request_id=request.request_id, reason=unknown)
        try:
            lines = self.lines_around(shown_log(self._data_root, path), request.line)
        except (OSError, ValueError):
            reason = f"{request.path}: cannot be read at line {request.line}"
            return Refused(request_id=request.request_id, reason=reason)
        if lines is None:
            return None
        return ReferenceExpanded(
            request_id=request.request_id,
            path=request.path,
            line=request.line,
            first_line=lines.first_line,
            last_line=lines.last_line,
            text=lines.text,
        )

    def lines_around(self, path: Path, line: int) -> LogRange | None:
        """The record on `line` with surrounding lines; the omitted part of the file is too far away to be shown."""
        with path.open("rb") as file:
            heading = self._offsets.find(file, path, line)
            if heading is None:
                return None
            begin = max(0, heading - _READ_BYTES)
            file.seek(begin)
            part = file.read(heading - begin + _READ_BYTES)
        if not part.startswith(RECORD, heading - begin):
            self._offsets.forget(path)
        above = part.count(b"\n", 0, heading - begin)
        lines = around(part, above + 1)
        shift = line - 1 - above
        return msgspec.structs.replace(lines, first_line=lines.first_line + shift, last_line=lines.last_line + shift)
