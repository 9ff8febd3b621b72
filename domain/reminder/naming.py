"""Ids for reminders in lines without an id: stable for a line, in every try and life of the process.

A due reminder may have to be posted before the id can be written, as on a full disk. The id names the posting, so every
retry must come to the same id without stored state.
"""

from __future__ import annotations

import hashlib
import re
from base64 import b32encode
from collections import Counter
from collections.abc import Collection
from functools import cached_property

from domain.reminder.line import Reminder

_FORM = re.compile(rb"(?<![\w-])id=(rid_[A-Z2-7]{12})(?![\w-])")
_ID_CHARS = 12


class Namer:
    """Names for the nameless lines of one file, in the order of the lines."""

    def __init__(self, data: bytes, spent: Collection[str] = ()) -> None:
        """Begin without named lines.

        Args:
            data: All known bytes of the file; no id in the file is given again.
            spent: Ids of permanently removed lines; a new line with equal words is another reminder.
        """
        self._data = data
        self._spent = spent
        self._id_counts: Counter[str] = Counter()

    def name(self, reminder: Reminder) -> str:
        """Id of the next line with `reminder`: `rid_` and 12 characters of A-Z2-7."""
        place = "" if reminder.window is None else reminder.window.address.key
        identity = f"{reminder.day}\0{reminder.at}\0{reminder.recurrence}\0{place}\0{reminder.message}"
        while True:
            self._id_counts[identity] += 1
            key = base32_key(f"{self._id_counts[identity]}\0{identity}".encode(), _ID_CHARS)
            fresh = f"rid_{key.upper()}"
            if fresh not in self._used_ids and fresh not in self._spent:
                return fresh

    @cached_property
    def _used_ids(self) -> frozenset[str]:
        return frozenset(match.decode("ascii") for match in _FORM.findall(self._data))


def base32_key(text: bytes, length: int) -> str:
    """`length` characters (at most 16) of a-z2-7 as a key for `text`."""
    return b32encode(hashlib.blake2b(text, digest_size=10).digest()).decode("ascii").lower()[:length]
