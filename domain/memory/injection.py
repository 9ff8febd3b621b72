"""Block of memories before a prompt: wording and budgets.

One line with the prefix, then one line of JSON (agent specification, 6.4.2):
`{"budget_tokens_est":1000,"memories":[{"path":"logs/…","line":7,"excerpt":"…","truncated":false}]}`. Budgets hold for
the rendered text, four characters a token. Characters that could end a markup or hide text are escaped as in JSON.

If not all search results fit, neighbouring results in a log share an entry with the place of
the first: a path and a line take more room than many turns.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from domain.memory.block_json import UNSAFE, block_json
from domain.memory.excerpt import MARK, Excerpt, collapse, excerpt
from domain.memory.passage import GAP, separator
from domain.memory.ranking import FOUND_SHARE
from domain.turn.prompt import MEMORY_PREFIX

CHARS_PER_TOKEN = 4
MOST_ITEM_TOKENS = 250
"""The specification's bound of one memory."""
LEAST_CHARS = 80
"""Least room for the last memory's excerpt to be worth cutting short."""
LEAST_ROOM = len(MARK) + 1
"""Least room for any excerpt in a memory's budget: a mark behind at least one character."""
_ESCAPED = re.compile(f'["\\\\\x00-\x1f{UNSAFE}]')
"""Characters with a longer form in JSON."""


@dataclass(frozen=True, slots=True)
class Budget:
    """Bounds of the block; the 1,000 tokens come from the specification, with 250 allowed for a memory."""

    total_tokens: int = 1000
    item_tokens: int = 120
    """Tokens of one memory in the block, path and line included: some 400 characters are left for the text."""
    part_tokens: int = 54
    """Of a memory that does not fit into `item_tokens` whole: the block shows the best part, and has more memories."""
    first: int = 8
    """Number of memories with the full allowance; later memories are less sure, and shorter, so more memories fit."""
    later_item_tokens: int = 40
    """Of a memory after the first, in place of `item_tokens`."""
    later_part_tokens: int = 33
    """Of a memory after the first, in place of `part_tokens`."""
    most: int = 40
    """Most memories."""

    @property
    def passage_tokens(self) -> int:
        """Tokens of an entry with several memories: twice a single memory's, within the specification's bound."""
        return max(self.item_tokens, min(2 * self.item_tokens, MOST_ITEM_TOKENS))

    def at(self, place: int) -> Budget:
        """Budget of a memory by place among the search results, from 0."""
        return self if place < self.first else _later(self)


@lru_cache(maxsize=16)
def _later(budget: Budget) -> Budget:
    item = min(budget.item_tokens, budget.later_item_tokens)
    return replace(budget, item_tokens=item, part_tokens=min(budget.part_tokens, budget.later_part_tokens))


@dataclass(frozen=True, slots=True)
class Memory:
    """Logged turn that may be injected.

    Attributes:
        number: See `domain.memory.passage.number_turns`; None for a memory that shares no entry with others.

    Raises:
        ValueError: The memory has no place in a log.
    """

    path: str
    line: int
    text: str
    number: int | None = None

    def __post_init__(self) -> None:
        if not self.path or self.line < 1:
            raise ValueError(f"memory at {self.path!r} line {self.line}: must have a path and a line from 1")


@dataclass(frozen=True, slots=True)
class Injected:
    """Memory in the form of the block."""

    index: int
    """Place of the memory among the offered memories."""
    memory: Memory
    excerpt: str
    is_truncated: bool


@dataclass(frozen=True, slots=True)
class Injection:
    """Block, empty without memories, and the block's entries."""

    block: str
    entries: tuple[Entry, ...]

    @property
    def items(self) -> tuple[Injected, ...]:
        """The memories shown."""
        return tuple(item for entry in self.entries for item in entry.items)


