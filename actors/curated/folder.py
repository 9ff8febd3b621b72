"""Reader of a memory folder: every file is opened safely, and an unchanged file not at all.

Commands write to the folder, and a repository brings its authors' files: a link, a pipe or a huge file at a
name must neither lead elsewhere nor block the reader.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from actors.curated.places import Place
from actors.edited_file.access import MOST_LINES
from actors.linux.safe_open import read_beneath
from actors.linux.signature import Signature, is_settled, signature
from domain.curated import config as folder_config
from domain.curated import journal, table
from domain.curated.document import Document, parse_document
from domain.curated.page import Fault, FaultKind
from domain.curated.table import TableState, described_by, state_beside

INDEX = "MEMORY.md"
LOCAL = "MEMORY.local.md"
ARCHIVE = "archive"
INDEX_BYTES = 4 * 1024 * 1024
"""A larger index or topic file is not read."""
MOST_TOPICS = 500
"""Topic files to read."""
MOST_TOPIC_BYTES = 8 * 1024 * 1024
MOST_TOPIC_LINES = 20_000
"""Lines of all topic files of a folder; lines beyond are not read, since everybody waits meanwhile."""
_MOST_ENTRIES = 10_000
_READ = (INDEX, LOCAL, folder_config.FILE, table.FILE)
_BYTES_READ = {INDEX: INDEX_BYTES, LOCAL: INDEX_BYTES, folder_config.FILE: folder_config.LIMIT_BYTES}


@dataclass(frozen=True)
class Snapshot:
    """Content of a folder, as used for a prompt."""

    version: int
    """Version; differs after every change of the content."""
    index: bytes | None
    """None without an index."""
    local: bytes | None
    config: bytes | None
    table: TableState
    faults: tuple[Fault, ...] = ()
    """Files unreadable in their present state."""

    @cached_property
    def document(self) -> Document:
        """The pages of the index."""
        return parse_document(self.index or b"")


@dataclass(slots=True)
class _Known:
    """A file as read last."""

    signature: Signature | None = None
    is_settled: bool = False
    data: bytes | None = None
    flaw: str = ""


class MemoryFolder:
    """Reader of a memory folder."""

    def __init__(self, place: Place, clock_ns: Callable[[], int] = lambda: 0) -> None:
        """Create a view of a folder that need not exist; no file is opened.

        Args:
            place: The folder; no part below the root may be a link.
            clock_ns: Nanoseconds since 1970, by the clock of file times.
        """
        self.scope = place.scope
        self.path = place.folder
        self.reads = 0
        """Number of files read so far."""
        self._root = place.root
        self._inner = f"{place.inner}/" if place.inner else ""
        self._clock_ns = clock_ns
        self._known = {name: _Known() for name in _READ}
        self._topics: dict[str, tuple[_Known, Document]] = {}
        self._snapshot: Snapshot | None = None
        self._described: tuple[bytes, str | None] | None = None
        """The page table, and the index version it describes."""
        self._versions = 0

    def look(self) -> Snapshot:
        """Current state of the folder; unchanged files are not read again."""
        changed = [self._refresh(name) for name in _READ]
        if self._snapshot is None or any(changed):
            self._versions += 1
            index = self._known[INDEX].data
            self._snapshot = Snapshot(
                self._versions,
                index,
                self._known[LOCAL].data,
                self._known[folder_config.FILE].data,
                self._table_state(index or b""),
                tuple(Fault(FaultKind.DENIED, self.scope, each.flaw) for each in self._known.values() if each.flaw),
            )
        return self._snapshot

    def read(self, name: str, most_bytes: int = INDEX_BYTES) -> bytes | None:
        """Content of a file; None for a missing file.

        Raises:
            ValueError: the file may not be read in its present state; the text has the reason.
            OSError: the file cannot be read.
        """
        if not os.path.lexists(self.path / name):
            return None
        self.reads += 1
        data = read_beneath(self._root, f"{self._inner}{name}", most_bytes)
        if name.endswith(".md") and data.count(b"\n") > MOST_LINES:
            raise ValueError(f"file {name[:200]!r}: it has more than {MOST_LINES:,} lines")
        return data

    def files(self) -> tuple[tuple[str, int], ...]:
        """Names and sizes of the regular files in the folder and its archive; invisible characters are spelled out."""
        entries = [*_regular(self.path), *((f"{ARCHIVE}/{name}", size) for name, size in _regular(self.path / ARCHIVE))]
        return tuple(sorted((name if name.isprintable() else ascii(name), size) for name, size in entries))

    def topics(self) -> tuple[str, ...]:
        """Names of the topic files; names with invisible characters are left out."""
        names = [
            name
            for name, _ in _regular(self.path)
            if name.endswith(".md") and name not in (INDEX, LOCAL) and name.isprintable()
        ]
        return tuple(sorted(names)[:MOST_TOPICS])

    def topic_pages(self) -> tuple[Mapping[str, Document], tuple[str, ...]]:
        """Topic file -> its pages, and the unreadable files; unchanged files are not read again."""
        documents, notes = dict[str, tuple[_Known, Document]](), list[str]()
        room_bytes, room_lines = MOST_TOPIC_BYTES, MOST_TOPIC_LINES
        for name in self.topics():
            known, document = self._topics.get(name, (_Known(), Document(())))
            try:
                changed = self._look_again(name, known, min(INDEX_BYTES, room_bytes))
            except (ValueError, OSError) as error:
                notes.append(f"{name} is not read: {error}")
                continue
            if (data := known.data) is None:
                continue
            room_bytes, room_lines = room_bytes - len(data), room_lines - data.count(b"\n")
            if room_bytes < 0 or room_lines < 0:
                notes.append(f"{name} and what follows it is not read: the topic files are too many lines in all")
                break
            documents[name] = known, parse_document(data) if changed or name not in self._topics else document
        self._topics = documents
        return {name: document for name, (_, document) in documents.items()}, tuple(notes)

    @property
    def exists(self) -> bool:
        """True if the folder exists and is no link."""
        return self.path.is_dir() and (not self._inner or os.path.realpath(self.path) == self.real_path)

    @property
    def real_path(self) -> str:
        """The folder's path without a link."""
        root = os.path.realpath(self._root)
        return f"{root}/{self._inner.rstrip('/')}" if self._inner else root

    @property
    def is_long(self) -> bool:
        """True if the journal is long enough to be shortened."""
        seen = signature(self.path / journal.FILE)
        return seen is not None and seen[1] > journal.LONG_BYTES

    def waiting(self) -> journal.Journal:
        """Content of the journal.

        Raises:
            ValueError: the journal may not be read as it is.
            OSError: the journal cannot be read.
        """
        return journal.read(self.read(journal.FILE, journal.LIMIT_BYTES) or b"")

    def _table_state(self, index: bytes) -> TableState:
        """State of the page table; the table's lines are examined once, however often the index changes."""
        sidecar = self._known[table.FILE]
        if sidecar.flaw:
            return TableState.INVALID
        if sidecar.data is None:
            return TableState.MISSING
        if self._described is None or self._described[0] is not sidecar.data:
            self._described = sidecar.data, described_by(sidecar.data)
        return state_beside(self._described[1], index)

    def _refresh(self, name: str) -> bool:
        """True if the file was replaced, or its content changed."""
        known = self._known[name]
        data, flaw = known.data, known.flaw
        try:
            if not self._look_again(name, known, _BYTES_READ.get(name, table.LIMIT_BYTES)):
                return False
            known.flaw = ""
        except (ValueError, OSError) as error:
            known.flaw = f"{name} is not read: {error}"
        return (data, flaw) != (known.data, known.flaw)

    def _look_again(self, name: str, known: _Known, most_bytes: int) -> bool:
        """True if a file had to be read again, into `known`.

        Raises:
            ValueError: the file may not be read in its present state.
            OSError: the file cannot be read.
        """
        seen = signature(self.path / name)
        if seen == known.signature and (known.is_settled or seen is None):
            return False
        known.signature, known.data = seen, None
        known.is_settled = is_settled(seen, self._clock_ns())
        if seen is not None:
            known.data = self.read(name, most_bytes)
        return True


@dataclass(slots=True)
class Folders:
    """All memory folders reached so far."""

    clock_ns: Callable[[], int]
    _of: dict[Path, MemoryFolder] = field(default_factory=dict)

    def at(self, place: Place) -> MemoryFolder:
        """The reader of a folder."""
        if place.folder not in self._of:
            self._of[place.folder] = MemoryFolder(place, self.clock_ns)
        return self._of[place.folder]

    @property
    def reads(self) -> int:
        """Total number of files read."""
        return sum(each.reads for each in self._of.values())


def _regular(folder: Path) -> list[tuple[str, int]]:
    try:
        fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return []
    try:
        with os.scandir(fd) as entries:
            listed = [entry for _, entry in zip(range(_MOST_ENTRIES), entries, strict=False)]
        return [
            (entry.name, entry.stat(follow_symlinks=False).st_size)
            for entry in listed
            if entry.is_file(follow_symlinks=False)
        ]
    except OSError:
        return []
    finally:
        os.close(fd)
