"""The one part of the build that pyproject.toml has no settled words for: the memory's compiled search.

It is a plain shared library beside its loader (actors/memory/codes/scan.py), which reads it by ctypes: it uses nothing
of Python's C interface, so no headers are needed. Without a C compiler the build goes on, and numpy does its work.
"""

from __future__ import annotations

from setuptools import Extension, setup

SCAN = Extension(
    "actors.memory.codes._scan",
    ["actors/memory/codes/scan.c"],
    extra_compile_args=["-O3", "-std=gnu11"],
    optional=True,
)

setup(ext_modules=[SCAN])
