"""Encoder benchmark beside llama.cpp: the same model, CPU and memory of both, each in a process of its own.

`python -m lab.bench.encoder_engine` prints both; the engine gets the model as a file in GGUF, in eight bits.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from safetensors.numpy import load_file

from actors.embedder.local import LocalModel, model_folder
from lab.bench.encoder import WORD
from lab.bench.encoder_gguf import Floats, tokenizer_in, write_gguf
from lab.bench.measure import rss_bytes
from lab.bench.process import measure

SIZES = ((8, 1), (20, 1), (20, 8), (64, 1), (256, 1))
"""Tokens of a text, and texts together."""
ROUNDS = 21
COMPILED, ENGINE = "compiled", "llama.cpp"
_TEXTS = (
    "The ferry of the harbour leaves on Tuesdays at six, from the quay in the north.",
    "My crane at the harbour of Ostend is called Berta!",
    "Wie spät ist es in Köln? naïve café, 東京",
)
Embed = Callable[[Sequence[str]], Floats]


def compare(sizes: Sequence[tuple[int, int]] = SIZES, rounds: int = ROUNDS) -> dict[str, dict[str, Any]]:
    """System -> CPU in milliseconds by size, MiB of memory beyond Python's, and cosines with the compiled encoder.

    Raises:
        MeasurementError: a process did not give its figures.
    """
    folder = model_folder()
    with tempfile.TemporaryDirectory(prefix="agent-encoder-") as name:
        file = Path(name) / "model.gguf"
        write_gguf(file, load_file(folder / "model.safetensors"), tokenizer_in(folder))
        options = {"sizes": sizes, "rounds": rounds, "file": str(file)}
        return {system: measure("lab.bench.encoder_engine", options, system) for system in (COMPILED, ENGINE)}


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the figures of one system as JSON, or without arguments the figures of both."""
    words = sys.argv[1:] if arguments is None else arguments
    if words:
        sys.stdout.write(json.dumps(figures_of(words[0], **json.loads(words[1]))) + "\n")
        return
    for name, figures in compare().items():
        spent = ", ".join(f"{size}: {ms:.2f} ms" for size, ms in figures["cpu_ms"].items())
        sys.stdout.write(f"{name}: {spent}; {figures['mib']:.0f} MiB; cosine {figures['cosine']:.4f} at least\n")


def figures_of(name: str, sizes: Sequence[tuple[int, int]], rounds: int, file: str) -> dict[str, Any]:
    """Figures of one system, measured in this process.

    Args:
        name: `COMPILED` or `ENGINE`.
        sizes: Tokens of a text, and texts together.
        rounds: Repetitions of each size.
        file: The model for the engine.
    """
    before = rss_bytes()
    embed = _load_compiled() if name == COMPILED else _load_engine(file)
    spent = {f"{tokens} x {count}": _median_ms(embed, [WORD * (tokens - 2)] * count, rounds) for tokens, count in sizes}
    mib = (rss_bytes() - before) / 2**20
    cosines = np.sum(embed(_TEXTS) * _load_compiled()(_TEXTS), axis=1)
    return {"cpu_ms": spent, "mib": mib, "cosine": float(cosines.min())}


def _median_ms(embed: Embed, texts: Sequence[str], rounds: int) -> float:
    """CPU of all threads of this process."""
    spent = []
    for _ in range(rounds):
        begun = time.process_time()
        embed(texts)
        spent.append((time.process_time() - begun) * 1000)
    return median(spent)


def _load_compiled() -> Embed:
    return LocalModel.load().embed


def _load_engine(file: str) -> Embed:
    """The engine in this process, with one computing thread."""
    import xllamacpp  # type: ignore[import-untyped]

    parameters = xllamacpp.CommonParams()
    parameters.model.path = file
    parameters.hostnames, parameters.port = ["127.0.0.1"], 0
    parameters.embedding, parameters.verbosity = True, 0
    parameters.ui = parameters.warmup = False
    parameters.n_ctx = parameters.n_batch = parameters.n_ubatch = 512
    parameters.n_parallel = parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(parameters)

    def embed(texts: Sequence[str]) -> Floats:
        answer = server.handle_embeddings({"input": list(texts)})
        vectors: Floats = np.array([row["embedding"] for row in answer["data"]], np.float32)
        return vectors

    return embed


if __name__ == "__main__":
    main()
