"""Compact codes of unit vectors, and how far an estimate from them can be from the truth.

A vector is turned into the frame of its corpus, where the first directions carry most of its length, and cut in three:
the *head* (8 bits a direction), the *middle* (4 bits) and the *rest* (8 bits, kept apart, since few need it). With the
question q cut in the same way and x = code + error in each part, Cauchy and Schwarz say that `<q, x>` differs from

    <q_head, code_head>               by at most |q_head| |error_head| + |q_beyond| |x_beyond|
    the same + <q_middle, code_middle>        by |q_head| |error_head| + |q_middle| |error_middle| + |q_rest| |x_rest|
    the same + <q_rest, code_rest>            by the same with |error_rest| for |x_rest|

whatever the vectors are; a frame that does not suit them makes the bounds wide, never wrong. The lengths of the errors
are measured when a vector is encoded and kept in a byte each, rounded up.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

HEAD = 112
MIDDLE = 176
LENGTHS = 4
"""Bytes a vector for the lengths of: head's error, everything beyond the head, middle's error, the rest."""
MARGIN = 1e-4
"""Added to every bound: more than all rounding in float32 sums of this size can make."""
_LIMIT = 127
_MIDDLE_LIMIT = 7
_SPREAD = 4.5
"""Standard deviations that fit into a byte; what lies outside is cut off and counts as error."""
_MIDDLE_STEP = 0.34
"""Step of the middle in standard deviations: near the best for fifteen levels of a bell curve."""
_LENGTH_STEP = 1.0 / 255.0
"""A byte keeps a length in such steps; an error, mostly small, as the root of it."""
_BLOCK = 512
"""Vectors decoded at a time: few enough to stay in the cache."""
_SLACK = 2e-4
"""Added to the lengths before they are rounded up: more than float32 sums can be wrong."""


@dataclass(frozen=True, slots=True)
class Frame:
    """The directions into which a corpus is turned.

    Attributes:
        basis: (dims, dims), float32, orthonormal columns: head, middle, rest.
        head: Directions of the head.
        head_step: Size of one step of its codes.
        middle_steps: The same for each direction of the middle, float32.
        rest_step: The same for the rest.
    """

    basis: NDArray[np.float32]
    head: int
    head_step: float
    middle_steps: NDArray[np.float32]
    rest_step: float

    @property
    def kept(self) -> int:
        """Directions of head and middle."""
        return self.head + len(self.middle_steps)

    @property
    def head_bytes(self) -> int:
        """Bytes of a head: a multiple of 16, which is what the fast product wants."""
        return -(-self.head // 16) * 16

    @property
    def middle_bytes(self) -> int:
        """Bytes of a middle: two directions each."""
        return -(-len(self.middle_steps) // 2)


@dataclass(frozen=True, slots=True)
class Codes:
    """Vectors, encoded.

    Attributes:
        head: int8 (n, head_bytes).
        middle: uint8 (n, middle_bytes).
        lengths: uint8 (n, 4).
        rest: int8 (n, directions of the rest).
        rest_errors: float32 (n,): what is lost of the rest.
    """

    head: NDArray[np.int8]
    middle: NDArray[np.uint8]
    lengths: NDArray[np.uint8]
    rest: NDArray[np.int8]
    rest_errors: NDArray[np.float32]

    def only(self, wanted: NDArray[np.int64]) -> Codes:
        """Those at the places that are wanted."""
        return Codes(
            self.head[wanted], self.middle[wanted], self.lengths[wanted], self.rest[wanted], self.rest_errors[wanted]
        )


@dataclass(frozen=True, slots=True)
class Question:
    """A query in a frame; `has_direction` is False for zero and NaN vectors, whose cosine is 0 with everything.

    Attributes:
        head: int8 (head_bytes,): its head in steps of `head_step`, which already includes the step of the codes.
        middle: float32: multiplied with the steps of the middle.
        lengths: float32 (4,): what the four lengths of a vector are multiplied with.
        constant: Error that every estimate has.
        target: float32 (dims,), and `weights` (3,): as `exact_questions` gives them.
    """

    head: NDArray[np.int8]
    head_step: float
    middle: NDArray[np.float32]
    lengths: NDArray[np.float32]
    constant: float
    target: NDArray[np.float32]
    weights: NDArray[np.float32]
    has_direction: bool


def unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Each row at length 1; zeros where it has no direction (zero, NaN, infinite)."""
    wide = vectors.astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        sizes = np.sqrt(np.einsum("ij,ij->i", wide, wide))
        wide /= sizes[:, None]
    wide[~(np.isfinite(sizes) & (sizes > 0.0))] = 0.0
    return wide.astype(np.float32)


