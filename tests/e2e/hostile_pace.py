"""Pace of other windows beside a hostile model server, as a program: p95 of their answers with and without attacks.

`PYTHONPATH=. .venv/bin/python -P -m tests.e2e.hostile_pace --answers 200` prints both, and their ratio.
"""

from __future__ import annotations

import argparse
import itertools
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from domain.offline.model import prompt_of
from lab.load.remote import Remote
from lab.loopback_model.answers import Behaviour, Received
from lab.loopback_model.server import LoopbackModel, echo
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID
from tests.actors.model.hostile_answers import ATTACKS
from tests.e2e.stage import Process
from tests.patience import PATIENCE_S

WINDOWS = 4
PEOPLE = 100
"""Who ask in turn, since one person may ask only so many questions."""
ROUNDS = 4
"""Half of them beside attacks, by turns, since a machine's speed drifts."""


@dataclass(frozen=True, slots=True)
class Pace:
    """Result of a measurement."""

    quiet_s: float
    """p95 without attacks."""
    attacked_s: float
    attacks: int
    """Attacks that were answered meanwhile."""

    @property
    def ratio(self) -> float:
        """Times the p95 without attacks."""
        return self.attacked_s / self.quiet_s


def behave(request: Received) -> Behaviour:
    """The attack that the last message of a person names, else an honest answer."""
    said = [str(each["content"]) for each in request.body["messages"] if each["role"] == "user"]
    name = prompt_of(said[-1]).removeprefix("attack: ").strip()
    return ATTACKS[name].behave(request) if name in ATTACKS else echo(request)


class _Place:
    """A hostile model in a process of its own."""

    def __init__(self, model: LoopbackModel) -> None:
        self._model = model

    def address(self) -> str:
        return self._model.api_base


@contextmanager
def hostile_model() -> Iterator[_Place]:
    """A hostile model, for `Remote`."""
    with LoopbackModel(behave, kept_requests=0) as model:
        yield _Place(model)


def measure(folder: Path, answers: int) -> Pace:
    """The pace of an agent in a process of its own.

    Args:
        folder: For its data.
        answers: Number of answers with and without attacks, each.
    """
    server = PlaygroundServer()
    server.start()
    try:
        with Remote("hostile-model", hostile_model) as model:
            address = str(model.call("address"))
            agent = Process(server, folder / "data", model="openai/hostile", api_base=address, more="retries = 0\n")
            agent.start()
            try:
                return _measure(server, answers)
            finally:
                agent.terminate()
    finally:
        server.stop()


def _measure(server: PlaygroundServer, answers: int) -> Pace:
    windows = itertools.cycle([server.create_thread(GENERAL_ID, f"quiet {number}") for number in range(WINDOWS)])
    attacked = server.create_thread(GENERAL_ID, "attacked")
    names = itertools.cycle(ATTACKS)
    people = itertools.cycle([server.add_user(f"person {number}") for number in range(PEOPLE)])
    times: dict[bool, list[float]] = {False: [], True: []}
    count = 0
    for _ in range(WINDOWS):
        _ask(server, next(windows), "warm up", next(people))
    for number in range(ROUNDS):
        is_attacked = number % 2 == 1
        is_over = threading.Event()
        done = list[str]()

        def attack(done: list[str] = done, is_over: threading.Event = is_over) -> None:
            while not is_over.is_set():
                name = next(names)
                _ask(server, attacked, f"attack: {name}", next(people))
                done.append(name)

        attacker = threading.Thread(target=attack, daemon=True)
        if is_attacked:
            attacker.start()
        times[is_attacked] += [
            _ask(server, next(windows), f"honest {each}", next(people)) for each in range(answers // (ROUNDS // 2))
        ]
        is_over.set()
        if is_attacked:
            attacker.join(PATIENCE_S)
        count += len(done)
    return Pace(_p95(times[False]), _p95(times[True]), count)


def _ask(server: PlaygroundServer, window: int, text: str, person: int) -> float:
    """Seconds until the first answer."""
    began = time.monotonic()
    said = server.say(window, text, user=person)
    server.wait_for_reply(window, after=said, timeout_s=PATIENCE_S)
    return time.monotonic() - began


def _p95(times: list[float]) -> float:
    return sorted(times)[min(len(times) - 1, int(len(times) * 0.95))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=100, help="answers with and without attacks, each (8 to 2,000)")
    answers = min(2_000, max(8, parser.parse_args().answers))
    with tempfile.TemporaryDirectory() as folder:
        pace = measure(Path(folder), answers)
    print(f"others' p95 without attacks: {pace.quiet_s * 1000:.0f} ms")  # noqa: T201
    print(f"others' p95 beside {pace.attacks} attacks: {pace.attacked_s * 1000:.0f} ms, {pace.ratio:.2f} times")  # noqa: T201


if __name__ == "__main__":
    main()
