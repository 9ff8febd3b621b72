"""The index made anew from logs: how much processor time it takes, embedding aside."""

from __future__ import annotations

import random
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

from actors.context.log.file import WindowLog
from actors.memory.store import MemoryPlan, Store
from domain.log.event import event
from lab.bench.measure import Stopwatch
from messages.base import Surface, Window

WINDOWS = 20
DIMS = 768
_VOCABULARY = 20_000
_WORDS = (10, 60)
_SEED = 5
_BEGAN = datetime(2026, 1, 5, tzinfo=UTC)
_EVERY = timedelta(minutes=20)
_READY = "ready"


def rebuild(folder: Path, events: int) -> dict[str, float]:
    """Write logs of `events` turns below `folder` unless they are there, then fill an empty index from them.

    Raises:
        ValueError: the index does not have as many turns as the logs.
    """
    root = folder / f"logs-{events}"
    if not (root / _READY).exists():
        _write(root, events)
    now = _BEGAN + _EVERY * events
    shutil.rmtree(root / "memory", ignore_errors=True)
    store = Store.open(MemoryPlan(root, "bench", DIMS, "hybrid", "global"), now)
    watch = Stopwatch()
    for _ in store.reconcile(now):
        pass
    took = watch.read()
    stored = store.total
    store.close()
    if stored != events:
        raise ValueError(f"{stored} turns in the index, {events} in the logs")
    return {"rebuild_events": events, "rebuild_cpu_s": took.cpu_s, "rebuild_wall_s": took.wall_s}


def _write(root: Path, events: int) -> None:
    shutil.rmtree(root, ignore_errors=True)
    dice = random.Random(_SEED)
    words = [f"word{number}" for number in range(_VOCABULARY)]
    for place in range(WINDOWS):
        window = Window(surface=Surface.DISCORD_THREAD, id=str(910_000_000_000_000_000 + place))
        log = WindowLog.create(root, window, _BEGAN, "bench")
        for number in range(place, events, WINDOWS):
            text = " ".join(dice.choices(words, k=dice.randint(*_WORDS)))
            meta = {"author": "Ada", "message_id": str(10**18 + number), "audience": "1:2:everyone"}
            log.append(event(f"e{number}", _BEGAN + _EVERY * number, "user", text, meta))
        log.close()
    (root / _READY).touch()
