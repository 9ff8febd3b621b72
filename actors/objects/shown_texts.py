"""Texts that stand at other places than their commands' results, as requests show them."""

from __future__ import annotations

from actors.objects.looking import Looking
from actors.objects.record import Record
from domain.objects.state import Slot, WindowObjects
from domain.objects.wording import needed, shown_text
from messages.wording import WordRequest


class ShownTexts:
    """Cache of the texts that one window's requests show, as long as they show them."""

    def __init__(self, looking: Looking, record: Record) -> None:
        """Nothing is shown.

        Args:
            looking: Reads the window's files.
            record: Reads what the window's log has.
        """
        self._looking = looking
        self._record = record
        self._texts: dict[tuple[str, int], str] = {}

    def of(self, objects: WindowObjects, request: WordRequest) -> dict[tuple[str, int], str]:
        """The texts of a request; of what cannot be read any more there is none."""
        texts: dict[tuple[str, int], str] = {}
        for slot in needed(objects):
            key = slot.object, slot.no
            text = self._texts.get(key)
            if text is None:
                text = self._text(objects, slot, request)
            if text is not None:
                texts[key] = text
        self._texts = texts
        return dict(texts)

    def _text(self, objects: WindowObjects, slot: Slot, request: WordRequest) -> str | None:
        if (file := objects.files.get(slot.object)) is not None:
            look = self._looking.look(file.version.path, reads=True)
            if look is None or look.text is None or look.content_hash != file.version.content_hash:
                return None
            return shown_text(look.text)
        output = objects.output_called(slot.object)
        if output is None:
            return None
        calls = (call for turn in request.turns for call in turn.calls)
        printed = next((call.text for call in calls if call.event == output.event), None)
        return printed if printed is not None else self._record.text_of(request.log, output.event)
