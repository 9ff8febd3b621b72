"""One measurement of the memory in this process: reads name and arguments, prints figures to stdout as JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from actors.memory.codes.engine import EngineSpace, VectorEngine
from actors.memory.index import database
from actors.memory.index.index import Index
from actors.memory.index.vectors import IndexVectors
from lab.bench.measure import Stopwatch, percentile, rss_bytes, settle, silence_log
from lab.bench.memory import data
from lab.bench.memory.oracle import nearest_lists
from lab.bench.memory.set import MemorySet
from lab.bench.memory.sqlite_vec_peer import SqliteVec

Query = NDArray[np.float32]


def main() -> None:
    """Measure the case named by `argv[1]` with the arguments in `argv[2]`."""
    name, arguments = sys.argv[1:]
    silence_log()
    known = json.loads(arguments)
    memory_set = MemorySet(Path(known["folder"]), known["rows"])
    sys.stdout.write(json.dumps(MEASUREMENTS[name](memory_set, known["queries"])))


def search(memory_set: MemorySet, queries: int) -> dict[str, Any]:
    """Nearest rows of the project's index."""
    index, _, engine = _open_index(memory_set)
    engine.top(memory_set.queries(queries)[0], data.NEAREST)
    figures = _time_queries(memory_set.queries(queries), lambda query: engine.top(query, data.NEAREST)[0].tolist())
    engine.close()
    index.close()
    return figures


def sqlite_vec(memory_set: MemorySet, queries: int) -> dict[str, Any]:
    """The nearest rows of a vec0 table."""
    peer = SqliteVec(memory_set.peer, memory_set.vectors())
    figures = _time_queries(memory_set.queries(queries), lambda query: peer.nearest(query, data.NEAREST))
    peer.close()
    return figures


def oracle(memory_set: MemorySet, queries: int) -> dict[str, Any]:
    """The rows found by brute force."""
    rows = np.arange(1, memory_set.rows + 1)
    query_vectors, times, vectors = memory_set.queries(queries), memory_set.times(), memory_set.vectors()
    index, source, engine = _open_index(memory_set)
    some = rows[:: max(1, memory_set.rows // 100)]
    if not (np.array_equal(source.fetch(some), vectors[some - 1]) and (source.times(some) == times[some - 1]).all()):
        raise ValueError("the vectors in the index are not those of the oracle")
    engine.close()
    index.close()
    return {"lists": nearest_lists(vectors, rows, times, query_vectors, data.NEAREST)}


MEASUREMENTS: Mapping[str, Callable[[MemorySet, int], dict[str, Any]]] = {
    "search": search,
    "oracle": oracle,
    "sqlite-vec": sqlite_vec,
}


def _time_queries(queries: Query, find: Callable[[Query], Sequence[int]]) -> dict[str, Any]:
    """Lists of all queries, the time and the CPU of each, and the resident memory in the end."""
    settle()
    lists, took, used = [], [], []
    for query in queries:
        watch = Stopwatch()
        lists.append(find(query))
        elapsed = watch.read()
        took.append(elapsed.wall_s * 1000)
        used.append(elapsed.cpu_s * 1000)
    return {
        "lists": lists,
        "p50_ms": percentile(took, 0.5),
        "p95_ms": percentile(took, 0.95),
        "cpu_p50_ms": percentile(used, 0.5),
        "cpu_p95_ms": percentile(used, 0.95),
        "resident_mb": rss_bytes() / 1e6,
    }


def _open_index(memory_set: MemorySet) -> tuple[Index, IndexVectors, VectorEngine]:
    """The index without the checks of the agent's start, with the index's engine."""
    path = memory_set.plan.path
    index = Index(database.open_for_reading(path, memory_set.folder, is_live=True))
    index.find_space(memory_set.plan.space, memory_set.plan.dimensions)
    source = IndexVectors(index.connection, index.space, memory_set.plan.dimensions)
    name = f"{memory_set.plan.space}#{index.note_of('generation')}"
    return index, source, VectorEngine(EngineSpace(path.parent, name, memory_set.plan.dimensions), source)
