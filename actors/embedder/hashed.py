"""Feature hashing: vectors without a model, of words and pairs of words. What has words in common is near, no more."""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import blake2b
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from domain.memory.space import HASHED_DIMENSIONS

_WORD = re.compile(r"\w+")
_ENDINGS = ("ingly", "edly", "ing", "ies", "ed", "es", "ly", "s")
_SHORTEST_STEM = 3
# Lists of this module's own: were one changed, vectors stored under the same name would mean something else.
_COMMON = frozenset(
    _WORD.findall(
        "a an and are as at be been but by did do does for from had has have he her his i if in is it its me my of on "
        "or our she so that the their them they this to us was we were what when where which who why will with you your"
    )
)
_PAIR_WEIGHT = 0.5


def embed(texts: Sequence[str], dimensions: int = HASHED_DIMENSIONS) -> NDArray[np.float32]:
    """(texts, dimensions) rows of unit length; the same text gives the same row on every machine."""
    vectors = np.zeros((len(texts), dimensions), np.float32)
    for row, text in zip(vectors, texts, strict=True):
        _count(row, text)
        if not row.any():  # no words, or words that cancel one another
            row[_place(text, dimensions)[0]] = 1
        row /= np.linalg.norm(row)
    return vectors


def _count(row: NDArray[np.float32], text: str) -> None:
    words = [_stem(word) for word in _WORD.findall(text.casefold())]
    telling = [word for word in words if word not in _COMMON] or words
    counts: dict[str, float] = {}
    for word in telling:
        counts[word] = counts.get(word, 0.0) + 1.0
    for pair in pairwise(telling):
        counts[" ".join(pair)] = counts.get(" ".join(pair), 0.0) + _PAIR_WEIGHT
    for feature, count in counts.items():
        place, sign = _place(feature, len(row))
        # A word said ten times says no ten times as much.
        row[place] += sign * count**0.5


def _stem(word: str) -> str:
    """`word` without one of the commonest English endings."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return word[: -len(ending)]
    return word


def _place(feature: str, dimensions: int) -> tuple[int, float]:
    """(place at which a feature is counted, sign of the count); signs let collisions cancel out on average."""
    number = int.from_bytes(blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")
    return (number >> 1) % dimensions, 1.0 if number & 1 else -1.0
