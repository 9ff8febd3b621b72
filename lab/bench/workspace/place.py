"""Place of measurements: folders in memory where there are any, and vectors of texts without a model."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from actors.embedder import hashed
from messages.base import Window

_MEMORY = Path("/dev/shm")
PREFIX = "agent-continuity-"
DIMENSIONS = 384
"""Dimensions of the vector space in the agent's settings."""


@contextmanager
def folder(*, on_disk: bool = False) -> Iterator[Path]:
    """Empty folder, removed afterwards.

    Args:
        on_disk: True for the usual place of the agent's data.
    """
    in_memory = not on_disk and _MEMORY.is_dir() and os.access(_MEMORY, os.W_OK)
    with tempfile.TemporaryDirectory(prefix=PREFIX, dir=_MEMORY if in_memory else None) as root:
        yield Path(root)


def files_of(root: Path, window: Window) -> Path:
    """Folder of a window's files, for an agent on `root`."""
    return root / "data" / "workspace" / "channels" / window.surface.value / window.id


def embed(texts: Sequence[str]) -> list[bytes]:
    """Vectors by feature hashing, in the size of the local model: that takes half a minute for a thousand texts."""
    return [row.astype("<f4").tobytes() for row in hashed.embed(texts, DIMENSIONS)]
