"""Confirmations that are owed: each is on the disk before its edit takes place, until people have been shown it."""

from __future__ import annotations

import logging
from contextlib import suppress
from pathlib import Path

import msgspec

from actors.linux.disk import Disk, draft_path, make_durable, put_whole
from domain.reminder.naming import base32_key
from domain.reminder.owed import OwedConfirmation
from messages.base import RequestId

log = logging.getLogger(__name__)

FOLDER = "confirmations"
"""Name of the notes' folder, in the scheduler's own folder."""
_NAME_CHARS = 16


class OwedConfirmations:
    """Notes in a folder, one file for each, whole or not there."""

    def __init__(self, spare: Path, disk: Disk) -> None:
        """The notes below a folder, which is made when needed.

        Args:
            spare: The scheduler's own.
            disk: Writes the files.
        """
        self._folder = spare / FOLDER
        self._disk = disk
        self._kept: dict[RequestId, OwedConfirmation] = {}
        """Notes that this actor has stored."""
        self._unwanted: set[RequestId] = set()
        """Dropped confirmations whose notes could not be removed."""
        self._is_named = False
        """True if the folder would survive a power loss."""

    def keep(self, owed: OwedConfirmation) -> None:
        """Return when the note would survive a power loss.

        Raises:
            OSError: it may not; an earlier note of the same posting may.
        """
        if self._kept.get(owed.request_id) == owed:
            return
        if not self._is_named:
            for folder in (self._folder.parent, self._folder):
                self._disk.make_folder(folder)
            make_durable(self._disk, self._folder.parent, self._folder.parent.parent)
            self._is_named = True
        self._unwanted.discard(owed.request_id)
        try:
            put_whole(self._disk, self._path(owed.request_id), msgspec.json.encode(owed))
        except OSError:
            if owed.request_id not in self._kept:
                self.drop(owed.request_id)
            raise
        self._kept[owed.request_id] = owed

    def kept(self, request_id: RequestId) -> OwedConfirmation | None:
        """Note of that posting; None for an unknown posting."""
        return self._kept.get(request_id)

    def confirming(self, line: str) -> list[OwedConfirmation]:
        """Notes with a confirmation that `line` stands in the file."""
        return [owed for owed in self._kept.values() if line and owed.line == line and not owed.is_gone]

    def drop(self, request_id: RequestId) -> None:
        """Forget a note, if it is there: the confirmation is settled.

        A note that returns after a power loss leads to a look for its posting, not to a second posting.
        """
        self._unwanted.discard(request_id)
        self._kept.pop(request_id, None)
        path = self._path(request_id)
        for name in (path, draft_path(path)):
            try:
                self._disk.unlink(name)
            except FileNotFoundError:
                continue
            except OSError as error:
                log.warning("the note of %s stays for now: %s", request_id, error.strerror)
                self._unwanted.add(request_id)

    def tidy(self) -> None:
        """Take away what could not be taken away before."""
        for request_id in list(self._unwanted):
            self.drop(request_id)

    def left(self) -> list[OwedConfirmation]:
        """Notes that an earlier life of the actor left, oldest first; an invalid note is removed and logged.

        Raises:
            OSError: the folder cannot be read.
        """
        try:
            paths = sorted(self._folder.iterdir())
        except FileNotFoundError:
            return []
        found = [owed for path in paths if (owed := self._read(path)) is not None]
        self._kept.update((owed.request_id, owed) for owed in found)
        return sorted(found, key=lambda owed: owed.at)

    def _read(self, path: Path) -> OwedConfirmation | None:
        try:
            owed = msgspec.json.decode(path.read_bytes(), type=OwedConfirmation)
        except OSError as error:
            log.error("%s cannot be read, so nobody is shown what it says: %s", path, error.strerror)
            return None
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            log.error("%s is no note of a confirmation and is taken away: %s", path, error)
            owed = None
        if owed is not None and path == self._path(owed.request_id):
            return owed
        with suppress(OSError):  # then the next start takes it away
            self._disk.unlink(path)
        return None

    def _path(self, request_id: RequestId) -> Path:
        return self._folder / f"{base32_key(request_id.encode(), _NAME_CHARS)}.json"
