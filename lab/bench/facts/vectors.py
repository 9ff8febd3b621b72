"""Vectors of a server's embedding model: of a text's words, the same in every run, and their bytes on the wire."""

from __future__ import annotations

import base64
import re
import zlib
from functools import lru_cache

import numpy as np

DIMENSIONS = 1_536
_WORD = re.compile(r"\w+")
_DIGITS = 7


@lru_cache(maxsize=50_000)
def _of_word(word: str) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    return np.random.default_rng(zlib.crc32(word.encode())).standard_normal(DIMENSIONS, np.float32)


def vector(text: str) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    """Vector of unit length; texts with common words are near one another."""
    total = np.zeros(DIMENSIONS, np.float32)
    for word in sorted(set(_WORD.findall(text.lower())) or {text}):
        total += _of_word(word)
    total /= np.linalg.norm(total)
    return total


@lru_cache(maxsize=20_000)
def encode_vector(text: str, *, is_base64: bool) -> bytes:
    """A vector as the value of `embedding`, in JSON."""
    values = vector(text)
    if is_base64:
        return b'"' + base64.b64encode(values.astype("<f4").tobytes()) + b'"'
    return b"[" + ",".join(f"{number:.{_DIGITS}f}" for number in values.tolist()).encode() + b"]"


def answer(texts: list[str], *, is_base64: bool) -> bytes:
    """Body of the answer of `POST /embeddings`."""
    rows = (
        b'{"object":"embedding","index":%d,"embedding":%b}' % (place, encode_vector(text, is_base64=is_base64))
        for place, text in enumerate(texts)
    )
    tokens = sum(map(len, texts)) // 4
    end = b'],"model":"loopback","usage":{"prompt_tokens":%d,"total_tokens":%d}}' % (tokens, tokens)
    return b'{"object":"list","data":[' + b",".join(rows) + end
