"""Writer of memory files: changes of one file in order, as many at once as wait, each refused or made by itself.

A file is rewritten by exchange and verification (`actors.edited_file`), for people and commands write it at the same
time. A folder is made when the first thing is written into it.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event

from actors.curated.config import CuratedConfig
from actors.curated.folder import ARCHIVE, INDEX, INDEX_BYTES
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
from domain.curated.refusal import flaw_of_topic
from domain.curated.table import digest
from domain.edit.lines import EditRefusedError
from messages.curated import FileStep

log = logging.getLogger(__name__)

_LAST_WAITS = Waits(settle_s=0.01, verify_s=0.05)
"""Shorter than usual, for an end that has to be quick."""
_LAST_S = 1.5
"""So long the end waits for a file to come to rest; what is not written then, the next start writes."""
Change = Callable[[bytes], bytes]
"""Gives the file as it should be; the same again when it is so already. May raise `EditRefusedError`."""
Done = Callable[[str], None]
"""Told why a change was not made; empty when the file holds it."""
MOST_READ = 4 * 1024 * 1024
"""Of edits that are made together, by their cost; others follow, for everybody waits meanwhile."""
_LEFTOVER = re.compile(r"\.(?P<name>[\w-]+\.md)\.[0-9a-f]{32}\.agent(?:\.new)?")
INTERRUPTED = "it was interrupted, and what was asked for may stand in the file even so; look, then ask again"


@dataclass(slots=True)
class _Wish:
    """One requested change."""

    change: Change
    done: Done
    is_made: bool = False
    is_ended: bool = False
    reason: str = ""

    def end(self, reason: str) -> None:
        """Report the outcome, once."""
        if not self.is_ended:
            self.is_ended = True
            self.done(reason)


@dataclass(slots=True)
class _Batch:
    """Changes that are made together."""

    wishes: list[_Wish] = field(default_factory=list)
    is_begun: bool = False

    def part(self, data: bytes) -> list[_Wish]:
        """Take out the changes that would take too long together with those before them, once; those."""
        most = max(1, MOST_READ // cost(data))
        rest, self.wishes = ([], self.wishes) if self.is_begun else (self.wishes[most:], self.wishes[:most])
        self.is_begun = True
        return rest

    def edit(self, data: bytes) -> bytes:
        """The file with every change that can be made; one that was made once is not refused later."""
        for wish in self.wishes:
            if wish.reason:
                continue
            try:
                edited = wish.change(data)
                if len(edited) > INDEX_BYTES and len(edited) > len(data):
                    raise EditRefusedError(
                        f"the file would have more than {INDEX_BYTES // 2**20} MiB; take something out of it"
                    )
                data = edited
                wish.is_made = True
            except (EditRefusedError, ValueError) as error:
                if not wish.is_made:
                    wish.reason = str(error)
        return data

    def end(self, reason: str = "") -> None:
        """Tell everybody what became of theirs."""
        for wish in self.wishes:
            wish.end(reason or wish.reason)


class _File:
    """A file with its queue."""

    def __init__(self, file: EditedFile, queue: EditQueue) -> None:
        self.file = file
        self.queue = queue
        self.waiting: _Batch | None = None
        self._open: list[_Batch] = []
        """Batches whose requesters have no answer yet."""

    def put(self, wish: _Wish) -> None:
        """Have a change made with those that wait, or next."""
        if self.waiting is None:
            self.waiting = batch = _Batch()
            self._open.append(batch)

            def edit(data: bytes) -> bytes:
                if self.waiting is batch:
                    self.waiting = None
                for later in batch.part(data):
                    self.put(later)
                return batch.edit(data)

            def ended(reason: str = "") -> None:
                if self.waiting is batch:
                    self.waiting = None
                self._open.remove(batch)
                batch.end(reason)

            self.queue.put(Job(edit, ended, ended))
        self.waiting.wishes.append(wish)

    def close(self) -> None:
        """Close the file; waiting requesters receive `INTERRUPTED`."""
        self.queue.close()
        batches, self._open, self.waiting = self._open, [], None
        for batch in batches:
            batch.end(INTERRUPTED)


class FactFiles:
    """Every memory file that is written in this life of the actor."""

    def __init__(self, host: Host, config: CuratedConfig, numbers: Iterator[int]) -> None:
        """No file is opened yet.

        Args:
            host: The actor.
            config: The operator's decisions.
            numbers: For edits; none comes twice in the life of the process.
        """
        self._host = host
        self._config = config
        self._disk: Disk = config.disk or RealDisk()
        self._files: dict[Path, _File] = {}
        self._archives = HeldFolders()
        self._locks = FolderLocks()
        self._numbers = numbers
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
        held = self._archives.of(path)
        try:
            file = self._at(path)
        except OSError as error:
            done(reason_of(error))
            return
        file.put(_Wish(change, done if held is None else lambda reason: done(held.named(reason))))

    def go_on(self, step: FileStep) -> None:
        """Do the next step of a file's edit."""
        if (each := self._files.get(Path(step.file))) is not None:
            each.queue.go_on(step.edit)

    def try_again(self) -> None:
        """Make up for what could not be made up for before."""
        for path, each in tuple(self._files.items()):
            each.queue.try_again()
            if each.queue.is_at_rest:
                del self._files[path]
        self._locks.keep({path.parent for path in self._files})

    def recover(self, folder: Path) -> None:
        """Restore the changes that a crash left beside the files of a memory folder and its archive.

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
        """Change a file at once, for an actor that ends; why that could not be, empty for done."""
        waited_s = 0.0

        def wait(pause_s: float) -> None:
            nonlocal waited_s
            waited_s += pause_s
            if waited_s > _LAST_S:
                raise FileRefusedError(f"{path}: does not come to rest")
            Event().wait(pause_s)

        try:
            rewriting = Rewriting(self._edited(path), change, _LAST_WAITS)
        except OSError as error:
            return reason_of(error)
        try:
            rewriting.run(wait)
        except (EditRefusedError, OSError) as error:
            return reason_of(error)
        finally:
            rewriting.abandon()
        return ""

    def close(self) -> None:
        """Let go of every file; nothing more is written but by `write_now`."""
        self._is_closed = True
        for each in self._files.values():
            each.close()
        self._files.clear()
        self._archives.close()
        self._locks.keep(())

    def make_folder(self, root: Path, inner: str) -> None:
        """See that a memory folder is there, for a first thing is to be written into it.

        Args:
            root: The global folder, which is made with all above it, or a repository, which must be there.
            inner: The folder, from the root on; empty for the root itself.

        Raises:
            FileRefusedError: it has no place, or a link stands in its way; the text says so.
            OSError: it cannot be made.
        """
        self.require_not_emptied(root, inner)
        self.note_met(root, inner)
        if not inner:
            self._make(Path(os.path.realpath(root)), Path("/"))
            return
        base = Path(os.path.realpath(root))
        if not base.is_dir():
            raise FileRefusedError(f"{root}: there is no such repository, so it gets no memory")
        folder = base / inner
        _require_no_link(folder, base)
        is_new = not folder.exists()
        self._make(folder, base)
        _require_no_link(folder, base)
        if is_new:
            ignore_sidecars(self._disk, folder)

    def require_not_emptied(self, root: Path, inner: str) -> None:
        """See that a memory folder is not what is left where its disk is not mounted: empty, and once it was not.

        Raises:
            FileRefusedError: it is; what is written there would be hidden as soon as the disk is back.
        """
        for folder in dict.fromkeys((root / inner, root)):
            if folder.is_dir():
                if next(folder.iterdir(), None) is None and self._mark(root, inner).exists():
                    raise FileRefusedError(
                        f"{folder}: is empty, and had memory once; mount its disk, or put any file there to begin anew"
                    )
                return

    def _mark(self, root: Path, inner: str) -> Path:
        """File that marks a folder as having had memory."""
        return self._config.own_folder / f"{digest(os.fsencode(root / inner))[:16]}.met"

    def note_met(self, root: Path, inner: str) -> None:
        """Note that there is memory in a folder, if there is; only for `require_not_emptied`, so a failure is none."""
        mark, folder = self._mark(root, inner), root / inner
        with suppress(OSError):
            if not mark.exists() and folder.is_dir() and next(folder.iterdir(), None) is not None:
                make_private(self._config.own_folder)
                mark.touch()

    def make_archive(self, folder: Path) -> Path:
        """Make the archive of a memory folder; return a path that a link in the archive's place does not change.

        Raises:
            FileRefusedError: a file or link has the archive's name.
            OSError: it cannot be made.
        """
        archive = folder / ARCHIVE
        self._make(archive, folder)
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
            make_durable(self._disk, folder, missing[-1].parent)

    def _edited(self, path: Path) -> EditedFile:
        held = self._archives.of(path)
        lasting = path if held is None else held.shown / path.name
        spare = self._config.own_folder / digest(os.fsencode(lasting))[:16]
        make_private(self._config.own_folder, self._disk.make_folder)
        return EditedFile(path, spare, self._disk, follows_links=False)

    def _at(self, path: Path) -> _File:
        if path not in self._files:
            self._locks.announce(path.parent)
            file = self._edited(path)
            config = QueueConfig(
                wake=lambda number: FileStep(file=str(path), edit=number),
                most_waiting=0,
                requested_bytes=INDEX_BYTES,
                file="the memory file",
                remedy="some facts have to be removed or archived",
                waits=self._config.waits,
            )
            self._files[path] = _File(file, EditQueue(self._host, file, config, self._numbers))
        return self._files[path]


def _require_no_link(folder: Path, base: Path) -> None:
    """See that nothing between `base` and `folder` leads elsewhere.

    Raises:
        FileRefusedError: something does.
    """
    between = [each for each in (folder, *folder.parents) if each != base and each.is_relative_to(base)]
    if any(each.is_symlink() for each in between):
        raise FileRefusedError(f"{folder}: a part of it is a link, so nothing is written there")


def _names_with_leftovers(folder: Path) -> list[str]:
    """Names of files beside which an edit left something."""
    matches = (_LEFTOVER.fullmatch(entry.name) for entry in folder.iterdir())
    return sorted({match["name"] for match in matches if match})
