"""Store of added skills: the only writer of a folder of skills; a kill leaves each skill whole or absent."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from actors.linux.disk import Disk, RealDisk, make_durable, make_folders, put_whole, write_all
from actors.linux.folder import remove_tree
from actors.skill_files.installed import InstalledSkills, read_record
from actors.skills.foreign.package import Package, PackagedFile
from domain.policy.foreign_skill.record import (
    FILE_NAME,
    LONGEST_RECORD_BYTES,
    MOST_SKILLS,
    NO_FILE,
    Entry,
    Files,
    Record,
    parse_record,
)
from domain.text.brief import brief

DRAFT = ".new-"
"""Beginning of the name of an unfinished folder; another agent's kill may leave such a folder."""
GONE = ".gone-"
"""Beginning of the name of a folder being removed."""
_FILE_MODE, _PROGRAM_MODE = 0o600, 0o700


class SkillStore:
    """Added skills of a folder of skills; one process changes the folder at a time."""

    def __init__(self, root: Path, now: Callable[[], datetime], disk: Disk | None = None) -> None:
        """Begin without reading.

        Args:
            root: Folder of skills; made if missing.
            now: Clock with a time zone.
            disk: Calls that store; None for the system's own.
        """
        self._root = root
        self._disk = disk or RealDisk()
        self._now = now

    def record(self) -> Record:
        """The record.

        Raises:
            ValueError: the record cannot be used.
            OSError: the record cannot be read.
        """
        return read_record(self._root)

    def add(self, package: Package, source: str, commit: str = "", *, replaces: bool = False) -> None:
        """Install a skill with its hashes.

        The record comes before the folder has its name, so a skill without its hashes is never used.

        Args:
            package: The skill.
            source: Folder, archive or address.
            commit: Commit of git; empty for other sources.
            replaces: True to replace an existing skill of the same name.

        Raises:
            ValueError: a skill of the same name exists, or the record cannot be used.
            OSError: the skill cannot be written.
        """
        entry = Entry(package.hashes, source, package.path, commit, self._time())
        with self._lock():
            record = self.record()
            place = self._root / package.name
            is_there = os.path.lexists(place)
            if is_there and not replaces:
                raise ValueError(f"skill {brief(package.name)}: is there already, in {place}")
            if len(record.skills) >= MOST_SKILLS:
                raise ValueError(f"skill {brief(package.name)}: there are {len(record.skills)}, at most {MOST_SKILLS}")
            rendered = _render(record.with_skill(package.name, entry))
            draft = self._root / f"{DRAFT}{package.name}"
            self._write(draft, package)
            if is_there:
                self._exchange(draft, place)
                self._put(rendered)
            else:
                self._put(rendered)
                self._disk.replace(draft, place)
                self._disk.sync_folder(self._root)
            self._clean()

    def accept(self, name: str, files: Files) -> None:
        """Accept files as the skill's from now on.

        Args:
            name: Folder of the skill.
            files: Files as seen by a person.

        Raises:
            ValueError: the record cannot be used, or an entry is no file.
            OSError: the record cannot be written.
        """
        if odd := next((path for path, file in files.items() if file.sha256 == NO_FILE), ""):
            raise ValueError(f"{brief(odd, 120)}: only files can be accepted")
        with self._lock():
            record = self.record()
            known = record.skills.get(name)
            origin = (known.source, known.path, known.commit) if known is not None else ("", "", "")
            self._put(_render(record.with_skill(name, Entry(files, *origin, self._time()))))

    def remove(self, name: str) -> bool:
        """Remove a skill and its hashes; False if there is neither.

        Raises:
            ValueError: the record cannot be used.
            OSError: the skill cannot be removed.
        """
        with self._lock():
            record = self.record()
            place = self._root / name
            is_there = os.path.lexists(place)
            self._clean()
            if is_there:
                self._disk.replace(place, self._root / f"{GONE}{name}")
                self._disk.sync_folder(self._root)
            if name in record.skills:
                self._put(_render(record.without_skill(name)))
            self._clean()
            return is_there or name in record.skills

    def changes(self, name: str) -> tuple[str, ...]:
        """Differences of a recorded skill from its hashes; empty without a difference.

        Raises:
            ValueError: the record cannot be used, or lacks the skill.
            OSError: the record cannot be read.
        """
        entry = self.record().skills.get(name)
        if entry is None:
            raise ValueError(f"skill {brief(name)}: no hashes of it are kept")
        return InstalledSkills(self._root).changes(name, entry)

    def _write(self, draft: Path, package: Package) -> None:
        """Write a skill into a folder of another name, safe from a power loss as a whole."""
        self._remove(draft.name)
        self._disk.make_folder(draft)
        folders = {draft}
        for path, file in sorted(package.files.items()):
            place = draft / path
            for parent in reversed(place.relative_to(draft).parents[:-1]):
                self._disk.make_folder(draft / parent)
                folders.add(draft / parent)
            self._write_file(place, file)
        make_durable(self._disk, draft, *folders)

    def _write_file(self, place: Path, file: PackagedFile) -> None:
        mode = _PROGRAM_MODE if file.is_executable else _FILE_MODE
        fd = self._disk.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
        try:
            self._disk.change_mode(fd, mode)
            write_all(self._disk, fd, file.data)
        finally:
            os.close(fd)

    def _exchange(self, draft: Path, place: Path) -> None:
        """Put a draft in the place of a skill; the record tells the two apart until the record is written, too."""
        if not self._disk.exchange(draft, place):
            self._disk.replace(place, self._root / f"{GONE}{place.name}")
            self._disk.replace(draft, place)
        self._disk.sync_folder(self._root)

    def _put(self, rendered: bytes) -> None:
        put_whole(self._disk, self._root / FILE_NAME, rendered)

    def _clean(self) -> None:
        """Remove drafts, and removed skills, of this and of killed processes."""
        for name in [path.name for path in self._root.iterdir()]:
            if name.startswith((DRAFT, GONE)):
                self._remove(name)

    def _remove(self, name: str) -> None:
        folder = os.open(self._root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            remove_tree(name, folder)
        finally:
            os.close(folder)

    @contextmanager
    def _lock(self) -> Iterator[None]:
        """Keep other processes from changing the folder; an unlocked draft was left by a kill."""
        if not self._root.is_dir():
            make_folders(self._disk, self._root)
        folder = os.open(self._root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            yield
        finally:
            os.close(folder)

    def _time(self) -> str:
        return self._now().astimezone(UTC).isoformat(timespec="seconds")


def _render(record: Record) -> bytes:
    """Content of a record's file; a record that cannot be read again would take all skills out of use.

    Raises:
        ValueError: the content could not be read again; names the value and the rule.
    """
    text = record.render()
    if len(text) > LONGEST_RECORD_BYTES:
        raise ValueError(f"hashes of all skills: have {len(text)} bytes, at most {LONGEST_RECORD_BYTES} are allowed")
    parse_record(text)
    return text.encode("ascii")
