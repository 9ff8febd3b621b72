"""Temporary folder of one process of the tests: short, its own, and empty again when all tests have run."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from actors.linux.private_folder import TemporaryFolder, remove_abandoned

OWN_PREFIX = "agent-"
"""Of what the agent makes there, and removes at its next start where a kill left it."""
_PREFIX = "remtest-"
"""Of the folder's own name, which is short, as sockets are made below it."""
_OTHERS = "pytest-of-"
"""Of the folder of a pytest that a test starts, which keeps it for a look."""


class TemporaryPlace:
    """The folder, and the tests in which each thing came into it."""

    def __init__(self, folder: Path) -> None:
        """Nothing is in it yet."""
        self.folder = folder
        self._came_in: dict[str, str] = {}

    def note(self, test_id: str) -> None:
        """Note what came in a test; something of a longer life may stay until all tests have run."""
        for name in self._names():
            self._came_in.setdefault(name, test_id)

    def leftovers(self) -> list[str]:
        """What should not be there any more, each with the test in which it came, once all tests have run."""
        remove_abandoned(OWN_PREFIX)
        return [f"{name} (came in {self._came_in.get(name, 'no test')})" for name in self._names()]

    def _names(self) -> list[str]:
        return sorted(each.name for each in self.folder.iterdir() if not each.name.startswith(_OTHERS))


@contextmanager
def temporary_place() -> Iterator[TemporaryPlace]:
    """A place to which `tempfile` and `TMPDIR` point, for this process and its children, until the end."""
    with TemporaryFolder(_PREFIX) as name, pytest.MonkeyPatch.context() as patch:
        folder = Path(name)
        folder.chmod(0o1777)  # as the system's: tests have other users' processes write there
        patch.setenv("TMPDIR", name)
        patch.setattr(tempfile, "tempdir", name)
        yield TemporaryPlace(folder)
