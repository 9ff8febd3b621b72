"""The one part of the build that pyproject.toml has no settled words for: what is compiled.

These are plain shared libraries beside their loaders (actors/memory/codes/scan.py and
actors/embedder/encoder/compiled.py), which read them by ctypes: they use nothing of Python's C interface, so no headers
are needed. Without a C compiler the build goes on, and numpy does their work.
"""

from __future__ import annotations

from pathlib import Path

from setuptools import Extension, setup

SOURCES = ("actors/memory/codes/scan.c", "actors/embedder/encoder/forward.c")


def extension(source: str) -> Extension:
    """The library of a source, which includes what headers lie beside it."""
    place = Path(source)
    return Extension(
        ".".join([*place.parent.parts, f"_{place.stem}"]),
        [source],
        depends=[str(header) for header in sorted(place.parent.glob("*.h"))],
        extra_compile_args=["-O3", "-std=gnu11"],
        optional=True,
    )


setup(ext_modules=[extension(source) for source in SOURCES])
