"""Pace of other windows beside a hostile model server, as a program: p95 of their answers with and without attacks.

`PYTHONPATH=. .venv/bin/python -P -m tests.e2e.hostile_pace --answers 200` prints both of each round, and the medians.
"""

from __future__ import annotations

import argparse
import itertools
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID
from tests.actors.model.hostile_answers import ATTACKS
from tests.e2e.hostile_models import models
from tests.e2e.stage import Process
from tests.patience import PATIENCE_S

WINDOWS = 4
"""Honest ones, asked one after the other, and as many that are attacked, all at a time."""
PEOPLE = 100
"""Authors of the questions, in turn, since a person may ask only so many."""
EVERY_S = 1.0
"""Between two questions to an attacked window: people ask less often, with or without attacks."""


@dataclass(frozen=True, slots=True)
class Round:
    """p95 of honest answers in the three parts of a round."""

    alone_s: float
    neighbour_s: float
    """Beside questions to another window that are answered honestly."""
    attacked_s: float
    """Beside as many that are answered by attacks."""
    attacks: Counter[str]
    """Attacks that came to their end."""

    @property
    def ratio(self) -> float:
        """Beside attacks, as a multiple of alone."""
        return self.attacked_s / self.alone_s

    @property
    def ratio_to_neighbour(self) -> float:
        """Beside attacks, as a multiple of beside honest answers."""
        return self.attacked_s / self.neighbour_s


def measure(folder: Path, answers: int, rounds: int, attacks: Sequence[str] = tuple(ATTACKS)) -> list[Round]:
    """Rounds with an agent in a process of its own.

    Args:
        folder: For its data.
        answers: Number of honest answers in each part of a round.
        rounds: Number of rounds, since a machine's speed drifts.
        attacks: Names of these, in turn.
    """
    with PlaygroundServer() as server, models() as address:
        agent = Process(server, folder / "data", model="openai/hostile", api_base=address, more="retries = 0\n")
        agent.start()
        try:
            windows = _Windows(server)
            names = itertools.cycle(attacks)
            return [windows.play_round(answers, names) for _ in range(rounds)]
        finally:
            agent.terminate()


def middle(rounds: Sequence[Round], value: Callable[[Round], float]) -> float:
    """Median over rounds."""
    return median(map(value, rounds))


class _Windows:
    def __init__(self, server: PlaygroundServer) -> None:
        self._server = server
        self._honest = itertools.cycle([server.create_thread(GENERAL_ID, f"honest {each}") for each in range(WINDOWS)])
        self._attacked = [server.create_thread(GENERAL_ID, f"attacked {each}") for each in range(WINDOWS)]
        self._people = itertools.cycle([server.add_user(f"person {each}") for each in range(PEOPLE)])
        for window in (*itertools.islice(self._honest, WINDOWS), *self._attacked):
            self._ask(window, "warm up")

    def play_round(self, answers: int, attacks: Iterator[str]) -> Round:
        alone_s = self._p95(answers)
        neighbour_s, _ = self._p95_beside(answers, itertools.repeat("honest"))
        attacked_s, done = self._p95_beside(answers, attacks)
        return Round(alone_s, neighbour_s, attacked_s, done)

    def _p95_beside(self, answers: int, names: Iterator[str]) -> tuple[float, Counter[str]]:
        """p95 beside questions to the attacked windows, and what these asked for."""
        is_over, done, began = threading.Event(), list[str](), time.monotonic()

        def ask(number: int) -> None:
            due = began + EVERY_S * number / WINDOWS
            while not is_over.wait(due - time.monotonic()):
                due = max(due, time.monotonic()) + EVERY_S
                name = next(names)
                self._ask(self._attacked[number], f"attack: {name}")
                done.append(name)

        with ThreadPoolExecutor(WINDOWS) as pool:
            asking = [pool.submit(ask, number) for number in range(WINDOWS)]
            p95_s = self._p95(answers)
            is_over.set()
        for each in asking:
            each.result()
        return p95_s, Counter(done)

    def _p95(self, answers: int) -> float:
        times = sorted(self._ask(next(self._honest), f"honest {each}") for each in range(answers))
        return times[min(answers - 1, int(answers * 0.95))]

    def _ask(self, window: int, text: str) -> float:
        """Seconds until the first answer."""
        began = time.monotonic()
        said = self._server.say(window, text, user=next(self._people))
        self._server.wait_for_reply(window, after=said, timeout_s=PATIENCE_S)
        return time.monotonic() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=200, help="answers in each part of a round (20 to 2,000)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds (1 to 100)")
    parser.add_argument("--attack", choices=ATTACKS, help="this one alone")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        attacks = [given.attack] if given.attack else tuple(ATTACKS)
        rounds = measure(Path(folder), min(2_000, max(20, given.answers)), min(100, max(1, given.rounds)), attacks)
    for each in rounds:
        told = ", ".join(f"{name} {count}" for name, count in each.attacks.items())
        print(_line(each.alone_s, each.neighbour_s, each.attacked_s), f"({told})")  # noqa: T201
    parts = (lambda each: each.alone_s, lambda each: each.neighbour_s, lambda each: each.attacked_s)
    print("medians:", _line(*(middle(rounds, part) for part in parts)))  # noqa: T201
    print(  # noqa: T201
        f"ratios: {middle(rounds, lambda each: each.ratio):.2f} of alone,"
        f" {middle(rounds, lambda each: each.ratio_to_neighbour):.2f} of beside honest answers"
    )


def _line(alone_s: float, neighbour_s: float, attacked_s: float) -> str:
    alone, neighbour, attacked = (f"{each * 1000:.0f} ms" for each in (alone_s, neighbour_s, attacked_s))
    return f"p95 alone {alone}, beside honest answers {neighbour}, beside attacks {attacked}"


if __name__ == "__main__":
    main()
