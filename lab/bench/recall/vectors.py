"""Cache of the local model's vectors: each is made once and kept in a folder between runs."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

log = logging.getLogger(__name__)

BATCH = 64
"""Texts between two reports of progress."""

Floats = NDArray[np.float32]


class Model(Protocol):
    """Encoder of texts as vectors, such as `actors.embedder.local.LocalModel`."""

    @property
    def name(self) -> str:
        """Names the vector space."""

    @property
    def dimensions(self) -> int:
        """Components of a vector."""

    def embed(self, texts: Sequence[str]) -> Floats:
        """(texts, dimensions) unit vectors."""


class KeptVectors:
    """Cache of vectors: asks the model only for texts not embedded before."""

    def __init__(self, model: Model, folder: Path | None) -> None:
        """Read the kept vectors of `model` from `folder`; with None, keep no vectors."""
        self._model = model
        self._file = folder / f"{model.name}.npy" if folder else None
        self._record = np.dtype([("text", "V16"), ("vector", "<f4", (model.dimensions,))])
        self._vectors = self._read()

    def vectors(self, texts: Sequence[str], on_progress: Callable[[int, int], object] = lambda *_: None) -> Floats:
        """(texts, dimensions) vectors of `texts`; new vectors are kept.

        Args:
            texts: At least one.
            on_progress: Called with the number of new texts done and their total.
        """
        keys = [_key(text) for text in texts]
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._vectors}
        waiting = sorted(new, key=lambda key: len(new[key]))  # texts of like length go through the model together
        for begin in range(0, len(waiting), BATCH):
            on_progress(begin, len(waiting))
            batch = waiting[begin : begin + BATCH]
            self._vectors.update(zip(batch, self._model.embed([new[key] for key in batch]), strict=True))
        if waiting:
            self._write()
        return np.stack([self._vectors[key] for key in keys])

    def _read(self) -> dict[bytes, Floats]:
        if self._file is None or not self._file.exists():
            return {}
        try:
            records = np.load(self._file, allow_pickle=False).astype(self._record, casting="no", copy=False)
        except (ValueError, EOFError, TypeError) as error:
            log.warning("%s holds no vectors (%s); they are made again", self._file, error)
            return {}
        return {record["text"].tobytes(): record["vector"] for record in records}

    def _write(self) -> None:
        if self._file is None:
            return
        records = np.empty(len(self._vectors), self._record)
        for number, (key, vector) in enumerate(self._vectors.items()):
            records[number] = (key, vector)
        self._file.parent.mkdir(parents=True, exist_ok=True)
        fresh = self._file.with_name(f"{self._file.name}.{os.getpid()}")
        with fresh.open("wb") as stream:
            np.save(stream, records, allow_pickle=False)
        fresh.replace(self._file)


def _key(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
