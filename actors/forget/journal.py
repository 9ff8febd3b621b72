"""Journal of forget requests: one file each, on the disk before any word is taken out; holds no words."""

from __future__ import annotations

import logging
from pathlib import Path

import msgspec
from msgspec.structs import replace

from actors.linux.disk import Disk
from actors.linux.notebook import NoteFolder
from domain.policy.forgetting.rights import Asker
from messages.base import EventId, UserId, Value, Window, make_ready
from messages.forget import ForgetRecord, ForgetState, ForgottenEvent

log = logging.getLogger(__name__)

_MOST_BYTES = 1024 * 1024 * 1024
_SUFFIX = ".json"


class Target(Value, frozen=True, kw_only=True, gc=False):
    """Events of one window to be taken out by a request."""

    window: Window
    event_ids: tuple[EventId, ...]
    is_whole: bool = False
    """True for the whole window, whatever the ids."""


class Entry(Value, frozen=True, kw_only=True, gc=False):
    """Forget request, with the inputs of its completion."""

    record: ForgetRecord
    person_id: UserId = UserId("")
    """Person to forget; empty for another scope, and after completion."""
    targets: tuple[Target, ...] = ()
    """Events to take out; empty once all is done."""
    events: tuple[ForgottenEvent, ...] = ()
    """Events taken out by the windows, for the rooms; empty before, and after completion."""
    asker: Asker | None = None
    """Requester, for the look at copies and repetitions made since the count; None for no look, and once done."""

    @property
    def forget_id(self) -> str:
        """Id of the request."""
        return self.record.forget_id

    @property
    def is_done(self) -> bool:
        """True if no work is left."""
        return self.record.state is ForgetState.DONE

    def whole_windows(self) -> frozenset[Window]:
        """Windows to forget completely."""
        return frozenset(target.window for target in self.targets if target.is_whole)

    def with_record(self, **changes: object) -> Entry:
        """Copy of the entry with changes of its record."""
        return replace(self, record=replace(self.record, **changes))


class ForgetJournal:
    """Files of forget requests, each whole or not there."""

    def __init__(self, folder: Path, disk: Disk) -> None:
        self._folder = folder
        self._disk = disk
        self._notes = NoteFolder(folder, disk, most_bytes=_MOST_BYTES)

    def write(self, entry: Entry) -> None:
        """Return when the entry would survive a power loss.

        Raises:
            OSError: the entry may be lost.
        """
        self._notes.put(entry.forget_id + _SUFFIX, msgspec.json.encode(entry), is_durable=True)

    def withdraw(self, entry: Entry) -> None:
        """Remove an entry whose writing failed and may have taken effect, as far as the disk permits."""
        try:
            self._notes.remove(entry.forget_id + _SUFFIX)
            if self._folder.is_dir():
                self._disk.sync_folder(self._folder)
        except OSError as error:
            log.error(
                "forget request %s was refused and may be carried out by a later life: %s", entry.forget_id, error
            )

    def read(self, forget_id: str) -> Entry | None:
        """Entry of a request; None for an unknown request."""
        return self._read(forget_id + _SUFFIX) if forget_id.isalnum() else None

    def entries(self) -> list[Entry]:
        """All entries, oldest first; an unreadable file is passed over with a warning.

        Raises:
            OSError: the folder cannot be read.
        """
        read = (self._read(name) for name in self._notes.names() if name.endswith(_SUFFIX))
        return sorted((entry for entry in read if entry is not None), key=lambda entry: entry.record.asked_at)

    def _read(self, name: str) -> Entry | None:
        data = self._notes.read(name)
        try:
            return None if data is None else msgspec.json.decode(data, type=Entry)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            log.error("%s is not a record of a forget request and is skipped: %s", self._folder / name, error)
            return None


make_ready(__name__)
