"""Texts shown in requests at other places than their commands' results."""

from __future__ import annotations

from actors.objects.looking import Looking
from actors.objects.record import Record
from domain.objects.state import Slot, WindowObjects
from domain.objects.wording import needed_slots, shown_text
from messages.base import EventId
from messages.turn import WordRequest


class ShownTexts:
    """Cache of the texts in a window's requests; a text leaves with its last showing."""

    def __init__(self, looking: Looking, record: Record) -> None:
        """Begin empty.

        Args:
            looking: Reads the window's files.
            record: Reads the window's logs.
        """
        self._looking = looking
        self._record = record
        self._files: dict[tuple[str, int], str] = {}
        self._logged: dict[EventId, str] = {}
        """Logged outputs of turns outside the request, as of `_as_of`."""
        self._as_of: tuple[str, int] = ("", 0)

    def of(self, objects: WindowObjects, request: WordRequest) -> dict[tuple[str, int], str]:
        """Texts of a request, without unreadable texts.

        An output may be retracted at any time: after any retraction the log is read anew.
        """
        slots = list(needed_slots(objects))
        texts = self._outputs(objects, slots, request)
        files: dict[tuple[str, int], str] = {}
        for slot in slots:
            key = slot.object, slot.no
            if slot.object in objects.files and (text := self._files.get(key) or self._file(objects, slot)) is not None:
                files[key] = text
        self._files = files
        return texts | files

    def _file(self, objects: WindowObjects, slot: Slot) -> str | None:
        version = objects.files[slot.object].version
        look = self._looking.look(version.path, reads=True)
        if look is None or look.text is None or look.content_hash != version.content_hash:
            return None
        return shown_text(look.text)

    def _outputs(self, objects: WindowObjects, slots: list[Slot], request: WordRequest) -> dict[tuple[str, int], str]:
        """Texts of outputs: from the request for turns in the request, else from the log."""
        names = {output.object: output.event for output in objects.outputs.values()}
        wanted = {slot.object: names[slot.object] for slot in slots if slot.object in names}
        if not wanted:
            return {}
        printed = {call.event: call.text for turn in request.turns for call in turn.calls}
        left = set(wanted.values()) - printed.keys()
        if (as_of := (request.log, request.withdrawals)) != self._as_of or not left <= self._logged.keys():
            self._logged = self._record.texts_of(request.log, request.log, left) if left else {}
            self._as_of = as_of
        printed |= {event: text for event, text in self._logged.items() if event in left}
        return {(name, 1): printed[event] for name, event in wanted.items() if event in printed}
