"""Redacted copies of a window's logs, for commands: the logs without retracted words.

The only module that writes below `redacted/`. A log without a tombstone has no copy.
"""

from __future__ import annotations

import logging
import os
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path, PurePath

from actors.context.log.scan import all_log_names
from actors.linux.disk import Disk, RealDisk, make_durable, put_whole, write_all
from actors.linux.private_folder import make_private
from actors.linux.regular_file import open_regular, read_regular
from domain.log.redaction import Tombstone, redact_log
from domain.log.window import redacted_path

log = logging.getLogger(__name__)


class Redactions:
    """Writer of the copies; each is as long as its log and grows with the log."""

    def __init__(self, root: Path | None, disk: Disk | None = None) -> None:
        """Begin without a look.

        Args:
            root: The data root; None to keep no log.
            disk: Writes the files; the real disk if None.
        """
        self._root = root
        self._disk = disk or RealDisk()
        self._followed: dict[str, bool] = {}
        """The newest followed log -> True if it has a copy."""

    def take_back(self, tombstones: Iterable[Tombstone]) -> None:
        """Take words out of the copies of their logs; missing copies are made.

        Raises:
            OSError: a log cannot be read, or a copy not be written.
        """
        if self._root is None:
            return
        for path, of_path in _by_log(tombstones).items():
            there = self._root / redacted_path(path)
            before = read_regular(there) if there.exists() else b""
            self._write(there, redact_log(read_regular(self._root / path), of_path, before))
        self._followed.clear()

    def renew(self, folder: PurePath, tombstones: Iterable[Tombstone]) -> None:
        """Make the copies of a window's logs again, from logs whose words were forgotten.

        Args:
            folder: Of the logs, below the data root.
            tombstones: All of the window.

        Raises:
            OSError: a log cannot be read, or a copy not be written.
        """
        if self._root is None:
            return
        by_log = _by_log(tombstones)
        for name in all_log_names(self._root / redacted_path(folder.as_posix())):
            path = (folder / name).as_posix()
            there = self._root / redacted_path(path)
            content = redact_log(read_regular(self._root / path), by_log.get(path, ()))
            if content != read_regular(there):
                self._write(there, content)
        self._followed.clear()

    def restore(self, tombstones: Iterable[Tombstone]) -> None:
        """Make missing copies; failures are reported to the operator."""
        if self._root is None:
            return
        for path, of_path in _by_log(tombstones).items():
            if (self._root / redacted_path(path)).exists() or not (self._root / path).exists():
                continue
            try:
                self.take_back(of_path)
            except OSError as error:
                log.warning("%s: the redacted copy cannot be made: %s", path, error.strerror)

    def follow(self, path: str) -> None:
        """Append the log's new content to its copy, if there is a copy.

        A copy that cannot be written falls behind without further harm: the missing part is tried again with the next
        event.
        """
        if self._root is None:
            return
        if path not in self._followed:
            self._followed = {path: (self._root / redacted_path(path)).exists()}
        if not self._followed[path]:
            return
        there = self._root / redacted_path(path)
        try:
            with (
                os.fdopen(open_regular(self._root / path), "rb") as whole,
                os.fdopen(open_regular(there, os.O_WRONLY | os.O_APPEND), "ab") as copy,
            ):
                whole.seek(copy.tell())
                copy.write(whole.read())
        except OSError as error:
            log.warning("%s: the redacted copy falls behind: %s", path, error.strerror)

    def _write(self, there: Path, content: bytes) -> None:
        """Write `content` to the file, safely; an existing file keeps its identity for programs that have it open."""
        if there.exists():
            fd = open_regular(there, os.O_WRONLY, opens=self._disk.open)
            try:
                write_all(self._disk, fd, content)
            finally:
                os.close(fd)
            return
        make_private(there.parent, self._disk.make_folder)
        put_whole(self._disk, there, content)
        assert self._root is not None
        make_durable(self._disk, self._root, there.parent)


def _by_log(tombstones: Iterable[Tombstone]) -> dict[str, list[Tombstone]]:
    tombstones_of = defaultdict[str, list[Tombstone]](list)
    for tombstone in tombstones:
        tombstones_of[tombstone.path].append(tombstone)
    return tombstones_of
