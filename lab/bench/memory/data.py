"""A memory to search: vectors with the structure of real vectors, ages, texts; the same for every run.

The model was measured on 2,960 chat turns embedded with all-MiniLM-L6-v2: a common direction with a quarter of
all length, the lengths in the other directions falling as there (its 384 stretched to 768), mean cosine 0.26 between
turns and 0.14 to questions, and a best answer near 0.65. Turns come in episodes of 20 about one of 4,000 subjects, some
subjects far more often than the rest, over nine months. A question is a turn's vector with as much noise again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

DIMS = 768
NOW_S = 1_760_000_000.0
NEAREST = 50
"""Rows ranked by a similarity search."""
_SPAN_S = 270 * 86_400.0
_SUBJECTS = 4_000
_EPISODE = 20
_SEED = 20_261_122
_BLOCK = 20_000
_SHARED = 0.5
"""Common share of a turn's length; a question has less."""
_SHARED_LESS = 0.15
_OWN, _SUBJECT = 0.6, 0.62
_ENERGY_AT = ((0, 0.0), (2, 0.016), (16, 0.273), (32, 0.421), (64, 0.58), (128, 0.736), (192, 0.82), (256, 0.877))
_ENERGY_AFTER = ((384, 0.943), (512, 0.979), (640, 0.994), (768, 1.0))
"""Share of the length within a number of directions, without the common direction."""
_WORDS = 20_000


@dataclass(frozen=True, slots=True)
class Block:
    """Some turns in the order of the conversation."""

    vectors: NDArray[np.float32]
    times: NDArray[np.float64]
    """Seconds since the epoch, whole milliseconds."""
    texts: tuple[str, ...]


def blocks(rows: int) -> Iterator[Block]:
    """`rows` turns."""
    rng = np.random.default_rng(_SEED)
    scale = _scale()
    subjects = rng.standard_normal((_SUBJECTS, DIMS), np.float32) * scale
    for begin in range(0, rows, _BLOCK):
        count = min(_BLOCK, rows - begin)
        about = np.repeat(rng.zipf(1.3, -(-count // _EPISODE)) % _SUBJECTS, _EPISODE)[:count]
        vectors = _OWN * scale * rng.standard_normal((count, DIMS), np.float32) + _SUBJECT * subjects[about]
        vectors[:, 0] += _SHARED
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        whole = np.arange(begin, begin + count)
        times = np.floor((NOW_S - _SPAN_S + _SPAN_S * (whole + rng.random(count)) / rows) * 1000) / 1000
        yield Block(np.ascontiguousarray(vectors, np.float32), np.sort(times), _texts(rng, begin, count))


def questions(vectors: NDArray[np.float32], count: int) -> NDArray[np.float32]:
    """`count` questions, each about a row of `vectors`; a smaller count gives a prefix of the same questions."""
    noise = np.random.default_rng(_SEED + 1).standard_normal((count, DIMS), np.float32) * _scale()
    about = np.random.default_rng(_SEED + 2).integers(0, len(vectors), count)
    vectors_asked = _SUBJECT * vectors[about] + _OWN * noise
    vectors_asked[:, 0] -= _SHARED_LESS
    vectors_asked /= np.linalg.norm(vectors_asked, axis=1, keepdims=True)
    return np.ascontiguousarray(vectors_asked, np.float32)


def _scale() -> NDArray[np.float32]:
    """Standard deviation of each direction."""
    at, share = zip(*_ENERGY_AT, *_ENERGY_AFTER, strict=True)
    scale: NDArray[np.float32] = np.sqrt(np.diff(np.interp(np.arange(DIMS + 1), at, share))).astype(np.float32)
    return scale


def _texts(rng: np.random.Generator, begin: int, count: int) -> tuple[str, ...]:
    """Texts of a dozen words, including a few frequent words; no two texts are equal."""
    words = rng.zipf(1.2, (count, 12)) % _WORDS
    return tuple(
        f"{' '.join(f'w{word}' for word in line)} n{begin + place}" for place, line in enumerate(words.tolist())
    )
