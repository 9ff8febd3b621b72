"""Quantised unit vectors, and an error bound for every estimated cosine.

A vector is turned into a frame and cut in two. The *head*, the principal directions of the corpus, carries most of the
length and is kept in 8 bits a direction. The *tail* is turned once more, at random, and kept twice: as one bit a
direction, the signs, read by every question, and as 4 bits, fine, rarely needed.

**Why the bounds hold.** With the question q cut in the same way, the head's share of the cosine is off by at most
|q_head| |error of the head| (Cauchy and Schwarz). For the tail let y be the vector's and s the code of y, and a the
cosine between y and s. The random turn's placing of y is independent of the placing of the part of q orthogonal to y,
so the part of s that is orthogonal to y points anywhere with equal chance, seen from q. Hence the estimate `<q, s>
|y|^2 / <s, y>` differs from `<q, y>` by `|q| |y| sqrt(1 - a^2) / a` times one coordinate of a random unit vector of n -
1 dimensions, which is above t with a probability of at most `exp(-(n - 1) t^2 / 2)` (the measure of a spherical cap; K.
Ball, 1997). t is chosen for a probability of 1e-15. The turn is drawn anew for every corpus, and the writers of vectors
do not know the turn. Where Cauchy and Schwarz promise more, as for a few dimensions, their bound is used.

The lengths of the errors are measured when a vector is encoded and kept rounded up. A frame unsuitable for the vectors
makes the bounds wide, never wrong.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

HEAD = 64
"""Directions of a head as a rule."""
MARGIN = 1e-4
"""Added to every bound: more than all rounding in float32 sums of this size can make."""
CHANCE = 1e-15
"""Probability that a bound of one vector does not hold."""
_LIMIT = 127
_SPREAD = 4.5
"""Standard deviations of a head's direction within a byte; values outside are cut off and count as error."""
_FINE_STEP = 0.335
"""Step of the fine codes in standard deviations: near the best for sixteen levels of a bell curve."""
MIDDLE_LEVEL = 7.5
"""Taken from each fine code."""
SHORT_STEP = 1.0 / 65_535.0
"""Of a code's factor."""
BYTE_STEP = 1.0 / 255.0
"""Of the root of an error."""
_SLACK = 1e-4
"""Addition to lengths of errors before rounding up: more than the error of float32 sums."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Directions for the turn of a corpus.

    Attributes:
        basis: (dims, dims), float32, orthonormal columns: head, then tail.
        head: Directions of the head.
        head_step: Size of one step of the head's codes.
    """

    basis: NDArray[np.float32]
    head: int
    head_step: float

    @property
    def tail(self) -> int:
        """Directions of the tail."""
        return len(self.basis) - self.head

    @property
    def head_bytes(self) -> int:
        """Bytes of a head: an even number."""
        return self.head + self.head % 2

    @property
    def sign_bytes(self) -> int:
        """Bytes of a tail's signs: an even number."""
        return -(-self.tail // 16) * 2

    @property
    def fine_bytes(self) -> int:
        """Bytes of a tail's fine codes: two directions each."""
        return -(-self.tail // 2)

    @property
    def reach(self) -> float:
        """t: the factor for the length of a tail's error."""
        if self.tail < 3:
            return 1.0
        return min(1.0, float(np.sqrt(-2.0 * np.log(CHANCE / 2.0) / (self.tail - 1))))


@dataclass(frozen=True, slots=True)
class Codes:
    """Vectors, encoded.

    Attributes:
        head: int8 (n, head_bytes).
        signs: uint8 (n, sign_bytes): the first direction is the lowest bit, 1 for what is above 0.
        factors: uint16 (n,): what products with the signs are multiplied with, in 65,535ths.
        errors: uint8 (n, 2): roots of head's error and of the signs' (times `reach`), in 255ths, rounded up.
        fine: uint8 (n, fine_bytes): the first direction is the lower half.
        fine_factors: float32 (n,).
        fine_errors: float32 (n, 2): head's error and fine's (times `reach`), rounded up.
    """

    head: NDArray[np.int8]
    signs: NDArray[np.uint8]
    factors: NDArray[np.uint16]
    errors: NDArray[np.uint8]
    fine: NDArray[np.uint8]
    fine_factors: NDArray[np.float32]
    fine_errors: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class FramedQuery:
    """Query in a frame.

    Attributes:
        turned: float32 (dims,): the query in the frame; `head` and `tail` are parts of `turned`.
        lengths: Lengths of both parts, rounded up: the factors for the errors of a vector.
        has_direction: False for zero and NaN vectors, whose cosine is 0 with every vector.
    """

    turned: NDArray[np.float32]
    head: NDArray[np.float32]
    tail: NDArray[np.float32]
    lengths: tuple[float, float]
    has_direction: bool

    @property
    def constant(self) -> float:
        """Error of every estimate from signs, for the rounding of the factors too."""
        return MARGIN + self.lengths[1] * float(np.sqrt(len(self.tail))) * SHORT_STEP


def unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Each row at length 1; zeros for a row without direction (zero, NaN, infinite)."""
    wide = vectors.astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        sizes = np.sqrt(np.einsum("ij,ij->i", wide, wide))
        wide /= sizes[:, None]
    wide[~(np.isfinite(sizes) & (sizes > 0.0))] = 0.0
    return wide.astype(np.float32)


def fit_frame(parts: Iterable[NDArray[np.float32]], dims: int, rng: np.random.Generator, head: int = HEAD) -> Frame:
    """Frame for a sample: principal directions for a head, mixed so all are about equally long.

    Args:
        parts: The sample, in parts of (n, dims), any n; with few rows the frame is as good as any, with some thousands
            the frame suits the corpus.
        rng: Turns the tail; must be unpredictable.
        head: Directions of the head; no more than `dims` are taken.
    """
    count, products = 0, np.zeros((dims, dims))
    for part in parts:
        vectors = unit(part).astype(np.float64)
        products += vectors.T @ vectors
        count += len(vectors)
    head = min(head, dims)
    basis = _principal_directions(products) if count else np.eye(dims)
    basis[:, :head] = basis[:, :head] @ _mixing(head)
    basis[:, head:] = basis[:, head:] @ _random_turn(dims - head, rng)
    squares = np.einsum("ij,ij->j", basis[:, :head], products @ basis[:, :head]) / max(count, 1)
    step = _SPREAD * float(np.sqrt(np.mean(np.maximum(squares, 1e-6)))) / _LIMIT
    return Frame(np.ascontiguousarray(basis, np.float32), head, step)


def _principal_directions(products: NDArray[np.float64]) -> NDArray[np.float64]:
    """Principal directions as columns, the longest first; each direction without length is an axis, in order.

    Args:
        products: (dims, dims): the sample's transpose times the sample.
    """
    _, directions = np.linalg.eigh(products + np.diag(np.linspace(1e-9, 0.0, len(products))))
    return np.asarray(directions[:, ::-1]).copy()


def encode(frame: Frame, vectors: NDArray[np.float32]) -> Codes:
    """Codes of each row of `vectors` (n, dims); a row without direction gets errors of 0 and products of 0."""
    turned = unit(vectors) @ frame.basis
    head, tail = turned[:, : frame.head], turned[:, frame.head :]
    codes, head_errors = _rounded_head(frame, head)
    lengths = np.sqrt(np.einsum("ij,ij->i", tail, tail, dtype=np.float64))
    is_above = tail > 0.0
    signs = np.zeros((len(tail), 8 * frame.sign_bytes), np.bool_)
    signs[:, : frame.tail] = is_above
    sums = np.abs(tail).sum(axis=1, dtype=np.float64)
    factors, sign_errors = _fit_factors(lengths, sums, np.full(len(tail), float(frame.tail)), frame.reach)
    levels, fine_factors, fine_errors = _fine_levels(frame, tail, lengths)
    has_direction = np.asarray(turned.any(axis=1))[:, None]
    errors = np.where(has_direction, np.stack([head_errors, sign_errors], axis=1) + _SLACK, 0.0)
    fine = np.where(has_direction, np.stack([head_errors, fine_errors], axis=1) + _SLACK, 0.0)
    return Codes(
        codes,
        np.packbits(signs, axis=1, bitorder="little"),
        np.rint(factors / SHORT_STEP).astype(np.uint16),
        np.ceil(np.sqrt(np.minimum(errors, 1.0)) / BYTE_STEP).astype(np.uint8),
        levels,
        fine_factors.astype(np.float32),
        fine.astype(np.float32),
    )


def frame_query(frame: Frame, query: NDArray[np.float32]) -> FramedQuery:
    """`query` (dims,) turned into the frame, ready to be compared with codes."""
    turned = (unit(query[None]) @ frame.basis)[0]
    head, tail = turned[: frame.head], turned[frame.head :]
    lengths = float(np.linalg.norm(head)) + _SLACK, float(np.linalg.norm(tail)) + _SLACK
    return FramedQuery(turned, head, tail, lengths, bool(turned.any()))


def coarse_products(
    frame: Frame,
    head: NDArray[np.int8],
    columns: NDArray[np.uint8],
    factors: NDArray[np.uint16],
    question: FramedQuery,
) -> NDArray[np.float32]:
    """Coarse cosines by head and signs, float32 (n,); `columns` are the signs, (sign_bytes, n)."""
    products = head[:, : frame.head].astype(np.float32) @ (question.head * np.float32(frame.head_step))
    sums, part = np.zeros((2, len(head)), np.float32)
    for column, table in zip(columns, sign_tables(frame, question), strict=True):
        table.take(column, out=part, mode="clip")  # none is beyond the table, and only so it is not copied first
        sums += part
    return products + sums * (factors * np.float32(SHORT_STEP))


def coarse_errors(errors: NDArray[np.uint8], question: FramedQuery) -> NDArray[np.float32]:
    """Largest distance of each of `coarse_products` from the cosine."""
    bounds: NDArray[np.float32] = widen_errors(errors) @ np.array(question.lengths, np.float32)
    return bounds + np.float32(question.constant)


def sign_tables(frame: Frame, question: FramedQuery) -> NDArray[np.float32]:
    """The product of the question's tail with every byte of signs: (sign_bytes, 256)."""
    padded = np.zeros(8 * frame.sign_bytes, np.float32)
    padded[: frame.tail] = question.tail
    bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little").astype(np.float32)
    tables: NDArray[np.float32] = padded.reshape(-1, 8) @ (2.0 * bits - 1.0).T
    return tables.astype(np.float32, copy=False)


def widen_errors(errors: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Two errors as lengths, never below the true lengths."""
    wide = errors * np.float32(BYTE_STEP)
    wide *= wide
    return wide


def decode_vectors(
    frame: Frame, head: NDArray[np.int8], fine: NDArray[np.uint8], factors: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Vectors by head and fine codes, in the frame: float32 (n, dims)."""
    vectors = np.empty((len(head), len(frame.basis)), np.float32)
    np.multiply(head[:, : frame.head], np.float32(frame.head_step), out=vectors[:, : frame.head])
    tail = vectors[:, frame.head :]
    tail[:, 0::2] = fine & 15
    tail[:, 1::2] = (fine >> 4)[:, : frame.tail // 2]
    tail -= np.float32(MIDDLE_LEVEL)
    tail *= factors[:, None]
    return vectors


def fine_errors(errors: NDArray[np.float32], question: FramedQuery) -> NDArray[np.float32]:
    """Largest distance of the product of each `decode_vectors` vector with the question from the cosine."""
    return errors @ np.array(question.lengths, np.float32) + np.float32(MARGIN)


def _rounded_head(frame: Frame, head: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float64]]:
    """Whole steps, and the length of the loss; zero steps if more than the whole head would be lost."""
    codes = np.clip(np.rint(head / np.float32(frame.head_step)), -_LIMIT, _LIMIT)
    errors = np.linalg.norm((head - codes * np.float32(frame.head_step)).astype(np.float64), axis=1)
    codes[errors > 1.0] = 0.0
    padded = np.zeros((len(head), frame.head_bytes), np.int8)
    padded[:, : frame.head] = codes
    return padded, np.minimum(errors, 1.0)


def _fine_levels(
    frame: Frame, tail: NDArray[np.float32], lengths: NDArray[np.float64]
) -> tuple[NDArray[np.uint8], NDArray[np.float64], NDArray[np.float64]]:
    """Fine codes, packed, with their factors and errors."""
    steps = np.maximum(lengths * (_FINE_STEP / np.sqrt(max(frame.tail, 1))), 1e-12).astype(np.float32)
    levels = np.zeros((len(tail), 2 * frame.fine_bytes), np.uint8)
    levels[:, : frame.tail] = np.clip(np.floor(tail / steps[:, None]) + 8.0, 0.0, 15.0)
    centred = levels[:, : frame.tail] - np.float32(MIDDLE_LEVEL)
    products = np.einsum("ij,ij->i", centred, tail, dtype=np.float64)
    factors, errors = _fit_factors(
        lengths, products, np.einsum("ij,ij->i", centred, centred, dtype=np.float64), frame.reach
    )
    return levels[:, 0::2] | (levels[:, 1::2] << np.uint8(4)), factors, errors


def _fit_factors(
    lengths: NDArray[np.float64], products: NDArray[np.float64], squares: NDArray[np.float64], reach: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Of codes s of vectors y: what `<q, s>` is multiplied with, and the error for a q of length 1.

    Args:
        lengths: |y|.
        products: <s, y>.
        squares: |s|^2.
        reach: t.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        factors = lengths**2 / products
        errors = reach * factors * np.sqrt(np.maximum(squares - (products / lengths) ** 2, 0.0))
    is_worse = ~(errors < lengths)
    return np.where(is_worse, 0.0, factors), np.where(is_worse, lengths, errors)


def _random_turn(size: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """An orthonormal matrix, each with equal chance."""
    turn, triangle = np.linalg.qr(rng.standard_normal((size, size)))
    turned: NDArray[np.float64] = turn * np.where(np.diagonal(triangle) < 0.0, -1.0, 1.0)
    return turned


def _mixing(size: int) -> NDArray[np.float64]:
    """Orthonormal matrix with entries of about equal size: the discrete cosine transform."""
    places = np.arange(size)
    matrix: NDArray[np.float64] = np.cos(np.pi / size * (places[None, :] + 0.5) * places[:, None]) * np.sqrt(2.0 / size)
    matrix[0] *= np.sqrt(0.5)
    return matrix