def fit_frame(sample: NDArray[np.float32], dims: int) -> Frame:
    """The frame that suits `sample`: principal directions, the head's mixed so that all are about equally long.

    Args:
        sample: (n, dims), any n; with few rows the frame is as good as any, with some thousands it suits the corpus.
    """
    vectors = unit(sample).astype(np.float64)
    _, directions = np.linalg.eigh(vectors.T @ vectors + np.diag(np.linspace(1e-9, 0.0, dims)))
    head, kept = min(HEAD, dims), min(HEAD + MIDDLE, dims)
    basis = directions[:, ::-1].copy()
    basis[:, :head] = basis[:, :head] @ _mixing(head)
    turned = vectors @ basis
    spread = np.maximum(np.sqrt((turned**2).sum(axis=0) / max(len(turned), 1)), 1e-3)
    return Frame(
        np.ascontiguousarray(basis, np.float32),
        head,
        _SPREAD * float(np.sqrt(np.mean(spread[:head] ** 2))) / _LIMIT,
        (_MIDDLE_STEP * spread[head:kept]).astype(np.float32),
        _SPREAD * float(np.sqrt(np.mean(spread[kept:] ** 2))) / _LIMIT if kept < dims else 1.0,
    )


def encode(frame: Frame, vectors: NDArray[np.float32]) -> Codes:
    """Codes of each row of `vectors` (n, dims); a row without direction gets zeros."""
    units = unit(vectors)
    turned = units @ frame.basis
    head, middle, rest = np.split(turned, [frame.head, frame.kept], axis=1)
    head_codes, head_errors = _rounded(head, np.float32(frame.head_step), _LIMIT)
    middle_codes, middle_errors = _rounded(middle, frame.middle_steps, _MIDDLE_LIMIT)
    rest_codes, rest_errors = _rounded(rest, np.float32(frame.rest_step), _LIMIT)
    whole = np.einsum("ij,ij->i", units, units, dtype=np.float64)
    lengths = np.stack([head_errors, _left(whole, head), middle_errors, _left(whole, turned[:, : frame.kept])], axis=1)
    lengths = np.where(whole[:, None] > 0.0, np.minimum(lengths + _SLACK, 1.0), 0.0)
    lengths[:, [0, 2]] = np.sqrt(lengths[:, [0, 2]])
    padded = np.zeros((len(units), frame.head_bytes), np.int8)
    padded[:, : frame.head] = head_codes
    return Codes(
        padded,
        _packed(middle_codes, frame),
        np.ceil(lengths / _LENGTH_STEP).astype(np.uint8),
        rest_codes.astype(np.int8),
        (rest_errors + _SLACK).astype(np.float32),
    )


def asked(frame: Frame, query: NDArray[np.float32]) -> Question:
    """`query` (dims,), ready to be compared with codes."""
    targets, weights = exact_questions(frame, query[None])
    target, (head_length, middle_length, rest) = targets[0].astype(np.float64), weights[0].tolist()
    head, middle = target[: frame.head], target[frame.head : frame.kept]
    step = max(float(np.abs(head).max(initial=0.0)), 1e-6) / _LIMIT
    rounded = np.rint(head / step)
    head_error = float(np.linalg.norm(head - rounded * step))
    padded = np.zeros(frame.head_bytes, np.int8)
    padded[: frame.head] = rounded
    beyond = float(np.hypot(middle_length, rest)) + _SLACK
    return Question(
        padded,
        step * frame.head_step,
        middle.astype(np.float32) * frame.middle_steps,
        np.array([head_length + head_error, beyond, middle_length, rest], np.float32),
        head_error + MARGIN,
        targets[0],
        weights[0],
        bool(target.any()),
    )


def head_products(head: NDArray[np.int8], question: Question) -> NDArray[np.float32]:
    """Product of each head with the question's, in whole steps; exact in float32."""
    return head.astype(np.float32) @ question.head.astype(np.float32)


def head_errors(lengths: NDArray[np.uint8], question: Question) -> NDArray[np.float32]:
    """How far each estimate from the head alone can be from the cosine."""
    weights = question.lengths * np.float32(_LENGTH_STEP)
    errors = lengths[:, 0] * np.float32(np.sqrt(weights[0] * np.float32(_LENGTH_STEP)))
    errors *= errors
    errors += lengths[:, 1] * weights[1]
    errors += np.float32(question.constant)
    return errors


