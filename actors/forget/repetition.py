"""Repetition scan: which windows' logs may hold one of the forgotten texts; each window then decides by itself."""

from __future__ import annotations

import json
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from domain.log.window import LOG_ROOT, LOGGED_SURFACES, keeps_logs
from messages.base import Window

_SAME_IN_ANY_FORM = re.compile('[^\\\\"<>\\-\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]+')
"""Characters that a log stores unchanged in contents, and in metadata but for their spelling in ASCII."""
_KEY_BYTES = 8
_FEW = 16
"""Needles up to which each is looked for by itself."""


class Needles:
    """Pieces of texts, in the forms that logs store."""

    def __init__(self, texts: Iterable[str]) -> None:
        runs = {max(_SAME_IN_ANY_FORM.findall(text), key=len, default="").strip() for text in texts}
        self._is_anywhere = "" in runs
        """True if a text has no such piece, so that every log may hold the text."""
        forms = {form for run in runs - {""} for form in (run.encode(), json.dumps(run)[1:-1].encode())}
        is_few = len(forms) <= _FEW
        self._each = [form for form in forms if is_few or len(form) < _KEY_BYTES]
        self._by_key: dict[int, list[bytes]] = defaultdict(list)
        for form in forms.difference(self._each):
            self._by_key[int.from_bytes(form[:_KEY_BYTES], "little")].append(form)
        self._keys = np.array(sorted(self._by_key), np.uint64)

    def are_in(self, data: bytes) -> bool:
        """True if one of the pieces is in `data`."""
        return self._is_anywhere or any(each in data for each in self._each) or any(self._matches(data))

    def _matches(self, data: bytes) -> Iterator[bool]:
        if not len(self._keys):
            return
        for shift in range(min(_KEY_BYTES, max(0, len(data) - _KEY_BYTES + 1))):
            count = (len(data) - shift) // _KEY_BYTES
            view = np.frombuffer(data, "<u8", count, shift)
            for index in np.flatnonzero(np.isin(view, self._keys)).tolist():
                at = shift + index * _KEY_BYTES
                yield any(data.startswith(form, at) for form in self._by_key[int(view[index])])


def windows_with_logs(data_root: Path) -> list[Window]:
    """Windows that have logs, sorted.

    Raises:
        OSError: a folder cannot be read.
    """
    windows = []
    for surface in LOGGED_SURFACES:
        folder = data_root / LOG_ROOT / surface.value
        names = sorted(os.listdir(folder)) if folder.is_dir() else []  # noqa: PTH208
        windows += [Window(surface=surface, id=name) for name in names if keeps_logs(surface, name)]
    return windows


def may_repeat(data_root: Path, window: Window, needles: Needles) -> bool:
    """True if a log of the window may hold one of the pieces.

    Raises:
        OSError: a log cannot be read.
    """
    folder = data_root / LOG_ROOT / window.surface.value / window.id
    return any(needles.are_in(path.read_bytes()) for path in sorted(folder.glob("*.md")))
