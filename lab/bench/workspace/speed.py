"""Speed of recall over files of a hundred kilobytes: made of words of our own, asked with messages of our own."""

from __future__ import annotations

import random
from time import perf_counter

from domain.workspace.recall.block import recall_block
from domain.workspace.recall.entries import Source, entries
from domain.workspace.recall.search import RecallIndex, recalled
from lab.bench.measure import Figures, percentile
from lab.bench.workspace.messages import TODAY, Set

RECALL_CHARS = 2_000
FILE_BYTES = 100_000
_WORDS = 3_000
_TEXT = """
the a of to and is in for on with that it as was by be not are this from or at which one has
"""
_PARTS = """
ka ren to mil sa vor ne lin do gra pe tos ul wen bri cha no fer mi stal
"""


def speed(its: Set, rounds: int) -> Figures:
    """Milliseconds of a recall with its block, and of making the index, the best of so many rounds."""
    chance = random.Random("questions")
    memory, history = _file("memory", FILE_BYTES * 4 // 5), _file("history", FILE_BYTES // 5)
    facts = [line.split()[1:] for line in memory.splitlines() if line.startswith("- ")]
    asked = [*its.messages.everyday, *(f"{' '.join(_part(chance, fact))}?" for fact in facts[: len(facts) // 2])]
    made, taken = [], []
    index = RecallIndex(())
    for _ in range(rounds):
        begun = perf_counter()
        index = RecallIndex(
            [*entries(memory, Source.MEMORY, "MEMORY.md"), *entries(history, Source.HISTORY, "HISTORY.md")]
        )
        made.append(perf_counter() - begun)
        times = []
        for message in asked:
            begun = perf_counter()
            recall_block(recalled(message, index, today=TODAY, budget_chars=RECALL_CHARS), RECALL_CHARS)
            times.append(perf_counter() - begun)
        taken.append((percentile(times, 0.5), percentile(times, 0.95)))
    return {
        "speed_bytes": len(memory) + len(history),
        "speed_entries": len(index.entries),
        "speed_messages": len(asked),
        "index_ms": 1000 * min(made),
        "recall_p50_ms": 1000 * min(p50 for p50, _ in taken),
        "recall_p95_ms": 1000 * min(p95 for _, p95 in taken),
    }


def _part(chance: random.Random, fact: list[str]) -> list[str]:
    """Some of a fact's words, as a question about it has them."""
    first = chance.randrange(max(1, len(fact) - 4))
    return fact[first : first + chance.randint(4, 10)]


def _file(name: str, size: int) -> str:
    """A file of so many characters, of dated blocks of ten facts, whose words are as unevenly common as people's."""
    chance = random.Random(name)
    words = [*_TEXT.split(), *("".join(chance.choices(_PARTS.split(), k=chance.randint(2, 4))) for _ in range(_WORDS))]
    weights = [1 / (rank + 3) for rank in range(len(words))]
    lines, written = [f"# {name}"], 0
    for number in range(size):
        if written >= size:
            break
        if number % 10 == 0:
            lines += ["", f"## Update 2026-{1 + number // 100 % 9:02}-{1 + number // 10 % 28:02}T10:00:00Z"]
        lines.append(f"- {' '.join(chance.choices(words, weights, k=chance.randint(10, 28))).capitalize()}.")
        written += len(lines[-1]) + 1
    return "\n".join(lines) + "\n"
