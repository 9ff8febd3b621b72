"""Copies of entries' files, by the file names that synchronisation programs give."""

from __future__ import annotations

import re

_CONFLICT = re.compile(
    r"conflict|konflikt|conflit|conflicto|conflitto|conflito|конфликт|競合|冲突|衝突|충돌", re.IGNORECASE
)
_COPY = re.compile(
    r"(?P<stem>.+?)(?:"
    r"\.sync-conflict-.*"  # Syncthing
    r"|[ _.-]*[(\[].*[)\]](?: [0-9]+)?"  # Dropbox, Nextcloud, Obsidian Sync, Seafile, Unison, pCloud, Google Drive
    r"|[ _.-]conflict(?:ed)?(?:[ _.-]?[0-9T_.-]+)?"  # ownCloud, Resilio, rclone
    r"| [0-9]{1,2}"  # iCloud
    r"|(?: -)? (?:copy|kopie|copie|copia)(?: [0-9]+| \([0-9]+\))?"  # Finder, Explorer
    r")",
    re.IGNORECASE,
)
_MARK = ".md"


def original_of(path: str) -> str:
    """Path of the original, for a file named as a copy; empty for any other name."""
    folder, _, name = path.rpartition("/")
    match = _COPY.fullmatch(name.removesuffix(_MARK))
    return f"{folder}/{match['stem']}{_MARK}" if match is not None else ""


def is_version_of(path: str, other: str) -> bool:
    """True if a file's name is another one's in the same folder with the mark of a conflict behind it."""
    stem, other_stem = path.removesuffix(_MARK), other.removesuffix(_MARK)
    return stem.startswith(other_stem) and bool(_CONFLICT.search(stem[len(other_stem) :]))


def extends(path: str, other: str) -> bool:
    """True if a file's name extends another file's name in the same folder."""
    return path != other and path.removesuffix(_MARK).startswith(other.removesuffix(_MARK))
