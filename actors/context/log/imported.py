"""Imported logs of a window: messages of the past, each log written once, whole, and never opened as the window's.

This module is the only writer of imported logs.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from actors.context.log.file import LogUnwritable
from actors.context.log.reserve import ReservedDisk
from actors.context.log.scan import log_names
from actors.linux.disk import Disk, make_durable, make_folders, put_whole
from actors.linux.regular_file import open_regular, read_regular
from domain.log.event import Event, Kind
from domain.log.forgotten import Forgotten
from domain.log.imported import encode_imported, message_ids, past_event
from domain.log.metadata import meta_dict
from domain.log.parser import ParsedLog, parse
from domain.log.window import ImportedName, log_folder, parse_imported_name
from messages.base import Surface, Window
from messages.past import PastMessage

_CLOSED_MODE = 0o444
_MOST_DELETED = 1_000
"""Newest deleted messages left out of imported logs; a page of history waits for seconds."""


class _Live(NamedTuple):
    """A live log, at the last look."""

    size: int
    ids: frozenset[int]
    """Messages in the log."""
    first: int | None
    """First message of a person, as of `_first_of`; None without any."""


class ImportedLogs:
    """Reader and writer of a window's imported logs."""

    def __init__(self, root: Path, window: Window, disk: Disk | None = None) -> None:
        """Begin without a look at the disk.

        Args:
            root: The data root.
            window: Window of the logs.
            disk: Writes the files; the real disk if None.
        """
        self._root = root
        self._window = window
        self._disk = disk or ReservedDisk(root)
        self._live: dict[str, _Live] = {}
        """By name of the log."""
        self._deleted: deque[int] = deque(maxlen=_MOST_DELETED)
        """Newest deleted messages of this life."""

    @property
    def _folder(self) -> PurePosixPath:
        """Folder of the window's logs.

        Raises:
            ValueError: as `log_folder`.
        """
        return log_folder(self._window)

    def names(self) -> list[ImportedName]:
        """Names of all imported logs: changes to messages first, then the newest messages first.

        Raises:
            LogUnwritable: the folder cannot be read.
        """
        names: list[ImportedName] = []
        try:
            with os.scandir(self._root / self._folder) as entries:
                for entry in entries:
                    try:
                        names.append(parse_imported_name(entry.name))
                    except ValueError:
                        continue  # The window's own logs, and other files.
        except FileNotFoundError:
            return []
        except OSError as error:
            raise self._unwritable("cannot be read", error) from error
        return sorted(names, key=lambda name: (name.seq > 0, name), reverse=True)

    def past_logs(self, naming: Collection[str]) -> Iterator[tuple[str, ParsedLog]]:
        """Logs with any of the given words, changes last, each with its path.

        Args:
            naming: Ids of messages or events, say; only changes have other words than ids of messages. Empty for all.

        Raises:
            LogUnwritable: a log cannot be read.
        """
        numbers = _numbers(naming)
        for name in reversed(self.names()):
            if not naming or name.seq or any(name.first <= number <= name.last for number in numbers):
                data = self._read(name)
                if not naming or any(each.encode() in data for each in naming):
                    yield (self._folder / str(name)).as_posix(), parse(data)

    def may_hold(self, naming: Collection[str]) -> bool:
        """True if an imported log may hold any of the given messages.

        Raises:
            LogUnwritable: the folder cannot be read.
        """
        numbers = _numbers(naming)
        return any(name.first <= number <= name.last for name in self.names() for number in numbers)

    def events(self) -> Iterator[Iterator[Event | Forgotten]]:
        """Events and forgotten records of each log, in the order of `names`.

        Raises:
            LogUnwritable: the folder cannot be read.
        """
        for name in self.names():
            yield records_of(parse(self._read(name)))

    def keep(self, messages: Sequence[PastMessage], audience: str) -> tuple[str, int]:
        """Write the messages of `messages` that no log of the window holds; held messages are safe afterwards, too.

        Left out are messages deleted meanwhile, and the bot's own messages since the first message in a live log: the
        window logs each as shown, though perhaps only later.

        Returns:
            Path of the new log below the data root, empty if all are held, and the number of messages in the log.

        Raises:
            LogUnwritable: no message was kept, or the outcome is uncertain.
            ValueError: a message cannot be an event.
        """
        numbers = {int(message.message_id): message for message in messages}
        logged = self._find_held(numbers)
        if logged and self.names():
            self._secure()
        fresh = sorted(numbers.keys() - logged - self._find_own(numbers.values()) - set(self._deleted))
        if not fresh:
            return "", 0
        events = [past_event(numbers[number], audience) for number in fresh]
        path, _ = self.write(events, ImportedName(first=fresh[0], last=fresh[-1]))
        return path, len(fresh)

    def leave_out(self, message_ids: Collection[str]) -> None:
        """Note deleted messages: a page of history from before the deletion may be on its way here."""
        self._deleted.extend(_numbers(message_ids))

    def change(self, events: Sequence[Event]) -> tuple[str, tuple[int, ...]]:
        """Write changes of past messages; return the log's path, and the line of each event.

        Args:
            events: At least 1, each with a `message_id`.

        Raises:
            LogUnwritable: the log was not written, or may have been.
        """
        ids = sorted(number for each in events for number in _numbers([str(each.meta_dict().get("message_id"))]))
        return self.write(events, ImportedName(first=ids[0], last=ids[-1], seq=1))

    def write(self, events: Iterable[Event], name: ImportedName) -> tuple[str, tuple[int, ...]]:
        """Write a new log, safely on the disk; return the path, and the line of each event.

        Args:
            events: In their order.
            name: Its messages; the number is counted up past existing logs.

        Raises:
            LogUnwritable: the log was not written, or may have been.
        """
        folder = self._root / self._folder
        try:
            while os.path.lexists(folder / str(name)):
                name = ImportedName(first=name.first, last=name.last, seq=name.seq + 1)
            data, lines = encode_imported(self._window, name, events)
            make_folders(self._disk, folder)
            put_whole(self._disk, folder / str(name), data)
            fd = open_regular(folder / str(name))
            try:
                self._disk.change_mode(fd, _CLOSED_MODE)
            finally:
                os.close(fd)
        except OSError as error:
            raise self._unwritable("cannot be written", error) from error
        return (self._folder / str(name)).as_posix(), lines

    def _secure(self) -> None:
        """Sync the names of the imported logs: an earlier attempt may have ended between a log's name and its sync.

        Raises:
            LogUnwritable: a log may not survive a power loss.
        """
        try:
            make_durable(self._disk, self._root, self._root / self._folder)
        except OSError as error:
            raise self._unwritable("may not be safe", error) from error

    def _find_held(self, numbers: Collection[int]) -> set[int]:
        """Given messages already in a log."""
        wanted = {str(number) for number in numbers}
        logged_ids = {each for _, log in self.past_logs(wanted) for each in _ids(log)}
        return (logged_ids | self._find_live() | self._find_moved(numbers)) & set(numbers)

    def _find_live(self) -> frozenset[int]:
        """Messages in the window's live logs; only logs that have grown since the last look are read."""
        folder = self._root / self._folder
        try:
            for name in log_names(folder):
                if name not in self._live or self._live[name].size != (folder / name).lstat().st_size:
                    data = read_regular(folder / name)
                    log = parse(data)
                    self._live[name] = _Live(len(data), frozenset(_ids(log)), self._first_of(log))
        except OSError as error:
            raise self._unwritable("cannot be read", error) from error
        return frozenset[int]().union(*(each.ids for each in self._live.values()))

    def _first_of(self, log: ParsedLog) -> int | None:
        """First message of a person; the starter of a thread does not count if the window was told of it afterwards.

        Such a starter may be years older than the log, and so may the bot's own messages in the thread.
        """
        metas = (meta_dict(each.meta_json) for each in records_of(log) if each.kind is Kind.USER)
        people = (meta for meta in metas if not (meta.get("overheard") and meta.get("message_id") == self._window.id))
        return min((number for meta in people for number in _numbers(message_ids(Kind.USER, meta))), default=None)

    def _find_own(self, messages: Iterable[PastMessage]) -> set[int]:
        """The bot's own messages among the given, since the first message of a person in a known live log."""
        first = min((each.first for each in self._live.values() if each.first is not None), default=None)
        own = (int(each.message_id) for each in messages if each.is_own)
        return {number for number in own if first is not None and number > first}

    def _live_ids(self, folder: os.PathLike[str]) -> Iterator[int]:
        """Messages in the live logs of a window."""
        try:
            for name in log_names(self._root / folder):
                yield from _ids(parse(read_regular(self._root / folder / name)))
        except OSError as error:
            raise self._unwritable("cannot be read", error) from error

    def _find_moved(self, numbers: Collection[int]) -> set[int]:
        """Messages of a channel that opened a thread: their words are in the thread's log."""
        if self._window.surface is not Surface.DISCORD_CHANNEL:
            return set()
        threads = self._root / log_folder(Window(surface=Surface.DISCORD_THREAD, id=self._window.id)).parent
        there = [each for each in numbers if os.path.isdir(f"{threads}/{each}")]  # noqa: PTH112 - a path costs ten looks
        return {each for each in there if each in set(self._live_ids(threads / str(each)))}

    def _read(self, name: ImportedName) -> bytes:
        try:
            return read_regular(self._root / self._folder / str(name))
        except OSError as error:
            raise self._unwritable(f"{name} cannot be read", error) from error

    def _unwritable(self, what: str, error: OSError) -> LogUnwritable:
        reason = error.strerror or type(error).__name__
        return LogUnwritable(self._root / self._folder, f"imported logs: {what}: {reason}")


def _numbers(naming: Collection[str]) -> list[int]:
    """Given words that may be ids of messages."""
    return [int(each) for each in naming if each.isdecimal() and each.isascii()]


def records_of(log: ParsedLog) -> Iterator[Event | Forgotten]:
    """Events of a log, then the forgotten events."""
    yield from (logged.event for logged in log.events)
    yield from (each for each in log.forgotten if not each.is_quote)


def _ids(log: ParsedLog) -> Iterator[int]:
    """Numbers of the messages held or mentioned by a log's events, including forgotten messages."""
    for each in records_of(log):
        if each.kind in (Kind.USER, Kind.DELIVERY, Kind.SYSTEM):
            yield from _numbers(message_ids(each.kind, meta_dict(each.meta_json)))
