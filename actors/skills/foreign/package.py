"""Package: a chosen skill of a source, with its content, faults of the specification, and findings."""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from actors.skill_files.folders import FrontMatter, read_skill
from actors.skills.foreign.source import Source
from domain.policy.foreign_skill.examination import Examined, Finding, examine_file, text_findings
from domain.policy.foreign_skill.member import MOST_BYTES, Member, is_left_out, name_fault, skill_fault
from domain.policy.foreign_skill.record import FileRecord, Files
from domain.text.brief import brief
from domain.turn import skill as rules
from domain.turn.skill import FILE_NAMES, Skill

MOST_NAMED = 50
"""Most skills of a source in a refusal."""
HOOKS = "has hooks, which run its scripts without a request of the model"
_SHEBANG = b"#!"
_EXECUTABLE = 0o111


@dataclass(frozen=True, slots=True)
class PackagedFile:
    """File of a skill."""

    data: bytes
    is_executable: bool


@dataclass(frozen=True)
class Package:
    """Skill, read whole."""

    skill: Skill
    """Skill in the form after the installation."""
    fields: FrontMatter
    files: Mapping[str, PackagedFile]
    """Path below the skill's folder -> file."""
    faults: tuple[str, ...]
    """Of the specification; the skill can be used all the same."""
    path: str
    """Path of the skill inside its source; empty for the source itself."""
    left_out: int
    """Number of members outside any skill, such as data of git."""

    @property
    def name(self) -> str:
        """Name of the skill, and of the skill's folder."""
        return self.skill.name

    @cached_property
    def hashes(self) -> Files:
        """Hash of each file."""
        return {
            path: FileRecord(hashlib.sha256(file.data).hexdigest(), len(file.data), file.is_executable)
            for path, file in self.files.items()
        }

    @cached_property
    def examined(self) -> tuple[Examined, ...]:
        """Path -> examined file."""
        own = PurePosixPath(self.skill.path).name
        return tuple(
            examine_file(path, file.data, is_instructions=path == own, is_executable=file.is_executable)
            for path, file in sorted(self.files.items())
        )

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """Findings in all files and in the description, since every prompt contains the description."""
        own = PurePosixPath(self.skill.path).name
        hooks = (Finding(own, 0, HOOKS, is_grave=True),) if self.fields.get("hooks") else ()
        of_files = tuple(finding for each in self.examined for finding in each.findings)
        return (*text_findings("description", str(self.fields.get("description", ""))), *hooks, *of_files)

    @property
    def is_grave(self) -> bool:
        """True if a finding is grave."""
        return any(finding.is_grave for finding in self.findings)


def read_package(source: Source, path: str = "") -> Package:
    """Skill at `path` in a source; the only skill of the source if `path` is empty.

    Raises:
        ValueError: the skill is missing, or must not be installed; names the value and the rule.
    """
    every = source.members()
    members = tuple(member for member in every if not is_left_out(member.path))
    for member in members:
        if fault := name_fault(member.path):
            raise ValueError(fault)
    folder = _choose(members, path.strip("/"))
    prefix = f"{folder}/" if folder else ""
    own = tuple(
        Member(member.path.removeprefix(prefix), member.size, member.mode)
        for member in members
        if member.path.startswith(prefix)
    )
    if fault := skill_fault(own):
        raise ValueError(fault)
    files = _read_files(source, prefix, own)
    left_out = sum(member.path.startswith(prefix) for member in every) - len(own)
    return _package(files, folder, left_out)


def _choose(members: Sequence[Member], path: str) -> str:
    """Folder of the intended skill; empty for the source itself."""
    places = dict[str, None]()
    for member in members:
        folder, _, name = member.path.rpartition("/")
        if name in FILE_NAMES and not member.is_folder:
            places[folder] = None
    if path.rpartition("/")[2] in FILE_NAMES:
        path = path.rpartition("/")[0]
    if path:
        if path not in places:
            raise ValueError(f"path {brief(path, 120)}: has no {FILE_NAMES[0]}; {_skills_sentence(_outermost(places))}")
        return path
    outermost = _outermost(places)
    if len(outermost) != 1:
        raise ValueError(_skills_sentence(outermost))
    return outermost[0]


def _outermost(places: Mapping[str, None]) -> list[str]:
    """Folders of skills outside any other skill."""
    if "" in places:
        return [""]
    return sorted(
        place for place in places if not any(str(parent) in places for parent in PurePosixPath(place).parents[:-1])
    )


def _skills_sentence(places: Sequence[str]) -> str:
    if not places:
        return f"there is no skill in it: a folder with a {FILE_NAMES[0]}"
    names = ", ".join(brief(place, 120) for place in places[:MOST_NAMED])
    more = f" and {len(places) - MOST_NAMED} more" if len(places) > MOST_NAMED else ""
    return f"choose one of its {len(places)} skills by --path: {names}{more}"


def _read_files(source: Source, prefix: str, members: Sequence[Member]) -> Mapping[str, PackagedFile]:
    files = [member for member in members if member.is_file]
    content = source.read([f"{prefix}{member.path}" for member in files])
    if (total := sum(map(len, content.values()))) > MOST_BYTES:
        raise ValueError(f"{total} bytes: at most {MOST_BYTES} are allowed in a skill")
    return {
        member.path: PackagedFile(data, _is_executable(member, data))
        for member in files
        for data in (content[f"{prefix}{member.path}"],)
    }


def _is_executable(member: Member, data: bytes) -> bool:
    """True for a program; a source without permissions says so by the first line."""
    permissions = stat.S_IMODE(member.mode)
    return bool(permissions & _EXECUTABLE) if permissions else data.startswith(_SHEBANG)


def _package(files: Mapping[str, PackagedFile], folder: str, left_out: int) -> Package:
    own = next(name for name in FILE_NAMES if name in files)
    data = files[own].data
    source_name = folder.rpartition("/")[2]
    reading, fields = read_skill(data, PurePosixPath("/", source_name or "skill", own))
    if reading.skill is None:
        raise ValueError(f"{own}: {'; '.join(reading.faults)}")
    name = fields.get("name")
    if not isinstance(name, str) or not name.strip():
        raise ValueError(f"{own}: name {brief(name)}: is required")
    if fault := rules.name_fault(name):
        raise ValueError(f"{own}: {fault}")
    again, _ = read_skill(data, PurePosixPath("/", reading.skill.name, own))
    faults = reading.faults if source_name else again.faults
    unknown = rules.unknown_keys(fields)
    if unknown:
        faults = (*faults, f"keys {', '.join(unknown)}: are not of the specification")
    assert again.skill is not None
    return Package(again.skill, fields, files, faults, folder, left_out)
