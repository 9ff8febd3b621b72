"""Speed of the layer: many windows' model calls at a steady rate, with it and without, from real files to messages."""

from __future__ import annotations

import itertools
import json
import os
import random
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from time import perf_counter

from actors.kernel import Actor, ActorSpec, ActorSystem, SystemClock, not_understood
from domain.turn.worded import AS_LOGGED, Worded
from lab.bench.campaign import median
from lab.bench.measure import Figures, Finish, Stopwatch, percentile, settle, silence_log
from lab.bench.objects.layer import BOUNDS, folder_of, specs, word_request
from lab.bench.objects.play import PLAIN, Asked, Plain, Play
from lab.bench.objects.work_folder import WorkFolder, printed
from lab.bench.objects.workloads import repeat_reader
from messages.base import Address, Message, RequestId, Surface, TurnId, Window
from messages.objects import objects_of
from messages.socket import Refused
from messages.turn import RequestWorded, WordRequest

KIND = "bench-window"
MODEL_S = (0.02, 0.1)
"""What a model takes to say what is to be done next; anything between, or all windows would come at the same time."""
LATE_S = 1.0
"""After so long the core goes on without a wording."""
SYNCS = 100
_COMPARED = ("cpu_ms", "p50_ms", "p95_ms", "p99_ms")


class Begin(Message, frozen=True, kw_only=True, gc=False):
    """The next turn."""


class Go(Message, frozen=True, kw_only=True, gc=False):
    """The model has said what is to be done next."""


@dataclass(slots=True)
class Tally:
    """What the windows have measured."""

    times_s: list[float] = field(default_factory=list)
    unworded: int = 0
    on_turn: Callable[[], object] = lambda: None
    """Called at the end of each turn."""


class BenchWindow(Actor):
    """Window that does what the core does before a model call, and then what the model has asked for."""

    def __init__(self, window: Window, play: Play, tally: Tally, *, asks: bool) -> None:
        super().__init__()
        self._window = window
        self._play = play
        self._tally = tally
        self._asks = asks
        self._chance = random.Random(window.id)
        self._calls: Iterator[TurnId] = play.model_calls()
        self._pending: TurnId | None = None
        """The turn of a model call that begins the next turn."""
        self._turn = TurnId("")
        self._asked = Asked(TurnId(""), (), TurnId(""))
        self._began = 0.0

    def handle(self, message: Begin | Go | RequestWorded | Refused) -> None:
        """One step at a time; a turn ends when the next one would begin."""
        match message:
            case Begin():
                turn = self._pending or self._next()
                self._turn, self._pending = turn, None
                self._think(turn)
            case Go():
                turn = self._next()
                if turn == self._turn:
                    self._think(turn)
                else:
                    self._pending = turn
                    self._tally.on_turn()
            case RequestWorded():
                self._call(Worded(dict(message.results), dict(message.notes)))
            case Refused():
                self._tally.unworded += 1
                self._call(AS_LOGGED)
            case _:
                not_understood(message)

    def _next(self) -> TurnId:
        """Do what the model has asked for; as commands run beside the agent, no other actor waits for that."""
        with self.blocking():
            return next(self._calls, TurnId(""))

    def _think(self, turn: TurnId) -> None:
        self._began = perf_counter()
        self._asked = self._play.ask(turn)
        if self._asks:
            self.tell(objects_of(self._window), self._question())
        else:
            self._call(AS_LOGGED)

    def _question(self) -> WordRequest:
        return word_request(self._asked, RequestId(self.new_id()), self.address, self._window)

    def _call(self, worded: Worded) -> None:
        self._play.messages(self._asked, worded)
        took_s = perf_counter() - self._began
        self._tally.times_s.append(took_s)
        self._tally.unworded += took_s > LATE_S
        self.after(self._chance.uniform(*MODEL_S), Go())


def window_of(number: int) -> Window:
    """One of the windows."""
    return Window(surface=Surface.DISCORD_THREAD, id=str(910_000_000_000_100_000 + number))


