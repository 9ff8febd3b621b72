"""Context window of a memory: the log around it, for those who may read it."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from actors.memory.store import Store
from domain.log.window import parse_log_path
from domain.memory.expansion import around
from messages.socket import Refused
from messages.turn import ExpandReference, ReferenceExpanded


def expand(data_root: Path, store: Store, request: ExpandReference) -> ReferenceExpanded | Refused:
    """The lines around the memory at that place; only of a turn that may be shown where it is asked for.

    A log holds one window's words, so its lines around a turn have that turn's readers.
    """
    # One sentence for what is not there and what may not be seen, so that asking tells nothing.
    unknown = f"path {request.path[:200]!r} line {request.line}: no memory that may be shown here"
    try:
        parse_log_path(PurePosixPath(request.path))
    except ValueError as error:
        return Refused(request_id=request.request_id, reason=str(error))
    if request.path.count("/") != 3 or not store.may_show(request.path, request.line, request.window):
        return Refused(request_id=request.request_id, reason=unknown)
    try:
        lines = around((data_root / request.path).read_bytes(), request.line)
    except (OSError, ValueError):
        return Refused(request_id=request.request_id, reason=f"{request.path}: cannot be read at line {request.line}")
    return ReferenceExpanded(
        request_id=request.request_id,
        path=request.path,
        line=request.line,
        first_line=lines.first_line,
        last_line=lines.last_line,
        text=lines.text,
    )
