"""Bounds of cosines: never below the truth, tighter the more of the codes they have seen."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from actors.memory.codes.bounds import Search, greatest
from actors.memory.codes.file import CodesFile, Purpose, second_path
from actors.memory.codes.table import CodesTable
from domain.memory import vector_codes
from domain.memory.ranking import cosines

DIMS, COUNT = 130, 900


class Coded:
    """Vectors, and their codes in files and in memory."""

    def __init__(self, path: Path) -> None:
        rng = np.random.default_rng(7)
        self.path = path
        self.vectors = (rng.standard_normal((COUNT, DIMS)) / np.arange(1, DIMS + 1) ** 0.4).astype(np.float32)
        self.vectors[5] = 0.0
        frame = vector_codes.fit_frame([self.vectors], DIMS, rng)
        self.file = CodesFile.create(path, Purpose("space", DIMS, COUNT), frame)
        self.table = CodesTable(frame)
        self.table.add(self.file.append(np.arange(COUNT), np.zeros(COUNT), vector_codes.encode(frame, self.vectors)))
        self.query = self.vectors[3] + self.vectors[4]
        self.truth = cosines(self.vectors, self.query)

    def search(self) -> Search:
        return Search(self.table, self.file, self.query, np.ones(COUNT, np.bool_))


def test_bounds_are_above_the_truth_and_come_nearer(tmp_path: Path) -> None:
    coded = Coded(tmp_path / "codes")
    search = coded.search()
    coarse = search.uppers.copy()
    assert (coarse >= coded.truth).all()
    details, guesses = search.refine(np.arange(COUNT))
    assert details.slots.tolist() == list(range(COUNT))
    assert (search.uppers >= coded.truth).all()
    assert (search.uppers <= coarse).all()
    assert np.abs(guesses - coded.truth).max() < 0.03
    assert (search.uppers - coded.truth).mean() < (coarse - coded.truth).mean() / 2
    coded.file.close()


def test_what_the_second_file_has_lost_keeps_its_bound(tmp_path: Path) -> None:
    coded = Coded(tmp_path / "codes")
    coded.file.close()
    second_path(coded.path).write_bytes(b"")
    file = CodesFile.open(coded.path, "space", DIMS)
    assert sum(len(records) for records in file.chunks()) == COUNT
    search = Search(coded.table, file, coded.query, np.ones(COUNT, np.bool_))
    before = search.uppers.copy()
    assert not len(search.refine(np.arange(COUNT))[0].slots)
    assert (search.uppers == before).all()
    file.close()


def test_what_is_not_asked_about_or_settled_is_out(tmp_path: Path) -> None:
    coded = Coded(tmp_path / "codes")
    mask = np.ones(COUNT, np.bool_)
    mask[:10] = False
    search = Search(coded.table, coded.file, coded.query, mask)
    search.settle(np.arange(10, 15))
    search.refine(np.arange(COUNT))
    assert np.isneginf(search.uppers[:15]).all()
    assert np.isfinite(search.uppers[15:]).all()
    coded.file.close()


def test_the_quick_look_finds_at_least_as_many_of_the_greatest_as_are_wanted(subtests: pytest.Subtests) -> None:
    cases: list[int] = [0, 1, 50, 5_000, 100_000]
    for size in cases:
        with subtests.test(size=size):
            values = np.random.default_rng(size).standard_normal(size).astype(np.float32)
            values[::3] = -np.inf
            slots = greatest(values, 100)
            finite = np.flatnonzero(np.isfinite(values))
            assert len(slots) >= min(100, len(finite))
            assert np.isfinite(values[slots]).all()
            rest = np.setdiff1d(finite, slots)
            assert not len(rest) or values[rest].max() <= values[slots].min()
