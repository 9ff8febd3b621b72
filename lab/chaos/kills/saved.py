"""File of finished batches, a line each, from which a campaign goes on; files of several machines are added up."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import msgspec

from lab.chaos.kills.report import BatchReport


def read_batches(paths: Iterable[Path]) -> list[BatchReport]:
    """Batches of files, the first one of each name; a torn line is none, and neither is a missing file."""
    batches: dict[str, BatchReport] = {}
    for path in paths:
        for line in path.read_bytes().splitlines() if path.exists() else ():
            try:
                batch = msgspec.json.decode(line, type=BatchReport)
            except msgspec.DecodeError:
                continue
            batches.setdefault(batch.name, batch)
    return list(batches.values())


def append_batch(path: Path, batch: BatchReport) -> None:
    """Add a batch to a file, on a line of its own even behind a torn one."""
    with path.open("a+b") as file:
        if file.tell() and os.pread(file.fileno(), 1, file.tell() - 1) != b"\n":
            file.write(b"\n")
        file.write(msgspec.json.encode(batch) + b"\n")
