"""Documents of chance: whatever a file holds, it is put together again as it was, and facts are added once."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

from domain.curated.caps import cap_index
from domain.curated.document import Document, parse_document
from domain.curated.edits import with_fact
from domain.curated.page import Scope
from domain.curated.residency import resident_set

MOST_PIECES = 40
MOST_TOKENS = 600
_FACT = "The fact that is added"
_SECTIONS = ("", "Build", "Remembered", "Straße", "not there yet")
_LINES = (
    b"# Memory",
    b"## Build",
    b"## Remembered",
    b"##   Stra\xc3\x9fe  ##",
    b"#######",
    b"- a fact",
    b"* another  <!-- confirmed 2026-01-31 -->",
    b"+\tone with a tab",
    b"- [Title](topic.md) \xe2\x80\x94 gist",
    b"- ",
    b"  - an inner one",
    b"    code, or not",
    b"prose",
    b"",
    b"",
    b" \t ",
    b"```",
    b"```python",
    b"~~~~",
    b"`````",
    b"<!-- confirmed 2026-02-30 -->",
    b"- \xff\xfe no UTF-8 \xed\xa0\x80",
    b"\xef\xbb\xbf",
    b"\x00\x0b\x0c\x1c\xc2\x85\xe2\x80\xa8",
    b"> quoted",
    b"| a | b |",
    b"- The fact that is  added",
)
_ENDS = (b"\n", b"\n", b"\n", b"\r\n", b"\r\n", b"\r", b"\n\n", b"")


@dataclass(frozen=True, slots=True)
class DocumentReport:
    """Account of all documents."""

    documents: int
    bytes: int
    pages: int
    altered: int
    """Not the same bytes when put together again."""
    unequal: int
    """Residencies that came out otherwise the second time."""
    over_budget: int
    beyond_caps: int
    """Beginnings that are longer than what is injected, or are none of the file."""
    not_once: int
    """Files in which a fact that was added twice does not stand once."""
    disturbed: int
    """Files in which anything else changed when a fact was added."""
    seconds: float

    @property
    def is_sound(self) -> bool:
        """True if every law held for every document."""
        broken = (self.altered, self.unequal, self.over_budget, self.beyond_caps, self.not_once, self.disturbed)
        return not any(broken)


def try_documents(count: int, seed: str, tick: Callable[[int], None] = lambda _document: None) -> DocumentReport:
    """Try so many documents.

    Args:
        count: How many.
        seed: Decides what they hold.
        tick: Called after every hundredth.
    """
    began, choices = perf_counter(), random.Random(seed)
    size = pages = altered = unequal = over_budget = beyond_caps = not_once = disturbed = 0
    for number in range(1, count + 1):
        data = document(choices)
        made = parse_document(data)
        size, pages = size + len(data), pages + len(made.pages)
        altered += bytes(made) != data
        same, fits = _residency(made, choices)
        unequal, over_budget = unequal + (not same), over_budget + (not fits)
        beyond_caps += not _is_capped(data, choices)
        section, day = choices.choice(_SECTIONS), choices.choice(("", "2026-03-01"))
        once = with_fact(data, _FACT, section, day)
        facts = [page for page in parse_document(once).facts if page.text == _FACT]
        had = sum(page.text == _FACT for page in made.facts)
        not_once += with_fact(once, _FACT, section, day) != once or len(facts) != max(1, had)
        disturbed += once != data if had else not _is_insertion(data, once)
        if number % 100 == 0:
            tick(number)
    return DocumentReport(
        documents=count,
        bytes=size,
        pages=pages,
        altered=altered,
        unequal=unequal,
        over_budget=over_budget,
        beyond_caps=beyond_caps,
        not_once=not_once,
        disturbed=disturbed,
        seconds=perf_counter() - began,
    )


def document(choices: random.Random) -> bytes:
    """File of lines as people write them, of unusual lines, and of random bytes."""
    end = choices.choice(_ENDS)
    pieces = [b"\xef\xbb\xbf"] if choices.random() < 0.1 else []
    for _ in range(choices.randint(0, MOST_PIECES)):
        if choices.random() < 0.1:
            pieces.append(choices.randbytes(choices.randint(0, 40)))
        else:
            pieces.append(choices.choice(_LINES))
        pieces.append(choices.choice(_ENDS) if choices.random() < 0.1 else end)
    return b"".join(pieces)


def _residency(made: Document, choices: random.Random) -> tuple[bool, bool]:
    """Pair: whether the choice of pages is repeatable, and whether the choice is within its budget."""
    budget = choices.randint(0, MOST_TOKENS)
    split = choices.randint(0, len(made.pages))
    pages = [(Scope.GLOBAL, page) for page in made.pages[:split]]
    pages += [(Scope.PROJECT, page) for page in made.pages[split:]]
    first, second = resident_set(pages, budget), resident_set(pages, budget)
    return first == second, first.tokens <= budget


def _is_capped(data: bytes, choices: random.Random) -> bool:
    """True if the injected text is a beginning of the file, within both limits."""
    lines, size = choices.randint(0, 50), choices.randint(0, 1_000)
    kept = cap_index(data, lines, size).data
    return (
        data.startswith(kept) and len(kept) <= size and len(kept.split(b"\n")) - kept.endswith(b"\n") <= max(1, lines)
    )


def _is_insertion(before: bytes, after: bytes) -> bool:
    """True if `after` is `before` with an insertion at a single place."""
    if len(after) < len(before):
        return False
    head = next((at for at, (one, other) in enumerate(zip(before, after, strict=False)) if one != other), len(before))
    tail = len(before) - head
    return not tail or after.endswith(before[-tail:])
