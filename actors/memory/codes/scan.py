"""Upper bounds of all cosines in a single pass: compiled if the build found a C compiler, else in numpy.

Both look at the same codes and give valid bounds; the compiled bounds are a little wider and come many times sooner.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from actors.linux.compiled import library_path, load
from domain.memory import vector_codes
from domain.memory.vector_codes import Frame, FramedQuery

NAME = "_scan"
"""Name of the library built from `scan.c`."""
BLOCK = 32
"""Vectors side by side in a block."""
_INTERFACE = 2
"""Required value of `scan_interface` in `scan.c`: a library with another value is refused."""
_PART = 256
"""Blocks handled by numpy at a time."""
_MOST, _MOST_SUM = 127, 65_535
"""A table's numbers are 0 to the first at most, so two fit into a byte; the sum of all added numbers fits into 16 bits.
"""
_HEAD_LIMIT = 32_000
_DECODED = 512
"""Records decoded by numpy at a time: few enough to stay in the cache."""


@dataclass(frozen=True, slots=True)
class Blocks:
    """Codes as `scan.c` wants them; each array is contiguous.

    Attributes:
        heads: int16 (blocks, pairs, BLOCK): two bytes of a head each.
        signs: uint8 (blocks, columns, BLOCK / 2, 2): [.., i, k] is of vector 16 k + i.
        factors: uint16 (blocks, BLOCK).
        head_errors: uint8 (blocks, BLOCK), and `sign_errors`.
    """

    heads: NDArray[np.int16]
    signs: NDArray[np.uint8]
    factors: NDArray[np.uint16]
    head_errors: NDArray[np.uint8]
    sign_errors: NDArray[np.uint8]


def look(
    segments: Sequence[Blocks], frame: Frame, question: FramedQuery, mask: NDArray[np.bool_], *, is_compiled: bool
) -> NDArray[np.float32]:
    """Upper bound of each vector's cosine, float32 (n,).

    Args:
        segments: All of one size.
        mask: True for each vector to compare; the others get minus infinity.
        is_compiled: True to use the compiled pass; only if `is_available`.

    Raises:
        ValueError: there are more of `mask` than vectors.
    """
    size = segments[0].factors.size if segments else 0
    if len(mask) > size * len(segments):
        raise ValueError(f"{len(mask)} asked about do not fit {size * len(segments)} vectors")
    uppers = np.empty(-(-len(mask) // BLOCK) * BLOCK, np.float32)
    query = _IntegerQuery(frame, question) if is_compiled else None
    for blocks, begin in zip(segments, range(0, len(mask), max(size, 1)), strict=False):
        part = slice(begin, begin + size)
        if query is not None:
            _run(blocks, query, mask[part], uppers[part])
        else:
            _run_plain(blocks, frame, question, uppers[part])
    uppers = uppers[: len(mask)]
    if query is None:
        uppers[~mask] = -np.inf
    return uppers


def _run_plain(blocks: Blocks, frame: Frame, question: FramedQuery, uppers: NDArray[np.float32]) -> None:
    for begin in range(0, len(uppers) // BLOCK, _PART):
        bounds = plain_bounds(blocks, slice(begin, min(begin + _PART, len(uppers) // BLOCK)), frame, question)
        uppers[begin * BLOCK : begin * BLOCK + len(bounds)] = bounds


def plain_bounds(blocks: Blocks, part: slice, frame: Frame, question: FramedQuery) -> NDArray[np.float32]:
    """The first of `look` for some blocks, in numpy."""
    factors = blocks.factors[part].reshape(-1)
    heads = blocks.heads[part].transpose(0, 2, 1).reshape(len(factors), blocks.heads.shape[1])
    signs = blocks.signs[part].transpose(1, 0, 3, 2).reshape(blocks.signs.shape[1], len(factors))
    errors = np.stack([blocks.head_errors[part].reshape(-1), blocks.sign_errors[part].reshape(-1)], axis=1)
    bounds = vector_codes.coarse_errors(errors, question)
    bounds += vector_codes.coarse_products(frame, np.ascontiguousarray(heads).view(np.int8), signs, factors, question)
    return bounds


def fine_products(
    records: NDArray[np.void], frame: Frame, vector: NDArray[np.float32], *, is_compiled: bool
) -> NDArray[np.float32]:
    """Product of each decoded record of the second file with `vector`, float32 (n,).

    Args:
        records: Contiguous.
        vector: (dims,), in the frame.
    """
    products = np.empty(len(records), np.float32)
    if not is_compiled:
        for begin in range(0, len(records), _DECODED):
            part = records[begin : begin + _DECODED]
            decoded = vector_codes.decode_vectors(frame, part["head"], part["fine"], part["factor"])
            products[begin : begin + _DECODED] = decoded @ vector
        return products
    vector = np.ascontiguousarray(vector, np.float32)
    buffer = np.zeros(len(frame.basis), np.float32)
    fields: Mapping[str, Any] = records.dtype.fields or {}
    details = _Details(
        records=records.ctypes.data,
        count=len(records),
        size=records.dtype.itemsize,
        **{name: fields[name][1] for name in ("head", "fine", "factor")},
        heads=frame.head,
        fines=frame.fine_bytes,
    )
    steps = frame.head_step, vector_codes.MIDDLE_LEVEL
    into = buffer.ctypes.data, products.ctypes.data
    _library().scan_fine(ctypes.byref(details), *steps, vector.ctypes.data, len(vector), *into)
    return products


def read(descriptor: int, offsets: NDArray[np.int64], size: int) -> NDArray[np.uint8]:
    """`size` bytes from each of `offsets` in a file, a line each; zeros beyond the file's end. Compiled only."""
    into = np.empty((len(offsets), size), np.uint8)
    offsets = np.ascontiguousarray(offsets)
    _library().scan_read(descriptor, offsets.ctypes.data, len(offsets), size, into.ctypes.data)
    return into


