"""Folder of the facts: made at the first start with a page for people, and held by one process at a time."""

from __future__ import annotations

import errno
import logging
from contextlib import suppress
from pathlib import Path

from actors.linux.disk import Disk, RealDisk, make_folders, put_whole
from actors.linux.held_file import HeldError, HeldFile, is_locked

log = logging.getLogger(__name__)

ENTRIES = "entries"
LOCK = ".lock"
README = "README.md"
_NO_LOCKS = frozenset({errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS})
_PAGE = """# Memories of your conversations

The agent writes one markdown file for each fact, message, answer and summary below `entries/<conversation>/`.

- Edit, add, move or delete files as you like: the text below the second `---` is the memory.
- `facts/` has what you told it, `turns/` the words of each turn, `summaries/` the summaries.
- `deleted/` has what was replaced, forgotten or evicted. Files there are not used any more.
- `memory_index.json`, `.journal.jsonl` and `.lock` are the agent's own: leave them alone.

One agent at a time uses this folder. Delete this page if you do not need it: it is not written again.
"""


class MemoryFolder:
    """Folder of one FactsActor."""

    def __init__(self, root: Path, disk: Disk | None = None, lock: HeldFile | None = None) -> None:
        """Begin without a folder or a lock.

        Args:
            root: `facts.memory_path`, absolute.
            disk: Disk to write to; None for the real disk.
            lock: Lock of the folder; None for the usual lock.
        """
        self._root = root
        self._disk = disk or RealDisk()
        self._lock = lock or HeldFile(root / LOCK)

    def open(self) -> None:
        """Make the folder if need be, and hold its lock.

        Raises:
            HeldError: another process uses the folder.
            OSError: the folder cannot be made.
        """
        make_folders(self._disk, self._root)
        try:
            self._lock.hold()
            self._lock.name_holder()
        except HeldError as error:
            raise HeldError(self._root, error.holder) from error
        except OSError as error:
            if error.errno not in (*_NO_LOCKS, errno.ENOSPC, errno.EDQUOT):
                raise
            log.warning("%s: it is used without a lock: %s", self._root, error)
        if not (self._root / ENTRIES).exists():
            make_folders(self._disk, self._root / ENTRIES)
            if not (self._root / README).exists():
                put_whole(self._disk, self._root / README, _PAGE.encode(), is_durable=False)

    def close(self) -> None:
        """Let another process have the folder."""
        self._lock.release()


def find_holder(root: Path) -> str:
    """Number of the process that uses a folder of facts; empty for a free or unreadable folder."""
    with suppress(OSError):
        if is_locked(root / LOCK):
            return (root / LOCK).read_bytes()[:20].decode("ascii", "replace").strip() or "unknown"
    return ""
