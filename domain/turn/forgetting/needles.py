"""Needles: pieces of texts in the forms that logs store, searched for in a log's bytes without parsing."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from domain.log.escape import escape
from domain.log.metadata import meta_json
from domain.policy.forgetting.repeatable import is_repeatable

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
        runs = set(map(_longest_run, texts))
        self._is_anywhere = "" in runs
        """True if a text has no usable piece, so every log may hold the text."""
        forms = {form for run in runs - {""} for form in _forms(run)}
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


class OutputRepetitions:
    """Texts to search for in the bytes of an output, which may show a log with the texts as stored there.

    Only texts accepted by `is_repeatable` count. A text counts as repeated by its longest piece that is the same in any
    form, if the piece alone is repeatable, else by the whole text.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        repeatable = {text for text in map(str.strip, texts) if is_repeatable(text)}
        pieces = {text: _longest_run(text) for text in repeatable}
        whole = {text for text, piece in pieces.items() if not is_repeatable(piece)}
        self._pieces = Needles(piece for text, piece in pieces.items() if text not in whole)
        self._beginnings = Needles(whole)
        self._forms = {form for text in whole for form in (*_forms(text), *_stored_forms(text))}

    def are_in(self, data: bytes) -> bool:
        """True if any text is in `data`."""
        may_hold_whole = bool(self._forms) and self._beginnings.are_in(data)
        return self._pieces.are_in(data) or (may_hold_whole and any(form in data for form in self._forms))


def _longest_run(text: str) -> str:
    return max(_SAME_IN_ANY_FORM.findall(text), key=len, default="").strip()


def _forms(text: str) -> tuple[bytes, bytes]:
    """Bytes of a text in contents, and in metadata."""
    return text.encode("utf-8", "surrogatepass"), json.dumps(text)[1:-1].encode()


def _stored_forms(text: str) -> tuple[bytes, bytes]:
    """Bytes of a text in escaped contents, and in metadata with their own escapes."""
    head, tail = meta_json({"text": ""})[:-2], '"}'
    return escape(text).encode(), meta_json({"text": text}).removeprefix(head).removesuffix(tail).encode()


def _hash_keys(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Numbers below `_HASHES`, one for each key."""
    return (keys * _FACTOR) >> _SHIFT
