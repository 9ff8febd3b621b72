"""Import of one module with a fault in it, for a process that has not loaded the module yet."""

from __future__ import annotations

import importlib.abc
import importlib.util
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, ModuleType

from lab.mutation.mutants import mutated

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


class Finder(importlib.abc.MetaPathFinder):
    """Finder of that one module."""

    def __init__(self, module: str, number: int, project: Path = PROJECT) -> None:
        """Nothing is loaded.

        Args:
            module: Its path below the project.
            number: Of the mutant.
            project: Folder that the import path begins at.
        """
        self.name = module.removesuffix(".py").replace("/", ".")
        self._path, self._number = project / module, number

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        """The faulty module, if it is the one that is asked for."""
        if fullname != self.name:
            return None
        return importlib.util.spec_from_file_location(fullname, self._path, loader=_Loader(self._path, self._number))


def install(module: str, number: int, project: Path = PROJECT) -> None:
    """Have a module run with a fault in it, in this process.

    Args:
        module: Its path below the project.
        number: Which fault, as `mutants_of` counts.
        project: Folder that the import path begins at.

    Raises:
        ValueError: it is loaded already.
    """
    finder = Finder(module, number, project)
    if finder.name in sys.modules:
        raise ValueError(f"module {module!r}: one that is not loaded yet is required")
    sys.meta_path.insert(0, finder)