def run(root: Path, windows: int, turns: int, rate: float, *, layered: bool) -> Figures:
    """Figures of one system; the first half of each window's turns is not measured.

    Args:
        root: An empty folder.
        windows: How many.
        turns: Of each window.
        rate: Turns a second, of all windows together.
        layered: Whether the layer is there.
    """
    tally, now = Tally(), SystemClock().now
    story = repeat_reader(turns, turns * 9 // 2)
    bounds = BOUNDS if layered else PLAIN
    shown = cache(printed)  # all windows print the same, and what the shell makes of that is not looked at here
    plays = {
        window.address.key: Play(
            story, WorkFolder(folder_of(root, window), story, now(), shown), bounds, Plain().manage, now
        )
        for window in map(window_of, range(windows))
    }

    def build(key: str) -> BenchWindow:
        return BenchWindow(Window.from_key(key), plays[key], tally, asks=layered)

    system = ActorSystem()
    for spec in (ActorSpec(KIND, build), *(specs(root) if layered else ())):
        system.register(spec)
    system.start()
    try:
        _pace(system, windows, turns // 2, rate, tally)
        settle()
        tally.times_s.clear()
        watch = Stopwatch()
        _pace(system, windows, turns - turns // 2, rate, tally)
        cpu_s = watch.read().cpu_s
    finally:
        system.stop()
    times_ms = [1000 * each for each in tally.times_s]
    percentiles = {f"p{percent}_ms": percentile(times_ms, percent / 100) for percent in (50, 95, 99)}
    return {
        "model_calls": len(times_ms),
        "unworded": tally.unworded,
        "cpu_ms": 1000 * cpu_s / len(times_ms),
        "sync_p95_ms": 1000 * percentile(_syncs(root), 0.95),
        **percentiles,
    }


def _syncs(root: Path) -> list[float]:
    """Seconds that the disk takes to keep three pages, again and again: what no store can be faster than."""
    times: list[float] = []
    with (root / "sync").open("wb", buffering=0) as file:
        for _ in range(SYNCS):
            began = perf_counter()
            file.write(bytes(3 * 4096))
            os.fdatasync(file.fileno())
            times.append(perf_counter() - began)
    return times


def _pace(system: ActorSystem, windows: int, turns: int, rate: float, tally: Tally) -> None:
    """Let each window have so many turns, at a steady rate whatever they take; returns when all have ended."""
    finish, pause = Finish(windows * turns), threading.Event()
    tally.on_turn = finish.come
    began = perf_counter()
    for number in range(windows * turns):
        pause.wait(max(0.0, began + number / rate - perf_counter()))
        system.tell(Address(KIND, window_of(number % windows).address.key), Begin())
    finish.wait()


def compared(windows: int, turns: int, rate: float, rounds: int) -> Figures:
    """What the layer adds to a model call; the two systems in turn, the medians of the rounds.

    Args:
        windows: Of each system.
        turns: Of each window.
        rate: Turns a second.
        rounds: How often.
    """
    found: dict[bool, list[Figures]] = {False: [], True: []}
    for _, layered in itertools.product(range(rounds), (False, True)):
        with tempfile.TemporaryDirectory(prefix="agent-objects-") as root:
            found[layered].append(run(Path(root), windows, turns, rate, layered=layered))
    bare, layer = median(found[False]), median(found[True])
    return {
        "speed_windows": windows,
        "speed_turns_per_s": rate,
        "speed_model_calls": layer["model_calls"],
        "unworded": max(each["unworded"] for each in found[True]),
        "sync_p95_ms": layer["sync_p95_ms"],
        **{f"bare_{name}": bare[name] for name in _COMPARED},
        **{f"added_{name}": layer[name] - bare[name] for name in _COMPARED},
    }


def main() -> None:
    """Print the figures of the sizes in `argv[1]`, for `lab.bench.process`."""
    silence_log()
    sys.stdout.write(json.dumps(compared(**json.loads(sys.argv[1]))))
