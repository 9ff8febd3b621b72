"""Listings: files named in the output of `ls`, `find`, `grep` and similar programs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec

from domain.objects.path import absolute, below
from messages.base import make_ready

MOST_LINES = 2_000
"""Most lines of an output to read; further lines are ignored."""
MOST_NAMES = 2_000
_MOST_CHARACTERS = 256 * 1024
_MONTH_AND_DAY = r"(?:[A-Z][a-z]{2} +\d{1,2}|\d{1,2} +[A-Z][a-z]{2})"
_DATE = rf"{_MONTH_AND_DAY} +(?:\d\d:\d\d|\d{{4}})|\d{{4}}-\d\d-\d\d \d\d:\d\d(?::[\d.]+ [+-]\d{{4}})?"
_LONG = re.compile(rf" *(?:\d+ +){{0,2}}-[\w-]{{9}}[.+@]? +\d+ +(?:\S+ +){{1,3}}(?:{_DATE}) (.+)")
_NUMBERS = re.compile(r" *(?:\d+ +){1,2}")


class Listing(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Run of a program that prints names of files."""

    program: str
    """`ls`, `find`, `grep` …; `git ls` and `git status` for git's listings."""
    here: str
    """Absolute path of the program's working folder."""
    operands: tuple[str, ...] = ()
    options: str = ""
    """Letters of the short options."""
    is_of_names: bool = False
    """True if each line is only a name, though the program prints more otherwise."""


def listed_paths(folder: str, output: str, listings: Sequence[Listing]) -> tuple[str, ...]:
    """Plain paths below `folder` possibly named in an output, in order; only the file system knows the files.

    Args:
        folder: Absolute, in normal form.
        output: Output of the whole command; other lines give no path, or the name of no file.
        listings: Listings of the command; a line may be of any listing.
    """
    if not listings:
        return ()
    lines = output[:_MOST_CHARACTERS].split("\n", MOST_LINES)[:MOST_LINES]
    paths: dict[str, None] = {}
    for listing in listings:
        for here, name in _names(listing, lines):
            path = below(folder, here, name)
            if path and len(paths) < MOST_NAMES:
                paths[path] = None
    return tuple(paths)


def _names(listing: Listing, lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Names, each with the folder to resolve the name."""
    if listing.program == "ls":
        yield from _names_of_ls(listing, lines)
        return
    name_in = _whole if listing.is_of_names else _NAME_IN.get(listing.program, _whole)
    for line in lines:
        yield listing.here, name_in(line.rstrip("\r"))


def _names_of_ls(listing: Listing, lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    here, operand = listing.here, ""
    if len(listing.operands) == 1:
        operand = listing.operands[0].rstrip("/") or "/"
        here = absolute(here, operand)
    is_long = not set("lgno").isdisjoint(listing.options)
    is_numbered = not set("is").isdisjoint(listing.options)
    for line in lines:
        if line.endswith(":"):
            here = absolute(listing.here, line[:-1])
            continue
        name = _name_in_long(line) if is_long else _behind_numbers(line) if is_numbered else line
        if "F" in listing.options:
            name = name.rstrip("*")
        is_operand = operand and (name == operand or name.startswith(f"{operand}/"))
        yield (listing.here if is_operand else here), name


def _name_in_long(line: str) -> str:
    match = _LONG.fullmatch(line)
    if match is not None:
        return match[1]
    return line.split()[-1] if line.startswith("-") else ""


def _behind_numbers(line: str) -> str:
    match = _NUMBERS.match(line)
    return line[match.end() :] if match is not None else line


def _whole(line: str) -> str:
    return line


def _before_colon(line: str) -> str:
    name, colon, _ = line.partition(":")
    return name if colon else ""


def _in_tree(line: str) -> str:
    return line.rpartition("── ")[2]


def _in_status(line: str) -> str:
    return line[3:]


_NAME_IN: dict[str, Callable[[str], str]] = {
    "grep": _before_colon,
    "tree": _in_tree,
    "git status": _in_status,
}
make_ready(__name__)
