"""Search of every byte of a folder for planted strings, whole or by either half."""

from __future__ import annotations

import os
import random
import re
import stat
from collections import defaultdict
from collections.abc import Collection
from pathlib import Path

_LETTERS = "bcdfghjklmnpqrstvwxyz"
_HALF = re.compile(rb"zq[xy][a-z]{9}")
_HALF_LETTERS = 9


def make_string(chance: random.Random) -> str:
    """Unique string of two halves: one half stays whole where a page of a file splits the string."""
    first, second = ("".join(chance.choices(_LETTERS, k=_HALF_LETTERS)) for _ in range(2))
    return f"zqx{first}zqy{second}"


def search(folder: Path, strings: Collection[str]) -> dict[str, set[str]]:
    """String -> files below the folder, as paths in it, with at least one half of the string in bytes or name."""
    halves = {half.encode(): each for each in strings for half in (each[: len(each) // 2], each[len(each) // 2 :])}
    matches = defaultdict[str, set[str]](set)
    for place, folders, names in os.walk(folder):
        for name in (*folders, *names):
            path = Path(place, name)
            data = os.fsencode(name) + b"\0" + _read(path)
            for half in _HALF.findall(data.lower()):
                if half in halves:
                    matches[halves[half]].add(path.relative_to(folder).as_posix())
    return dict(matches)


def search_open_files(pid: int, strings: Collection[str]) -> set[str]:
    """Strings in the regular files that a process holds open, also in files without a name.

    The agent's descriptors can be read by root only; for another user the set is empty.
    """
    try:
        opened = list(Path(f"/proc/{pid}/fd").iterdir())
    except PermissionError:
        return set()
    data = b"\0".join(_read_regular(each) for each in opened)
    return {string for string in strings if string.encode() in data.lower()}


def _read_regular(path: Path) -> bytes:
    """Bytes of a regular file, from its beginning; empty for anything else, or a descriptor that was closed."""
    try:
        return path.read_bytes() if stat.S_ISREG(path.stat().st_mode) else b""
    except FileNotFoundError:
        return b""


def _read(path: Path) -> bytes:
    """Bytes of a regular file, or of a link's target; empty for anything else."""
    if path.is_symlink():
        return os.fsencode(path.readlink())
    return path.read_bytes() if stat.S_ISREG(path.lstat().st_mode) else b""
