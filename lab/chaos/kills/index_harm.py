"""Harm to the index while no agent runs: deleted, emptied, cut, its head gone, or without its WAL."""

from __future__ import annotations

import os
from pathlib import Path

_INDEX = "memory/index.sqlite"
_HEAD_BYTES = 100


def harm_index(data_root: Path, variety: int) -> None:
    """Spoil the index below `data_root`, if there is one; each `variety` in a way of its own."""
    path = data_root / _INDEX
    if not path.exists():
        return
    match variety % 5:
        case 0:
            path.unlink()
        case 1:
            os.truncate(path, 0)
        case 2:
            os.truncate(path, path.stat().st_size // 2)
        case 3:
            with path.open("r+b") as file:
                file.write(bytes(_HEAD_BYTES))
        case _:
            path.with_name(f"{path.name}-wal").unlink(missing_ok=True)
