"""Messages deleted or edited, perhaps on their way to their window; bounded."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable

from messages.context import ReviseMessage

_MOST_MESSAGES = 20_000


class Withdrawn:
    """Last deletion or edit of each message, by its id."""

    def __init__(self) -> None:
        self._edits: OrderedDict[int, ReviseMessage | None] = OrderedDict()
        """Message id -> last edit; None for a deleted message."""

    def delete(self, message_id: int) -> None:
        """Note that a message was deleted."""
        self._note(message_id, None)

    def edit(self, message_id: int, edit: ReviseMessage) -> None:
        """Note how a message was edited."""
        self._note(message_id, edit)

    def forget(self, message_ids: Iterable[int]) -> None:
        """Keep no words of the messages; from now on they count as deleted."""
        for message_id in message_ids:
            if self._edits.get(message_id) is not None:
                self._edits[message_id] = None

    def is_deleted(self, message_id: int) -> bool:
        """True if a message was deleted."""
        return message_id in self._edits and self._edits[message_id] is None

    def is_withdrawn(self, message_id: int) -> bool:
        """True if a message's first words are outdated: deleted or edited."""
        return message_id in self._edits

    def edit_of(self, message_id: int) -> ReviseMessage | None:
        """Last edit of a message; None without an edit."""
        return self._edits.get(message_id)

    def _note(self, message_id: int, edit: ReviseMessage | None) -> None:
        self._edits[message_id] = edit
        self._edits.move_to_end(message_id)
        if len(self._edits) > _MOST_MESSAGES:
            self._edits.popitem(last=False)
