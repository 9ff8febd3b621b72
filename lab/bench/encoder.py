"""Encoder benchmark: the local model compiled beside numpy: CPU by tokens and texts, and how near the vectors are.

`python -m lab.bench.encoder FILE...` takes files of texts, one a line; each is embedded both ways.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

import numpy as np

from actors.embedder.encoder.plain import Floats
from actors.embedder.local import LocalModel

SIZES = ((8, 1), (20, 1), (20, 2), (20, 8), (64, 1), (64, 8), (256, 1), (256, 2))
"""Tokens of a text, and texts together."""
ROUNDS = 41
WORD = "word "
"""A token; two more mark a text's start and end."""


def main(files: Sequence[str], sizes: Sequence[tuple[int, int]] = SIZES, rounds: int = ROUNDS) -> None:
    """Print both tables."""
    models = LocalModel.load(may_compile=False), LocalModel.load()
    for line in speeds(*models, sizes, rounds):
        sys.stdout.write(line + "\n")
    texts = [line for file in files for line in Path(file).read_text(encoding="utf-8").splitlines() if line.strip()]
    if texts:
        cosines = nearness(models[0].embed(texts), models[1].embed(texts))
        sys.stdout.write(f"{len(texts)} texts: cosine {cosines.mean():.5f} in the mean, {cosines.min():.5f} at least\n")


def speeds(plain: LocalModel, fast: LocalModel, sizes: Sequence[tuple[int, int]], rounds: int) -> Iterator[str]:
    """A line for each size: this thread's CPU in milliseconds, with tokenising and pooling; median, and the least."""
    yield "tokens  texts  numpy ms   least  compiled ms   least  ratio"
    for tokens, count in sizes:
        texts = [WORD * (tokens - 2)] * count
        before, after = ([_seconds(model, texts) * 1000 for _ in range(rounds)] for model in (plain, fast))
        ratio = median(before) / median(after)
        figures = f"{median(before):8.2f}  {min(before):6.2f}  {median(after):11.2f}  {min(after):6.2f}  {ratio:5.1f}"
        yield f"{tokens:6}  {count:5}  {figures}"


def nearness(one: Floats, other: Floats) -> Floats:
    """Cosines of unit vectors, row by row."""
    cosines: Floats = np.sum(one * other, axis=1)
    return cosines


def _seconds(model: LocalModel, texts: Sequence[str]) -> float:
    begun = time.thread_time()
    model.embed(texts)
    return time.thread_time() - begun


if __name__ == "__main__":
    main(sys.argv[1:])
