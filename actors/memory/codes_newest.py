"""The end of a file of records in memory, since questions ask most for what was said last."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from actors.memory.codes_records import RecordFile, Records

_BLOCK = 8192
"""Records that come and go together."""


class NewestRecords:
    """Reads records from memory where they are the newest, else from the file."""

    def __init__(self, file: RecordFile) -> None:
        self._file = file
        self._first_block = 0
        self._blocks: list[Records] = []
        self._known: list[NDArray[np.bool_]] = []

    def add(self, first: int, records: Records, spare_bytes: int) -> None:
        """Keep `records`, which stand in the file from `first` on; the oldest go when `spare_bytes` are used up."""
        self._put(first, records, np.ones(len(records), np.bool_))
        self._drop(spare_bytes)

    def read_back(self, count: int, spare_bytes: int) -> None:
        """Read the newest of the `count` records that the file should have; unsound ones stay unknown."""
        self._blocks, self._known = [], []
        fits = max(spare_bytes, 0) // (_BLOCK * self._file.size)
        self._first_block = max(0, -(-count // _BLOCK) - fits)
        for first in range(self._first_block * _BLOCK, count, _BLOCK):
            records = self._file.read(first, min(_BLOCK, count - first))
            self._put(first, records, self._file.are_sound(records, np.arange(first, first + len(records))))

    def pick(self, places: NDArray[np.int64]) -> tuple[NDArray[np.bool_], Records]:
        """Which records at `places` are sound, and all of them."""
        is_sound = np.zeros(len(places), np.bool_)
        records = self._file.empty(len(places))
        blocks = places // _BLOCK - self._first_block
        is_late = (blocks >= 0) & (blocks < len(self._blocks))
        for block in np.unique(blocks[is_late]).tolist():
            at = np.flatnonzero(blocks == block)
            within = places[at] % _BLOCK
            records[at] = self._blocks[block][within]
            is_sound[at] = self._known[block][within]
        early = np.flatnonzero(~is_late)
        if len(early):
            found = self._file.pick(places[early])
            records[early] = found
            is_sound[early] = self._file.are_sound(found, places[early])
        return is_sound, records

    def _put(self, first: int, records: Records, known: NDArray[np.bool_]) -> None:
        while len(records):
            block, within = first // _BLOCK - self._first_block, first % _BLOCK
            while block >= len(self._blocks):
                self._blocks.append(self._file.empty(_BLOCK))
                self._known.append(np.zeros(_BLOCK, np.bool_))
            fits = min(_BLOCK - within, len(records))
            self._blocks[block][within : within + fits] = records[:fits]
            self._known[block][within : within + fits] = known[:fits]
            first, records, known = first + fits, records[fits:], known[fits:]

    def _drop(self, spare_bytes: int) -> None:
        while self._blocks and len(self._blocks) * _BLOCK * self._file.size > max(spare_bytes, 0):
            del self._blocks[0], self._known[0]
            self._first_block += 1
