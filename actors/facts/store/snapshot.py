"""Snapshot of the files: `memory_index.json`, for a start to recognise unchanged files without reading."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec

from actors.facts.store.files import Stamp
from actors.linux.disk import Disk, RealDisk, put_whole
from messages.base import make_ready

log = logging.getLogger(__name__)

FILE = "memory_index.json"
VERSION = 1
RACY_NS = 2_000_000_000
"""A file changed so shortly before the look may change again within the same instant of its clock."""


class SnapshotFile(msgspec.Struct, frozen=True):
    """State of a file at its last reading."""

    hash: str
    """SHA-256 of its bytes, hexadecimal."""
    size: int
    mtime_ns: int


class _Document(msgspec.Struct):
    version: int
    files: dict[str, SnapshotFile]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Files by their path."""

    files: Mapping[str, SnapshotFile]

    def digest_of(self, path: str, stamp: Stamp) -> str:
        """Digest of a certainly unchanged file; empty in case of doubt."""
        known = self.files.get(path)
        is_same = known is not None and (known.size, known.mtime_ns) == (stamp.size, stamp.mtime_ns)
        return known.hash if known is not None and is_same else ""


def read_snapshot(root: Path) -> Snapshot:
    """Snapshot of `root`; empty without a readable snapshot."""
    try:
        document = msgspec.json.decode((root / FILE).read_bytes(), type=_Document)
    except FileNotFoundError:
        return Snapshot({})
    except (OSError, ValueError) as error:
        log.warning("%s cannot be read, so every file is looked at: %s", FILE, error)
        return Snapshot({})
    return Snapshot(document.files if document.version == VERSION else {})


def write_snapshot(root: Path, files: Mapping[str, SnapshotFile], now_ns: int, disk: Disk | None = None) -> None:
    """Keep a snapshot without files changed just now, since a further change could go unseen.

    Args:
        root: `facts.memory_path`.
        files: By path.
        now_ns: The time of day.
        disk: Disk to write to.

    Raises:
        OSError: the snapshot cannot be written; the old snapshot is still there.
    """
    settled = {path: file for path, file in sorted(files.items()) if file.mtime_ns + RACY_NS < now_ns}
    data = msgspec.json.encode(_Document(VERSION, settled))
    put_whole(disk or RealDisk(), root / FILE, msgspec.json.format(data, indent=1) + b"\n", is_durable=False)


make_ready(__name__)
