"""Recall: the block of memories for a turn, the answer to a search, and the explanation of a block."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import msgspec
import numpy as np

from actors.memory.recall.links import MessageLinks
from actors.memory.search.search import Hit, Kind, MemoryQuery, Vector
from actors.memory.store import Store
from domain.log.window import full_path
from domain.memory.excerpt import excerpt
from domain.memory.injection import Budget, Entry, Injection, inject, pins_with_room, tokens
from domain.memory.keywords import question_terms
from domain.memory.remembered import USER
from domain.turn.speaker import is_plain, shown_name
from messages.base import Address, Message, TurnId, Window
from messages.forget import EndShown
from messages.memory import ExplainMemory, FoundMemory, MemoriesFound, MemoryExplained, SearchMemory
from messages.turn import PrepareTurn, Reference, ReferenceExpanded, TurnContribution

REJECTED = 10
"""Rejected candidates named by an explanation."""
EXPLAINED_WINDOWS = 200
SHOWN_WINDOWS = 2_000
"""Windows whose last turn is ended if forgotten words were shown to it; more than there are turns at a time."""
SHOWN_CHARS = 300
"""Length of an excerpt in a search's answer."""
MOST_FOUND = 200
POOL_TOKENS = 250
"""Room in a search's pool for each wanted hit: several times the size of a hit, so that more candidates are ranked."""
WITHOUT_VECTOR = "no vector of the question: found by words alone"


@dataclass(frozen=True, slots=True)
class InjectedBlock:
    """A block made for a turn, and its candidates."""

    request: PrepareTurn
    at: datetime
    hits: Sequence[Hit]
    injection: Injection
    candidates: int
    has_vector: bool
    took_ms: float = 0.0

    @property
    def places(self) -> frozenset[Reference]:
        """Places of the records in the block."""
        memories = (item.memory for item in self.injection.items)
        return frozenset(Reference(path=memory.path, line=memory.line) for memory in memories)


@dataclass(frozen=True, slots=True)
class ShownTurn:
    """A turn, and the places of all records shown to the turn; without words."""

    window: Window
    turn_id: TurnId
    places: frozenset[Reference]
    around: list[tuple[str, int, int]] = field(default_factory=list)
    """Further sections of logs: path, first line and last line."""

    def shows(self, forgotten: Collection[Reference]) -> bool:
        """True if any of the given places was shown."""
        return not self.places.isdisjoint(forgotten) or any(
            path == at.path and first <= at.line <= last for path, first, last in self.around for at in forgotten
        )


