"""A BERT encoder's layers in whole numbers of eight bits, compiled from forward.c where the build found a C compiler.

Vectors differ a little from those of plain.py, which is the reference: docs/performance.md says by how much.
"""

from __future__ import annotations

import ctypes
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from actors.embedder.encoder.plain import Floats
from actors.linux.compiled import library_path, load

NAME = "_forward"
_INTERFACE = 1
"""Required value of `forward_interface` in `forward.c`: a library with another value is refused."""
KINDS = ("numpy", "AVX2", "AVX-512 with VNNI")
"""Of `forward_kernels`."""
_ALIGNED = 64
_LONGEST = 16_384
"""Most tokens for the kernels at a time."""
_RETAINED = 3
"""Working buffers to keep: as many as there are calls at once."""
_KEPT_BYTES = 4 * 1024 * 1024
"""Bytes of the largest buffer to keep."""
_ATTENTION = ("query", "key", "value")
_PRODUCTS = ("attention.output.dense", "intermediate.dense", "output.dense")
_NORMS = ("attention.output.LayerNorm", "output.LayerNorm")

Bytes = NDArray[np.uint8]


class _Shape(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_size_t) for name in ("dims", "heads", "inner"))


class _Work(ctypes.Structure):
    _fields_ = (
        ("state", ctypes.c_void_p),
        ("state_bytes", ctypes.c_size_t),
        ("lengths", ctypes.c_void_p),
        ("sentences", ctypes.c_size_t),
        ("room", ctypes.c_void_p),
        ("room_bytes", ctypes.c_size_t),
    )


class Kernels:
    """Functions of a library built from `forward.c`, for a model of one shape; any thread."""

    def __init__(self, library: ctypes.CDLL, *, dims: int, heads: int, inner: int, kernels: int) -> None:
        """Describe the computation.

        Args:
            library: As `built_library` or `load_library` give it.
            dims: Components of a token's vector.
            heads: Of attention.
            inner: Components between a layer's last two products.
            kernels: Index into `KINDS`.
        """
        self._library = library
        self._shape = _Shape(dims, heads, inner)
        self._kernels = kernels
        self.dims, self.inner = dims, inner
        self.layer_bytes: int = library.forward_layer_bytes(ctypes.byref(self._shape))
        """Of a layer's weights; 0 if there are no kernels for this shape."""

    def room_bytes(self, tokens: int, longest: int) -> int:
        """Bytes of the working buffer for a layer; 0 without kernels for these sizes."""
        return int(self._library.forward_room_bytes(ctypes.byref(self._shape), tokens, longest))

    def pack(self, product: int, weights: Floats, bias: Floats, layer: Bytes) -> None:
        """Put a product's (outputs, inputs) weights and its bias into a layer's block.

        Raises:
            ValueError: a rule of `forward.c` is broken.
        """
        self._settle(
            self._library.forward_pack(
                ctypes.byref(self._shape),
                product,
                *_address_and_size(weights, np.float32),
                *_address_and_size(bias, np.float32),
                *_address_and_size(layer, np.uint8),
            )
        )

    def pack_norms(self, norms: Floats, layer: Bytes) -> None:
        """Put the two norms' weights and biases, (2, 2, dims), into a layer's block; errors as of `pack`."""
        self._settle(
            self._library.forward_pack_norms(
                ctypes.byref(self._shape), *_address_and_size(norms, np.float32), *_address_and_size(layer, np.uint8)
            ),
        )

    def run(self, layer: Bytes, state: Floats, lengths: NDArray[np.uintp], room: Bytes) -> None:
        """Take sentences through a layer and change `state`; raises errors as `pack` does."""
        starts, _ = _address_and_size(lengths, np.uintp)
        work = _Work(*_address_and_size(state, np.float32), starts, len(lengths), *_address_and_size(room, np.uint8))
        self._settle(
            self._library.forward_layer(
                self._kernels, ctypes.byref(self._shape), *_address_and_size(layer, np.uint8), ctypes.byref(work)
            ),
        )

    def _settle(self, answer: int) -> None:
        if answer:
            raise ValueError(f"the compiled layers refuse this: {self._library.forward_rule(answer).decode()}")


