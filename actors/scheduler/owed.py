"""Owed confirmations: each is on the disk from before its edit until people have seen the post."""

from __future__ import annotations

import logging
from contextlib import suppress
from pathlib import Path

import msgspec

from actors.linux.disk import Disk, draft_path
from actors.linux.notebook import NoteFolder
from domain.reminder.naming import base32_key
from domain.reminder.owed import OwedConfirmation
from messages.base import RequestId

log = logging.getLogger(__name__)

FOLDER = "confirmations"
"""Name of the notes' folder, in the scheduler's own folder."""
_NAME_CHARS = 16
_MOST_BYTES = 1024 * 1024


class OwedConfirmations:
    """Notes in a folder, each in a separate file, either whole or missing."""

    def __init__(self, spare: Path, disk: Disk) -> None:
        """Notes below a folder made when needed.

        Args:
            spare: The scheduler's own.
            disk: Writes the files.
        """
        self._notes = NoteFolder(spare / FOLDER, disk, most_bytes=_MOST_BYTES, above=spare.parent)
        self._stored: dict[RequestId, OwedConfirmation] = {}
        """Notes stored by this actor."""
        self._unwanted: set[RequestId] = set()
        """Dropped confirmations whose notes could not be removed."""

    def keep(self, owed: OwedConfirmation) -> None:
        """Return when the note would survive a power loss.

        Raises:
            OSError: it may not; an earlier note of the same posting may.
        """
        if self._stored.get(owed.request_id) == owed:
            return
        self._unwanted.discard(owed.request_id)
        try:
            self._notes.put(_name(owed.request_id), msgspec.json.encode(owed), is_durable=True)
        except OSError:
            if owed.request_id not in self._stored:
                self.drop(owed.request_id)
            raise
        self._stored[owed.request_id] = owed

    def note_of(self, request_id: RequestId) -> OwedConfirmation | None:
        """Note of the posting; None for an unknown posting."""
        return self._stored.get(request_id)

    def confirming(self, line: str) -> list[OwedConfirmation]:
        """Notes that confirm the presence of `line` in the file."""
        return [owed for owed in self._stored.values() if line and owed.line == line and not owed.is_gone]

    def drop(self, request_id: RequestId) -> None:
        """Forget a note, if present: the confirmation is settled.

        A note that returns after a power loss leads to a look for its posting, not to a second posting.
        """
        self._unwanted.discard(request_id)
        self._stored.pop(request_id, None)
        name = _name(request_id)
        for each in (name, draft_path(Path(name)).name):
            try:
                self._notes.remove(each)
            except OSError as error:
                log.warning("the note of %s stays for now: %s", request_id, error.strerror)
                self._unwanted.add(request_id)

    def tidy(self) -> None:
        """Remove notes that earlier could not be removed."""
        for request_id in list(self._unwanted):
            self.drop(request_id)

    def earlier_notes(self) -> list[OwedConfirmation]:
        """Notes that an earlier life of the actor left, oldest first; an invalid note is removed and logged.

        Raises:
            OSError: the folder cannot be read.
        """
        notes = [owed for name in self._notes.names() if (owed := self._read(name)) is not None]
        self._stored.update((owed.request_id, owed) for owed in notes)
        return sorted(notes, key=lambda owed: owed.at)

    def _read(self, name: str) -> OwedConfirmation | None:
        data = self._notes.read(name)
        if data is None:
            log.error("%s: its confirmation is not shown", self._notes.folder / name)
            return None
        try:
            owed = msgspec.json.decode(data, type=OwedConfirmation)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            log.error("%s is not a note of a confirmation and is removed: %s", self._notes.folder / name, error)
            owed = None
        if owed is not None and name == _name(owed.request_id):
            return owed
        with suppress(OSError):  # then the next start takes it away
            self._notes.remove(name)
        return None


def _name(request_id: RequestId) -> str:
    return f"{base32_key(request_id.encode(), _NAME_CHARS)}.json"
