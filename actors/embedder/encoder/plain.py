"""A BERT encoder's layers in numpy: the reference, and the fallback without compiled layers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

EPSILON = np.float32(1e-12)
_GELU = tuple(np.float32(c) for c in (1.1191860e-6, -3.0582765e-5, -1.2485302e-4, 3.6468782e-2, 7.9782814e-1))
"""Of x * (1 + tanh(x * p(x * x))), the highest power first: within 6.1e-6 of 2 * x * Phi(x), the exact GELU doubled.

Fitted to it on [0, 5.5] (beyond, both are 2x or 0 to float32's last digit); numpy has a fast tanh and no erf.
"""
_GELU_BLOCK = 16_384
"""Numbers a block, so the dozen passes stay in the second-level cache."""


@dataclass(frozen=True, slots=True)
class _Layer:
    """One encoder layer; matrices are (in, out), the three of attention side by side."""

    qkv: Floats
    qkv_bias: Floats
    out: Floats
    out_bias: Floats
    norm: tuple[Floats, Floats]
    up: Floats
    up_bias: Floats
    down: Floats
    down_bias: Floats
    last_norm: tuple[Floats, Floats]


class PlainLayers:
    """Encoder layers in float32; any thread."""

    kind = "numpy"

    def __init__(self, weights: Mapping[str, Floats], *, layers: int, heads: int) -> None:
        """Take the weights, by their names in PyTorch's BertModel."""
        self._heads = heads
        self.layers = tuple(_layer(weights, f"encoder.layer.{index}.", heads) for index in range(layers))

    def run(self, state: Floats, lengths: Sequence[int], between: Callable[[], None]) -> Floats:
        """The last hidden states of sentences end to end.

        Args:
            state: (tokens, dimensions); may be changed.
            lengths: Tokens of each sentence.
            between: Called before each layer; may wait.
        """
        runs = [(length, sum(1 for _ in run)) for length, run in groupby(lengths)]
        for layer in self.layers:
            between()
            state = self._through(layer, state, runs)
        return state

    def _through(self, layer: _Layer, state: Floats, runs: Sequence[tuple[int, int]]) -> Floats:
        mixed: Floats = self._attention(state @ layer.qkv + layer.qkv_bias, runs) @ layer.out
        mixed += layer.out_bias
        mixed += state
        state = normalise_rows(mixed, layer.norm)
        wide: Floats = state @ layer.up
        wide += layer.up_bias
        _double_gelu(wide)
        deep: Floats = wide @ layer.down
        deep += layer.down_bias
        deep += state
        return normalise_rows(deep, layer.last_norm)

    def _attention(self, qkv: Floats, runs: Sequence[tuple[int, int]]) -> Floats:
        """Attention among the tokens of each sentence; `runs` are (length, number of sentences of this length)."""
        mixed = np.empty((qkv.shape[0], qkv.shape[1] // 3), np.float32)
        at = 0
        for length, count in runs:
            end = at + length * count
            query, key, value = qkv[at:end].reshape(count, length, 3, self._heads, -1).transpose(2, 0, 3, 1, 4)
            scores = query @ key.swapaxes(2, 3)
            scores -= scores.max(axis=3, keepdims=True)
            np.exp(scores, out=scores)
            scores /= scores.sum(axis=3, keepdims=True)
            mixed[at:end] = (scores @ value).transpose(0, 2, 1, 3).reshape(end - at, -1)
            at = end
        return mixed


def _layer(weights: Mapping[str, Floats], prefix: str, heads: int) -> _Layer:
    names = [f"{prefix}attention.self.{part}" for part in ("query", "key", "value")]
    qkv = np.concatenate([weights[f"{name}.weight"] for name in names]).T
    qkv_bias = np.concatenate([weights[f"{name}.bias"] for name in names])
    width = qkv.shape[0]
    # The scores' scale, and the half that `_double_gelu` leaves out, cost nothing here.
    scale = np.ones(3 * width, np.float32)
    scale[:width] = 1 / math.sqrt(width // heads)
    return _Layer(
        qkv=np.ascontiguousarray(qkv * scale),
        qkv_bias=qkv_bias * scale,
        out=np.ascontiguousarray(weights[f"{prefix}attention.output.dense.weight"].T),
        out_bias=weights[f"{prefix}attention.output.dense.bias"],
        norm=norm_of(weights, f"{prefix}attention.output.LayerNorm"),
        up=np.ascontiguousarray(weights[f"{prefix}intermediate.dense.weight"].T),
        up_bias=weights[f"{prefix}intermediate.dense.bias"],
        down=np.ascontiguousarray(weights[f"{prefix}output.dense.weight"].T) * np.float32(0.5),
        down_bias=weights[f"{prefix}output.dense.bias"],
        last_norm=norm_of(weights, f"{prefix}output.LayerNorm"),
    )


def norm_of(weights: Mapping[str, Floats], name: str) -> tuple[Floats, Floats]:
    """Weight and bias of a layer norm."""
    return weights[f"{name}.weight"], weights[f"{name}.bias"]


def normalise_rows(rows: Floats, norm: tuple[Floats, Floats]) -> Floats:
    """Layer norm of `rows`, in place."""
    weight, bias = norm
    rows -= rows.mean(axis=1, keepdims=True)
    variance = np.einsum("ij,ij->i", rows, rows) / np.float32(rows.shape[1])
    rows /= np.sqrt(variance + EPSILON)[:, None]
    rows *= weight
    rows += bias
    return rows


def _double_gelu(wide: Floats) -> None:
    """Twice the GELU of every number, in place."""
    flat = wide.reshape(-1)
    square, inner = np.empty(_GELU_BLOCK, np.float32), np.empty(_GELU_BLOCK, np.float32)
    first, *rest = _GELU
    for at in range(0, flat.size, _GELU_BLOCK):
        x = flat[at : at + _GELU_BLOCK]
        u, p = square[: x.size], inner[: x.size]
        np.multiply(x, x, out=u)
        np.multiply(u, first, out=p)
        for coefficient in rest[:-1]:
            p += coefficient
            p *= u
        p += rest[-1]
        p *= x
        np.tanh(p, out=p)
        p += np.float32(1)
        x *= p
