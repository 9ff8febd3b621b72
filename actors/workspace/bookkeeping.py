"""Bookkeeping of a window's workspace, below `.agent/`: lost data is made anew, or only forgotten."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from actors.linux.disk import Disk
from actors.linux.notebook import NoteFolder

log = logging.getLogger(__name__)

STATE = "state.json"
MOST_BYTES = 4 * 1024 * 1024
MOST_FILES = 3
"""Number of newest handovers and identities kept."""
BACKUPS = 5
"""Number of earlier versions kept of files rewritten by workers."""
_UNUSUAL = re.compile(r"[^0-9A-Za-z_-]+")


class Bookkeeping:
    """Small files of the agent's own, each written whole."""

    def __init__(self, folder: Path, disk: Disk | None = None, *, is_kept: bool = True) -> None:
        """Begin without reading.

        Args:
            folder: Absolute; made at the first writing.
            disk: Calls that store; the system's own by default.
            is_kept: False for a window without stored data, whose reads find no file.
        """
        self.folder = folder
        self.is_kept = is_kept
        self._notes = NoteFolder(folder, disk, most_bytes=MOST_BYTES)

    def read(self, name: str) -> bytes | None:
        """Data kept under a name; None for no data, and for unreadable data."""
        return self._notes.read(name) if self.is_kept else None

    def document(self, name: str) -> Mapping[str, Any]:
        """JSON object kept under a name; empty for a missing or invalid document."""
        data = self.read(name)
        if data is None:
            return {}
        try:
            parsed = json.loads(data)
        except (ValueError, RecursionError) as error:
            log.warning("%s is not JSON and counts as empty: %s", self.folder / name, error)
            return {}
        return parsed if isinstance(parsed, dict) else {}

    def put(self, name: str, data: bytes, *, is_durable: bool) -> bool:
        """Keep data under a name; True if kept. A failure is only logged, for users' files do not depend on it.

        Args:
            name: Of the file.
            data: New content.
            is_durable: Whether the data must survive a power loss too, which takes time.
        """
        if not self.is_kept:
            return False
        try:
            self._notes.put(name, data, is_durable=is_durable)
        except OSError as error:
            log.warning("%s is not kept: %s", self.folder / name, error)
            return False
        return True

    def put_document(self, name: str, document: Mapping[str, Any], *, is_durable: bool) -> bool:
        """The same of JSON."""
        return self.put(name, json.dumps(document, ensure_ascii=True, sort_keys=True).encode(), is_durable=is_durable)

    def prune(self, prefix: str, keep: int = MOST_FILES) -> None:
        """Forget all but the newest files with the given prefix; without any, drafts left by a kill go, too."""
        paths = [self.folder / name for name in self.names(prefix)]
        paths.sort(key=lambda path: (path.lstat().st_mtime_ns, path.name))
        for path in paths[: max(0, len(paths) - keep)]:
            try:
                self._notes.remove(path.name)
            except OSError as error:
                log.warning("%s: is old and cannot be removed: %s", path, error)
        if not keep:
            try:
                self.remove_drafts()
            except OSError as error:
                log.warning("%s: drafts cannot be removed: %s", self.folder, error)

    def remove_drafts(self) -> None:
        """Remove drafts left by a kill.

        Raises:
            OSError: a draft may still be there.
        """
        self._notes.remove_drafts()

    def names(self, prefix: str) -> tuple[str, ...]:
        """Names of files with a prefix, in order."""
        try:
            return tuple(name for name in self._notes.names() if name.startswith(prefix))
        except OSError as error:
            log.warning("%s cannot be listed: %s", self.folder, error)
            return ()


def file_name(kind: str, about: str, suffix: str) -> str:
    """Name of a subject's file, for any characters in the subject."""
    return f"{kind}-{_UNUSUAL.sub('_', about)[-100:]}{suffix}"
