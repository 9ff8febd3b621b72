"""Requests of the operator: add a fact, list entries, forget an entry."""

from __future__ import annotations

from collections.abc import Callable

from actors.facts.removal import Removal
from actors.facts.store.catalogue import Item
from actors.facts.store.journal import Journal
from actors.facts.store.keeper import Keeper
from actors.facts.store.naming import fact_entry
from actors.kernel import Host
from domain.facts.entry import Entry
from domain.facts.reconcile import Existing, unknown_of
from messages.facts import (
    AddEntry,
    EntriesListed,
    EntryAdded,
    EntryForgotten,
    EntryRole,
    FactsCommand,
    ForgetEntry,
    ListedConversation,
    ListedEntry,
    ListEntries,
    StoreTurn,
)
from messages.socket import Refused

PAGE = 200
SHOWN_CHARS = 2_000
_TURNS = EntryRole.USER, EntryRole.ASSISTANT


class Requests:
    """Requests of operators, and their results."""

    def __init__(
        self, host: Host, keeper: Keeper, journal: Journal, evict: Callable[[str], None], removal: Removal
    ) -> None:
        """Begin without requests.

        Args:
            host: The actor.
            keeper: Reads and keeps entries.
            journal: Gives up the work owed on forgotten entries.
            evict: Evicts surplus entries of a conversation.
            removal: Removes entries for good.
        """
        self._host = host
        self.removal = removal
        self._keeper = keeper
        self._journal = journal
        self._evict = evict

    def add(self, message: AddEntry) -> EntryAdded | Refused:
        """Keep a fact, unless the same words are already kept.

        Raises:
            OSError: the fact may not be kept.
        """
        if not message.text.strip():
            return Refused(request_id=message.request_id, reason=f"fact {message.text!r}: it must have words")
        double = self._double(message.conversation, message.text)
        if double is not None:
            return EntryAdded(request_id=message.request_id, id=double.id, path=double.path, is_new=False)
        entry = Entry(
            id=fact_entry(self._host.new_token(), 0),
            role=EntryRole.MEMORY,
            conversation=message.conversation,
            created_at=self._host.now(),
            content=message.text,
        )
        item = self._keeper.add(entry)
        self._evict(message.conversation)
        return EntryAdded(request_id=message.request_id, id=item.id, path=item.path, is_new=True)

    def list(self, message: ListEntries) -> EntriesListed:
        """Entries, or conversations."""
        catalogue = self._keeper.catalogue
        if not message.conversation:
            names = catalogue.conversations()[message.after :]
            return EntriesListed(
                request_id=message.request_id,
                conversations=tuple(self._conversation(name) for name in names[:PAGE]),
                is_all=len(names) <= PAGE,
            )
        items = catalogue.of(message.conversation, *message.roles)[message.after :]
        return EntriesListed(
            request_id=message.request_id,
            entries=tuple(self._listing(item) for item in items[:PAGE]),
            is_all=len(items) <= PAGE,
        )

    def forget(self, message: ForgetEntry) -> tuple[EntryForgotten | Refused, str]:
        """Move an entry and all entries made from it to the deleted ones, or remove them for good.

        Owed work is given up before, so that a request refused by a full disk can be repeated.

        Returns:
            The answer, and a remark on the git history.

        Raises:
            OSError: it may still be there.
        """
        keeper, entry_id = self._keeper, message.id
        item = keeper.catalogue.get(entry_id)
        buried = [filed.entry for filed in keeper.files.tombstones() if filed.entry.id == entry_id]
        if item is None and not (buried and message.for_good):
            state = "it is deleted already" if buried else "no entry has this id"
            return Refused(request_id=message.request_id, reason=f"entry {entry_id!r}: {state}"), ""
        keeper.files.sync()
        self._journal.forget(entry_id)
        if message.for_good:
            self._journal.shorten()
            count, note = self.removal.remove([entry_id])
            return EntryForgotten(request_id=message.request_id, path="", derived=count - 1), note
        assert item is not None
        derived = [each for each in self.removal.find_derived({entry_id}, item.conversation) if each is not item]
        keeper.note_forgotten(entry_id, item.conversation)
        path = keeper.bury(item)
        for each in derived:
            keeper.bury(each)
        return EntryForgotten(request_id=message.request_id, path=path, derived=len(derived)), ""

    def ids_of(self, conversation: str) -> frozenset[str]:
        """Ids of all entries of a conversation, without deleted entries."""
        catalogue = self._keeper.catalogue
        items = catalogue.of(conversation, EntryRole.MEMORY, *_TURNS)
        return frozenset(item.id for item in (*items, *catalogue.summaries(conversation).values()))

    def _double(self, conversation: str, text: str) -> Item | None:
        for item in self._keeper.catalogue.of(conversation, EntryRole.MEMORY):
            entry = self._keeper.read(item)
            if entry is not None and not unknown_of([text], [Existing(item.id, entry.content)]):
                return item
        return None

    def _conversation(self, name: str) -> ListedConversation:
        catalogue = self._keeper.catalogue
        return ListedConversation(
            conversation=name,
            facts=len(catalogue.of(name, EntryRole.MEMORY)),
            turns=len(catalogue.of(name, *_TURNS)),
            summaries=len(catalogue.of(name, EntryRole.SUMMARY)),
        )

    def _listing(self, item: Item) -> ListedEntry:
        entry = self._keeper.read(item)
        return ListedEntry(
            id=item.id,
            role=item.role,
            created_at=item.created_at,
            path=item.path,
            content=entry.content[:SHOWN_CHARS] if entry is not None else "",
        )


def missing_name(message: FactsCommand) -> str:
    """Error about a name that must not be empty; empty if all names are given."""
    names = {StoreTurn: ("conversation", "turn_id"), AddEntry: ("conversation",), ForgetEntry: ("id",)}
    empty = [name for name in names.get(type(message), ()) if not getattr(message, name)]
    return f"{type(message).__name__}: {empty[0]} must not be empty" if empty else ""
