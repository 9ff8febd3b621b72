"""Small models of any shape, with weights by chance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from actors.embedder.encoder.bert import WORDS
from actors.embedder.encoder.plain import Floats

VOCABULARY, POSITIONS = 100, 80


@dataclass(frozen=True)
class Shape:
    """Sizes of a model."""

    dims: int = 64
    heads: int = 2
    inner: int = 128
    layers: int = 2


def weights_of(shape: Shape, seed: int = 1) -> dict[str, Floats]:
    """Weights of a model, by PyTorch's names."""
    rng = np.random.default_rng(seed)
    dims, inner = shape.dims, shape.inner

    def matrix(*size: int) -> Floats:
        values: Floats = (rng.standard_normal(size) * 1.2 / np.sqrt(size[-1])).astype(np.float32)
        return values

    def linear(name: str, outs: int, ins: int) -> dict[str, Floats]:
        return {f"{name}.weight": matrix(outs, ins), f"{name}.bias": 0.2 * matrix(outs) * np.float32(np.sqrt(outs))}

    def norm(name: str) -> dict[str, Floats]:
        weight = 1.0 + 0.3 * rng.standard_normal(dims)
        return {f"{name}.weight": weight.astype(np.float32), f"{name}.bias": matrix(dims)}

    weights = {
        WORDS: rng.standard_normal((VOCABULARY, dims)).astype(np.float32),
        "embeddings.position_embeddings.weight": matrix(POSITIONS, dims),
        "embeddings.token_type_embeddings.weight": matrix(2, dims),
        **norm("embeddings.LayerNorm"),
    }
    for number in range(shape.layers):
        prefix = f"encoder.layer.{number}"
        for part in ("query", "key", "value"):
            weights |= linear(f"{prefix}.attention.self.{part}", dims, dims)
        weights |= linear(f"{prefix}.attention.output.dense", dims, dims)
        weights |= linear(f"{prefix}.intermediate.dense", inner, dims)
        weights |= linear(f"{prefix}.output.dense", dims, inner)
        weights |= norm(f"{prefix}.attention.output.LayerNorm") | norm(f"{prefix}.output.LayerNorm")
    return weights


def sentences_of(lengths: list[int], seed: int = 2) -> list[list[int]]:
    """Token ids by chance."""
    rng = np.random.default_rng(seed)
    return [[int(token) for token in rng.integers(0, VOCABULARY, length)] for length in lengths]


def cosines(one: Floats, other: Floats) -> Floats:
    """Of each row to the other's."""
    products = np.sum(one * other, axis=1)
    cosine: Floats = products / np.linalg.norm(one, axis=1) / np.linalg.norm(other, axis=1)
    return cosine
