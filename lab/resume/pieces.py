"""Pieces of a long campaign in one file: a line of JSON for each, so that a campaign is resumed and files are added up.

A piece is whole or not there: the end of a file that a kill has torn is cut off before the next piece. Files of several
machines are added up by `cat`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

Piece = Mapping[str, Any]


class Pieces:
    """File of finished pieces; one process writes it at a time."""

    def __init__(self, path: Path) -> None:
        """Open nothing yet.

        Args:
            path: Of the file, which need not exist.
        """
        self._path = path

    def read(self) -> Iterator[Piece]:
        """The whole pieces, in the order in which they were added.

        Raises:
            ValueError: a line is no piece.
        """
        if not self._path.exists():
            return
        for number, line in enumerate(self._path.read_bytes().split(b"\n")[:-1], 1):
            try:
                piece = json.loads(line)
            except ValueError:
                piece = None
            if not isinstance(piece, dict):
                raise ValueError(f"{self._path}, line {number}: must be one JSON object")
            yield piece

    def add(self, piece: Piece) -> None:
        """Append a piece, which a power loss takes back no more."""
        fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            data = Path(self._path).read_bytes()
            whole = data.rfind(b"\n") + 1
            if whole < len(data):
                os.ftruncate(fd, whole)
            os.pwrite(fd, json.dumps(piece, sort_keys=True).encode() + b"\n", whole)
            os.fsync(fd)
        finally:
            os.close(fd)
