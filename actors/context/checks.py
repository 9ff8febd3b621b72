"""Checks of the data root: that it can be used, that there is room, and that every log is as it was written."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from actors.context.log.data_root import DataRoot, DataRootError
from actors.context.log.file import check_file
from actors.part import Finding, Level

LEAST_FREE_BYTES = 512 * 1024 * 1024


def findings(path: Path) -> Iterator[Finding]:
    """How the data root at `path` is, which need not be there yet."""
    if not path.exists():
        parent = next(folder for folder in path.parents if folder.exists())
        is_writable = os.access(parent, os.W_OK)
        detail = f"{path} (not there yet; {'can' if is_writable else 'cannot'} be made)"
        yield Finding("data root", Level.OK if is_writable else Level.FAIL, detail)
        return
    root = DataRoot(path)
    yield _use(root)
    free = shutil.disk_usage(path).free
    yield Finding("disk", Level.OK if free >= LEAST_FREE_BYTES else Level.FAIL, f"{free / 1e9:.1f} GB free")
    yield _logs(root.logs)


def _use(root: DataRoot) -> Finding:
    try:
        root.hold()
    except DataRootError as error:
        in_use = "another agent" in str(error)
        return Finding("data root", Level.OK if in_use else Level.FAIL, str(error))
    root.release()
    return Finding("data root", Level.OK, str(root.path))


def _logs(folder: Path) -> Finding:
    files = sorted(folder.rglob("*.md"))
    problems: list[str] = []
    for path in files:
        try:
            faults = check_file(path)
        except OSError as error:
            problems.append(f"{path}: {error.strerror}")
            continue
        problems += [f"{path}:{fault.line}: {fault.reason}" for fault in faults]
    if problems:
        return Finding("logs", Level.FAIL, f"{len(files)} checked, {len(problems)} problems, first: {problems[0]}")
    return Finding("logs", Level.OK, f"{len(files)} checked, every hash chain holds")
