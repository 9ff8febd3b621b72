"""Access control in arrays: which rows may be shown in which window, answered for all rows at once."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import apsw
import numpy as np
from numpy.typing import NDArray

from domain.policy.audience import Audience, may_show
from messages.base import Surface, Window

Scope = Literal["global", "context", "audience"]
Mask = NDArray[np.bool_]


class Visibility:
    """Access control of rows: row -> window -> who reads it, learned from the index once and kept in step with it."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._rows: NDArray[np.int32] = np.zeros(1024, np.int32)
        """Row number -> number of its window; 0 for no row."""
        self._windows: NDArray[np.int32] = np.zeros(64, np.int32)
        """Number of a window -> number of its label."""
        self._labels: list[str] = [""]
        self._numbers: dict[str, int] = {"": 0}
        self._last_row = 0
        self.total = 0
        """How many rows there are."""

    def load(self, connection: apsw.Connection) -> None:
        """Learn everything anew."""
        self._rows[:], self._windows[:], self._last_row = 0, 0, 0
        self.total = 0
        for window, label in connection.execute("SELECT id, audience FROM windows"):
            self.hear(int(str(window)), str(label))
        # As one text for each window: rows made into objects take four times as long.
        for window, rows in connection.execute("SELECT window, group_concat(id) FROM turns GROUP BY window"):
            self.add(np.fromstring(str(rows), np.int64, sep=","), int(str(window)))

    def hear(self, window: int, label: str) -> None:
        """A window's readers, from now on."""
        if label not in self._numbers:
            self._numbers[label] = len(self._labels)
            self._labels.append(label)
        self._windows = _room(self._windows, window)
        self._windows[window] = self._numbers[label]

    def label(self, window: int) -> str:
        """Who reads a window."""
        return self._labels[self._windows[window]] if window < len(self._windows) else ""

    def add(self, rows: NDArray[np.int64], window: int) -> None:
        """New rows of one window."""
        self._last_row = max(self._last_row, int(rows.max(initial=0)))
        self._rows = _room(self._rows, self._last_row)
        self._windows = _room(self._windows, window)
        self.total += int(np.count_nonzero(self._rows[rows] == 0))
        self._rows[rows] = window

    def drop(self, row: int) -> None:
        """A row that is gone."""
        if row < len(self._rows):
            self.total -= bool(self._rows[row])
            self._rows[row] = 0

    def is_open(self, target: Window) -> bool:
        """Whether everything may be shown there: always with the scope `global`, and to the operator."""
        return self._scope == "global" or target.surface is Surface.CLI

    def may_show_label(self, label: str, key: str, target: Window, target_label: str) -> bool:
        """Whether words of the window `key`, which `label` reads, may be shown in `target`."""
        source = window_of(key)
        if self.is_open(target) or source == target:
            return True
        return self._scope == "audience" and may_show(source, parsed_label(label), target, parsed_label(target_label))

    def mask(self, target: Window, number: int, label: str) -> Mask:
        """For every row number whether that row may be shown in `target`.

        Args:
            target: For whom.
            number: Of that window in the index; 0 when it has none.
            label: Who reads it.
        """
        windows = self._rows[: self._last_row + 1]
        if self.is_open(target):
            return np.asarray(windows != 0)
        audience = parsed_label(label)
        labels = np.zeros(len(self._labels), np.bool_)
        if self._scope == "audience" and audience is not None:
            # Of another window only its label counts, so any other window stands for all that have it.
            elsewhere = Window(surface=target.surface, id=f"{target.id}-other")
            labels[:] = [may_show(elsewhere, parsed_label(known), target, audience) for known in self._labels]
        by_window = labels[self._windows]
        if number:
            by_window[number] = True
        by_window[0] = False
        mask: Mask = np.take(by_window, windows)
        return mask


@lru_cache(4096)
def parsed_label(label: str) -> Audience | None:
    """The audience that a stored label names; one that cannot be read is nobody's but its own window's."""
    try:
        return Audience.parse(label)
    except ValueError:
        return None


def _room(array: NDArray[np.int32], index: int) -> NDArray[np.int32]:
    if index < len(array):
        return array
    grown = np.zeros(max(index + 1, 2 * len(array)), np.int32)
    grown[: len(array)] = array
    return grown


def window_of(key: str) -> Window:
    """The window that a stored key names."""
    surface, _, name = key.partition("/")
    return Window(surface=Surface(surface), id=name)
