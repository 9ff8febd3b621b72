"""Members of a skill by another author: names, kinds and sizes that are allowed; each fault names value and rule."""

from __future__ import annotations

import stat
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from domain.text.brief import brief

MOST_FILES = 1_000
"""Most files of one skill."""
MOST_BYTES = 32 * 1024 * 1024
"""Most bytes of one skill."""
LONGEST_FILE_BYTES = 16 * 1024 * 1024
MOST_LEVELS = 16
"""Folders within folders."""
LONGEST_NAME_BYTES = 200
"""Most bytes of one part of a path."""
LONGEST_PATH_BYTES = 500
MOST_SOURCE_MEMBERS = 50_000
"""Most files and folders of an archive, a folder or a repository with a skill."""
MOST_SOURCE_BYTES = 256 * 1024 * 1024
"""Unpacked."""
LEFT_OUT = frozenset({".git", "__pycache__", "__MACOSX", ".DS_Store"})
"""Names of members left uninstalled and uncounted."""
_SPECIAL_BITS = stat.S_ISUID | stat.S_ISGID | stat.S_ISVTX
_ASCII_DELETE = 0x7F


@dataclass(frozen=True, slots=True)
class Member:
    """One entry of an archive, a folder or a repository."""

    path: str
    """Relative, parts joined by `/`."""
    size: int = 0
    """Bytes; 0 for all but files."""
    mode: int = stat.S_IFREG | 0o644
    """Kind and permissions, as in `stat`."""

    @property
    def is_file(self) -> bool:
        """True for a regular file."""
        return stat.S_ISREG(self.mode)

    @property
    def is_folder(self) -> bool:
        """True for a folder."""
        return stat.S_ISDIR(self.mode)


def name_fault(path: str) -> str:
    """Fault of a member's path; empty if the path leads only to a place below the skill."""
    if not path:
        return "name '': must not be empty"
    rule = _path_rule(path) or next((rule for part in path.split("/") if (rule := _part_rule(part))), "")
    return f"name {brief(path, 120)}: {rule}" if rule else ""


def _path_rule(path: str) -> str:
    if path.startswith("/"):
        return "must be relative, not begin with /"
    if "\\" in path:
        return "must not hold a backslash, which other systems take for a /"
    if len(path) > 1 and path[1] == ":" and path[0].isalpha():
        return "must not begin with a drive's letter"
    if any(ord(char) < ord(" ") or ord(char) == _ASCII_DELETE for char in path):
        return "must not hold control characters"
    if any("\ud800" <= char <= "\udfff" for char in path):
        return "must be UTF-8"
    if len(path.encode()) > LONGEST_PATH_BYTES:
        return f"has {len(path.encode())} bytes, at most {LONGEST_PATH_BYTES} are allowed"
    if (levels := path.count("/")) > MOST_LEVELS:
        return f"lies {levels} folders deep, at most {MOST_LEVELS} are allowed"
    return ""


def _part_rule(part: str) -> str:
    if part in ("", ".", ".."):
        return f"must not have the part {part!r}"
    if (length := len(part.encode())) > LONGEST_NAME_BYTES:
        return f"has a part of {length} bytes, at most {LONGEST_NAME_BYTES} are allowed"
    return ""


def is_left_out(path: str) -> bool:
    """True for a member that belongs to no skill: data of git, caches, notes of a file manager."""
    return any(part in LEFT_OUT for part in path.split("/"))


def member_fault(member: Member) -> str:
    """Fault of one member of a skill; empty if installable."""
    value = brief(member.path, 120)
    if stat.S_ISLNK(member.mode):
        return f"link {value}: links are not allowed, as they may lead out of the skill"
    if not (member.is_file or member.is_folder):
        return f"{_kind(member.mode)} {value}: only files and folders are allowed"
    if special := stat.S_IMODE(member.mode) & _SPECIAL_BITS:
        return f"mode {special | stat.S_IMODE(member.mode):04o} of {value}: setuid, setgid and sticky are not allowed"
    if member.size > LONGEST_FILE_BYTES:
        return f"file {value}: has {member.size} bytes, at most {LONGEST_FILE_BYTES} are allowed"
    return name_fault(member.path)


def skill_fault(members: Iterable[Member]) -> str:
    """First fault of a whole skill; empty if the whole skill is installable."""
    files = total = 0
    seen: dict[str, str] = {}
    for member in members:
        if fault := member_fault(member):
            return fault
        files += member.is_file
        total += member.size
        if files > MOST_FILES:
            return f"{files} files: at most {MOST_FILES} are allowed in a skill"
        if total > MOST_BYTES:
            return f"{total} bytes: at most {MOST_BYTES} are allowed in a skill"
        if fault := _collision(member, seen):
            return fault
    return ""


def _collision(member: Member, seen: dict[str, str]) -> str:
    """Fault of a name equal to an earlier name on some systems; a folder may come again as a folder."""
    parts = member.path.split("/")
    folders = [f"{'/'.join(parts[:count])}/" for count in range(1, len(parts) + member.is_folder)]
    for folder in folders:
        if (first := seen.setdefault(_fold_name(folder[:-1]), folder)) != folder:
            return _same_name(folder, first)
    if member.is_folder:
        return ""
    first = seen.setdefault(_fold_name(member.path), "")
    seen[_fold_name(member.path)] = member.path
    return _same_name(member.path, first) if first else ""


def _fold_name(path: str) -> str:
    return unicodedata.normalize("NFC", path).casefold()


def _same_name(name: str, first: str) -> str:
    return f"name {brief(name, 120)}: is the same as {brief(first, 120)}, for some systems at least"


def _kind(mode: int) -> str:
    kinds = {
        stat.S_IFCHR: "device",
        stat.S_IFBLK: "device",
        stat.S_IFIFO: "pipe",
        stat.S_IFSOCK: "socket",
    }
    return kinds.get(stat.S_IFMT(mode), "entry")
