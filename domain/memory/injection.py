"""The block of memories that stands before a prompt: its words, its budgets.

One line with the prefix, then one line of JSON (agent specification, 6.4.2):
`{"budget_tokens_est":1000,"memories":[{"path":"logs/…","line":7,"excerpt":"…","truncated":false}]}`. Budgets hold for
the rendered text, four characters a token. Characters that could end a markup or hide text are escaped as JSON does.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from domain.memory.block_json import UNSAFE, block_json
from domain.memory.excerpt import MARK, Excerpt, collapse, excerpt
from domain.memory.ranking import FOUND_SHARE
from domain.turn.prompt import MEMORY_PREFIX

CHARS_PER_TOKEN = 4
LEAST_CHARS = 80
"""Least room for the last memory's excerpt to be worth cutting short."""
LEAST_ROOM = len(MARK) + 1
"""Room that a memory's budget must leave for any excerpt: a mark behind at least one character."""
_ESCAPED = re.compile(f'["\\\\\x00-\x1f{UNSAFE}]')
"""Whatever is longer in JSON than it is."""


@dataclass(frozen=True, slots=True)
class Budget:
    """Bounds of the block; its 1,000 tokens are the specification's, which allows a memory 250 of them."""

    total_tokens: int = 1000
    item_tokens: int = 54
    """Of one memory as the block shows it, its path and line included: about 100 characters are left for what was said.

    A turn that is longer shows its best part, so that more memories fit.
    """
    most: int = 24
    """Most memories."""


@dataclass(frozen=True, slots=True)
class Memory:
    """A logged turn that may be injected.

    Raises:
        ValueError: The memory has no place in a log.
    """

    path: str
    line: int
    text: str

    def __post_init__(self) -> None:
        if not self.path or self.line < 1:
            raise ValueError(f"memory at {self.path!r} line {self.line}: must have a path and a line from 1")


@dataclass(frozen=True, slots=True)
class Injected:
    """A memory as the block shows it."""

    index: int
    """Its place among the memories that were offered."""
    memory: Memory
    excerpt: str
    is_truncated: bool


@dataclass(frozen=True, slots=True)
class Injection:
    """The block, empty without memories, and the memories shown."""

    block: str
    items: tuple[Injected, ...]


