"""Pieces of a long campaign in one file, a line of JSON for each, for resuming and adding up.

A piece is whole or missing: a file's end torn by a kill is cut off before the next piece. Files of several
machines are added up by `cat`. Each piece names the program that made the piece, so programs are not mixed unseen.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import lab

Piece = Mapping[str, Any]
PROGRAM = "program"
"""Key of the program's name in a piece."""
UNNAMED = "unnamed"
"""Program of a piece without the key."""
_PACKAGES = ("actors", "domain", "lab", "messages")


@cache
def program_name() -> str:
    """Digest of the sources, by which two versions of the program are told apart; of the first call in a process."""
    root, digest = Path(lab.__file__).parents[1], sha256()
    for path in sorted(path for package in _PACKAGES for path in (root / package).rglob("*.py")):
        digest.update(f"{path.relative_to(root)}\0{path.stat().st_size}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


class Pieces:
    """File of finished pieces, with a single writing process at a time."""

    def __init__(self, path: Path, *, takes_all: bool = False) -> None:
        """Begin without opening the file.

        Args:
            path: Path of the file, existing or not.
            takes_all: True to read pieces of other programs as well.
        """
        self._path, self._takes_all = path, takes_all

    def read(self) -> Iterator[Piece]:
        """Whole pieces, in the order of addition.

        Raises:
            ValueError: a line is no piece, or is another program's.
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
            if not self._takes_all and (other := piece.get(PROGRAM, UNNAMED)) != program_name():
                raise ValueError(
                    f"{self._path}, line {number}: this is program {program_name()}, and the piece is of {other}; "
                    "use another file, or --other-programs to add them up"
                )
            yield {PROGRAM: UNNAMED, **piece}

    def add(self, piece: Piece) -> None:
        """Append a piece, durably across a power loss."""
        fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            data = Path(self._path).read_bytes()
            whole = data.rfind(b"\n") + 1
            if whole < len(data):
                os.ftruncate(fd, whole)
            os.pwrite(fd, json.dumps({**piece, PROGRAM: program_name()}, sort_keys=True).encode() + b"\n", whole)
            os.fsync(fd)
        finally:
            os.close(fd)
