"""Notes of calls that are under way: `usage/under-way.jsonl`, one line of JSON for each call that went out.

An entry in the ledger is what closes a note: no second line is written. What no life of the process has entered was
under way when the process was killed. The file is emptied when nothing is under way, and otherwise made anew when it
has grown.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from actors.ledger.file import Damage, entries
from actors.linux.disk import Disk, RealDisk, give_back, put_whole, write_some
from actors.linux.private_folder import make_private
from actors.linux.regular_file import open_regular
from messages.base import make_ready
from messages.model import CallBegun, CallKind, CallOutcome, CallSpent

FILE = "under-way.jsonl"
MOST_NOTES = 10_000
"""Calls that are noted at a time; of more, the oldest are forgotten."""
MOST_BYTES = 1024 * 1024
"""Of the file before it is made anew, unless what is under way takes more than half of it."""
MOST_READ = 32 * 1024 * 1024
"""Bytes of a file of notes; what is larger is none."""
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW

Key = tuple[CallKind, str, int]
"""Kind, id and attempt of a call."""


class Note(msgspec.Struct, frozen=True, gc=False):
    """One line."""

    life: str
    """Of the process."""
    call: CallBegun


_DECODER = msgspec.json.Decoder(Note)


class Notes:
    """Keeper of the file; what is noted survives the process, and after a power loss the last second may be missing."""

    def __init__(self, folder: Path, life: str, disk: Disk | None = None) -> None:
        """Nothing is read yet, and until then nothing is written.

        Args:
            folder: Of the ledger.
            life: Names this life of the process: not another one's, and the same for all lives of an actor in it.
            disk: How it is written; None for the usual way.
        """
        self._folder = folder
        self._path = folder / FILE
        self._life = life
        self._disk = disk or RealDisk()
        self._open: dict[Key, tuple[datetime, bytes]] = {}
        self._earlier: list[bytes] = []
        """Lines of earlier lives, which stay until `settle`."""
        self._is_read = self._is_compared = False
        self._fd: int | None = None
        """None while the file has to be made anew before a line is added to it."""
        self._size = 0
        self._limit = MOST_BYTES
        self.is_failing = False
        """Whether the disk took nothing last time; then only `tidy` tries again."""

    @property
    def under_way(self) -> int:
        """How many calls are noted."""
        return len(self._open)

    @property
    def has_earlier(self) -> bool:
        """Whether notes of earlier lives wait for `settle`."""
        return bool(self._earlier)

    def recover(self, damage: Damage) -> list[CallSpent]:
        """Go on with what this life has noted, and give what is to be entered of earlier ones.

        Args:
            damage: Is told of lines that are no notes.

        Raises:
            OSError: the file cannot be read, so it begins anew; or the ledger that it is compared with, so that what
                earlier lives noted stays for the next one.
        """
        try:
            found = [(note, line) for line in self._lines() if (note := _note(line, damage)) is not None]
        except OSError:
            self._is_read = True
            raise
        self._earlier = [line for note, line in found if note.life != self._life]
        self._open = {_key(note.call): (note.call.at, line) for note, line in found if note.life == self._life}
        self._is_read = True
        over = self._entered([note for note, _ in found])
        self._is_compared = True
        lost = []
        for note, _ in found:
            key = _key(note.call)
            if note.life == self._life:
                if (note.call.at, key) in over:
                    self._open.pop(key, None)
            elif (note.call.at, key) not in over:
                lost.append(_killed(note.call))
                over.add((note.call.at, key))
        return lost

    def begin(self, call: CallBegun) -> None:
        """Note that a call goes out.

        Raises:
            OSError: it is not on the file.
        """
        line = msgspec.json.encode(Note(self._life, call)) + b"\n"
        self._open[_key(call)] = call.at, line
        if len(self._open) > MOST_NOTES:
            del self._open[next(iter(self._open))]
        if self._is_read and not self.is_failing:
            self._try(self._add, line)

    def end(self, spent: CallSpent) -> None:
        """Forget a call that is entered, or is to be."""
        began = self._open.pop((spent.kind, spent.call_id, spent.attempt), None)
        if began is not None and spent.at < began[0]:
            self.close()  # the clock was set back, so that its entry would not be found

    def settle(self) -> None:
        """Forget what earlier lives noted: it is entered, and that is on the disk."""
        if self._is_compared and self._earlier:
            self._earlier = []
            self.close()

    def tidy(self) -> None:
        """Empty the file if nothing is under way; make it anew if it does not hold what it should.

        Raises:
            OSError: it may hold anything.
        """
        if self._is_read:
            self._try(self._put_in_order)

    def close(self) -> None:
        """Let go of the open file; the next line, or `tidy`, makes it anew."""
        fd, self._fd = self._fd, None
        if fd is not None:
            give_back(fd)

    def _try(self, act: Callable[..., None], *arguments: bytes) -> None:
        try:
            act(*arguments)
        except OSError:
            self.close()
            self.is_failing = True
            raise
        self.is_failing = False

    def _add(self, line: bytes) -> None:
        # A file without a name has been taken away by somebody.
        if self._fd is None or self._is_full(line) or not os.fstat(self._fd).st_nlink:
            self._make_anew()
            return
        write_some(self._disk, self._fd, line)
        self._size += len(line)

    def _is_full(self, line: bytes) -> bool:
        return self._size + len(line) > self._limit

    def _put_in_order(self) -> None:
        if self._fd is None:
            self._make_anew()
        elif self._size and not self._open:
            os.ftruncate(self._fd, 0)
            self._size = 0

    def _make_anew(self) -> None:
        self.close()
        lines = [*self._earlier, *(line for _, line in self._open.values())]
        if not lines and not os.path.lexists(self._path):
            return
        data = b"".join(lines)
        make_private(self._folder)
        put_whole(self._disk, self._path, data, is_durable=False)
        self._fd = open_regular(self._path, _FLAGS, opens=self._disk.open)
        self._size, self._limit = len(data), max(MOST_BYTES, 2 * len(data))

    def _lines(self) -> list[bytes]:
        """The whole lines; the end of one that was cut off is none."""
        try:
            fd = open_regular(self._path, os.O_RDONLY | os.O_NOFOLLOW)
        except FileNotFoundError:
            return []
        with os.fdopen(fd, "rb") as file:
            if os.fstat(fd).st_size > MOST_READ:
                raise OSError(errno.EFBIG, f"it is larger than {MOST_READ} bytes", str(self._path))
            return [line for line in file if line.endswith(b"\n")]

    def _entered(self, notes: Iterable[Note]) -> set[tuple[datetime, Key]]:
        """Begin and key of the calls that the ledger has an entry of."""
        began: dict[Key, list[datetime]] = {}
        for note in notes:
            began.setdefault(_key(note.call), []).append(note.call.at)
        if not began:
            return set()
        first = min(min(each) for each in began.values())
        found: set[tuple[datetime, Key]] = set()
        for spent in entries(self._folder, first):
            key = (spent.kind, spent.call_id, spent.attempt)
            found.update((at, key) for at in began.get(key, ()) if at <= spent.at)
        return found


def _note(line: bytes, damage: Damage) -> Note | None:
    """What a line says; None, and counted, if that is nothing."""
    with suppress(msgspec.MsgspecError, UnicodeDecodeError, RecursionError, OverflowError):
        note = _DECODER.decode(line)
        return Note(note.life, msgspec.structs.replace(note.call, at=note.call.at.astimezone(UTC)))
    damage.lines += 1
    damage.files = [FILE]
    return None


def _key(call: CallBegun) -> Key:
    return call.kind, call.call_id, call.attempt


def _killed(call: CallBegun) -> CallSpent:
    """The entry of a call of which nothing more was heard."""
    return CallSpent(
        at=call.at,
        kind=call.kind,
        owner=call.owner,
        run_id=call.run_id,
        purpose=call.purpose,
        call_id=call.call_id,
        attempt=call.attempt,
        model=call.model,
        prompt_tokens=call.prompt_tokens,
        cost_usd=call.cost_usd,
        outcome=CallOutcome.KILLED,
        is_estimated=True,
    )


make_ready(__name__)
