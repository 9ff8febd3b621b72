"""Requests of the operator: add a fact, list entries, forget an entry."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from actors.facts.store.catalogue import Item
from actors.facts.store.files import Filed
from actors.facts.store.keeper import Keeper
from actors.facts.store.naming import fact_entry
from actors.kernel import Host
from domain.facts.entry import Entry
from domain.facts.folders import DELETED, deleted_path
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

    def __init__(self, host: Host, keeper: Keeper, evict: Callable[[str], None]) -> None:
        """Begin without requests.

        Args:
            host: The actor.
            keeper: Reads and keeps entries.
            evict: Evicts surplus entries of a conversation.
        """
        self._host = host
        self._keeper = keeper
        self._evict = evict

    def add(self, message: AddEntry) -> EntryAdded | Refused:
        """Keep a fact, unless it is there word for word.

        Raises:
            OSError: it may not be kept.
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

    def forget(self, message: ForgetEntry) -> tuple[EntryForgotten | Refused, tuple[str, ...]]:
        """Move an entry and all that was made from it to the deleted ones, or remove them for good.

        Returns:
            The answer, and the paths of all files that were removed for good.

        Raises:
            OSError: it may still be there.
        """
        keeper, entry_id = self._keeper, message.id
        item = keeper.catalogue.get(entry_id)
        tombstones = list(keeper.files.tombstones())
        buried = [filed for filed in tombstones if filed.entry.id == entry_id]
        if item is None and not (buried and message.for_good):
            state = "it is deleted already" if buried else "no entry has this id"
            return Refused(request_id=message.request_id, reason=f"entry {entry_id!r}: {state}"), ()
        conversation = item.conversation if item is not None else buried[0].entry.conversation
        derived = tuple(each for each in self._find_derived(entry_id, conversation) if each is not item)
        self._keeper.note_forgotten(entry_id, conversation)
        if not message.for_good and item is not None:
            path = keeper.bury(item)
            for each in derived:
                keeper.bury(each)
            return EntryForgotten(request_id=message.request_id, path=path, derived=len(derived)), ()
        gone = {entry_id, *(each.id for each in derived)}
        earlier = _earlier(tombstones, gone, conversation)
        for part in (item, *derived):
            if part is not None:
                keeper.destroy(part)
        for filed in earlier:
            keeper.files.remove(filed.path)
        paths = [each.path for each in (item, *derived) if each is not None]
        paths += [deleted_path(path) for path in paths] + [
            each for filed in earlier for each in _both_paths(filed.path)
        ]
        count = len(derived) + len({filed.path for filed in earlier} - {filed.path for filed in buried})
        answer = EntryForgotten(request_id=message.request_id, path="", derived=count)
        return answer, tuple(dict.fromkeys(paths))

    def ids_of(self, conversation: str) -> frozenset[str]:
        """Ids of all entries of a conversation, the deleted ones apart."""
        catalogue = self._keeper.catalogue
        items = catalogue.of(conversation, EntryRole.MEMORY, *_TURNS)
        return frozenset(item.id for item in (*items, *catalogue.summaries(conversation).values()))

    def with_successors(self, ids: Iterable[str]) -> tuple[str, ...]:
        """Those of some entries that were kept, and the facts that took the place of facts from these, in turn."""
        catalogue, known = self._keeper.catalogue, dict.fromkeys(ids)
        buried = [filed.entry for filed in self._keeper.files.tombstones()]
        while fresh := [
            entry.replaced_by
            for entry in buried
            if (entry.id in known or entry.source_id in known) and entry.replaced_by not in (*known, "")
        ]:
            known |= dict.fromkeys(fresh)
        there = {entry.id for entry in buried}
        return tuple(each for each in known if each in there or catalogue.get(each) is not None)

    def _find_derived(self, entry_id: str, conversation: str) -> Iterator[Item]:
        """Entries made from an entry: facts that were taken from its words, and the conversation's summaries."""
        catalogue = self._keeper.catalogue
        for each in catalogue.of(conversation, EntryRole.MEMORY):
            entry = self._keeper.read(each)
            if entry is not None and entry.source_id == entry_id:
                yield each
        yield from catalogue.summaries(conversation).values()

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


def _earlier(tombstones: Sequence[Filed], gone: set[str], conversation: str) -> list[Filed]:
    """Deleted files with the words of forgotten entries: their own, earlier versions, and summaries."""
    earlier: list[Filed] = []
    left = list(tombstones)
    while True:
        more = [filed for filed in left if _is_of(filed.entry, gone, conversation)]
        if not more:
            return earlier
        earlier += more
        gone |= {filed.entry.id for filed in more}
        left = [filed for filed in left if filed not in more]


def _is_of(entry: Entry, gone: set[str], conversation: str) -> bool:
    is_summary = entry.role is EntryRole.SUMMARY and entry.conversation == conversation
    return is_summary or entry.id in gone or entry.replaced_by in gone or entry.source_id in gone


def _both_paths(deleted: str) -> tuple[str, str]:
    """Path of a deleted file, and its path before."""
    return deleted, deleted.replace(f"/{DELETED}/", "/", 1)
