"""Plug-in of pytest: the process runs one module with a fault in it, as the environment says."""

from __future__ import annotations

import importlib.abc
import importlib.util
import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, ModuleType

from lab.mutation.mutants import mutated

VARIABLE = "AGENT_MUTANT"
"""`<path of the module below the project>:<number>`; unset for none."""
PROJECT = Path(__file__).resolve().parents[2]


class _Loader(importlib.abc.InspectLoader):
    """Loader of the faulty module."""

    def __init__(self, path: Path, number: int) -> None:
        self._path, self._number = path, number

    def get_source(self, fullname: str) -> str:  # noqa: ARG002
        return self._path.read_text("utf-8")

    def get_code(self, fullname: str) -> CodeType:
        return compile(mutated(self.get_source(fullname), self._number), str(self._path), "exec")

    def is_package(self, fullname: str) -> bool:  # noqa: ARG002
        return False


class _Finder(importlib.abc.MetaPathFinder):
    """Finder of that one module."""

    def __init__(self, path: str, number: int) -> None:
        self._name = path.removesuffix(".py").replace("/", ".")
        self._path, self._number = PROJECT / path, number

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        if fullname != self._name:
            return None
        loader = _Loader(self._path, self._number)
        return importlib.util.spec_from_file_location(fullname, self._path, loader=loader)


def install(mutant: str) -> None:
    """Have the module that `mutant` names run with that fault.

    Args:
        mutant: As in the variable.

    Raises:
        ValueError: it is not of that form, or the module is loaded already.
    """
    path, colon, number = mutant.rpartition(":")
    finder = _Finder(path, int(number) if colon and number.isdecimal() else -1)
    if not colon or finder._number < 0 or finder._name in sys.modules:
        raise ValueError(f"{VARIABLE} {mutant!r}: <path>:<number> of a module that is not loaded yet is required")
    sys.meta_path.insert(0, finder)


if VARIABLE in os.environ:
    install(os.environ[VARIABLE])
