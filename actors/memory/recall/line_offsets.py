"""Offsets of lines in logs: where a line begins is found once, and found again without reading the log anew."""

from __future__ import annotations

import os
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

import numpy as np

EVERY = 1_000
"""Interval, in lines, between kept offsets."""
MOST_FILES = 256
SLICE_BYTES = 8 * 1024 * 1024
"""Bytes read at a time; then other requests have their turn."""
_PIECE_BYTES = 1024 * 1024
_NEWLINE = ord("\n")


@dataclass(slots=True)
class _Known:
    """Known offsets of a file."""

    inode: int
    offsets: list[int] = field(default_factory=lambda: [0])
    """Offsets of lines 1, 1 + every, 1 + 2 * every, …"""
    read: int = 0
    """Bytes scanned so far."""
    newlines: int = 0
    """Newlines within the scanned bytes."""


class LineOffsets:
    """Sparse index of the lines of the logs last asked for; logs only grow, so what is known stays right."""

    def __init__(self, every: int = EVERY) -> None:
        """An index without a file.

        Args:
            every: Interval, in lines, between kept offsets.
        """
        self._every = every
        self._files: OrderedDict[Path, _Known] = OrderedDict()

    def find(self, file: BinaryIO, path: Path, line: int) -> int | None:
        """Offset of the beginning of `line`; None when more must be read first: ask again.

        Args:
            file: Open at `path`.
            path: Key of the file here.
            line: From 1.

        Raises:
            ValueError: the file has fewer lines.
        """
        status = os.fstat(file.fileno())
        known = self._files.get(path)
        if known is None or known.inode != status.st_ino or status.st_size < known.read:
            known = self._files[path] = _Known(status.st_ino)
        self._files.move_to_end(path)
        if len(self._files) > MOST_FILES:
            self._files.popitem(last=False)
        if known.newlines < line - 1 and not _read_on(known, file, line, self._every):
            return None
        return _exact(known, file, line, self._every)

    def forget(self, path: Path) -> None:
        """Drop the offsets of a changed file."""
        self._files.pop(path, None)


def _read_on(known: _Known, file: BinaryIO, line: int, every: int) -> bool:
    """Read on by a slice; True if `line` is known then."""
    file.seek(known.read)
    end = known.read + SLICE_BYTES
    while known.newlines < line - 1:
        if known.read >= end:
            return False
        piece = file.read(_PIECE_BYTES)
        if not piece:
            raise ValueError(f"line {line}: the log has {known.newlines + 1} lines")
        places = _newlines(piece)
        first = len(known.offsets) * every - known.newlines - 1
        known.offsets.extend((places[first::every] + known.read + 1).tolist())
        known.newlines += len(places)
        known.read += len(piece)
    return True


def _exact(known: _Known, file: BinaryIO, line: int, every: int) -> int:
    """Offset of a line known to exist, from the last kept offset before."""
    entry, missing = divmod(line - 1, every)
    offset = known.offsets[entry]
    file.seek(offset)
    while missing:
        piece = file.read(_PIECE_BYTES)
        if not piece:
            raise ValueError(f"line {line}: the log has become shorter")
        places = _newlines(piece)
        if len(places) >= missing:
            return offset + int(places[missing - 1]) + 1
        offset, missing = offset + len(piece), missing - len(places)
    return offset


def _newlines(piece: bytes) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.flatnonzero(np.frombuffer(piece, np.uint8) == _NEWLINE)
