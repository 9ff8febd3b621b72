"""chromadb's nearest 50, measured by a Python of its own in which it is installed; ranked by who asked.

Runs as a script: one JSON argument with `folder`, `rows`, `dims`, `queries` (files of float32) and `nearest`; prints
`lists`, `took_ms`, `resident_mb` and `made_s` as JSON.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

BATCH = 2_000


def main() -> None:
    """Fill a collection when it is not there, then ask."""
    import chromadb  # type: ignore[import-not-found]  # installed in the environment that runs this, not in ours

    given = json.loads(sys.argv[1])
    folder, rows, dims = Path(given["folder"]), given["rows"], given["dims"]
    vectors = np.memmap(folder / "vectors.f32", np.float32, "r", shape=(rows, dims))
    queries = np.fromfile(given["queries"], np.float32).reshape(-1, dims)
    client = chromadb.PersistentClient(str(folder / "chromadb"))
    begin = time.perf_counter()
    collection = client.get_or_create_collection("turns", metadata={"hnsw:space": "cosine", "hnsw:num_threads": 1})
    for first in range(collection.count(), rows, BATCH):
        part = np.asarray(vectors[first : first + BATCH])
        collection.add(ids=[str(first + place + 1) for place in range(len(part))], embeddings=part)
    made_s = time.perf_counter() - begin
    lists, took = [], []
    for query in queries:
        begin = time.perf_counter()
        found: Any = collection.query(query_embeddings=query[None], n_results=min(given["nearest"], rows))
        took.append((time.perf_counter() - begin) * 1000.0)
        lists.append([int(name) for name in found["ids"][0]])
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    figures = {
        "lists": lists,
        "took_ms": took,
        "resident_mb": pages * os.sysconf("SC_PAGE_SIZE") / 1e6,
        "made_s": made_s,
    }
    sys.stdout.write(json.dumps(figures))


if __name__ == "__main__":
    main()
