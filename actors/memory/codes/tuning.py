"""Tuning of the vector engine: thresholds, batch sizes and caps in a single value. No answer depends on the tuning."""

from __future__ import annotations

from dataclasses import dataclass, field

from domain.memory import vector_codes


@dataclass(frozen=True, slots=True)
class TopTuning:
    """Of the nearest rows."""

    seeds: int = 60
    """Vectors fetched at first, beyond as many as are wanted."""
    look: int = 3
    """Bounds made tight for each vector wanted or seeded."""
    batch: int = 1024
    """Most vectors fetched at a time after the seeds."""


@dataclass(frozen=True, slots=True)
class Tuning:
    """Settings of speed and memory; the defaults are measured on a million vectors of 768 numbers."""

    is_fast: bool = True
    """True to use the compiled pass if available."""
    memory_bytes: int = 128_000_000
    """Memory for codes: as much of the second file's end as fits beside the first stays in memory."""
    head: int = vector_codes.HEAD
    """Directions of a frame's head; an existing file has its own number."""
    fit_rows: int = 16_384
    """Vectors used to fit a frame; more do not improve the frame."""
    least_fit_rows: int = 64
    """A frame fitted to fewer vectors counts as fitted to this number."""
    refit_factor: int = 4
    """Growth of the number of vectors since the fit, as a factor, at which a frame is chosen anew."""
    compared_rows: int = 64
    """Rows compared with the index at opening."""
    fetch_rows: int = 1024
    """Vectors fetched at a time while all are read, or many are compared."""
    chunk_records: int = 8192
    """Records read or written at a time."""
    late_rows: int = 32_768
    """Rows out of order searched apart before all are sorted anew."""
    top: TopTuning = field(default_factory=TopTuning)


MEASURED = Tuning()
"""The best tuning by measurement."""
