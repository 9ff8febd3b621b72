"""Discovery of skills: looks for skills in folders and reads each; an unchanged file is not read again."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from actors.skill_files.front_matter import front_matter_fields
from actors.skill_files.installed import InstalledSkills
from domain.policy.foreign_skill.record import Entry, Record
from domain.turn.skill import FILE_NAMES, Reading, Skill, read_front_matter, split_front_matter

DEEPEST = 5
"""Levels of folders below a root."""
MOST_FOLDERS = 2_000
"""Most folders in a search; a root that was set to a whole disk must not stop the agent."""
LONGEST_FILE_BYTES = 1024 * 1024
LONGEST_READ_BYTES = 64 * 1024
"""Largest file to go into a prompt whole, some 16,000 tokens."""
SKIPPED = "node_modules"
MOST_CHANGES = 5
"""Most changes of an added skill named in a warning."""


_Version = tuple[int, int, int]
"""Modification time, size and inode of a file."""
FrontMatter = Mapping[object, object]
"""Keys and values of any types, as in YAML."""


@dataclass(frozen=True, slots=True)
class ChangedSkill:
    """Added skill out of use, since its files are no longer the accepted files."""

    folder: str
    """Absolute."""
    entry: Entry
    changes: tuple[str, ...]
    """A line each."""

    @property
    def name(self) -> str:
        """Name of the folder."""
        return PurePosixPath(self.folder).name


@dataclass(frozen=True, slots=True)
class SkillScan:
    """Skills of all roots, and their faults."""

    skills: tuple[Skill, ...] = ()
    warnings: tuple[str, ...] = ()
    """Each names the file and the rule."""
    front_matters: Mapping[str, FrontMatter] = field(default_factory=dict)
    """Name of a skill -> front matter of the skill's file."""
    added: Mapping[str, Entry] = field(default_factory=dict)
    """Name of an added skill -> record."""
    changed: tuple[ChangedSkill, ...] = ()


def skill_roots(
    shipped: Iterable[Path], data_root: Path, folders: Iterable[str], *, trusts_data: bool = True
) -> tuple[Path, ...]:
    """Folders of skills, in order of precedence; the folders need not exist.

    Args:
        shipped: Folders of the skills that come with parts of the agent.
        data_root: Absolute.
        folders: Folders of the settings; `~` is the home of the agent's user, relative paths start at the data root.
        trusts_data: False leaves out the folders in the data root.
    """
    roots = [_expand(folder) for folder in ("skills", *folders) if folder]
    return (*shipped, *(data_root / root for root in roots if trusts_data or root.is_absolute()))


def visible_folders(roots: Iterable[Path]) -> tuple[Path, ...]:
    """Folders that a sandbox must show, read-only and at the same path, to make every skill's files readable there.

    The roots with links resolved, existing or not, and folders of skills elsewhere that a link leads to.
    """
    roots = tuple(roots)
    allowed = [Path(os.path.realpath(root)) for root in roots]
    for skill in SkillFolders(roots).scan().skills:
        folder = Path(skill.folder)
        if not any(folder.is_relative_to(each) for each in allowed):
            allowed.append(folder)
    return tuple(dict.fromkeys(allowed))


def skill_findings(roots: Iterable[Path]) -> tuple[str, ...]:
    """Faults of the skills in `roots`; each names the file and the rule."""
    return SkillFolders(tuple(roots)).scan().warnings


def read_whole(skill: Skill) -> str:
    """Text of a skill's file.

    Raises:
        OSError: the file cannot be read any more.
        ValueError: the file is too long for a prompt, or no text any more.
    """
    path = Path(skill.path)
    with path.open("rb") as file:
        data = file.read(LONGEST_READ_BYTES + 1)
    if len(data) > LONGEST_READ_BYTES:
        raise ValueError(f"its file has more than {LONGEST_READ_BYTES} bytes, too many for a prompt")
    return data.decode("utf-8")


@dataclass(frozen=True, slots=True)
class _File:
    """Content of a file at one version."""

    version: _Version | None
    """Version of the file; None for an unreadable file."""
    reading: Reading
    fields: FrontMatter = field(default_factory=dict)


@dataclass(slots=True)
class _Scan:
    """Single walk through all roots."""

    files: list[Path] = field(default_factory=list)
    """With links resolved, in order."""
    warnings: list[str] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    """Folders and files, with links resolved."""
    entries: dict[str, Entry] = field(default_factory=dict)
    """Folder of an added skill, with links resolved -> its record."""
    changed: list[ChangedSkill] = field(default_factory=list)

    def is_new(self, path: Path) -> bool:
        """True if `path`, with links resolved, is new to this walk."""
        real = os.path.realpath(path)
        if real in self.seen:
            return False
        self.seen.add(real)
        return True


