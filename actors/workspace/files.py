"""Writer of a window's files: one edit of a file after the other, since people and commands write at any time."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from actors.edited_file.access import MOST_LINES
from actors.edited_file.file import EditedFile
from actors.edited_file.queue import EditQueue, Host, Job, QueueConfig
from actors.edited_file.rewriting import Edit
from actors.linux.disk import Disk, RealDisk
from actors.linux.private_folder import make_private
from actors.linux.safe_open import read_beneath
from actors.workspace.bookkeeping import BACKUPS, Bookkeeping
from actors.workspace.channel import ARCHIVE, READ_BYTES
from actors.workspace.config import WorkspaceConfig

SPARE = "edits"
"""Folder for data that edits displace until they are done."""
ARCHIVE_BYTES = 1024 * 1024
"""Most bytes of the archive, which only users read."""
Done = Callable[[str], None]
"""Callback with the reason for a missing edit; empty when the file holds the edit."""


class ChannelFiles:
    """Files of a window written in this life of the actor.

    An edit applies to the newest version, by exchange and verification, so no line of another writer is lost.
    """

    def __init__(self, host: Host, config: WorkspaceConfig, folder: Path, books: Bookkeeping) -> None:
        """No file is opened yet.

        Args:
            host: The actor.
            config: The operator's decisions.
            folder: The window's.
            books: Where earlier versions are kept.
        """
        self._host = host
        self._config = config
        self._folder = folder
        self._books = books
        self._disk: Disk = config.disk or RealDisk()
        self._queues: dict[str, EditQueue] = {}

    @property
    def is_busy(self) -> bool:
        """True while a file is being written, or a late write may have to be merged."""
        return any(queue.is_busy for queue in self._queues.values())

    @property
    def is_at_rest(self) -> bool:
        """True if no late write is possible."""
        return all(queue.is_at_rest for queue in self._queues.values())

    def change(self, name: str, edit: Edit, done: Done) -> None:
        """Have a file changed.

        Args:
            name: Name of the file, which need not exist.
            edit: Made anew whenever another writer was faster; may raise `EditRefusedError` or ValueError.
            done: Called with the outcome; later, unless no file can be written at all.
        """
        try:
            queue = self._queue(name)
        except OSError as error:
            done(str(error))
            return
        queue.put(Job(edit, lambda: done(""), done, most_bytes=_most(name)))

    def make_room(self, name: str, edit: Edit, at: str) -> None:
        """Rename a file that an edit would make too long to `<stem>-<at>.md`, so a new file is begun.

        Args:
            name: Name of the file, which need not exist.
            edit: The edit to come.
            at: Time for the name.

        Raises:
            OSError: the file stays as it is.
        """
        path, most = self._folder / name, _most(name)
        aside = path.with_name(f"{path.stem}-{at}.md")
        try:
            changed = edit(read_beneath(self._folder, name, most))
        except FileNotFoundError:
            return
        except ValueError:  # it is longer already, or no file of its own, as the edit will say
            changed = None
        has_room = changed is not None and len(changed) <= most and changed.count(b"\n") <= MOST_LINES
        if not has_room and path.is_file() and not path.is_symlink() and not os.path.lexists(aside):
            self._disk.replace(path, aside)  # at once, so that a save of people's is in the one or in the other

    def keep_before(self, name: str, data: bytes, at: str) -> None:
        """Keep a version that a worker is about to rewrite."""
        stem = f"{name.removesuffix('.md')}-"
        self._books.put(f"before/{stem}{at}.md", data, is_durable=True)
        Bookkeeping(self._books.folder / "before", self._disk).prune(stem, BACKUPS)

    def try_again(self) -> None:
        """Try again the edits that failed before."""
        for name, queue in tuple(self._queues.items()):
            queue.try_again()
            if queue.is_at_rest:
                del self._queues[name]

    def recover(self, names: tuple[str, ...]) -> None:
        """Merge the leftovers of a crash beside the named files back into the files.

        Raises:
            OSError: the leftovers cannot be read.
        """
        if not (self._books.folder / SPARE).exists():
            return
        for name in names:
            self._queue(name).bring_back()

    def close(self) -> None:
        """Release every file; the next life picks up unfinished edits."""
        for queue in self._queues.values():
            queue.close()
        self._queues.clear()

    def _queue(self, name: str) -> EditQueue:
        spare = self._books.folder / SPARE
        make_private(spare, self._disk.make_folder)  # the folder may have been removed since
        if name not in self._queues:
            file = EditedFile(self._folder / name, spare / name.removesuffix(".md"), self._disk, follows_links=False)
            config = QueueConfig(
                requested_bytes=_most(name),
                file=name,
                remedy="something has to be taken out of it",
                waits=self._config.waits,
                read_bytes=_most(name),
            )
            self._queues[name] = EditQueue(self._host, file, config)
        return self._queues[name]


def _most(name: str) -> int:
    return ARCHIVE_BYTES if name == ARCHIVE else READ_BYTES
