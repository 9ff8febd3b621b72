"""chromadb's nearest 50, measured by a Python of its own in which it is installed.

Runs as a script: one JSON argument with `folder`, `rows`, `dims`, `queries` (a file of float32) and `nearest`; prints
`lists`, `took_ms` and `resident_mb` as JSON. Without `queries` it only fills the collection and prints `made_s`: memory
left by filling is not needed for answering.
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
    """Fill the collection, or ask."""
    import chromadb  # type: ignore[import-not-found]  # installed in the environment that runs this, not in ours

    arguments = json.loads(sys.argv[1])
    client = chromadb.PersistentClient(str(Path(arguments["folder"]) / "chromadb"))
    collection = client.get_or_create_collection("turns", metadata={"hnsw:space": "cosine", "hnsw:num_threads": 1})
    figures = asked(collection, arguments) if "queries" in arguments else filled(collection, arguments)
    sys.stdout.write(json.dumps(figures))


def filled(collection: Any, arguments: dict[str, Any]) -> dict[str, Any]:
    """Add the rows that are not there yet."""
    rows, dims = arguments["rows"], arguments["dims"]
    vectors = np.memmap(Path(arguments["folder"]) / "vectors.f32", np.float32, "r", shape=(rows, dims))
    begin = time.perf_counter()
    for first in range(collection.count(), rows, BATCH):
        part = np.asarray(vectors[first : first + BATCH])
        collection.add(ids=[str(first + place + 1) for place in range(len(part))], embeddings=part)
    return {"made_s": time.perf_counter() - begin}


def asked(collection: Any, arguments: dict[str, Any]) -> dict[str, Any]:
    """Ask every question, one at a time."""
    queries = np.fromfile(arguments["queries"], np.float32).reshape(-1, arguments["dims"])
    lists, took = [], []
    for query in queries:
        begin = time.perf_counter()
        answer = collection.query(query_embeddings=query[None], n_results=min(arguments["nearest"], arguments["rows"]))
        took.append((time.perf_counter() - begin) * 1000.0)
        lists.append([int(name) for name in answer["ids"][0]])
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return {"lists": lists, "took_ms": took, "resident_mb": pages * os.sysconf("SC_PAGE_SIZE") / 1e6}


if __name__ == "__main__":
    main()