def tokens(text: str) -> int:
    """Number of tokens counted for `text`: one per four characters, rounded up."""
    return -(-len(text) // CHARS_PER_TOKEN)


def inject(
    memories: Sequence[Memory],
    terms: Collection[str] = (),
    budget: Budget = Budget(),
    *,
    pins: int = 0,
    question: str = "",
) -> Injection:
    """The block that shows as many of the first `memories` as the budget allows, in their order.

    The last one is cut short to fit if enough of it is left, else left out; nothing that comes later is tried then.
    Memories without text are passed over, and so are those whose path alone takes more than one memory may. A result
    with the words of the question, or of a memory before it, is passed over too: the model can read them already.
    Where a result has no room, results join the entry of an earlier one near to them in the log, so that more fit.

    Args:
        terms: Index terms of the question, which choose what a long turn shows.
        question: The question.
        pins: So many of the first are pinned. A quarter of the budget is not for them, or as much of that as the others
            take.
    """
    offer = _Offer(memories, frozenset(terms), budget, pins, question)
    filling, has_all = _fill(offer, joins=False)
    if not has_all and any(memory.number is not None for memory in memories[pins:]):
        filling, _ = _fill(offer, joins=True)
    return Injection(_block(filling.entries, budget) if filling.entries else "", tuple(filling.entries))


class _Offer(NamedTuple):
    """Arguments of `inject`."""

    memories: Sequence[Memory]
    terms: frozenset[str]
    budget: Budget
    pins: int
    question: str


def _fill(offer: _Offer, *, joins: bool) -> tuple[_Filling, bool]:
    """The parts of a block, and whether no result was left for want of room.

    Args:
        joins: True to let results share entries.
    """
    memories, budget, pins = offer.memories, offer.budget, offer.pins
    room = budget.total_tokens * CHARS_PER_TOKEN - len(_block([], budget))
    results = _Filling(offer, room // FOUND_SHARE, budget.most // FOUND_SHARE, joins=joins)
    took_all = not pins or results.take(pins, len(memories))
    reserved = results.size if took_all else max(results.size, room // FOUND_SHARE)
    filling = _Filling(offer, room - reserved, budget.most - results.count, joins=joins)
    filling.take(0, pins)
    filling.left, filling.most = room - filling.size, budget.most
    return filling, filling.take(pins, len(memories))


def pins_with_room(pins: Sequence[Memory], budget: Budget = Budget()) -> int:
    """Number of `pins` with a place in a block that leaves a quarter to search results."""
    room = budget.total_tokens * CHARS_PER_TOKEN - len(_block([], budget))
    most = budget.most - budget.most // FOUND_SHARE
    offer = _Offer(pins, frozenset(), budget, len(pins), "")
    filling = _Filling(offer, room - room // FOUND_SHARE, most, joins=False)
    filling.take(0, len(pins))
    return filling.count


class Entry(NamedTuple):
    """Entry of the block: a memory, or several neighbouring memories, in the order of the log."""

    items: tuple[Injected, ...]

    @property
    def memory(self) -> Memory:
        """Memory whose place the entry names."""
        return self.items[0].memory

    @property
    def excerpt(self) -> str:
        """Text of the entry."""
        parts = [self.items[0].excerpt]
        for before, item in pairwise(self.items):
            parts += (separator(_steps(before.memory, item.memory)), item.excerpt)
        return "".join(parts)

    @property
    def is_truncated(self) -> bool:
        """True if a turn of the entry is cut short, or a turn in between is left out."""
        return any(item.is_truncated for item in self.items) or any(
            _steps(before.memory, item.memory) > 1 for before, item in pairwise(self.items)
        )

    def is_near(self, memory: Memory) -> bool:
        """True if `memory` may join the entry."""
        return any(0 < abs(_steps(item.memory, memory)) <= GAP for item in self.items)

    def join(self, item: Injected) -> Entry:
        """The entry with another memory."""
        return Entry(tuple(sorted((*self.items, item), key=lambda each: each.memory.number or 0)))


def _steps(memory: Memory, other: Memory) -> int:
    """Number of turns from one memory to another of the same passage; 0 for memories that share no entry."""
    if memory.number is None or other.number is None or memory.path != other.path:
        return 0
    return other.number - memory.number


class _Filling:
    """Part of a block: memories one after another, up to the first without room."""

    def __init__(self, offer: _Offer, left: int, most: int, *, joins: bool) -> None:
        self._memories = offer.memories
        self._terms = offer.terms
        self._budget = offer.budget
        self._pins = offer.pins
        self._texts = {_plain(offer.question)}
        self._joins = joins
        self.left = left
        """Characters."""
        self.most = most
        """Memories."""
        self.size = self.count = 0
        self.entries: list[Entry] = []
        self._first = 0
        """Place of the first entry that is no pin's."""

    def take(self, begin: int, end: int) -> bool:
        """Show the fitting memories from `begin` to `end`; True if no memory was left out for want of room."""
        for index in range(begin, end):
            memory = self._memories[index]
            if self.count == self.most:
                return False
            budget = self._budget.at(index - self._pins)
            plain = _plain(memory.text)
            if not plain or _room(memory, budget) < LEAST_ROOM or (index >= self._pins and plain in self._texts):
                continue
            if not (self._joins and index >= self._pins and self._join(index, memory, budget)):
                comma = 1 if self.entries else 0
                part = _show(memory, self._terms, budget, self.left - comma)
                if part is None:
                    return False
                self._use(comma + part.size)
                self.entries.append(Entry((_make_item(index, memory, part.excerpt),)))
                self._first += index < self._pins
            self._texts.add(plain)
            self.count += 1
        return True

    def _join(self, index: int, memory: Memory, budget: Budget) -> bool:
        """Show `memory` in the entry of a nearby memory; False without such an entry with room."""
        for place, entry in enumerate(self.entries[self._first :], self._first):
            if not entry.is_near(memory):
                continue
            part, _ = _excerpt(memory.text, _room(memory, budget), self._terms)
            both = entry.join(_make_item(index, memory, part))
            size = len(_render(both))
            more = size - len(_render(entry))
            if size <= self._budget.passage_tokens * CHARS_PER_TOKEN and more <= self.left:
                self._use(more)
                self.entries[place] = both
                return True
        return False

    def _use(self, size: int) -> None:
        self.left -= size
        self.size += size


def _make_item(index: int, memory: Memory, part: Excerpt) -> Injected:
    return Injected(index, memory, part.text, part.is_truncated)


def _plain(text: str) -> str:
    """`text` for comparison: without the differences of case and blanks."""
    return collapse(text).casefold()


def rendered_size(memory: Memory, terms: Collection[str] = (), budget: Budget = Budget(), place: int = 0) -> int:
    """Characters of `memory` in a block with room, comma included; `place` is among the results."""
    part = _show(memory, frozenset(terms), budget.at(place), budget.total_tokens * CHARS_PER_TOKEN)
    return part.size + 1 if part else 0


class _SizedExcerpt(NamedTuple):
    excerpt: Excerpt
    size: int
    """Characters of the memory in the block."""


def _show(memory: Memory, terms: frozenset[str], budget: Budget, left: int) -> _SizedExcerpt | None:
    """Excerpt of `memory` for `left` characters; None if `left` is too small."""
    frame, room = _frame(memory), _room(memory, budget)
    if room < LEAST_ROOM:
        return None
    full, size = _excerpt(memory.text, room, terms)
    if frame + size <= left:
        return _SizedExcerpt(full, frame + size)
    if left - frame < LEAST_CHARS:
        return None
    part, size = _excerpt(memory.text, left - frame, terms)
    return _SizedExcerpt(part, frame + size)


def _room(memory: Memory, budget: Budget) -> int:
    """Characters of a memory's budget for an excerpt: for the whole turn if the turn fits, else for a part."""
    whole = budget.item_tokens * CHARS_PER_TOKEN - _frame(memory)
    part = min(budget.item_tokens, budget.part_tokens) * CHARS_PER_TOKEN - _frame(memory)
    if len(memory.text) > 2 * whole:
        return part
    return whole if _width(collapse(memory.text)) <= whole else part


def _frame(memory: Memory) -> int:
    """Characters around a memory's shown text; one less for an incomplete text, since `true` is shorter."""
    return _AROUND + _path_size(memory.path) + len(str(memory.line))


@lru_cache(maxsize=1024)
def _path_size(path: str) -> int:
    return len(block_json(path))


@lru_cache(maxsize=128)
def _excerpt(text: str, room: int, terms: frozenset[str]) -> _SizedExcerpt:
    """Excerpt, and the characters that the excerpt adds to the frame.

    The result is cached: a caller that asks for a memory's size is about to inject the memory.
    """
    width = _width if _ESCAPED.search(text) else len
    cut = excerpt(text, room, terms, width=width)
    return _SizedExcerpt(cut, width(cut.text) - cut.is_truncated)


def _block(entries: Iterable[Entry], budget: Budget) -> str:
    memories = ",".join(map(_render, entries))
    return f'{MEMORY_PREFIX}\n{{"budget_tokens_est":{budget.total_tokens},"memories":[{memories}]}}'


def _render(entry: Entry) -> str:
    truncated = "true" if entry.is_truncated else "false"
    path, text = block_json(entry.memory.path), block_json(entry.excerpt)
    return f'{{"path":{path},"line":{entry.memory.line},"excerpt":{text},"truncated":{truncated}}}'


def _width(text: str) -> int:
    """Length of `text` in JSON, without the quotes."""
    return len(block_json(text)) - 2 if _ESCAPED.search(text) else len(text)


_AROUND = len(_render(Entry((Injected(0, Memory("-", 1, ""), "", is_truncated=False),)))) - len('"-"1')
