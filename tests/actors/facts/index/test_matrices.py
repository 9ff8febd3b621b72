from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from actors.facts.index.matrices import MOST_ALWAYS, SPARE, UNIT, Key, Matrices, Matrix, VectorError, VectorRow
from actors.facts.index.matrices import vector_of as read
from messages.facts import EntryRole
from tests.actors.facts.index.rig import unit

ALL = tuple(EntryRole)


def vector_row(number: int, vector: bytes = b"", *, role: EntryRole = EntryRole.MEMORY, at: int = 0) -> VectorRow:
    return VectorRow(number, str(number), role, at or number, vector or unit(1, number / 1_000))


def numbers(matrix: Matrix, question: bytes, count: int, without: tuple[str, ...] = ()) -> list[int]:
    return [number for number, _ in matrix.nearest(read(question), count, ALL, without)]


def random_vectors(count: int, size: int, seed: int) -> NDArray[np.float32]:
    made = np.random.default_rng(seed).normal(size=(count, size))
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    return np.asarray(made, dtype="<f4")


@pytest.mark.parametrize("size", [1, 7, 384])
def test_the_nearest_are_those_that_a_comparison_with_all_in_double_precision_finds(size: int) -> None:
    vectors = random_vectors(2_000, size, 1)
    vectors[1_000:] = vectors[7] + random_vectors(1_000, size, 2) * 1e-4  # so near that single precision errs
    vectors[1_000:] /= np.linalg.norm(vectors[1_000:], axis=1, keepdims=True)
    exact = vectors.astype(np.float64)
    exact /= np.linalg.norm(exact, axis=1, keepdims=True)
    matrix = Matrix(4 * size, (vector_row(n, each.tobytes()) for n, each in enumerate(vectors)))
    for question in (*random_vectors(20, size, 3), *vectors[1_000:1_020]):
        cosines = exact @ (question.astype(np.float64) / np.linalg.norm(question.astype(np.float64)))
        found = matrix.nearest(question, 15, ALL, ())
        best = np.sort(cosines)[::-1][:15]
        assert np.allclose([cosine for _, cosine in found], best, rtol=0, atol=1e-13)
        assert np.allclose([cosines[number] for number, _ in found], best, rtol=0, atol=1e-13)


def test_the_same_vectors_are_equal_wherever_they_stand() -> None:
    vector = random_vectors(1, 384, 4)[0].tobytes()
    for count in range(1, 40):
        matrix = Matrix(4 * 384, (vector_row(n, vector, at=n % 7 + 1) for n in range(count)))
        wanted = sorted(range(count), key=lambda n: (-(n % 7), str(n)))
        assert numbers(matrix, random_vectors(1, 384, 5)[0].tobytes(), 12) == wanted[:12]


def test_of_many_equals_at_the_edge_the_newest_are_found() -> None:
    matrix = Matrix(8, (vector_row(n, unit(1, 0) if n % 3 else unit(1, 1)) for n in range(1, 301)))

    assert numbers(matrix, unit(1, 0), 3) == [299, 298, 296]
    assert numbers(matrix, unit(1, 0), 3, without=("299", "7", "unknown")) == [298, 296, 295]


def test_roles_that_are_not_asked_for_take_no_place() -> None:
    roles = list(EntryRole)
    matrix = Matrix(8, (vector_row(n, role=roles[n % 4]) for n in range(400)))

    found = matrix.nearest(read(unit(1, 0)), 2, (roles[1], roles[3]), ())
    assert [number for number, _ in found] == [1, 3]
    assert matrix.nearest(read(unit(1, 0)), 2, (), ()) == []


def test_a_cosine_is_never_beyond_one() -> None:
    vector = (read(unit(0.6, 0.7, 0.1)) * np.float32(1 + UNIT / 2)).tobytes()
    matrix = Matrix(12, [vector_row(1, vector), vector_row(2, unit(-0.6, -0.7, -0.1))])

    assert [cosine for _, cosine in matrix.nearest(read(vector), 2, ALL, ())] == pytest.approx([1.0, -1.0], abs=1e-7)
    assert all(-1.0 <= cosine <= 1.0 for _, cosine in matrix.nearest(read(vector), 2, ALL, ()))