class Recall:
    """Retrieval for turns: blocks and search results, and the last block of each window for explanations."""

    def __init__(self, search: Kind, budget: Budget, links: MessageLinks) -> None:
        self._search = search
        self._links = links
        self._budget = budget
        self._last: OrderedDict[str, InjectedBlock] = OrderedDict()
        self._shown_turns: OrderedDict[str, ShownTurn] = OrderedDict()
        """Window -> its last turn with a block; outlives the blocks, which hold words."""

    def inject(self, store: Store, request: PrepareTurn, vector: Vector | None, now: datetime) -> InjectedBlock:
        """Choose the block for a turn."""
        question = MemoryQuery(
            text=request.text,
            vector=vector,
            mask=store.mask(request.window, request.visible, request.turn_id),
            total=store.total,
            now=now,
            count=self._budget.most + REJECTED,
            window=request.window,
        )
        hits, candidates = store.searcher.find(question, self._budget)
        pins = sum(hit.ranked.is_pinned for hit in hits)
        memories = store.searcher.memories(hits, request.window)
        injection = inject(memories, question_terms(request.text), self._budget, pins=pins, question=request.text)
        return InjectedBlock(request, now, hits, injection, candidates, vector is not None)

    def contribution(self, injected: InjectedBlock, contributor: Address) -> TurnContribution:
        """The block in the form sent to the window."""
        return TurnContribution(
            request_id=injected.request.request_id,
            contributor=str(contributor),
            block=injected.injection.block,
            references=tuple(
                Reference(path=item.memory.path, line=item.memory.line) for item in injected.injection.items
            ),
        )

    def remember(self, injected: InjectedBlock) -> None:
        """Keep a window's last block."""
        key = injected.request.window.address.key
        self._last[key] = injected
        self._last.move_to_end(key)
        if len(self._last) > EXPLAINED_WINDOWS:
            self._last.popitem(last=False)
        self._shown_turns[key] = ShownTurn(injected.request.window, injected.request.turn_id, injected.places)
        self._shown_turns.move_to_end(key)
        if len(self._shown_turns) > SHOWN_WINDOWS:
            self._shown_turns.popitem(last=False)

    def clear(self, forgotten: Collection[Reference]) -> list[EndShown]:
        """Drop all blocks; the ends of the turns that were shown any of the given places."""
        self._last.clear()
        turns = (each for each in self._shown_turns.values() if each.shows(forgotten))
        return [EndShown(window=each.window, turn_id=each.turn_id) for each in turns]

    def note_expanded(self, window: Window, answer: Message) -> None:
        """Note the records shown in a window beside the block of its last turn."""
        turn = self._shown_turns.get(window.address.key)
        if turn is not None and isinstance(answer, ReferenceExpanded):
            turn.around.append((full_path(answer.path, window), answer.first_line, answer.last_line))

    def explain(self, store: Store, request: ExplainMemory, window_key: str) -> MemoryExplained | None:
        """The last block of a window, or of all windows if the key is empty; None without a block.

        Memories no longer visible to the asker are left out.
        """
        last = self._last.get(window_key) if window_key else next(reversed(self._last.values()), None)
        return None if last is None else self._explanation(store, last, request)

    def search(self, store: Store, request: SearchMemory, vector: Vector | None, now: datetime) -> MemoriesFound:
        """The answer to a search."""
        count = max(1, min(MOST_FOUND, request.limit))
        mask = store.mask(request.window, (), None)
        if request.about:
            mask &= store.searcher.mentions(request.about, len(mask))
        question = MemoryQuery(
            text=request.query,
            vector=vector,
            mask=mask,
            total=store.total,
            now=now,
            count=count,
        )
        # A search shows no block, so the pool is as large as what is asked for may need.
        hits, _ = store.searcher.find(question, replace(self._budget, total_tokens=count * POOL_TOKENS))
        terms = question_terms(request.query)
        memories = [_memory(hit, terms) for hit in hits]
        if request.about:
            memories = [msgspec.structs.replace(each, link=self._links.find(each.path, each.line)) for each in memories]
        return MemoriesFound(
            request_id=request.request_id,
            memories=tuple(memories),
            note="" if vector is not None else WITHOUT_VECTOR,
        )

    def pins(self, store: Store, window: Window) -> tuple[int, int]:
        """(pins visible in a window, pins with room in a block); see `Store.pins`."""
        pins = store.pins(window)
        return len(pins), pins_with_room(pins, self._budget)

    def _explanation(self, store: Store, last: InjectedBlock, request: ExplainMemory) -> MemoryExplained:
        visible = frozenset(
            index for index, hit in enumerate(last.hits) if store.may_show(hit.turn.path, hit.turn.line, request.window)
        )
        items = {item.index for item in last.injection.items}
        terms = question_terms(last.request.text)
        block_entries = last.injection.entries
        entries = (Entry(tuple(item for item in entry.items if item.index in visible)) for entry in block_entries)
        injected = [_explain_entry(entry, last.hits) for entry in entries if entry.items]
        rejected = [hit for index, hit in enumerate(last.hits) if index in visible and index not in items][:REJECTED]
        return MemoryExplained(
            request_id=request.request_id,
            window=last.request.window.address.key,
            turn_id=last.request.turn_id,
            at=last.at,
            search=self._search,
            note="" if last.has_vector else WITHOUT_VECTOR,
            candidates=last.candidates,
            budget_tokens=self._budget.total_tokens,
            block_tokens=tokens(last.injection.block),
            took_ms=last.took_ms,
            injected=tuple(injected),
            rejected=tuple(_memory(hit, terms) for hit in rejected),
        )


def vector_of(data: bytes) -> Vector:
    """The numbers of a vector."""
    return np.frombuffer(data, "<f4")


def _memory(hit: Hit, terms: frozenset[str]) -> FoundMemory:
    turn, parts = hit.turn, hit.ranked.parts
    part = excerpt(turn.text, SHOWN_CHARS, terms)
    return FoundMemory(
        path=turn.path,
        line=turn.line,
        at=datetime.fromtimestamp(turn.timestamp / 1000, UTC),
        role=turn.role,
        author=_author(turn.author, turn.role),
        window=turn.window,
        pinned=turn.is_pinned,
        excerpt=part.text,
        truncated=part.is_truncated or not turn.is_whole,
        score=_round(hit.ranked.score),
        similarity=_round(parts.sim),
        recency=_round(parts.recency),
        repetition=_round(parts.redundancy),
        meaning=_round(hit.meaning),
        words=_round(hit.words),
    )


def _explain_entry(entry: Entry, hits: Sequence[Hit]) -> FoundMemory:
    """An entry of a block, as explained: with its authors, and the scores of the best of its turns."""
    best = _memory(hits[min(item.index for item in entry.items)], frozenset())
    turns = [hits[item.index].turn for item in entry.items]
    return msgspec.structs.replace(
        best,
        line=turns[0].line,
        at=datetime.fromtimestamp(turns[0].timestamp / 1000, UTC),
        author=", ".join(dict.fromkeys(_author(turn.author, turn.role) for turn in turns)),
        excerpt=entry.excerpt,
        truncated=entry.is_truncated,
    )


def _author(name: str, role: str) -> str:
    """Author of a turn; a person whose name could be a role's is marked as a person, since the index knows no ids."""
    return f"{shown_name(name)} (a person)" if role == USER and not is_plain(name) else shown_name(name)


def _round(value: float) -> float:
    return 0.0 if math.isnan(value) else round(value, 4)
