"""The pass over all codes: compiled and in numpy, its bounds hold and agree."""

from __future__ import annotations

import _ctypes
import functools
import os
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from actors.memory.codes import scan
from actors.memory.codes.file import CodesFile, Purpose
from actors.memory.codes.records import Records
from actors.memory.codes.table import CodesTable
from actors.memory.codes.tuning import Tuning
from domain.memory import vector_codes
from domain.memory.ranking import cosines
from domain.memory.vector_codes import Frame

COMPILED = pytest.param(
    True,
    marks=pytest.mark.skipif(not scan.is_available(), reason="the build found no C compiler, or an old processor"),
)


@functools.cache
def frame_of(dims: int) -> Frame:
    """A frame for vectors like those of `corpus`; of the widest one that takes no time to make: any is right."""
    if dims > 1000:
        return Frame(np.eye(dims, dtype=np.float32), 96, 0.002)
    return vector_codes.fit_frame([corpus(1, 333, dims)], dims, np.random.default_rng(1))


def table_of(folder: Path, vectors: NDArray[np.float32], frame: Frame, *, is_fast: bool) -> tuple[CodesTable, Records]:
    """A table of codes, filled in parts of odd sizes, and the second file's records."""
    dims = len(frame.basis)
    file = CodesFile.create(folder / "codes", Purpose("space", dims, len(vectors)), frame)
    table = CodesTable(frame, Tuning(is_fast=is_fast))
    bounds = [0, 3, 40, 41, 200, len(vectors)]
    for begin, end in pairwise(bounds):
        codes = vector_codes.encode(frame, vectors[begin:end])
        table.add(file.append(np.arange(begin, end), np.zeros(end - begin), codes))
    _, records = file.details(np.arange(table.count))
    file.close()
    return table, records


def corpus(seed: int, count: int, dims: int) -> NDArray[np.float32]:
    rng = np.random.default_rng(seed)
    vectors = rng.standard_normal((count, dims)) / np.arange(1, dims + 1) ** 0.4
    vectors[rng.random(count) < 0.02] = 0.0
    return vectors.astype(np.float32)


@pytest.mark.parametrize("is_fast", [COMPILED, False])
@settings(deadline=None, max_examples=25)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 2, 50, 64, 65, 66, 96, 130, 384, 769]))
def test_no_cosine_is_above_its_bound(
    tmp_path_factory: pytest.TempPathFactory, is_fast: bool, seed: int, dims: int
) -> None:
    vectors = corpus(seed, 333, dims)
    table, records = table_of(tmp_path_factory.mktemp("codes"), vectors, frame_of(dims), is_fast=is_fast)
    rng = np.random.default_rng(seed)
    query = vectors[int(rng.integers(333))] + 0.3 * corpus(seed + 1, 1, dims)[0]
    truth = cosines(vectors, query)
    mask = rng.random(333) < 0.8
    question = vector_codes.frame_query(table.frame, query)
    uppers = table.look(question, mask)
    assert np.isneginf(uppers[~mask]).all()
    assert (uppers[mask] >= truth[mask]).all()
    assert (uppers[mask] - truth[mask]).max() < 0.6
    if question.has_direction:
        products = table.fine_products(records, question.turned)
        assert (np.abs(products - truth) <= vector_codes.fine_errors(records["errors"], question)).all()


@pytest.mark.skipif(not scan.is_available(), reason="the build found no C compiler, or an old processor")
@pytest.mark.parametrize("dims", [5, 96, 111, 300, 768, 3072])
def test_the_compiled_pass_says_what_numpy_says(tmp_path: Path, dims: int) -> None:
    vectors = corpus(7, 500, dims)
    mask = np.ones(500, np.bool_)
    results, frame = [], frame_of(dims)
    for is_fast in (True, False):
        (folder := tmp_path / str(is_fast)).mkdir()
        table, records = table_of(folder, vectors, frame, is_fast=is_fast)
        question = vector_codes.frame_query(table.frame, vectors[3])
        results.append((table.look(question, mask), table.fine_products(records, question.turned)))
    (fast, fast_products), (plain, plain_products) = results
    assert (fast >= plain - 1e-5).all()
    assert (fast - plain).max() < 0.03
    assert fast_products == pytest.approx(plain_products, abs=1e-4)


@pytest.mark.skipif(not scan.is_available(), reason="the build found no C compiler, or an old processor")
def test_what_a_file_does_not_have_is_read_as_zeros(tmp_path: Path) -> None:
    (tmp_path / "data").write_bytes(bytes(range(100)))
    descriptor = os.open(tmp_path / "data", os.O_RDONLY)
    data = scan.read(descriptor, np.array([90, 0, 96, 500]), 8)
    os.close(descriptor)
    assert data.tolist() == [
        list(range(90, 98)),
        list(range(8)),
        [96, 97, 98, 99, 0, 0, 0, 0],
        [0] * 8,
    ]


@pytest.mark.skipif(not scan.is_available(), reason="the build found no C compiler, or an old processor")
def test_the_sums_of_a_wide_and_even_question_do_not_overflow(tmp_path: Path) -> None:
    dims = 4096
    frame = Frame(np.eye(dims, dtype=np.float32), 96, 0.001)
    vectors = np.ones((32, dims), np.float32)
    vectors[:, :96] = 0.0
    vectors[16:] *= -1.0
    file = CodesFile.create(tmp_path / "codes", Purpose("space", dims, 0), frame)
    table = CodesTable(frame)
    table.add(file.append(np.arange(32), np.zeros(32), vector_codes.encode(frame, vectors)))
    file.close()
    uppers = table.look(vector_codes.frame_query(frame, vectors[0]), np.ones(32, np.bool_))
    assert uppers[:16] == pytest.approx(1.0, abs=0.1)
    assert uppers[16:] == pytest.approx(-1.0, abs=0.1)


def test_a_library_that_cannot_be_loaded_is_passed_over(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "broken.so").write_bytes(b"")
    assert scan.load_scan(tmp_path / "broken.so") is None
    assert scan.load_scan(Path(_ctypes.__file__)) is None, "a sound library that is another one"
    assert len(caplog.records) == 2
    assert scan.load_scan(tmp_path / "none.so") is None
    assert len(caplog.records) == 2


def test_a_mask_must_fit_the_vectors(tmp_path: Path) -> None:
    vectors = corpus(1, 300, 8)
    table, _ = table_of(tmp_path, vectors, frame_of(8), is_fast=True)
    question = vector_codes.frame_query(table.frame, vectors[0])
    with pytest.raises(ValueError, match="do not fit"):
        table.look(question, np.ones(100_000, np.bool_))
