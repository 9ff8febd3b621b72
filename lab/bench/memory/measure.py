"""One measurement of the memory in this process: its name and arguments come in, its figures go to stdout as JSON."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from actors.memory.codes.engine import FILE, EngineSpace, VectorEngine, is_compiled
from actors.memory.index import database
from actors.memory.index.index import Index
from actors.memory.index.vectors import IndexVectors
from actors.memory.search.search import MemoryQuery, Searcher
from actors.memory.store import Store
from domain.memory.injection import Budget
from lab.bench.measure import Stopwatch, percentile, settle, silence_log
from lab.bench.memory import data
from lab.bench.memory.oracle import nearest_lists
from lab.bench.memory.rebuild import rebuild
from lab.bench.memory.set import BATCH, MemorySet, batch, insert
from lab.bench.memory.sqlite_vec_peer import SqliteVec

FRESH = 4_000
"""Turns inserted while that is measured, twice; fewer in a small memory."""
RECALLS = 200
"""Most questions to the hybrid search."""
STREAMED = 256_000_000
"""Bytes read to see how fast that goes."""
MS = 1000.0
MEGA = 1_000_000
_NOW = datetime.fromtimestamp(data.NOW_S, UTC)


def main() -> None:
    """Measure what `argv[1]` names with the arguments in `argv[2]`."""
    name, arguments = sys.argv[1:]
    silence_log()
    known = json.loads(arguments)
    given = MemorySet(Path(known["folder"]), known["rows"])
    sys.stdout.write(json.dumps(MEASUREMENTS[name](given, known["queries"])))


def search(given: MemorySet, queries: int) -> dict[str, Any]:
    """Opening, nearest rows, memory, then the whole hybrid recall."""
    asked = given.queries(queries)
    watch = Stopwatch()
    index, source, engine = _opened(given)
    engine.top(asked[0], data.NEAREST)
    cold_start_s = watch.read().wall_s
    settle()
    found, took, fetched = [], [], []
    for query in asked:
        watch = Stopwatch()
        found.append(engine.top(query, data.NEAREST)[0].tolist())
        took.append(watch.read().wall_s * MS)
        fetched.append(engine.fetched)
    memory = resident()
    searcher = Searcher(index.connection, source, engine, "hybrid")
    hybrid = [_recall(searcher, given, vector, number) for number, vector in enumerate(asked[:RECALLS])]
    engine.close()
    index.close()
    return {
        "lists": found,
        **latency(took),
        **memory,
        "vectors_read": percentile(fetched, 0.5),
        "cold_start_s": cold_start_s,
        "hybrid": latency(hybrid),
        "compiled": is_compiled(),
        "machine_gb_per_s": machine_gb_per_s(),
    }


def machine_gb_per_s() -> float:
    """Gigabytes a second that one thread reads from memory: a lower bound for every search over codes."""
    numbers = np.ones(STREAMED // 8)
    took = []
    for _ in range(5):
        watch = Stopwatch()
        numbers.max()
        took.append(watch.read().wall_s)
    return STREAMED / min(took) / 1e9


def inserting(given: MemorySet, queries: int) -> dict[str, Any]:
    """Turns taken in for good, then searches between batches of them; the index is left as it was."""
    asked, fresh = given.queries(queries), min(FRESH, given.rows // BATCH * BATCH)
    store = Store.open(given.plan, _NOW)
    before = store.index.counts().vectors
    codes = {file: file.stat().st_size for file in given.plan.path.parent.glob(f"{FILE}*")}
    rng = np.random.default_rng(before)
    vectors = given.queries(fresh * 2)
    texts = [f"w{word} m{before + place}" for place, word in enumerate(rng.integers(0, 20_000, fresh * 2).tolist())]
    took: list[float] = []
    said = np.full(BATCH, data.NOW_S)
    parts = [slice(begin, begin + BATCH) for begin in range(0, fresh * 2, BATCH)]
    batches = [batch(vectors[part], said, texts[part], given.rows + part.start, f"fresh{before}") for part in parts]
    watch = Stopwatch()
    for one in batches[: len(batches) // 2]:
        insert(store, one)
    rate = fresh / watch.read().wall_s
    for number, one in enumerate(batches[len(batches) // 2 :]):
        insert(store, one)
        watch = Stopwatch()
        store.engine.top(asked[number % queries], data.NEAREST)
        took.append(watch.read().wall_s * MS)
    for path in {one.path for one in batches}:
        store.engine.remove(np.array(store.index.forget_file(path), np.int64))
    store.close()
    for file, size in codes.items():  # they are only appended to, and what is gone would be passed over for ever
        os.truncate(file, size)
    return {"inserts_per_s": rate, **latency(took)}


def oracle(given: MemorySet, queries: int) -> dict[str, Any]:
    """The rows that brute force gives."""
    rows = np.arange(1, given.rows + 1)
    asked, times, vectors = given.queries(queries), given.times(), given.vectors()
    index, source, engine = _opened(given)
    some = rows[:: max(1, given.rows // 100)]
    if not (np.array_equal(source.fetch(some), vectors[some - 1]) and (source.times(some) == times[some - 1]).all()):
        raise ValueError("the vectors in the index are not those of the oracle")
    engine.close()
    index.close()
    return {"lists": nearest_lists(vectors, rows, times, asked, data.NEAREST)}


def sqlite_vec(given: MemorySet, queries: int) -> dict[str, Any]:
    """The nearest rows of a vec0 table."""
    watch = Stopwatch()
    peer = SqliteVec(given.peer, given.vectors())
    made_s = watch.read().wall_s
    settle()
    found, took = [], []
    for query in given.queries(queries):
        watch = Stopwatch()
        found.append(peer.nearest(query, data.NEAREST))
        took.append(watch.read().wall_s * MS)
    peer.close()
    return {"lists": found, **latency(took), **resident(), "made_s": made_s}


MOST_REBUILT = 100_000
"""Turns that an index is made anew from."""
MEASUREMENTS: Mapping[str, Callable[[MemorySet, int], dict[str, Any]]] = {
    "search": search,
    "inserting": inserting,
    "oracle": oracle,
    "sqlite-vec": sqlite_vec,
    "rebuild": lambda given, _queries: rebuild(given.folder, min(given.rows, MOST_REBUILT)),
}


def latency(took_ms: list[float]) -> dict[str, float]:
    """Median and 95th percentile."""
    return {"p50_ms": percentile(took_ms, 0.5), "p95_ms": percentile(took_ms, 0.95)}


def resident() -> dict[str, float]:
    """Memory of this process now, at its peak, and how much of it are mapped files, in MB."""
    lines = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    kilobytes = {name: int(lines[name].split()[0]) for name in ("VmRSS", "VmHWM", "RssFile")}
    return {
        "resident_mb": kilobytes["VmRSS"] * 1024 / MEGA,
        "peak_mb": kilobytes["VmHWM"] * 1024 / MEGA,
        "of_it_files_mb": kilobytes["RssFile"] * 1024 / MEGA,
    }


def _opened(given: MemorySet) -> tuple[Index, IndexVectors, VectorEngine]:
    """The index without the checks of the agent's start, with its engine."""
    path = given.plan.path
    index = Index(database.open_for_reading(path, given.folder, is_live=True))
    index.find_space(given.plan.space, given.plan.dimensions)
    source = IndexVectors(index.connection, index.space, given.plan.dimensions)
    name = f"{given.plan.space}#{index.note_of('generation')}"
    return index, source, VectorEngine(EngineSpace(path.parent, name, given.plan.dimensions), source)


def _recall(searcher: Searcher, given: MemorySet, vector: NDArray[np.float32], number: int) -> float:
    """Milliseconds of the whole hybrid recall."""
    words = np.random.default_rng(number).zipf(1.2, 6) % 20_000
    text = f"what did they say of {' '.join(f'w{word}' for word in words.tolist())}?"
    question = MemoryQuery(
        text=text,
        vector=vector,
        mask=np.ones(given.rows + 1, np.bool_),
        total=given.rows,
        now=_NOW,
        count=data.COUNT,
    )
    watch = Stopwatch()
    searcher.find(question, Budget())
    return watch.read().wall_s * MS


if __name__ == "__main__":
    main()