def tokens(text: str) -> int:
    """Number of tokens that `text` counts for: one per four characters, rounded up."""
    return -(-len(text) // CHARS_PER_TOKEN)


def inject(
    memories: Sequence[Memory], terms: Collection[str] = (), budget: Budget = Budget(), *, pins: int = 0
) -> Injection:
    """The block that shows as many of the first `memories` as the budget allows, in their order.

    The last one is cut short to fit if enough of it is left, else left out; nothing that comes later is tried then.
    Memories without text are passed over, and so are those whose path alone takes more than one memory may.

    Args:
        terms: Index terms of the question, which choose what a long turn shows.
        pins: So many of the first are pinned. A quarter of the budget is not for them, or as much of that as the others
            take.
    """
    room = budget.total_tokens * CHARS_PER_TOKEN - len(_block([], budget))
    term_set = frozenset(terms)
    found = _Filling(term_set, budget, room // FOUND_SHARE, budget.most // FOUND_SHARE)
    took_all = not pins or found.take(memories, pins, len(memories))
    reserved = found.size if took_all else max(found.size, room // FOUND_SHARE)
    filling = _Filling(term_set, budget, room - reserved, budget.most - len(found.items))
    filling.take(memories, 0, pins)
    filling.left, filling.most = room - filling.size, budget.most
    filling.take(memories, pins, len(memories))
    items = filling.items
    return Injection(_block(items, budget) if items else "", tuple(items))


def pins_with_room(pins: Sequence[Memory], budget: Budget = Budget()) -> int:
    """Number of `pins` with a place in a block that leaves a quarter to search results."""
    room = budget.total_tokens * CHARS_PER_TOKEN - len(_block([], budget))
    filling = _Filling(frozenset(), budget, room - room // FOUND_SHARE, budget.most - budget.most // FOUND_SHARE)
    filling.take(pins, 0, len(pins))
    return len(filling.items)


class _Filling:
    """Part of a block: memories one after another until one does not fit."""

    def __init__(self, terms: frozenset[str], budget: Budget, left: int, most: int) -> None:
        self._terms = terms
        self._budget = budget
        self.left = left
        """Characters."""
        self.most = most
        """Memories."""
        self.size = 0
        self.items: list[Injected] = []

    def take(self, memories: Sequence[Memory], begin: int, end: int) -> bool:
        """Show those of `memories` from `begin` to `end` that fit; whether none was left for want of room."""
        for index in range(begin, end):
            memory = memories[index]
            if len(self.items) == self.most:
                return False
            if not collapse(memory.text) or _room(memory, self._budget) < LEAST_ROOM:
                continue
            comma = 1 if self.items else 0
            part = _shown(memory, self._terms, self._budget, self.left - comma)
            if part is None:
                return False
            self.items.append(Injected(index, memory, part.excerpt.text, part.excerpt.is_truncated))
            self.left -= comma + part.size
            self.size += comma + part.size
        return True


def rendered_size(memory: Memory, terms: Collection[str] = (), budget: Budget = Budget()) -> int:
    """Characters that `memory` takes in a block that has room, its comma included."""
    part = _shown(memory, frozenset(terms), budget, budget.total_tokens * CHARS_PER_TOKEN)
    return part.size + 1 if part else 0


class _Shown(NamedTuple):
    excerpt: Excerpt
    size: int
    """Characters that it takes."""


def _shown(memory: Memory, terms: frozenset[str], budget: Budget, left: int) -> _Shown | None:
    """Excerpt of `memory` for `left` characters; None if `left` is too small."""
    frame, room = _frame(memory), _room(memory, budget)
    if room < LEAST_ROOM:
        return None
    full, size = _excerpt(memory.text, room, terms)
    if frame + size <= left:
        return _Shown(full, frame + size)
    if left - frame < LEAST_CHARS:
        return None
    part, size = _excerpt(memory.text, left - frame, terms)
    return _Shown(part, frame + size)


def _room(memory: Memory, budget: Budget) -> int:
    """Characters of a memory's budget for its excerpt."""
    return budget.item_tokens * CHARS_PER_TOKEN - _frame(memory)


def _frame(memory: Memory) -> int:
    """Characters that stand around what is shown of a memory; one less if that is not all, for `true` is shorter."""
    return _AROUND + _path_size(memory.path) + len(str(memory.line))


@lru_cache(maxsize=1024)
def _path_size(path: str) -> int:
    return len(block_json(path))


@lru_cache(maxsize=128)
def _excerpt(text: str, room: int, terms: frozenset[str]) -> _Shown:
    """Excerpt, and the characters that the excerpt adds to the frame.

    The result is cached: a caller that asks for a memory's size is about to inject the memory.
    """
    width = _width if _ESCAPED.search(text) else len
    cut = excerpt(text, room, terms, width=width)
    return _Shown(cut, width(cut.text) - cut.is_truncated)


def _block(items: Iterable[Injected], budget: Budget) -> str:
    memories = ",".join(map(_rendered, items))
    return f'{MEMORY_PREFIX}\n{{"budget_tokens_est":{budget.total_tokens},"memories":[{memories}]}}'


def _rendered(item: Injected) -> str:
    truncated = "true" if item.is_truncated else "false"
    path, text = block_json(item.memory.path), block_json(item.excerpt)
    return f'{{"path":{path},"line":{item.memory.line},"excerpt":{text},"truncated":{truncated}}}'


def _width(text: str) -> int:
    """Length of `text` in JSON, without the quotes."""
    return len(block_json(text)) - 2 if _ESCAPED.search(text) else len(text)


_AROUND = len(_rendered(Injected(0, Memory("-", 1, ""), "", is_truncated=False))) - len('"-"1')
