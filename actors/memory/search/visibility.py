"""Access control in arrays: the rows visible in each window, answered for all rows at once."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from typing import Literal

import apsw
import numpy as np
from numpy.typing import NDArray

from actors.memory.index.seal import AlteredIndexError
from actors.memory.search.listing import rows_in_order
from domain.memory.row_arrays import with_room
from domain.policy.audience import admits
from domain.policy.known_readers import KnownReaders
from messages.base import Surface, Window
from messages.discord import Readers

Scope = Literal["global", "context", "audience"]
Mask = NDArray[np.bool_]
MOST_COMPARED = 100_000
"""Cached comparisons of pairs of readers."""


class Visibility:
    """Access control of rows: row -> window -> readership, learned from the index once and kept in step."""

    def __init__(self, scope: Scope, readers: KnownReaders) -> None:
        self._scope = scope
        self._known = readers
        self._rows: NDArray[np.int32] = np.zeros(1024, np.int32)
        """Row number -> number of its window; 0 for no row."""
        self._windows: NDArray[np.int32] = np.zeros(64, np.int32)
        """Number of a window -> number of its readers."""
        self._numbers: dict[str, int] = {}
        """Key of a window -> its number."""
        self._readers: dict[Readers | None, int] = {None: 0}
        self._by_number: list[Readers | None] = [None]
        self._admitted: dict[tuple[Readers | None, Readers | None], bool] = {}
        """(source, target) -> True if words may go from source to target."""
        self._last_row = 0
        self.total = 0
        """Number of rows."""

    def load(self, connection: apsw.Connection) -> None:
        """Learn everything anew.

        Raises:
            AlteredIndexError: a row names a window that is not there.
        """
        self._rows[:], self._windows[:], self._last_row = 0, 0, 0
        self.total = 0
        self._numbers.clear()
        ((numbers,),) = connection.execute("SELECT json_group_object(key, id) FROM windows")
        keys = {number: key for key, number in json.loads(numbers).items()}
        for windows, rows in rows_in_order(connection):
            self._place(rows, windows)
        present = set(np.unique(self._rows[self._rows != 0]).tolist())
        if missing := present - keys.keys():
            raise AlteredIndexError(f"a row names window {missing.pop()}, which is not there")
        self._windows = with_room(self._windows, max(present, default=0))
        self._numbers.update((keys[window], window) for window in present)
        self.readers_changed(self._known.windows)

    def readers_changed(self, window_keys: Iterable[str]) -> None:
        """Take in changed readers of windows."""
        for key in window_keys:
            if (number := self._numbers.get(key)) is not None:
                self._windows[number] = self._number_of(self._known.of(key))

    def add(self, rows: NDArray[np.int64], window: int, window_key: str) -> None:
        """Take in new rows of a window."""
        self._place(rows, window)
        self._windows = with_room(self._windows, window)
        if window_key not in self._numbers:
            self._numbers[window_key] = window
            self._windows[window] = self._number_of(self._known.of(window_key))

    def _place(self, rows: NDArray[np.int64], windows: NDArray[np.int64] | int) -> None:
        """Take in new rows, all of one window or each of its own."""
        self._last_row = max(self._last_row, int(rows.max(initial=0)))
        self._rows = with_room(self._rows, self._last_row)
        self.total += int(np.count_nonzero(self._rows[rows] == 0))
        self._rows[rows] = windows

    def drop(self, row: int) -> None:
        """Drop a removed row."""
        if row < len(self._rows):
            self.total -= bool(self._rows[row])
            self._rows[row] = 0

    def is_open(self, target: Window) -> bool:
        """True if `target` may show everything: always with the scope `global`, and to the operator."""
        return self._scope == "global" or target.surface is Surface.CLI

    def may_show(self, source_key: str, target: Window) -> bool:
        """True if words of the window `source_key` may be shown in `target`."""
        if self.is_open(target) or source_key == target.address.key:
            return True
        return self._scope == "audience" and self._admits(
            self._known.of(source_key), self._known.of(target.address.key)
        )

    def mask(self, target: Window) -> Mask:
        """For every row number True if the row may be shown in `target`."""
        windows = self._rows[: self._last_row + 1]
        if self.is_open(target):
            return np.asarray(windows != 0)
        mask: Mask = np.take(self.windows(target), windows)
        return mask

    def windows(self, target: Window) -> Mask:
        """For every number of a window True if its words may be shown in `target`."""
        if self.is_open(target):
            return np.asarray(np.arange(len(self._windows)) != 0, np.bool_)
        readers = self._known.of(target.address.key)
        sources = np.zeros(len(self._readers), np.bool_)
        if self._scope == "audience" and readers is not None:
            sources[:] = [self._admits(known, readers) for known in self._readers]
        by_window: Mask = sources[self._windows]
        by_window[self._numbers.get(target.address.key) or 0] = True
        by_window[0] = False
        return by_window

    def fullest(self, rows: Iterable[int]) -> list[int]:
        """Largest part of `rows` that may be shown in a single window.

        A window with unknown readers counts as showing its own rows alone.
        """
        rows = [row for row in rows if 0 < row <= self._last_row and self._rows[row]]
        if self._scope == "global":
            return rows
        own = defaultdict[int, list[int]](list)
        for row in rows:
            own[int(self._rows[row])].append(row)
        readers = {number: self._readers_of(number) for number in self._numbers.values()}
        targets = dict.fromkeys((each, number if number in own else 0) for number, each in readers.items())
        candidates = (
            [source for source in own if source == number or self._admitted_to(readers[source], target)]
            for target, number in targets
        )
        best = max(candidates, key=lambda sources: sum(len(own[source]) for source in sources), default=[])
        return [row for source in best for row in own[source]]

    def _admitted_to(self, source: Readers | None, target: Readers | None) -> bool:
        return self._scope == "audience" and target is not None and self._admits(source, target)

    def _readers_of(self, number: int) -> Readers | None:
        return self._by_number[int(self._windows[number])]

    def _number_of(self, readers: Readers | None) -> int:
        if readers not in self._readers:
            self._readers[readers] = len(self._by_number)
            self._by_number.append(readers)
        return self._readers[readers]

    def _admits(self, source: Readers | None, target: Readers | None) -> bool:
        if len(self._admitted) > MOST_COMPARED:
            self._admitted.clear()
        if (source, target) not in self._admitted:
            self._admitted[source, target] = admits(source, target)
        return self._admitted[source, target]
