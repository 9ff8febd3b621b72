"""The set of one size on the disk: an index as the agent makes it, flat vectors for the oracle, a peer's table."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from actors.memory.index.database import SCHEMA
from actors.memory.index.index import Index
from actors.memory.store import MemoryPlan, Store
from domain.memory.remembered import USER, Remembered
from lab.bench.measure import Stopwatch
from lab.bench.memory import data
from messages.base import EventId, Surface, TurnId, Window

SPACE = "bench"
BATCH = 1000
"""Turns of a window in each transaction."""
FORM = 4
"""Version of the set's own files; the index's version stands beside, so no set of an earlier index is used."""
_NOW = datetime.fromtimestamp(data.NOW_S, UTC)
_WINDOWS = 50
_READY = "ready.json"
_VECTORS = "vectors.f32"
_TIMES = "times.f64"


class MemorySet:
    """`rows` turns below `folder`, created if missing."""

    def __init__(self, folder: Path, rows: int) -> None:
        self.folder = folder / f"memory-{rows}-{FORM}.{SCHEMA.version}"
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
        """The questions; drawn once, so the asking process has not read the vectors."""
        file = self.folder / f"asked-{count}.f32"
        if not file.exists():
            file.write_bytes(data.questions(self.vectors(), count).tobytes())
        return np.fromfile(file, np.float32).reshape(count, data.DIMS)

    def make(self, say: Callable[[str], object]) -> None:
        """Make the set, unless the set exists."""
        if (self.folder / _READY).exists():
            return
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        watched = Stopwatch()
        done = 0
        index, _ = Index.open(self.plan.path, _NOW)
        index.use_space(self.plan.space, self.plan.dimensions)
        with (self.folder / _VECTORS).open("wb") as flat, (self.folder / _TIMES).open("wb") as times_file:
            for block in _ahead(data.blocks(self.rows)):
                flat.write(block.vectors.tobytes())
                times_file.write(block.times.tobytes())
                for begin in range(0, len(block.texts), BATCH):
                    part = slice(begin, begin + BATCH)
                    _insert(index, block, part, done)
                    done += len(block.texts[part])
                rate = done / watched.read().wall_s
                say(f"making the memory: {done:,} of {self.rows:,} turns, {rate:,.0f} a second")
        index.close()
        say("making the codes of its vectors")
        Store.open(self.plan, _NOW).close()
        (self.folder / _READY).write_text(json.dumps({"rows": self.rows}))


def _ahead(blocks: Iterator[data.Block]) -> Iterator[data.Block]:
    """`blocks`, the next block drawn in a thread while the last is stored."""
    with ThreadPoolExecutor(1) as pool:
        following = pool.submit(next, blocks, None)
        while (block := following.result()) is not None:
            following = pool.submit(next, blocks, None)
            yield block


def _turns(block: data.Block, part: slice, first: int) -> tuple[Window, tuple[Remembered, ...]]:
    """Turns of one window, numbered from `first`."""
    window = Window(surface=Surface.DISCORD_CHANNEL, id=str(1000 + first // BATCH % _WINDOWS))
    return window, tuple(
        Remembered(
            path=f"logs/discord-channel/{window.id}/bench.md",
            line=number * 8 + 1,
            event_id=EventId(f"e{number}"),
            turn_id=TurnId(f"e{number}"),
            at=datetime.fromtimestamp(time, UTC),
            role=USER,
            author=f"user{number % 7}",
            text=text,
        )
        for number, (time, text) in enumerate(zip(block.times[part].tolist(), block.texts[part], strict=True), first)
    )


def _insert(index: Index, block: data.Block, part: slice, first: int) -> None:
    """Store turns and their vectors in two transactions, like the memory actor."""
    index.remember(*_turns(block, part, first))
    vectors = dict(zip(block.texts[part], block.vectors[part], strict=True))
    waiting = index.pending.due(_NOW, len(vectors))
    index.pending.store((one, vectors[one.text.rpartition(": ")[2]].tobytes()) for one in waiting)
