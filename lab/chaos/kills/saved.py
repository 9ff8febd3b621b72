"""Finished batches of a campaign, as pieces of a file to resume from; files of several machines are added up."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from lab.chaos.kills.report import BatchReport
from lab.resume.pieces import Pieces


def read_batches(paths: Iterable[Path], *, takes_all: bool = True) -> list[BatchReport]:
    """Batches of files, the first one of each name; a torn end is none, and neither is a missing file.

    Args:
        paths: Of the files.
        takes_all: False to refuse batches of other programs.

    Raises:
        ValueError: a line is no batch, or is another program's.
    """
    batches: dict[str, BatchReport] = {}
    for path in paths:
        for number, piece in enumerate(Pieces(path, takes_all=takes_all).read(), 1):
            try:
                batch = msgspec.convert(piece, BatchReport, str_keys=True)
            except msgspec.ValidationError as error:
                raise ValueError(f"{path}, line {number}: {error}") from None
            batches.setdefault(batch.name, batch)
    return list(batches.values())


def append_batch(path: Path, batch: BatchReport) -> None:
    """Add a batch to a file, durably across a power loss."""
    Pieces(path).add(msgspec.to_builtins(batch, str_keys=True))
