"""Packing of vectors: checked, brought to unit length, little-endian float32."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np

NO_VECTOR = b""
_BYTES_OF_NUMBER = 4
_SHORTEST = 1e-12
_LONGEST = 1e100
"""Largest valid component; no provider gives a larger value, and the square may overflow."""
_LITTLE_ENDIAN = np.dtype("<f4")


def pack_vector(values: object, dimensions: int) -> bytes:
    """Little-endian float32 of unit length in the direction of `values`.

    Args:
        values: Value of a provider for one text: a list of numbers, or anything else.
        dimensions: Required length; 0 for any length.

    Returns:
        Empty for an unusable vector: another size, not numbers, not finite, or all (nearly) zero.
    """
    if not isinstance(values, list | tuple | np.ndarray) or len(values) != (dimensions or len(values)):
        return NO_VECTOR
    dimensions = len(values)
    try:
        vector = np.asarray(values)
    except ValueError:  # ragged
        return NO_VECTOR
    # Strings that look like numbers would be converted, and bools and objects hide what they are.
    if vector.shape != (dimensions,) or vector.dtype.kind not in "fiu":
        return NO_VECTOR
    # In double precision, since squares of small or huge float32 numbers leave its range.
    exact = vector.astype(np.float64)
    if not dimensions or not np.isfinite(exact).all() or not _SHORTEST <= np.abs(exact).max() <= _LONGEST:
        return NO_VECTOR
    length = float(np.linalg.norm(exact))
    return (exact / length).astype(_LITTLE_ENDIAN).tobytes()


def dimensions_of(vectors: Iterable[bytes | None]) -> int:
    """Dimensions of most of the vectors, of the first on a tie; 0 without vectors."""
    sizes = Counter(len(vector) for vector in vectors if vector)
    return sizes.most_common(1)[0][0] // _BYTES_OF_NUMBER if sizes else 0


def of_size(vectors: Iterable[bytes], dimensions: int) -> tuple[bytes, ...]:
    """Vectors of the given size; the rest are left out."""
    return tuple(vector if len(vector) == dimensions * _BYTES_OF_NUMBER else NO_VECTOR for vector in vectors)


class VectorSize:
    """Size of a space's vectors: from the space's name, or else from the newest vector of the provider."""

    def __init__(self, dimensions: int) -> None:
        """Take the requested size; 0 to leave the decision to the provider."""
        self._is_fixed = bool(dimensions)
        self.dimensions = dimensions
        """Size of the vectors; 0 while unknown."""

    def take(self, vectors: tuple[bytes, ...], *, is_probe: bool) -> tuple[tuple[bytes, ...], bool]:
        """The vectors of a call, all of one size, and whether the size has changed.

        If the provider decides the size, the majority of vectors counts. A single text changes the size only as a
        probe: else the odd size may come from the text.
        """
        if self._is_fixed:
            return vectors, False
        dimensions = dimensions_of(vectors) or self.dimensions
        if self.dimensions and len(vectors) == 1 and not is_probe:
            dimensions = self.dimensions
        has_changed = dimensions != self.dimensions
        self.dimensions = dimensions
        return of_size(vectors, dimensions), has_changed
