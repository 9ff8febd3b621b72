"""One measurement of the memory in this process: its name and arguments come in, its figures go to stdout as JSON."""

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
    """Measure what `argv[1]` names with the arguments in `argv[2]`."""
    name, arguments = sys.argv[1:]
    silence_log()
    known = json.loads(arguments)
    given = MemorySet(Path(known["folder"]), known["rows"])
    sys.stdout.write(json.dumps(MEASUREMENTS[name](given, known["queries"])))


def search(given: MemorySet, queries: int) -> dict[str, Any]:
    """Nearest rows of the project's index."""
    index, _, engine = _open_index(given)
    engine.top(given.queries(queries)[0], data.NEAREST)
    figures = _time_queries(given.queries(queries), lambda query: engine.top(query, data.NEAREST)[0].tolist())
    engine.close()
    index.close()
    return figures


def sqlite_vec(given: MemorySet, queries: int) -> dict[str, Any]:
    """The nearest rows of a vec0 table."""
    peer = SqliteVec(given.peer, given.vectors())
    figures = _time_queries(given.queries(queries), lambda query: peer.nearest(query, data.NEAREST))
    peer.close()
    return figures


def oracle(given: MemorySet, queries: int) -> dict[str, Any]:
    """The rows that brute force gives."""
    rows = np.arange(1, given.rows + 1)
    asked, times, vectors = given.queries(queries), given.times(), given.vectors()
    index, source, engine = _open_index(given)
    some = rows[:: max(1, given.rows // 100)]
    if not (np.array_equal(source.fetch(some), vectors[some - 1]) and (source.times(some) == times[some - 1]).all()):
        raise ValueError("the vectors in the index are not those of the oracle")
    engine.close()
    index.close()
    return {"lists": nearest_lists(vectors, rows, times, asked, data.NEAREST)}


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


def _open_index(given: MemorySet) -> tuple[Index, IndexVectors, VectorEngine]:
    """The index without the checks of the agent's start, with its engine."""
    path = given.plan.path
    index = Index(database.open_for_reading(path, given.folder, is_live=True))
    index.find_space(given.plan.space, given.plan.dimensions)
    source = IndexVectors(index.connection, index.space, given.plan.dimensions)
    name = f"{given.plan.space}#{index.note_of('generation')}"
    return index, source, VectorEngine(EngineSpace(path.parent, name, given.plan.dimensions), source)
