"""Discovery of skills: looks for them in folders and reads them; a file that has not changed is not read again."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import yaml

from domain.turn.skill import FILE_NAME, Reading, Skill, read_front_matter, split_front_matter

DEEPEST = 5
"""Levels of folders below a root."""
MOST_FOLDERS = 2_000
"""Looked into in all; a root that was set to a whole disk must not stop the agent."""
LONGEST_FILE_BYTES = 1024 * 1024
LONGEST_READ_BYTES = 64 * 1024
"""Of a file that goes into a prompt whole, some 16,000 tokens."""
LONGEST_FRONT_MATTER = 16_384
"""Characters."""
MOST_BRACKETS = 100
"""In a front matter; YAML's reader takes seconds over a thousand that are nested."""
SKIPPED = "node_modules"


_Version = tuple[int, int, int]
"""Modification time, size and inode of a file."""


@dataclass(frozen=True, slots=True)
class Found:
    """The skills of all roots, and what is wrong with them."""

    skills: tuple[Skill, ...] = ()
    warnings: tuple[str, ...] = ()
    """Each names the file and the rule."""


def skill_roots(shipped: Iterable[Path], data_root: Path, folders: Iterable[str]) -> tuple[Path, ...]:
    """Where skills are looked for, in order of precedence; they need not exist.

    Args:
        shipped: Folders of the skills that come with parts of the agent.
        data_root: Absolute.
        folders: Of the settings; `~` is the home of the agent's user, relative ones start at the data root.
    """
    return (*shipped, data_root / "skills", *(data_root / _expanded(folder) for folder in folders if folder))


def visible_folders(roots: Iterable[Path]) -> tuple[Path, ...]:
    """What a sandbox must show, read-only and at the same path, for every skill's files to be readable in it.

    The roots with links resolved, whether they exist yet or not, and folders of skills that lie elsewhere because a
    link leads there.
    """
    roots = tuple(roots)
    allowed = [Path(os.path.realpath(root)) for root in roots]
    for skill in SkillFolders(roots).scan().skills:
        folder = Path(skill.folder)
        if not any(folder.is_relative_to(each) for each in allowed):
            allowed.append(folder)
    return tuple(dict.fromkeys(allowed))


def skill_findings(roots: Iterable[Path]) -> tuple[str, ...]:
    """What is wrong with the skills in `roots`; each names the file and the rule."""
    return SkillFolders(tuple(roots)).scan().warnings


def read_whole(skill: Skill) -> str:
    """The text of a skill's file.

    Raises:
        OSError: it cannot be read any more.
        ValueError: it is too long for a prompt, or no text any more.
    """
    path = Path(skill.path)
    with path.open("rb") as file:
        data = file.read(LONGEST_READ_BYTES + 1)
    if len(data) > LONGEST_READ_BYTES:
        raise ValueError(f"its file has more than {LONGEST_READ_BYTES} bytes, too many for a prompt")
    return data.decode("utf-8")


@dataclass(slots=True)
class _Scan:
    """One walk through all roots."""

    files: list[Path] = field(default_factory=list)
    """With links resolved, in order."""
    warnings: list[str] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    """Folders and files, with links resolved."""

    def is_new(self, path: Path) -> bool:
        """Whether `path`, wherever it leads, is met for the first time."""
        real = os.path.realpath(path)
        if real in self.seen:
            return False
        self.seen.add(real)
        return True


class SkillFolders:
    """The skills in `roots`, looked at afresh by each scan."""

    def __init__(self, roots: tuple[Path, ...]) -> None:
        self._roots = roots
        self._readings: dict[Path, tuple[_Version, Reading]] = {}

    def scan(self) -> Found:
        """What is there now; of two skills with one name the first counts."""
        scan = _Scan()
        for root in self._roots:
            self._walk(root, 0, scan)
        read = {path: self._read(path) for path in scan.files}
        self._readings = {path: reading for path, reading in self._readings.items() if path in read}
        skills: dict[str, Skill] = {}
        for path, reading in read.items():
            scan.warnings += [f"{path}: {fault}" for fault in reading.faults]
            if (skill := reading.skill) is None:
                continue
            if skill.name in skills:
                first = skills[skill.name].path
                scan.warnings.append(f"{path}: name {skill.name!r}: is taken by {first}, so this skill is not used")
            else:
                skills[skill.name] = skill
        return Found(tuple(skills.values()), tuple(scan.warnings))

    def _walk(self, folder: Path, depth: int, scan: _Scan) -> None:
        """Find the files of skills in and below `folder`; a skill's folder is not looked into any further."""
        if not scan.is_new(folder):
            return
        if len(scan.seen) > MOST_FOLDERS:
            scan.warnings.append(f"{folder}: not looked into, at most {MOST_FOLDERS} folders and files are")
            return
        try:
            entries = sorted(os.listdir(folder))  # noqa: PTH208 - names are all it takes
        except FileNotFoundError:
            return
        except OSError as error:
            scan.warnings.append(f"{folder}: cannot be read: {error.strerror}")
            return
        if FILE_NAME in entries:
            self._add(folder / FILE_NAME, scan)
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

    def _read(self, path: Path) -> Reading:
        try:
            status = path.stat()
            version = (status.st_mtime_ns, status.st_size, status.st_ino)
            cached = self._readings.get(path)
            if cached is not None and cached[0] == version:
                return cached[1]
            reading = _reading(path, status)
        except OSError as error:
            return Reading(None, (f"cannot be read: {error.strerror}",))
        self._readings[path] = (version, reading)
        return reading


def _is_folder(path: Path) -> bool:
    """Whether `path` is a folder, or may be one that only others can look into."""
    try:
        return path.is_dir()
    except OSError:
        return True


def _reading(path: Path, status: os.stat_result) -> Reading:
    if not stat.S_ISREG(status.st_mode):
        return Reading(None, ("must be a plain file",))
    if status.st_size > LONGEST_FILE_BYTES:
        return Reading(None, (f"has {status.st_size} bytes: at most {LONGEST_FILE_BYTES} are allowed",))
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        return Reading(None, (f"byte {error.start}: must be UTF-8",))
    parts = split_front_matter(text)
    if parts is None:
        loose = path.name != FILE_NAME  # any other note may lie in a root
        return Reading(None, () if loose else ("must begin with front matter between two lines of ---",))
    return _reading_of(parts[0], path)


def _reading_of(front_matter: str, path: Path) -> Reading:
    length, brackets = len(front_matter), front_matter.count("[") + front_matter.count("{")
    if length > LONGEST_FRONT_MATTER:
        return Reading(None, (f"front matter of {length} characters: at most {LONGEST_FRONT_MATTER} are allowed",))
    if brackets > MOST_BRACKETS:
        return Reading(None, (f"front matter with {brackets} brackets: at most {MOST_BRACKETS} are allowed",))
    try:
        fields = yaml.safe_load(front_matter)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        return Reading(None, tuple(_yaml_faults(error)))
    return read_front_matter(fields, PurePosixPath(path))


def _yaml_faults(error: Exception) -> Iterator[str]:
    mark = getattr(error, "problem_mark", None)
    line = f"line {mark.line + 2}: " if mark is not None else ""
    problem = getattr(error, "problem", None) or str(error) or type(error).__name__
    yield f"{line}the front matter is not YAML: {problem} (quote values that hold `: ` or start with a sign)"


def _expanded(folder: str) -> Path:
    path = Path(folder)
    try:
        return path.expanduser()
    except RuntimeError:  # no such user, or no home: then it is a folder that does not exist
        return path
