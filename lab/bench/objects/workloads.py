"""Workloads: conversations of different kinds, the same each time, and the recorded sequence of calls."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence

from lab.bench.objects import recorded
from lab.bench.objects.prose import block, sentences
from lab.bench.objects.story import Act, Exchange, Step, Story

Chance = random.Random
Pick = Callable[[Chance, Sequence[str]], Step]

FILE_CHARS = 9_000
_FILES = ("src/orders.py", "src/ledger.py", "src/refunds.py", "src/queue.py", "src/report.py", "src/retry.py")
READ_FILES = dict.fromkeys((*_FILES, "src/clock.py", "notes/plan.md"), FILE_CHARS)
BUILT_FILES = {"Makefile": 3_000, "src/orders.c": 15_000, "src/ledger.c": 15_000, "src/queue.c": 15_000}
SMALL_FILES = dict.fromkeys(READ_FILES, 3000)


def repeat_reader(turns: int = 60, calls: int = 270) -> Story:
    """The same eight files are read again and again, and changed now and then."""
    return _story("repeat_reader", READ_FILES, turns, calls, _read_mostly)


def big_outputs(turns: int = 60, calls: int = 277) -> Story:
    """Builds with output up to the display limit, between other commands."""
    return _story("big_outputs", BUILT_FILES, turns, calls, _build_mostly)


def chatty(turns: int = 60, calls: int = 5) -> Story:
    """Hardly a command."""
    return _story("chatty", SMALL_FILES, turns, calls, _read_mostly)


def small_talk(turns: int = 30) -> Story:
    """Talk with one small command in each turn."""
    return _story("small_talk", SMALL_FILES, turns, turns, _search_mostly)


def long_talk(turns: int = 160) -> Story:
    """Talk long enough to be cut, with a command in each turn."""
    return _story("long_talk", SMALL_FILES, turns, turns, _read_mostly)


def flood(rounds: int = 50, chars: int = 60_000) -> Story:
    """Single turn with more output of every command than the model is shown."""
    calls = tuple((Step(Act.BUILD, word=f"step-{number}", chars=chars),) for number in range(rounds))
    return Story("flood", {}, (_exchange("flood", 0, calls),))


def experiment(rounds: int | None = None) -> Story:
    """Recorded sequence as a single turn; the first `rounds` rounds."""
    return Story("recorded", recorded.FILES, (_exchange("recorded", 0, recorded.rounds(rounds)),))


def whole() -> tuple[Story, ...]:
    """All workloads at their sizes."""
    return repeat_reader(), big_outputs(), chatty(), small_talk(), experiment(), flood()


def small() -> tuple[Story, ...]:
    """Same workloads in small sizes, only for a check of the code."""
    return repeat_reader(8, 24), big_outputs(4, 12), chatty(8, 2), small_talk(8), experiment(16), flood(8)


def _story(name: str, files: Mapping[str, int], turns: int, calls: int, pick: Pick) -> Story:
    """Story of `turns` turns with `calls` calls in all, scattered over the turns, mostly one call a round."""
    chance = Chance(name)
    counts = [calls // turns] * turns if calls > 2 * turns else [0] * turns
    while sum(counts) < calls:
        counts[chance.randrange(turns)] += 1
    if calls > 2 * turns:  # turns are not all alike
        for _ in range(turns):
            giver, taker = chance.randrange(turns), chance.randrange(turns)
            if counts[giver] > 1:
                counts[giver] -= 1
                counts[taker] += 1
    paths = tuple(files)
    exchanges = []
    for number, count in enumerate(counts):
        steps = [pick(chance, paths) for _ in range(count)]
        exchanges.append(_exchange(name, number, _rounds(chance, steps)))
    return Story(name, files, tuple(exchanges))


def _rounds(chance: Chance, steps: list[Step]) -> tuple[tuple[Step, ...], ...]:
    rounds: list[tuple[Step, ...]] = []
    while steps:
        size = 2 if chance.random() < 0.1 else 1
        rounds.append(tuple(steps[:size]))
        del steps[:size]
    return tuple(rounds)


def _exchange(name: str, number: int, rounds: tuple[tuple[Step, ...], ...]) -> Exchange:
    chance = Chance(f"{name}/{number}")
    prompt = sentences(f"{name}/prompt/{number}", chance.randint(150, 400))
    answer = sentences(f"{name}/answer/{number}", chance.randint(300, 900))
    return Exchange(
        block=block(f"{name}/block/{number}"),
        prompt=f"{prompt} ({number + 1})",
        rounds=rounds,
        answer=f"{answer} ({number + 1})",
    )


def _read_mostly(chance: Chance, paths: Sequence[str]) -> Step:
    at, path = chance.random(), chance.choice(paths)
    if at < 0.76:
        return Step(Act.PRINT, path)
    if at < 0.86:
        return Step(Act.EDIT, path)
    if at < 0.96:
        return Step(Act.SEARCH, path, word="settle")
    return Step(Act.LIST, "src")


def _search_mostly(chance: Chance, paths: Sequence[str]) -> Step:
    if chance.random() < 0.5:
        return Step(Act.SEARCH, chance.choice(paths), word="settle")
    return Step(Act.LIST, "src")


def _build_mostly(chance: Chance, paths: Sequence[str]) -> Step:
    at, path = chance.random(), chance.choice(paths)
    if at < 0.55:
        return Step(Act.BUILD, word="all", chars=chance.choice((20_000, 35_000, 48_000, 70_000)))
    if at < 0.75:
        return Step(Act.PRINT, path)
    return Step(Act.EDIT, path) if at < 0.85 else Step(Act.SEARCH, path, word="settle")
