"""Catalogue of existing entries, without their texts, in memory."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from domain.facts.folders import place_of
from messages.facts import EntryRole, KnownRow


@dataclass(frozen=True, slots=True)
class Item:
    """Entry that is not deleted."""

    id: str
    path: str
    digest: str
    conversation: str
    role: EntryRole
    created_at: datetime
    model: str = ""
    """Vector space of the entry's vector; empty without a vector."""


class Catalogue:
    """Entries by id, by path and by conversation."""

    def __init__(self) -> None:
        self._by_id: dict[str, Item] = {}
        self._by_path: dict[str, Item] = {}
        self._by_conversation: dict[str, dict[str, Item]] = {}

    def __len__(self) -> int:
        return len(self._by_id)

    def put(self, item: Item) -> None:
        """Take an entry in, replacing any entry of the same id and any of the same path."""
        for known in (self._by_id.get(item.id), self._by_path.get(item.path)):
            if known is not None:
                self.drop(known.id)
        self._by_id[item.id] = self._by_path[item.path] = item
        self._by_conversation.setdefault(item.conversation, {})[item.id] = item

    def drop(self, entry_id: str) -> Item | None:
        """Forget an entry; return the entry."""
        item = self._by_id.pop(entry_id, None)
        if item is not None:
            del self._by_path[item.path]
            of_conversation = self._by_conversation[item.conversation]
            del of_conversation[entry_id]
            if not of_conversation:
                del self._by_conversation[item.conversation]
        return item

    def note_space(self, entry_id: str, model: str) -> None:
        """Note the space of an entry's vector in the index; empty without a vector."""
        if (item := self._by_id.get(entry_id)) is not None and item.model != model:
            self.put(replace(item, model=model))

    def get(self, entry_id: str) -> Item | None:
        """Entry of the given id."""
        return self._by_id.get(entry_id)

    def at(self, path: str) -> Item | None:
        """Entry of the given file."""
        return self._by_path.get(path)

    def paths(self) -> Iterable[str]:
        """Of all files."""
        return self._by_path.keys()

    def items(self) -> Iterable[Item]:
        """All entries."""
        return self._by_id.values()

    def conversations(self) -> list[str]:
        """Conversations with entries, by name."""
        return sorted(self._by_conversation)

    def of(self, conversation: str, *roles: EntryRole) -> list[Item]:
        """Entries of a conversation with the given roles, the oldest first."""
        items = self._by_conversation.get(conversation, {}).values()
        return sorted((item for item in items if item.role in roles), key=lambda item: (item.created_at, item.id))

    def count(self, conversation: str) -> int:
        """Number of facts and turns of a conversation."""
        items = self._by_conversation.get(conversation, {}).values()
        return sum(item.role is not EntryRole.SUMMARY for item in items)

    def summaries(self, conversation: str) -> dict[str, Item]:
        """A conversation's summaries by their path."""
        return {item.path: item for item in self.of(conversation, EntryRole.SUMMARY)}

    def final_summary(self, conversation: str) -> Item | None:
        """Summary to show: L3, or the one summary of the original."""
        items = self.summaries(conversation).values()
        kinds = {place.summary_kind: item for item in items if (place := place_of(item.path)) is not None}
        return kinds.get("L3") or kinds.get("summary")


def item_of(row: KnownRow) -> Item:
    """An entry as the index knows it."""
    return Item(row.id, row.path, row.digest, row.conversation, row.role, row.created_at, row.model)