def is_available() -> bool:
    """True if a compiled pass is available for this machine."""
    return _find_library() is not None


def load_scan(path: Path) -> ctypes.CDLL | None:
    """The library at `path`; None without a library of this interface that this machine can run."""
    library = load(path, "search", "scan", _INTERFACE)
    return _declare_types(library) if library is not None and library.scan_is_able() else None


class _Question(ctypes.Structure):
    _fields_ = (
        ("head", ctypes.c_void_p),
        ("tables", ctypes.c_void_p),
        *((name, ctypes.c_float) for name in ("head_step", "sign_step", "sign_base")),
        *((name, ctypes.c_float) for name in ("head_error", "sign_error", "table_error", "constant")),
    )


class _Codes(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("heads", "signs", "factors", "head_errors", "sign_errors")),
        *((name, ctypes.c_size_t) for name in ("count", "pairs", "columns")),
    )


class _Bounds(ctypes.Structure):
    _fields_ = (("asked", ctypes.c_void_p), ("uppers", ctypes.c_void_p))


class _Details(ctypes.Structure):
    _fields_ = (
        ("records", ctypes.c_void_p),
        *((name, ctypes.c_size_t) for name in ("count", "size", "head", "fine", "factor", "heads", "fines")),
    )


class _IntegerQuery:
    """Quantised query: a question in whole numbers; its errors cover the loss by rounding."""

    def __init__(self, frame: Frame, question: FramedQuery) -> None:
        step = max(float(np.abs(question.head).max(initial=0.0)), 1e-9) / _HEAD_LIMIT
        self._head = np.zeros(frame.head_bytes, np.int16)
        self._head[: frame.head] = np.rint(question.head / step)
        lost = float(np.linalg.norm(question.head - self._head[: frame.head] * step))
        self._tables, table_step, base, table_error = _tables(frame, question)
        short, byte = vector_codes.SHORT_STEP, vector_codes.BYTE_STEP**2
        self.passed = _Question(
            head=self._head.ctypes.data,
            tables=self._tables.ctypes.data,
            head_step=step * frame.head_step,
            sign_step=table_step * short,
            sign_base=base * short,
            head_error=question.lengths[0] * byte,
            sign_error=question.lengths[1] * byte,
            table_error=table_error * short,
            # A head's codes may be a little longer than 1.
            constant=question.constant + 2.0 * lost,
        )


def _tables(frame: Frame, question: FramedQuery) -> tuple[NDArray[np.uint8], float, float, float]:
    """Tables for `scan.c`, the size of their step, the offset to add to a sum, and a sum's error."""
    columns = frame.sign_bytes
    padded = np.zeros(8 * columns, np.float64)
    padded[: frame.tail] = question.tail
    bits = (np.arange(16)[:, None] >> np.arange(4)) & 1
    products = padded.reshape(-1, 4) @ (2.0 * bits - 1.0).T
    bases = products.min(axis=1, initial=0.0)
    ranges = products.max(axis=1, initial=0.0) - bases
    step = max(float(ranges.max(initial=0.0)) / _MOST, float(ranges.sum()) / (_MOST_SUM - 2 * columns), 1e-9)
    rounded = np.rint((products - bases[:, None]) / step)
    error = np.abs(rounded * step + bases[:, None] - products).max(axis=1, initial=0.0).sum()
    halves = rounded.astype(np.uint8).reshape(columns // 2, 2, 2, 1, 16).transpose(0, 2, 1, 3, 4)
    tables = np.ascontiguousarray(np.broadcast_to(halves, (columns // 2, 2, 2, 2, 16)))
    return tables, step, float(bases.sum()), float(error)


@cache
def _find_library() -> ctypes.CDLL | None:
    return load_scan(library_path(__file__, NAME))


def _library() -> ctypes.CDLL:
    library = _find_library()
    if library is None:
        raise RuntimeError("there is no compiled search: ask `is_available` first")
    return library


def _declare_types(library: ctypes.CDLL) -> ctypes.CDLL:
    """`library` with the types of its functions' arguments."""
    library.scan.argtypes = [ctypes.POINTER(_Codes), ctypes.POINTER(_Question), ctypes.POINTER(_Bounds)]
    library.scan.restype = None
    sizes, into, steps = [ctypes.c_size_t] * 2, [ctypes.c_void_p] * 2, [ctypes.c_float] * 2
    library.scan_fine.argtypes = [ctypes.POINTER(_Details), *steps, ctypes.c_void_p, ctypes.c_size_t, *into]
    library.scan_fine.restype = None
    library.scan_read.argtypes = [ctypes.c_int, ctypes.c_void_p, *sizes, ctypes.c_void_p]
    library.scan_read.restype = None
    return library


def _run(
    blocks: Blocks,
    question: _IntegerQuery,
    mask: NDArray[np.bool_],
    uppers: NDArray[np.float32],
) -> None:
    codes = _Codes(
        heads=blocks.heads.ctypes.data,
        signs=blocks.signs.ctypes.data,
        factors=blocks.factors.ctypes.data,
        head_errors=blocks.head_errors.ctypes.data,
        sign_errors=blocks.sign_errors.ctypes.data,
        count=len(mask),
        pairs=blocks.heads.shape[1],
        columns=blocks.signs.shape[1],
    )
    bounds = _Bounds(asked=mask.ctypes.data, uppers=uppers.ctypes.data)
    _library().scan(ctypes.byref(codes), ctypes.byref(question.passed), ctypes.byref(bounds))
