"""Lines of undelivered firings: people change, mark and move the lines of a file between two looks."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

import msgspec

from domain.reminder.document import FAILED_START, failed_line, scan_lines, without_added_id
from domain.reminder.due import Firing

_BLANKS = b" \t\r"
_ID = re.compile(rb" id=([A-Za-z0-9_-]+)")


def index_lines(lines: Iterable[bytes]) -> dict[bytes, bytes]:
    """Line without blanks at the end -> line."""
    return {line.rstrip(_BLANKS): line for line in lines}


def find_lines(firings: Mapping[str, Firing], present: Mapping[bytes, bytes]) -> dict[str, Firing]:
    """Firings with a line in the file, each with the line as in the file now; a line may have been marked as failed.

    Args:
        firings: Firings by key.
        present: The file's lines, as of `index_lines`.
    """
    there = {}
    for key, firing in firings.items():
        line = firing.raw.rstrip(_BLANKS)
        bare = without_added_id(line)
        spellings = (line, bare + b" id=" + firing.reminder.id.encode("ascii"), bare)
        marked = () if firing.reminder.failed else map(failed_line, spellings)
        raw = next((present[each] for each in (*spellings, *marked) if each in present), None)
        if raw is not None:
            reminder = msgspec.structs.replace(firing.reminder, failed=raw.startswith(FAILED_START))
            there[key] = msgspec.structs.replace(firing, raw=raw, reminder=reminder)
    return there


def find_other_words(
    firings: Mapping[str, Firing], lines: Iterable[bytes], own_keys: Collection[str]
) -> dict[str, tuple[Firing, bool]]:
    """Firings of the same reminders in other words, where a user has changed the words, and nothing else, meanwhile.

    Each comes with True if no other line has the id: else a message with the id may show another reminder.

    Args:
        firings: Firings by key, without a line in the file.
        lines: The file's lines.
        own_keys: Keys of firings with a line of their own: lines may share an id, as copies do.
    """
    lines_by_id = defaultdict[bytes, list[bytes]](list)
    for line in lines if firings else ():
        for reminder_id in _ID.findall(line):
            lines_by_id[reminder_id].append(line)
    changed, keys = dict[str, tuple[Firing, bool]](), set(own_keys)
    for key, firing in firings.items():
        candidates = lines_by_id.get(firing.reminder.id.encode("ascii"), [])
        for entry in scan_lines(enumerate(candidates, 1)).entries:
            other = msgspec.structs.replace(firing, raw=entry.raw, reminder=entry.reminder)
            is_same = msgspec.structs.replace(entry.reminder, message=firing.reminder.message) == firing.reminder
            if is_same and other.key not in keys:
                changed[key] = other, len(candidates) == 1
                keys.add(other.key)
                break
    return changed
