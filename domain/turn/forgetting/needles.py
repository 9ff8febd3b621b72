"""Needles: pieces of texts in the forms that logs store, searched for in a log's bytes without parsing."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

_SAME_IN_ANY_FORM = re.compile('[^\\\\"<>\\-\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]+')
"""Characters that a log stores unchanged in contents, and in metadata except for ASCII spelling."""
_KEY_BYTES = 8
_HASHES = 1 << 20
_FACTOR, _SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(44)
_STRETCH = 1 << 20
"""Places to examine in one step; bounds the memory of a search."""
_FEW = 16
"""Most needles to search for one by one."""


class Needles:
    """Pieces of texts, in the forms stored in logs."""

    def __init__(self, texts: Iterable[str]) -> None:
        runs = {max(_SAME_IN_ANY_FORM.findall(text), key=len, default="").strip() for text in texts}
        self._is_anywhere = "" in runs
        """True if a text has no usable piece, so every log may hold the text."""
        forms = {form for run in runs - {""} for form in (run.encode(), json.dumps(run)[1:-1].encode())}
        is_few = len(forms) <= _FEW
        self._each = [form for form in forms if is_few or len(form) < _KEY_BYTES]
        self._by_key: dict[int, list[bytes]] = defaultdict(list)
        for form in forms.difference(self._each):
            self._by_key[int.from_bytes(form[:_KEY_BYTES], "little")].append(form)
        self._may_begin = np.zeros(_HASHES, np.bool_)
        self._may_begin[_hash_keys(np.array([*self._by_key], np.uint64))] = True

    def are_in(self, data: bytes) -> bool:
        """True if any piece is in `data`."""
        return self._is_anywhere or any(each in data for each in self._each) or any(self._matches(data))

    def _matches(self, data: bytes) -> Iterator[bool]:
        """True or False for each place where a piece may begin, found by the first bytes of all pieces at once."""
        for shift in range(min(_KEY_BYTES, max(0, len(data) - _KEY_BYTES + 1)) if self._by_key else 0):
            view = np.frombuffer(data, "<u8", (len(data) - shift) // _KEY_BYTES, shift)
            for begin in range(0, len(view), _STRETCH):
                stretch = view[begin : begin + _STRETCH]
                for index in np.flatnonzero(self._may_begin[_hash_keys(stretch)]).tolist():
                    at = shift + (begin + index) * _KEY_BYTES
                    yield any(data.startswith(form, at) for form in self._by_key.get(int(stretch[index]), ()))


def _hash_keys(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Numbers below `_HASHES`, one for each key."""
    return (keys * _FACTOR) >> _SHIFT
