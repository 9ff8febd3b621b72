from __future__ import annotations

from collections.abc import Iterator

from actors.memory.facts.matrices import SPARE, Key, Matrices, Matrix, VectorRow
from tests.actors.memory.facts.rig import unit


def vector_row(number: int, vector: bytes = b"") -> VectorRow:
    return VectorRow(number, str(number), "memory", float(number), vector or unit(1, number / 1_000))


def test_the_longest_unused_matrix_goes_first_and_comes_back_when_it_is_needed() -> None:
    loads: list[Key] = []

    def load(key: Key) -> Iterator[VectorRow]:
        loads.append(key)
        yield from (vector_row(n) for n in range(100))

    matrices = Matrices(load, most_bytes=2 * Matrix(8, (vector_row(n) for n in range(100))).size_bytes)
    for name in "abacab":
        assert len(matrices.of((name, "m", 8)).nearest(unit(1, 0), 3, ["memory"], frozenset())) == 3

    assert [name for name, _, _ in loads] == ["a", "b", "c", "b"]


def test_a_matrix_in_which_entries_come_and_go_does_not_grow() -> None:
    matrix = Matrix(8)
    for number in range(20 * SPARE):
        matrix.put(vector_row(number))
        if number >= 10:
            matrix.drop(str(number - 10))

    assert matrix.size_bytes < 8 * SPARE * 8 + 200 * 4 * SPARE
    assert [row.id for row, _ in matrix.nearest(unit(1, 0), 3, ["memory"], frozenset())] == ["1270", "1271", "1272"]


def test_a_vector_of_another_size_is_passed_over() -> None:
    matrix = Matrix(12)
    matrix.put(vector_row(1, unit(1, 0, 0)))
    matrix.put(vector_row(2, unit(1, 0)))

    assert [row.id for row, _ in matrix.nearest(unit(1, 0, 0), 3, ["memory"], frozenset())] == ["1"]
    assert matrix.nearest(unit(1, 0), 3, ["memory"], frozenset()) == []
