"""The set of one size on the disk: an index as the agent makes it, its vectors flat for the oracle, a peer's table."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from actors.memory.store import MemoryPlan, Store
from domain.memory.remembered import USER, Remembered
from lab.bench.measure import Stopwatch
from lab.bench.memory import data
from messages.base import EventId, Surface, TurnId, Window

SPACE = "bench"
BATCH = 100
"""Turns in one transaction, as when a backlog is worked off."""
VERSION = 3
_WINDOWS = 50
_READY = "ready.json"
_VECTORS = "vectors.f32"
_TIMES = "times.f64"

Watch = Callable[[str], None]
"""Is told what goes on."""


class MemorySet:
    """`rows` turns below `folder`, made when they are not there yet."""

    def __init__(self, folder: Path, rows: int) -> None:
        self.folder = folder / f"memory-{rows}-{VERSION}"
        self.rows = rows

    @property
    def plan(self) -> MemoryPlan:
        """Plan with which the agent opens the set."""
        return MemoryPlan(self.folder / "data", SPACE, data.DIMS, "hybrid", "global")

    @property
    def peer(self) -> Path:
        """Path of the peer's table."""
        return self.folder / "sqlite-vec.db"

    def vectors(self) -> NDArray[np.float32]:
        """All vectors, mapped."""
        return np.memmap(self.folder / _VECTORS, np.float32, "r", shape=(self.rows, data.DIMS))

    def times(self) -> NDArray[np.float64]:
        """When each was said."""
        return np.fromfile(self.folder / _TIMES, np.float64)

    def queries(self, count: int) -> NDArray[np.float32]:
        """The questions; drawn once, so that who asks them has not read the vectors."""
        file = self.questions_file(count)
        if not file.exists():
            file.write_bytes(data.questions(self.vectors(), count).tobytes())
        return np.fromfile(file, np.float32).reshape(count, data.DIMS)

    def questions_file(self, count: int) -> Path:
        """File of the questions."""
        return self.folder / f"asked-{count}.f32"

    def is_ready(self) -> bool:
        """True if the set is complete."""
        return (self.folder / _READY).exists()

    def make(self, watch: Watch) -> None:
        """Make the set, unless it exists."""
        if self.is_ready():
            return
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        now = datetime.fromtimestamp(data.NOW_S, UTC)
        store = Store.open(self.plan, now)
        watched = Stopwatch()
        done = 0
        with (self.folder / _VECTORS).open("wb") as flat, (self.folder / _TIMES).open("wb") as said:
            for block in data.blocks(self.rows):
                flat.write(block.vectors.tobytes())
                said.write(block.times.tobytes())
                for begin in range(0, len(block.texts), BATCH):
                    part = slice(begin, begin + BATCH)
                    insert(store, batch(block.vectors[part], block.times[part], block.texts[part], done))
                    done += len(block.texts[part])
                rate = done / watched.read().wall_s
                watch(f"making the memory: {done:,} of {self.rows:,} turns, {rate:,.0f} a second")
        store.close()
        (self.folder / _READY).write_text(json.dumps({"rows": self.rows}))


@dataclass(frozen=True, slots=True)
class Batch:
    """Turns of one window, and each one's vector by its text."""

    window: Window
    turns: tuple[Remembered, ...]
    vectors: Mapping[str, bytes]

    @property
    def path(self) -> str:
        """The log they come from."""
        return self.turns[0].path


def batch(
    vectors: NDArray[np.float32],
    times: NDArray[np.float64],
    texts: Sequence[str],
    first: int,
    name: str = "bench",
) -> Batch:
    """Turns number `first` and so on."""
    window = Window(surface=Surface.DISCORD_CHANNEL, id=str(1000 + first // BATCH % _WINDOWS))
    turns = (
        Remembered(
            path=f"logs/discord-channel/{window.id}/{name}.md",
            line=(first + place) * 8 + 1,
            event_id=EventId(f"e{first + place}"),
            turn_id=TurnId(f"e{first + place}"),
            at=datetime.fromtimestamp(time, UTC),
            role=USER,
            author=f"user{(first + place) % 7}",
            text=text,
        )
        for place, (time, text) in enumerate(zip(times.tolist(), texts, strict=True))
    )
    return Batch(window, tuple(turns), {text: vector.tobytes() for text, vector in zip(texts, vectors, strict=True)})


def insert(store: Store, given: Batch) -> None:
    """Store turns and their vectors in two transactions, as the memory actor does it."""
    store.remember(given.window, given.turns)
    waiting = store.index.pending.due(datetime.fromtimestamp(data.NOW_S, UTC), len(given.turns))
    store.store_vectors([(one, given.vectors[one.text.rpartition(": ")[2]]) for one in waiting])
