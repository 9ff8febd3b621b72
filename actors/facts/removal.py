"""Removal of entries for good, with all entries made from them, in an order that survives a death at any instant."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from actors.facts.store.catalogue import Item
from actors.facts.store.files import Filed
from actors.facts.store.keeper import Keeper
from domain.facts.entry import Entry
from domain.facts.folders import DELETED, deleted_path
from messages.facts import EntryRole


class Removal:
    """Remover of entries for good.

    An entry leads to the facts from its words, a deleted fact to its successor, and any entry to the conversation's
    summaries. So these go first, then the deleted files, and the entries themselves last, each step safe from a power
    loss before the next begins: a request that is repeated after a death finds the rest.
    """

    def __init__(self, keeper: Keeper, note_purge: Callable[[Sequence[str]], str]) -> None:
        """Remove nothing yet.

        Args:
            keeper: Reads and removes entries.
            note_purge: Notes files that are to leave the git history; gives a remark, empty for none.
        """
        self._keeper = keeper
        self._note_purge = note_purge

    def remove(self, ids: Collection[str], others: Iterable[str] = ()) -> tuple[int, str]:
        """Remove entries, and all entries made from them.

        Args:
            ids: Entries, kept or deleted; unknown ids are ignored.
            others: Further entries, which may be made from these.

        Returns:
            Number of removed entries, and a remark on the git history.

        Raises:
            OSError: a part may still be there; the same request goes on.
        """
        tombstones = list(self._keeper.files.tombstones())
        wanted = dict.fromkeys([*ids, *others])
        add_successors(wanted, [filed.entry for filed in tombstones])
        catalogue = self._keeper.catalogue
        live = [item for each in wanted if (item := catalogue.get(each)) is not None]
        conversations = {item.conversation for item in live}
        conversations |= {filed.entry.conversation for filed in tombstones if filed.entry.id in wanted}
        derived = [item for each in sorted(conversations) for item in self.find_derived(wanted, each)]
        items = list({item.id: item for item in (*live, *derived)}.values())
        for entry_id in wanted:
            for conversation in conversations:
                self._keeper.note_forgotten(entry_id, conversation)
        gone = {*wanted, *(item.id for item in items)}
        buried = _buried_with(tombstones, gone, conversations) if conversations else []
        note = self._note_purge(_paths(items, buried))
        self._destroy([item for item in items if item.id not in ids])
        self._unlink([filed.path for filed in buried if filed.entry.id not in ids])
        self._destroy([item for item in items if item.id in ids])
        self._unlink([filed.path for filed in buried if filed.entry.id in ids])
        return len({*(item.id for item in items), *(filed.path for filed in buried)}), note

    def find_derived(self, ids: Collection[str], conversation: str) -> Iterator[Item]:
        """Entries made from entries of a conversation: facts from their words, and the conversation's summaries."""
        catalogue = self._keeper.catalogue
        for each in catalogue.of(conversation, EntryRole.MEMORY):
            entry = self._keeper.read(each)
            if entry is not None and entry.source_id in ids:
                yield each
        yield from catalogue.summaries(conversation).values()

    def _destroy(self, items: Sequence[Item]) -> None:
        for item in items:
            self._keeper.destroy(item)
        self._keeper.files.sync()

    def _unlink(self, paths: Sequence[str]) -> None:
        for path in paths:
            self._keeper.files.remove(path)
        self._keeper.files.sync()


def add_successors(wanted: dict[str, None], buried: Sequence[Entry]) -> None:
    """Add the facts that took the place of facts from wanted entries, in turn."""
    while fresh := [
        entry.replaced_by
        for entry in buried
        if (entry.id in wanted or entry.source_id in wanted) and entry.replaced_by not in (*wanted, "")
    ]:
        wanted |= dict.fromkeys(fresh)


def _buried_with(tombstones: Sequence[Filed], gone: set[str], conversations: Collection[str]) -> list[Filed]:
    """Deleted files with the words of forgotten entries: their own, earlier versions, and summaries."""
    buried: list[Filed] = []
    left = list(tombstones)
    while more := [filed for filed in left if _is_of(filed.entry, gone, conversations)]:
        buried += more
        gone |= {filed.entry.id for filed in more}
        left = [filed for filed in left if filed not in more]
    return buried


def _is_of(entry: Entry, gone: set[str], conversations: Collection[str]) -> bool:
    is_summary = entry.role is EntryRole.SUMMARY and entry.conversation in conversations
    return is_summary or entry.id in gone or entry.replaced_by in gone or entry.source_id in gone


def _paths(items: Iterable[Item], buried: Iterable[Filed]) -> tuple[str, ...]:
    """Paths of files, and those of their deleted or former versions."""
    live = [each for item in items for each in (item.path, deleted_path(item.path))]
    deleted = [each for filed in buried for each in (filed.path, filed.path.replace(f"/{DELETED}/", "/", 1))]
    return tuple(dict.fromkeys((*live, *deleted)))