def test_what_is_put_and_dropped_in_any_order_leaves_the_rest_as_it_is() -> None:
    chance = np.random.default_rng(6)
    matrix, live = Matrix(8), dict[int, bytes]()
    for _ in range(3_000):
        number = int(chance.integers(60))
        if chance.random() < 0.55:
            live[number] = unit(1, float(chance.normal()))
            matrix.put(vector_row(number, live[number]))
        else:
            live.pop(number, None)
            matrix.drop(str(number))
        wanted = sorted(live, key=lambda n: (-float(read(live[n])[0].astype(np.float64)), -n))
        assert numbers(matrix, unit(1, 0), 100) == wanted


def test_a_matrix_in_which_entries_come_and_go_does_not_grow_and_one_that_empties_shrinks() -> None:
    matrix = Matrix(400)
    for number in range(40 * SPARE):
        matrix.put(vector_row(number, unit(*[1.0] * 100)))
        matrix.drop(str(number - 10))
    assert matrix.size_bytes <= Matrix(400, (vector_row(n, unit(*[1.0] * 100)) for n in range(3 * SPARE))).size_bytes
    for number in range(1_000, 2_000):
        matrix.put(vector_row(number, unit(*[1.0] * 100)))
    full = matrix.size_bytes
    for number in range(1_000, 1_990):
        matrix.drop(str(number))
    assert matrix.size_bytes < full / 10


def test_what_is_no_vector_of_unit_length_is_none(subtests: pytest.Subtests) -> None:
    cases: list[bytes] = [
        b"",
        b"abc",
        b"\0" * 8,
        unit(1, 0) * 2,
        np.array([0.0, np.nan], "<f4").tobytes(),
        b"\0\0\x80\x7f" * 2,
    ]
    for data in cases:
        with subtests.test(data=data), pytest.raises(VectorError):
            read(data)


class Shelf:
    """Conversations of 100 vectors each, and which of them have been loaded."""

    def __init__(self) -> None:
        self.loads: list[str] = []
        self.size = Matrix(8, self._rows()).size_bytes

    def load(self, key: Key) -> Iterator[VectorRow]:
        self.loads.append(key[0])
        yield from self._rows()

    @staticmethod
    def _rows() -> Iterator[VectorRow]:
        return (vector_row(n) for n in range(100))


def test_the_longest_unused_matrix_goes_first_and_comes_back_when_it_is_needed() -> None:
    shelf = Shelf()
    matrices = Matrices(shelf.load, most_bytes=3 * shelf.size)
    for name in "abcabdcabd":
        assert numbers(matrices.of((name, "m", 8)), unit(1, 0), 3) == [0, 1, 2]
        assert matrices.size_bytes <= 3 * shelf.size

    assert shelf.loads == [*"abcd", "c", "a", "b", "d"]


def test_the_two_conversations_of_a_question_do_not_drive_one_another_out() -> None:
    shelf = Shelf()
    matrices = Matrices(shelf.load, most_bytes=1)
    for name in "abababcbcb":
        matrices.of((name, "m", 8))

    assert shelf.loads == [*"abc"]
    assert matrices.size_bytes == MOST_ALWAYS * shelf.size


def test_what_has_grown_is_bounded_at_the_next_question() -> None:
    shelf = Shelf()
    matrices = Matrices(shelf.load, most_bytes=4 * shelf.size)
    for name in "abc":
        matrices.of((name, "m", 8))
    for number in range(100, 400):
        matrices.put(("a", "m", 8), vector_row(number))
    matrices.of(("c", "m", 8))

    assert matrices.size_bytes <= 4 * shelf.size


def test_changes_reach_a_loaded_matrix_and_no_other() -> None:
    shelf = Shelf()
    matrices = Matrices(shelf.load)
    loaded = matrices.of(("a", "m", 8))
    for key in (("b", "m", 8), ("a", "n", 8), ("a", "m", 12)):
        matrices.put(key, vector_row(500, unit(1, 0)))
        matrices.drop(key, "1")
    assert numbers(loaded, unit(1, 0), 3) == [0, 1, 2]
    matrices.put(("a", "m", 8), vector_row(500, unit(1, 0)))
    matrices.drop(("a", "m", 8), "1")

    assert numbers(loaded, unit(1, 0), 3) == [500, 0, 2]
    assert shelf.loads == ["a"]


def test_what_cannot_be_loaded_is_not_kept_half() -> None:
    broken = True

    def load(_key: Key) -> Iterator[VectorRow]:
        yield vector_row(1)
        yield vector_row(2, b"\0" * 8 if broken else b"")

    matrices = Matrices(load)
    with pytest.raises(VectorError):
        matrices.of(("a", "m", 8))
    broken = False
    assert numbers(matrices.of(("a", "m", 8)), unit(1, 0), 3) == [1, 2]