def middle_products(middle: NDArray[np.uint8], weights: NDArray[np.float32]) -> NDArray[np.float32]:
    """Products of the middles, in steps, with `weights`, without taking the pairs of codes apart.

    A byte is `low + 16 * high`, so `low * a + high * b == byte * b / 16 + low * (a - b / 16)`.
    """
    even = weights[0::2]
    odd = np.zeros_like(even)
    odd[: len(weights) // 2] = weights[1::2] / np.float32(16.0)
    constant = np.float32(8.0) * weights.sum()
    products = np.empty(len(middle), np.float32)
    for begin in range(0, len(middle), _BLOCK):
        part = middle[begin : begin + _BLOCK]
        products[begin : begin + _BLOCK] = part.astype(np.float32) @ odd + (part & 15).astype(np.float32) @ (even - odd)
    products -= constant
    return products


def middle_errors(lengths: NDArray[np.uint8], question: Question) -> NDArray[np.float32]:
    """How far each estimate from head and middle can be from the cosine."""
    wide = widened(lengths)
    errors: NDArray[np.float32] = wide[:, [0, 2, 3]] @ question.lengths[[0, 2, 3]]
    return errors + np.float32(question.constant)


def widened(lengths: NDArray[np.uint8]) -> NDArray[np.float32]:
    """The four lengths as numbers, never below the true ones."""
    wide = lengths * np.float32(_LENGTH_STEP)
    wide[:, [0, 2]] *= wide[:, [0, 2]]
    return wide


def decode(frame: Frame, codes: Codes) -> NDArray[np.float32]:
    """What the codes say of each vector, in the frame: (n, dims)."""
    head = codes.head[:, : frame.head] * np.float32(frame.head_step)
    middle = unpacked(codes.middle, frame) * frame.middle_steps
    return np.concatenate([head, middle, codes.rest * np.float32(frame.rest_step)], axis=1)


def decoded_products(frame: Frame, codes: Codes, target: NDArray[np.float32]) -> NDArray[np.float32]:
    """Product of each of `decode`d `codes` with `target` (dims,), without decoding all at once."""
    head, middle, rest = np.split(target.copy(), [frame.head, frame.kept])
    weighted = middle * frame.middle_steps
    head *= np.float32(frame.head_step)
    rest *= np.float32(frame.rest_step)
    products = np.empty(len(codes.head), np.float32)
    for begin in range(0, len(products), _BLOCK):
        part = slice(begin, begin + _BLOCK)
        products[part] = codes.head[part, : frame.head].astype(np.float32) @ head
        products[part] += middle_products(codes.middle[part], weighted)
        products[part] += codes.rest[part].astype(np.float32) @ rest
    return products


def exact_questions(frame: Frame, vectors: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Several vectors in the frame, not rounded, to be compared with what `decode` gives.

    Returns:
        (n, dims) directions, and (n, 3) weights: the cosine of a to x differs from the product of the directions of a
        with the decoded x by at most the product of the weights of a with `decoded_errors` of x, plus `MARGIN`.
    """
    turned = unit(vectors) @ frame.basis
    parts = np.split(turned.astype(np.float64), [frame.head, frame.kept], axis=1)
    weights = np.stack([np.linalg.norm(part, axis=1) for part in parts], axis=1) + _SLACK
    return turned, weights.astype(np.float32)


def decoded_errors(codes: Codes) -> NDArray[np.float32]:
    """(n, 3): how much of each vector's head, middle and rest `decode` does not give, at most."""
    return np.concatenate([widened(codes.lengths)[:, [0, 2]], codes.rest_errors[:, None]], axis=1)


def unpacked(middle: NDArray[np.uint8], frame: Frame) -> NDArray[np.float32]:
    """The middle's codes, in steps: float32 (n, directions of the middle)."""
    levels = np.empty((len(middle), 2 * middle.shape[1]), np.float32)
    levels[:, 0::2] = middle & 15
    levels[:, 1::2] = middle >> 4
    levels -= 8.0
    return levels[:, : len(frame.middle_steps)]


def _packed(codes: NDArray[np.float32], frame: Frame) -> NDArray[np.uint8]:
    """Two codes a byte, each with 8 added."""
    levels = np.full((len(codes), 2 * frame.middle_bytes), 8, np.uint8)
    levels[:, : codes.shape[1]] = codes + 8.0
    return levels[:, 0::2] | (levels[:, 1::2] << np.uint8(4))


def _rounded(
    values: NDArray[np.float32], steps: NDArray[np.float32] | np.float32, limit: int
) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """Whole steps within +-limit, and the length of what is lost; nothing is kept where more than all would be lost."""
    codes = np.clip(np.rint(values / steps), -limit, limit)
    errors = np.linalg.norm((values - codes * steps).astype(np.float64), axis=1)
    codes[errors > 1.0] = 0.0
    return codes, np.where(errors > 1.0, 1.0, errors)


def _left(whole: NDArray[np.float64], part: NDArray[np.float32]) -> NDArray[np.float64]:
    """Length of what is left of each vector outside of `part`."""
    wide = part.astype(np.float64)
    left: NDArray[np.float64] = np.sqrt(np.maximum(whole - np.einsum("ij,ij->i", wide, wide), 0.0))
    return left


def _mixing(size: int) -> NDArray[np.float64]:
    """An orthonormal matrix whose entries are all about equally large: the discrete cosine transform."""
    places = np.arange(size)
    matrix: NDArray[np.float64] = np.cos(np.pi / size * (places[None, :] + 0.5) * places[:, None]) * np.sqrt(2.0 / size)
    matrix[0] *= np.sqrt(0.5)
    return matrix