class SkillFolders:
    """The skills in `roots`, looked at afresh by each scan; any number of threads may scan."""

    def __init__(self, roots: tuple[Path, ...], most_folders: int = MOST_FOLDERS) -> None:
        """Begin without a look.

        Args:
            roots: Roots of skills, in order of precedence.
            most_folders: Most folders and files in a scan.
        """
        self._most_folders = most_folders
        self._roots = roots
        self._files: Mapping[Path, _File] = {}
        self._installed = {root: InstalledSkills(root) for root in roots}

    def scan(self) -> SkillScan:
        """Skills at this moment; of two skills with the same name the first counts."""
        scan = _Scan()
        for root in self._roots:
            self._scan_root(root, scan)
        known, files = self._files, dict[Path, _File]()
        skills: dict[str, Skill] = {}
        fields: dict[str, FrontMatter] = {}
        added: dict[str, Entry] = {}
        for path in scan.files:
            file = _read(path, known.get(path))
            if file.version:
                files[path] = file
            scan.warnings += [f"{path}: {fault}" for fault in file.reading.faults]
            if (skill := file.reading.skill) is None:
                continue
            if skill.name in skills:
                first = skills[skill.name].path
                scan.warnings.append(f"{path}: name {skill.name!r}: is taken by {first}, so this skill is not used")
            else:
                skills[skill.name], fields[skill.name] = skill, file.fields
                if entry := scan.entries.get(skill.folder):
                    added[skill.name] = entry
        self._files = files
        return SkillScan(tuple(skills.values()), tuple(scan.warnings), fields, added, tuple(scan.changed))

    def _scan_root(self, root: Path, scan: _Scan) -> None:
        """Find the files of skills in a root, without skills changed since their acceptance."""
        record, fault = self._installed[root].look()
        if fault:
            scan.seen.add(os.path.realpath(root))  # another root may lead here
            scan.warnings.append(f"{fault}; no skill of this folder is used until the record can be")
            return
        self._compare(root, record, scan)
        self._walk(root, 0, scan)

    def _compare(self, root: Path, record: Record, scan: _Scan) -> None:
        for name, entry in record.skills.items():
            folder = root / name
            real = os.path.realpath(folder)
            changes = self._installed[root].changes(name, entry)
            if not changes:
                scan.entries[real] = entry
                continue
            scan.seen.add(real)
            scan.changed.append(ChangedSkill(str(folder), entry, changes))
            more = f" and {len(changes) - MOST_CHANGES} more" if len(changes) > MOST_CHANGES else ""
            reasons = "; ".join(changes[:MOST_CHANGES])
            scan.warnings.append(f"{folder}: is not used, because it differs from the accepted files: {reasons}{more}")

    def _walk(self, folder: Path, depth: int, scan: _Scan) -> None:
        """Find the files of skills in and below `folder`; a skill's folder is not looked into any further."""
        if not scan.is_new(folder):
            return
        if len(scan.seen) > self._most_folders:
            scan.warnings.append(f"{folder}: not looked into, at most {self._most_folders} folders and files are")
            return
        try:
            entries = sorted(os.listdir(folder))  # noqa: PTH208 - names are all it takes
        except FileNotFoundError:
            return
        except OSError as error:
            scan.warnings.append(f"{folder}: cannot be read: {error.strerror}")
            return
        if name := next((name for name in FILE_NAMES if name in entries), ""):
            self._add(folder / name, scan)
            return
        for path in (folder / name for name in entries if not name.startswith(".") and name != SKIPPED):
            if _is_folder(path):
                if depth < DEEPEST:
                    self._walk(path, depth + 1, scan)
            elif depth == 0 and path.suffix == ".md":
                self._add(path, scan)

    def _add(self, path: Path, scan: _Scan) -> None:
        if scan.is_new(path):
            scan.files.append(Path(os.path.realpath(path)))


def _read(path: Path, known: _File | None) -> _File:
    """File at `path`; `known` if the version is still the same."""
    try:
        status = path.stat()
        version = (status.st_mtime_ns, status.st_size, status.st_ino)
        if known is not None and known.version == version:
            return known
        return _reading(path, status, version)
    except OSError as error:
        return _File(None, Reading(None, (f"cannot be read: {error.strerror}",)))


def _is_folder(path: Path) -> bool:
    """True if `path` is a folder, or may be a folder of another user."""
    try:
        return path.is_dir()
    except OSError:
        return True


def _reading(path: Path, status: os.stat_result, version: _Version) -> _File:
    def unusable(*faults: str) -> _File:
        return _File(version, Reading(None, faults))

    if not stat.S_ISREG(status.st_mode):
        return unusable("must be a plain file")
    if status.st_size > LONGEST_FILE_BYTES:
        return unusable(f"has {status.st_size} bytes: at most {LONGEST_FILE_BYTES} are allowed")
    reading, fields = read_skill(path.read_bytes(), PurePosixPath(path))
    return _File(version, reading, fields)


def read_skill(data: bytes, path: PurePosixPath) -> tuple[Reading, FrontMatter]:
    """Skill and front matter of a file's content; an empty front matter if there is no skill.

    Args:
        data: The whole content.
        path: Of the file, absolute.
    """

    def refuse(*faults: str) -> tuple[Reading, FrontMatter]:
        return Reading(None, faults), {}

    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        return refuse(f"byte {error.start}: must be UTF-8")
    parts = split_front_matter(text)
    if parts is None:
        loose = path.name not in FILE_NAMES  # any other note may lie in a root
        return refuse() if loose else refuse("must begin with front matter between two lines of ---")
    try:
        fields = front_matter_fields(parts[0])
    except ValueError as error:
        return refuse(str(error))
    return read_front_matter(fields, path, parts[1]), fields if isinstance(fields, Mapping) else {}


def _expand(folder: str) -> Path:
    path = Path(folder)
    try:
        return path.expanduser()
    except RuntimeError:  # no such user, or no home: then it is a folder that does not exist
        return path
