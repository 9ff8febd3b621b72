"""Disk that knows what a power loss may still take."""

from __future__ import annotations

import os
from pathlib import Path

from actors.linux.disk import RealDisk


class WatchedDisk(RealDisk):
    """Real disk that notes contents and names that are not synced yet, by path below a root."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._paths: dict[int, Path] = {}
        self._contents: set[Path] = set()
        self._names: set[Path] = set()
        """Names that were made or removed since the last sync of their folder."""
        self.synced: set[Path] = set()
        """Files that were synced."""
        self.too_early: list[str] = []
        """Entries that were at risk when the journal dropped finished work."""

    def at_risk(self, below: str = "") -> set[str]:
        """Paths whose content or name a power loss may take, or bring back."""
        paths = {path.relative_to(self._root).as_posix() for path in self._contents | self._names}
        return {path for path in paths if path.startswith(below)}

    def open(self, path: Path, flags: int, mode: int = 0o600, /) -> int:
        if flags & os.O_CREAT and not path.exists():
            self._names.add(path)
        fd = super().open(path, flags, mode)
        self._paths[fd] = path
        return fd

    def write(self, fd: int, data: bytes, /) -> int:
        self._contents.add(self._paths[fd])
        if b'"type":"done"' in data:
            self.too_early += self.at_risk("entries/")
        return super().write(fd, data)

    def sync(self, fd: int, /) -> None:
        super().sync(fd)
        self._contents.discard(self._paths[fd])
        self.synced.add(self._paths[fd])

    def sync_folder(self, folder: Path, /) -> None:
        super().sync_folder(folder)
        self._names = {name for name in self._names if name.parent != folder}

    def make_folder(self, folder: Path, /) -> None:
        super().make_folder(folder)
        if folder != self._root and self._root in folder.parents:
            self._names.add(folder)

    def replace(self, path: Path, other: Path, /) -> None:
        super().replace(path, other)
        self._names |= {path, other}
        if path in self._contents:
            self._contents = self._contents - {path} | {other}

    def unlink(self, path: Path, /) -> None:
        super().unlink(path)
        self._names.add(path)
        self._contents.discard(path)