class CompiledLayers:
    """Encoder layers in bytes; any thread."""

    def __init__(self, kernels: Kernels, layers: Sequence[Bytes], kind: str) -> None:
        """Take the results of `build`."""
        self._kernels = kernels
        self.layers = tuple(layers)
        self.kind = kind
        self._rooms = deque[Bytes](maxlen=_RETAINED)

    @classmethod
    def build(cls, weights: Mapping[str, Floats], *, layers: int, heads: int) -> Self | None:
        """Layers, built in turn so no weights are in memory twice; None without kernels for this model.

        Raises:
            KeyError: a weight is missing.
            ValueError: a weight is not finite, or of a wrong shape.
        """
        library, kind = built_library(), best()
        if library is None or not kind:
            return None
        inner, dims = weights["encoder.layer.0.intermediate.dense.weight"].shape
        kernels = Kernels(library, dims=dims, heads=heads, inner=inner, kernels=kind)
        if not kernels.layer_bytes or len(weights["embeddings.position_embeddings.weight"]) > _LONGEST:
            return None
        blocks = [_layer(kernels, weights, f"encoder.layer.{index}.") for index in range(layers)]
        return cls(kernels, blocks, KINDS[kind])

    def run(self, state: Floats, lengths: Sequence[int], between: Callable[[], None]) -> Floats:
        """The last hidden states of sentences end to end; as of `PlainLayers`."""
        counts = np.array(lengths, np.uintp)
        room = self._room(self._kernels.room_bytes(len(state), int(counts.max())))
        for layer in self.layers:
            between()
            self._kernels.run(layer, state, counts, room)
        if room.nbytes <= _KEPT_BYTES:
            self._rooms.append(room)
        return state

    def _room(self, size: int) -> Bytes:
        try:
            room = self._rooms.pop()
        except IndexError:
            return aligned_bytes(size)
        return room if room.nbytes >= size else aligned_bytes(size)


def aligned_bytes(size: int) -> Bytes:
    """`size` bytes, aligned to a vector of the processor."""
    room = np.empty(size + _ALIGNED, np.uint8)
    start = -room.ctypes.data % _ALIGNED
    return room[start : start + size]


def is_available() -> bool:
    """True if compiled layers are available for this machine."""
    return bool(best())


def best() -> int:
    """Index into `KINDS` of the best kernels for this machine; 0 without compiled kernels or on an old processor."""
    library = built_library()
    return 0 if library is None else int(library.forward_kernels())


@cache
def built_library() -> ctypes.CDLL | None:
    """Library built from the C source; None if missing."""
    return load_library(library_path(__file__, NAME))


def load_library(path: Path) -> ctypes.CDLL | None:
    """Library at `path`, with declared argument types; None without a library of this interface."""
    library = load(path, "vectors", "forward", _INTERFACE)
    if library is None:
        return None
    shape, at, size = ctypes.POINTER(_Shape), ctypes.c_void_p, ctypes.c_size_t
    library.forward_rule.argtypes, library.forward_rule.restype = [ctypes.c_int], ctypes.c_char_p
    library.forward_layer_bytes.argtypes, library.forward_layer_bytes.restype = [shape], size
    library.forward_room_bytes.argtypes = [shape, size, size]
    library.forward_room_bytes.restype = size
    library.forward_pack.argtypes = [shape, ctypes.c_int, at, size, at, size, at, size]
    library.forward_pack_norms.argtypes = [shape, at, size, at, size]
    library.forward_layer.argtypes = [ctypes.c_int, shape, at, size, ctypes.POINTER(_Work)]
    return library


def _address_and_size(array: NDArray[np.generic], dtype: type[np.generic]) -> tuple[int, int]:
    """(address, size in bytes) of an array, for C.

    Raises:
        ValueError: the array is not contiguous, or of another type.
    """
    if not array.flags.c_contiguous or array.dtype != dtype:
        raise ValueError(f"an array of {array.dtype}, shape {array.shape}, must be {dtype.__name__} and contiguous")
    return array.ctypes.data, array.nbytes


def _layer(kernels: Kernels, weights: Mapping[str, Floats], prefix: str) -> Bytes:
    layer = aligned_bytes(kernels.layer_bytes)
    attention = [f"{prefix}attention.self.{part}" for part in _ATTENTION]
    first = [np.concatenate([weights[f"{name}.{kind}"] for name in attention]) for kind in ("weight", "bias")]
    kernels.pack(0, first[0], first[1], layer)
    del first
    for product, name in enumerate(_PRODUCTS, 1):
        weight, bias = (np.ascontiguousarray(weights[f"{prefix}{name}.{kind}"]) for kind in ("weight", "bias"))
        kernels.pack(product, weight, bias, layer)
    kernels.pack_norms(
        np.concatenate([weights[f"{prefix}{name}.{kind}"] for name in _NORMS for kind in ("weight", "bias")]), layer
    )
    return layer
