"""Writer of memory files: changes of a file in order, waiting changes together, each refused or made by itself.

A file is rewritten by exchange and verification (`actors.edited_file`), for people and commands write to the file at
the same time. A folder is made at its first write.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Event

from actors.curated.config import CuratedConfig
from actors.curated.folder import ARCHIVE, INDEX, INDEX_BYTES
from actors.curated.places import Place
from actors.curated.sidecars import ignore_sidecars
from actors.edited_file.access import FileRefusedError
from actors.edited_file.file import EditedFile, reason_of
from actors.edited_file.folder_lock import FolderLocks
from actors.edited_file.held_folders import HeldFolders
from actors.edited_file.queue import EditQueue, Host, Job, QueueConfig
from actors.edited_file.rewriting import Rewriting, Waits
from actors.linux.disk import Disk, RealDisk, make_durable
from actors.linux.private_folder import make_private
from domain.curated.edits import cost
from domain.curated.page import undated_line
from domain.curated.refusal import flaw_of_topic
from domain.curated.table import digest
from domain.edit.lines import EditRefusedError

log = logging.getLogger(__name__)

_LAST_WAITS = Waits(settle_s=0.01, verify_s=0.05)
"""Shorter than usual, for a quick end."""
_LAST_S = 1.5
"""So long the end waits for a file to come to rest; what is not written then, the next start writes."""
Change = Callable[[bytes], bytes]
"""Returns the file with the change; an already changed file stays the same. May raise `EditRefusedError`."""
Done = Callable[[str], None]
"""Receives the reason why a change was not made; empty when the file holds the change."""
MOST_READ = 4 * 1024 * 1024
"""Limit of joint edits, by their cost; further edits follow, since everybody waits meanwhile."""
_LEFTOVER = re.compile(r"\.(?P<name>[\w-]+\.md)\.[0-9a-f]{32}\.agent(?:\.new)?")
INTERRUPTED = "interrupted: the change may already be in the file; check the file before you ask again"


@dataclass(slots=True)
class _Wish:
    """Requested change."""

    change: Change
    done: Done
    is_made: bool = False
    reason: str = ""
    """Refusal of the change; a change made once is not refused later."""

    def edit(self, data: bytes) -> bytes:
        """The file with the change, as far as possible."""
        if self.reason:
            return data
        try:
            edited = self.change(data)
            if len(edited) > INDEX_BYTES and len(edited) > len(data):
                raise EditRefusedError(
                    f"the file would have more than {INDEX_BYTES // 2**20} MiB; take something out of it"
                )
        except (EditRefusedError, ValueError) as error:
            if not self.is_made:
                self.reason = str(error)
            return data
        self.is_made = True
        return edited


class _File:
    """A file with its queue and waiting changes: as many changes as take little time are made together."""

    def __init__(self, queue: EditQueue, written: Callable[[], None]) -> None:
        self.queue = queue
        self._written = written
        self._wishes: list[_Wish] = []

    def put(self, wish: _Wish) -> None:
        """Make a change, together with waiting changes."""
        self._wishes.append(wish)
        if len(self._wishes) == 1:
            self._begin()

    def _begin(self) -> None:
        count = 0

        def edit(data: bytes) -> bytes:
            nonlocal count
            count = count or min(len(self._wishes), max(1, MOST_READ // cost(data)))
            for wish in self._wishes[:count]:
                data = wish.edit(data)
            return data

        def end(reason: str = "") -> None:
            ended = self._wishes[: count or None]
            del self._wishes[: len(ended)]
            if self._wishes:
                self._begin()
            for wish in ended:
                wish.done(reason or wish.reason)
            if not reason:
                self._written()

        self.queue.put(Job(edit, end, end))

    def close(self) -> None:
        """Close the file; waiting requesters receive `INTERRUPTED`."""
        self.queue.close()
        wishes, self._wishes = self._wishes, []
        for wish in wishes:
            wish.done(INTERRUPTED)


class MemoryFiles:
    """All memory files written in this life of the actor."""

    def __init__(self, host: Host, config: CuratedConfig, written: Callable[[Path], None]) -> None:
        """Begin without an open file.

        Args:
            host: The actor.
            config: The operator's decisions.
            written: Called with the folder of a changed file, once for changes made together.
        """
        self._host = host
        self._config = config
        self._written = written
        self._disk: Disk = config.disk or RealDisk()
        self._files: dict[Path, _File] = {}
        self._archives = HeldFolders()
        self._locks = FolderLocks()
        self._is_closed = False

    @property
    def is_busy(self) -> bool:
        """True if a file is being written."""
        return any(each.queue.is_busy for each in self._files.values())

    @property
    def is_at_rest(self) -> bool:
        """True if no file is being written, no leftover is to be restored, and no late write can come."""
        return all(each.queue.is_at_rest for each in self._files.values())

    def change(self, path: Path, change: Change, done: Done) -> None:
        """Queue a change of a file; the file's folder exists.

        Args:
            path: Of the file, which need not exist.
            change: Computed again whenever another writer was faster.
            done: Called with the outcome; later, unless no write is possible at all.
        """
        if self._is_closed:
            done(INTERRUPTED)
            return
        folder = self._archives.of(path)
        try:
            file = self._at(path)
        except OSError as error:
            done(reason_of(error))
            return
        file.put(_Wish(change, done if folder is None else lambda reason: done(folder.with_shown_path(reason))))

    def try_again(self) -> None:
        """Retry failed recoveries."""
        for path, each in tuple(self._files.items()):
            each.queue.try_again()
            if each.queue.is_at_rest:
                del self._files[path]
        self._locks.keep({path.parent for path in self._files})

    def recover(self, folder: Path) -> None:
        """Restore changes from a crash beside the files of a memory folder and of the archive.

        Raises:
            OSError: the folder cannot be read, or another program writes there at this moment.
        """
        with self._locks.alone(folder):
            self._bring_back(folder)

    def _bring_back(self, folder: Path) -> None:
        for name in _names_with_leftovers(folder):
            if name == INDEX or not flaw_of_topic(name):
                self._at(folder / name).queue.bring_back()
        if os.path.lexists(folder / ARCHIVE):
            self._recover_archive(folder)

    def _recover_archive(self, folder: Path) -> None:
        try:
            archive = self._archives.hold(folder / ARCHIVE).place
        except OSError as error:
            log.warning("an archive is not looked at: %s", reason_of(error))
            return
        if INDEX in _names_with_leftovers(archive):
            self._at(archive / INDEX).queue.bring_back()

    def write_now(self, path: Path, change: Change) -> str:
        """Change a file at once, for an ending actor; return the reason for a failure, empty on success."""
        waited_s = 0.0

        def wait(pause_s: float) -> None:
            nonlocal waited_s
            waited_s += pause_s
            if waited_s > _LAST_S:
                raise FileRefusedError(f"{path}: keeps changing")
            Event().wait(pause_s)

        try:
            rewriting = Rewriting(self._edited_file(path), change, _LAST_WAITS, undated_line)
            try:
                rewriting.run(wait)
            finally:
                rewriting.abandon()
        except (EditRefusedError, OSError) as error:
            return reason_of(error)
        return ""

    def close(self) -> None:
        """Close every file; further writes only by `write_now`."""
        self._is_closed = True
        for each in self._files.values():
            each.close()
        self._files.clear()
        self._archives.close()
        self._locks.keep(())

    def make_folder(self, place: Place) -> None:
        """Make a missing memory folder before the first write.

        The global folder is made with all missing parents; a repository must exist.

        Raises:
            FileRefusedError: the folder has no place, or a link stands in the way; the text names the obstacle.
            OSError: the folder cannot be made.
        """
        self.require_not_emptied(place)
        self.note_met(place)
        base = Path(os.path.realpath(place.root))
        if not place.inner:
            self._make(base, Path("/"))
            return
        if not base.is_dir():
            raise FileRefusedError(f"{place.root}: this repository does not exist, so it gets no memory")
        folder = base / place.inner
        _require_no_link(folder, base)
        is_new = not folder.exists()
        self._make(folder, base)
        _require_no_link(folder, base)
        if is_new:
            ignore_sidecars(self._disk, folder)

    def require_not_emptied(self, place: Place) -> None:
        """Check that a memory folder is not the empty mount point of an unmounted disk: empty now, but not before.

        Raises:
            FileRefusedError: the folder is empty; new files would be hidden as soon as the disk is back.
        """
        folder = next((each for each in (place.folder, place.root) if each.is_dir()), None)
        if folder is not None and next(folder.iterdir(), None) is None and self._mark(place).exists():
            raise FileRefusedError(
                f"{folder}: is empty, but has held memory before; mount its disk, or put any file there to start over"
            )

    def note_met(self, place: Place) -> None:
        """Record that a folder has memory, if so; used only by `require_not_emptied`, so failures are ignored."""
        mark = self._mark(place)
        with suppress(OSError):
            if not mark.exists() and place.folder.is_dir() and next(place.folder.iterdir(), None) is not None:
                make_private(self._config.own_folder)
                mark.touch()

    def _mark(self, place: Place) -> Path:
        """File that marks a folder as having had memory."""
        return self._config.own_folder / f"{digest(os.fsencode(place.folder))[:16]}.met"

    def make_archive(self, folder: Path) -> Path:
        """Make the archive of a memory folder; return a path that a link in the archive's place does not change.

        Raises:
            FileRefusedError: a file or link has the archive's name.
            OSError: the archive cannot be made.
        """
        self._make(folder / ARCHIVE, folder)
        self._archives.drop(self._is_done_with)
        return self._archives.hold(folder / ARCHIVE).place

    def _is_done_with(self, archive: Path) -> bool:
        """True if no file of an archive is being written; the archive's files are then forgotten."""
        files = {path: each for path, each in self._files.items() if path.parent == archive}
        if any(not each.queue.is_settled for each in files.values()):
            return False
        for path, each in files.items():
            each.queue.close()
            del self._files[path]
        return True

    def _make(self, folder: Path, base: Path) -> None:
        missing = [each for each in (folder, *folder.parents) if each.is_relative_to(base) and not each.exists()]
        for each in reversed(missing):
            self._disk.make_folder(each)
        if missing:
            make_durable(self._disk, missing[-1].parent, folder)

    def _edited_file(self, path: Path) -> EditedFile:
        folder = self._archives.of(path)
        lasting = path if folder is None else folder.path / path.name
        spare = self._config.own_folder / digest(os.fsencode(lasting))[:16]
        make_private(self._config.own_folder, self._disk.make_folder)
        return EditedFile(path, spare, self._disk, follows_links=False)

    def _at(self, path: Path) -> _File:
        if path not in self._files:
            self._locks.announce(path.parent)
            config = QueueConfig(
                requested_bytes=INDEX_BYTES,
                file="the memory file",
                remedy="some facts have to be removed or archived",
                waits=self._config.waits,
                key=undated_line,
            )
            queue = EditQueue(self._host, self._edited_file(path), config)
            self._files[path] = _File(queue, partial(self._written, path.parent))
        return self._files[path]


def _require_no_link(folder: Path, base: Path) -> None:
    """Check that no path part between `base` and `folder` is a link.

    Raises:
        FileRefusedError: a part is a link.
    """
    between = [each for each in (folder, *folder.parents) if each != base and each.is_relative_to(base)]
    if any(each.is_symlink() for each in between):
        raise FileRefusedError(f"{folder}: a part of it is a link, so nothing is written there")


def _names_with_leftovers(folder: Path) -> list[str]:
    """Names of files with an edit's leftovers beside the file."""
    matches = (_LEFTOVER.fullmatch(entry.name) for entry in folder.iterdir())
    return sorted({match["name"] for match in matches if match})
