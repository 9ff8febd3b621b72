"""`agent bench memory`: set, exact lists and verdict."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from domain.memory import ranking
from lab.bench.memory import data
from lab.bench.memory.oracle import nearest_lists
from lab.bench.memory.run import FIGURES, MEMORY, OURS, VEC, compare_lists
from lab.commands import agent


def test_the_set_is_the_same_every_time_and_like_real_turns() -> None:
    first, again = (np.concatenate([block.vectors for block in data.blocks(3000)]) for _ in range(2))
    assert (first == again).all()
    assert np.linalg.norm(first, axis=1) == pytest.approx(1.0, abs=1e-5)
    between = first[:1000] @ first[-1000:].T
    assert between.mean() == pytest.approx(0.27, abs=0.06)
    cosines = data.questions(first, 50) @ first.T
    assert cosines.mean() == pytest.approx(0.14, abs=0.05)
    assert np.median(cosines.max(axis=1)) == pytest.approx(0.65, abs=0.06)


def test_turns_come_in_order_and_fewer_questions_are_the_same_ones() -> None:
    (block,) = data.blocks(450)
    assert (np.diff(block.times) >= 0).all()
    assert len(set(block.texts)) == 450
    assert (data.questions(block.vectors, 9)[:4] == data.questions(block.vectors, 4)).all()


def test_the_oracle_is_brute_force_over_every_row() -> None:
    (block,) = data.blocks(800)
    rows = np.arange(1, 801)
    vectors = block.vectors.copy()
    vectors[100:200] = vectors[0]
    queries = np.concatenate([data.questions(vectors, 6), vectors[:1]])
    lists = nearest_lists(vectors, rows, block.times, queries, 24)
    for query, listed in zip(queries, lists, strict=True):
        order = np.lexsort((rows, -block.times, -ranking.cosines(vectors, query)))
        assert listed == rows[order[:24]].tolist()


def test_one_list_that_is_not_the_exact_one_is_a_failure_of_ours_only() -> None:
    measured = {"lists": [[1, 2], [3, 5]], **dict.fromkeys(FIGURES, 1.0)}
    right = compare_lists(measured, [[1, 2], [3, 5], [7]])
    wrong = compare_lists(measured, [[1, 2], [3, 4], [7]])
    assert (right["identical"], wrong["identical"], wrong["wrong"], wrong["agreement"]) == (2, 1, 1, 0.75)
    assert MEMORY.is_sound({OURS: right, VEC: wrong}, quick=False)
    assert not MEMORY.is_sound({OURS: wrong, VEC: right}, quick=False)


@pytest.mark.slow
def test_the_command_measures_a_small_memory_and_every_list_is_exact(tmp_path: Path) -> None:
    arguments = ["bench", "memory", "--rows", "600", "--queries", "9", "--data", str(tmp_path), "--json"]
    done = CliRunner().invoke(agent, arguments)
    assert done.exit_code == 0, done.output + done.stderr
    document = json.loads(done.stdout)
    ours, peer = document["figures"][OURS], document["figures"][VEC]
    assert (ours["identical"], ours["wrong"], ours["agreement"]) == (9, 0, 1.0)
    assert peer["agreement"] > 0.9
    assert ours["p50_ms"] > 0 < ours["resident_mb"]
