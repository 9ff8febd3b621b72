from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.actors.context import durability
from tests.actors.context.rig import Rig


@pytest.fixture(autouse=True)
def safe_disk() -> Iterator[None]:
    """Fail a test in which a message left that rests on what a power loss would take, wherever it was raised."""
    yield
    found = list(durability.violations)
    durability.forget_disks()
    assert found == []


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    """A running window system."""
    made = Rig(tmp_path)
    yield made
    made.stop()
