"""Indexing of entries: their texts become vectors, many at a time, and the index is told; what fails is tried again."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import islice

import msgspec

from actors.facts.asking import Ask, Asking, Steps
from actors.facts.config import FactsConfig
from actors.facts.store.catalogue import Catalogue
from messages.embedder import EmbedTexts, TextRole, TextsEmbedded
from messages.facts import ChangeRows, EntryRole, IndexRow, RowsChanged

log = logging.getLogger(__name__)

BATCH = 64
"""Texts for one call."""
MOST_BARE = 4 * BATCH
"""Texts waiting for a vector in memory; further texts wait in the index."""
EMBED_S = 60.0
"""Seconds for the embedder to wait out temporary faults; afterwards entries enter the index without vectors."""
RETRY_S = 30.0
MOST_RETRY_S = 900.0
MOST_REFUSALS = 8
"""Refusals of a row by itself, within an hour or so, before the row is left out until a file change or the next start.
"""


class Indexing:
    """Queue before the index: per entry only the newest change counts.

    Two activities go on side by side: texts become vectors, and finished rows go to the index. An entry without a
    possible vector is in the index all the same, and waits there for a vector.
    """

    def __init__(self, asking: Asking, config: FactsConfig, catalogue: Catalogue) -> None:
        """Begin with an empty queue.

        Args:
            asking: Asks the embedder and the index.
            config: Addresses to ask.
            catalogue: Notes the entries with vectors.
        """
        self._asking = asking
        self._config = config
        self._catalogue = catalogue
        self._to_begin: list[Callable[[], None]] = []
        """Starts to call one by one; the first is under way."""
        self._ready: dict[str, tuple[IndexRow | None, str]] = {}
        """Id -> the row, None to drop the entry, and the space of the new or kept vector."""
        self._bare: dict[str, IndexRow] = {}
        """Rows that need a vector first."""
        self._paths: dict[str, None] = {}
        """Files to be looked at, in order."""
        self._unread: dict[str, None] = {}
        """Ids of indexed entries without a vector of the space in force."""
        self._put_off: dict[str, None] = {}
        """Ids of entries whose texts failed while other texts did not, until the embedder may be asked again."""
        self._is_embedding = self._is_telling = False
        self._failures = self._refusals = 0
        """Of the embedder, and of the index, in a row."""
        self._troubles = {"embedder": "", "index": ""}
        self._is_one_by_one = False
        """True if the index refused several rows at a time, perhaps because of a single row."""
        self.read: Callable[[str], IndexRow | None] = _nothing
        """Gives the entry of an id in the present state of its file."""
        self.look: Callable[[str], None] = _nothing
        """Looks at one file."""
        self.wake: Callable[[float], None] = _nothing
        """Has `go_on` called after so many seconds."""
        self.model = ""
        """Space of the newest vector."""

    @property
    def trouble(self) -> str:
        """Present troubles; empty without trouble."""
        return "; ".join(each for each in self._troubles.values() if each)

    @property
    def waiting(self) -> int:
        """Number of entries missing in the index or waiting for a vector."""
        waiting = len(self._ready) + len(self._bare) + len(self._paths)
        return waiting + len(self._unread) + len(self._put_off)

    def put(self, row: IndexRow, model: str = "") -> None:
        """Put an entry into the index, with the given vector or else with a new vector."""
        self._forget(row.id)
        if row.vector:
            self._ready[row.id] = row, model
        elif len(self._bare) < MOST_BARE:
            self._bare[row.id] = row
        else:
            self._ready[row.id] = row, ""
            self._unread[row.id] = None
        self.go_on()

    def put_as_is(self, row: IndexRow, model: str) -> None:
        """Put an entry into the index without a call: a summary, or an entry with unchanged text."""
        self._forget(row.id)
        self._ready[row.id] = row, model
        self.go_on()

    def drop(self, entry_id: str) -> None:
        """Have an entry out of the index."""
        self._forget(entry_id)
        self._ready[entry_id] = None, ""
        self.go_on()

    def look_at(self, paths: Iterable[str]) -> None:
        """Have files looked at, a few at a time."""
        self._paths.update(dict.fromkeys(paths))
        self.go_on()

    def embed_anew(self, ids: Iterable[str]) -> None:
        """Have entries embedded whose vectors are missing or of another space."""
        self._unread.update(dict.fromkeys(ids))
        self.go_on()

    def see_space(self, model: str) -> None:
        """Note the space of a fresh vector; entries of another space are embedded anew."""
        if model == self.model:
            return
        self.model = model
        items = self._catalogue.items()
        self.embed_anew(
            [item.id for item in items if item.role is not EntryRole.SUMMARY and item.model and item.model != model]
        )

    def retry(self) -> None:
        """Begin all possible work, and delayed work."""
        self._unread.update(self._put_off)
        self._put_off.clear()
        self.go_on()

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Hold all work until the end, then begin everything together: the texts of one turn share a call."""
        if self._to_begin:
            yield
            return
        self._to_begin.append(_nothing)
        try:
            yield
        finally:
            self._to_begin.clear()
            self.go_on()

    def go_on(self) -> None:
        """Begin all possible work."""
        self._one_by_one(self._begin)

    def _one_by_one(self, begin: Callable[[], None]) -> None:
        """Call `begin` after the calls under way: a call that ends at once leads to the next without recursion."""
        self._to_begin.append(begin)
        if len(self._to_begin) == 1:
            try:
                while self._to_begin:
                    self._to_begin[0]()
                    del self._to_begin[0]
            finally:
                self._to_begin.clear()

    def _begin(self) -> None:
        self._go_on_telling()
        if not self._is_embedding and (self._bare or self._may_read()):
            self._is_embedding = True
            self._asking.begin(self._embed(), self._end_embedding)

    def _go_on_telling(self) -> None:
        if (self._ready or self._paths) and not self._is_telling:
            self._is_telling = True
            self._asking.begin(self._tell(), self._end_telling)

    def _forget(self, entry_id: str) -> None:
        for queue in (self._ready, self._bare, self._unread, self._put_off):
            queue.pop(entry_id, None)

    def _end_telling(self) -> None:
        self._is_telling = False
        if self._failures and not self._refusals:
            self._one_by_one(self._go_on_telling)  # whatever the embedder does
        else:
            self._rest()

    def _end_embedding(self) -> None:
        self._is_embedding = False
        self._rest()

    def _rest(self) -> None:
        if in_a_row := max(self._failures, self._refusals):
            self.wake(min(RETRY_S * 2 ** (in_a_row - 1), MOST_RETRY_S))
        else:
            self.go_on()

    def _embed(self) -> Steps:
        """Embed one batch of texts."""
        self._read()
        rows = [self._bare.pop(entry_id) for entry_id in list(self._bare)[:BATCH]]
        if not rows:
            return
        (answer,) = yield (self._embedding([row.content for row in rows]),)
        if isinstance(answer, TextsEmbedded) and len(answer.vectors) == len(rows):
            self._take_vectors(rows, answer)
            return
        for row in filter(self._is_awaited, rows):
            self._ready.setdefault(row.id, (row, ""))
            self._unread[row.id] = None
        self._failures += 1
        self._fail("embedder", "entries could not be embedded", answer)

    def _take_vectors(self, rows: list[IndexRow], answer: TextsEmbedded) -> None:
        """Put a batch of rows into the index with the received vectors."""
        for place, (row, vector) in enumerate(zip(rows, answer.vectors, strict=True)):
            if not self._is_awaited(row):
                continue
            self._ready[row.id] = msgspec.structs.replace(row, vector=vector), answer.model if vector else ""
            if place in answer.put_off:
                self._put_off[row.id] = None
        if answer.put_off:
            self.wake(answer.again_s)
        self._failures, self._troubles["embedder"] = 0, ""
        self.see_space(answer.model)

    def _is_awaited(self, row: IndexRow) -> bool:
        """True if a row with a requested vector is still the last change of its entry."""
        return row.id not in self._bare and self._is_news(row.id, row)

    def _tell(self) -> Steps:
        """Look at a batch of files, and send a batch of changes to the index."""
        self._look()
        if not self._ready:
            return
        most = 1 if self._is_one_by_one else BATCH
        batch = {entry_id: self._ready.pop(entry_id) for entry_id in list(self._ready)[:most]}
        drops = tuple(entry_id for entry_id, (row, _) in batch.items() if row is None)
        groups: dict[str, list[IndexRow]] = {}
        for row, model in batch.values():
            if row is not None:
                groups.setdefault(model, []).append(row)
        for model, rows in groups.items() or [("", list[IndexRow]())]:
            (answer,) = yield (self._change(model, rows, drops),)
            if not isinstance(answer, RowsChanged):
                self._take_refusal(batch, answer)
                return
            drops = ()
            for row in rows:
                if self._is_wanted(row) and (row.vector or model):
                    self._catalogue.note_space(row.id, model)

        self._refusals, self._troubles["index"] = 0, ""
        self._is_one_by_one = self._is_one_by_one and bool(self._ready)

    def _take_refusal(self, batch: dict[str, tuple[IndexRow | None, str]], answer: object) -> None:
        """Keep refused rows for later, except for outdated rows and rows that are always refused."""
        self._refusals += 1
        self._fail("index", "the index could not be sent entries", answer)
        if len(batch) == 1 and self._refusals > MOST_REFUSALS:
            log.error("an entry is left out of the index, because the index refuses the entry: %s", next(iter(batch)))
            self._refusals = 0
            return
        for entry_id, change in batch.items():
            if self._is_news(entry_id, change[0]):
                self._ready.setdefault(entry_id, change)
        self._is_one_by_one = True

    def _fail(self, whose: str, what: str, answer: object) -> None:
        self._troubles[whose] = f"{what}: {getattr(answer, 'reason', 'there was no answer')}"
        log.warning("%s, which is tried again", self._troubles[whose])

    def _is_news(self, entry_id: str, row: IndexRow | None) -> bool:
        """True if a change is still the last of its entry; a later change, still without vector, takes precedence."""
        item = self._catalogue.get(entry_id)
        if row is None or item is None:
            return row is None and item is None
        return (item.digest, item.path) == (row.digest, row.path)

    def _is_wanted(self, row: IndexRow) -> bool:
        """True if the entry is unchanged since the row."""
        item = self._catalogue.get(row.id)
        return item is not None and item.digest == row.digest

    def _look(self) -> None:
        for path in list(self._paths)[:BATCH]:
            del self._paths[path]
            self.look(path)

    def _read(self) -> None:
        unread = (entry_id for entry_id in self._unread if entry_id not in self._ready)
        for entry_id in list(islice(unread, max(0, BATCH - len(self._bare)))):
            self._unread.pop(entry_id, None)
            row = self.read(entry_id)
            if row is not None:
                self._bare[entry_id] = row

    def _may_read(self) -> bool:
        """True if an indexed entry waits for a vector."""
        return any(entry_id not in self._ready for entry_id in self._unread)

    def _embedding(self, texts: list[str]) -> Ask:
        message = partial(EmbedTexts, texts=tuple(texts), role=TextRole.DOCUMENT, deadline_s=EMBED_S)
        return Ask(self._config.embedder, message, EMBED_S)

    def _change(self, space: str, put: list[IndexRow], drops: tuple[str, ...]) -> Ask:
        message = partial(ChangeRows, model=space, put=tuple(put), drop=drops)
        return Ask(self._config.index, message)


def _nothing(*_: object) -> None:
    """Callback of an instance before its own callback is set."""
