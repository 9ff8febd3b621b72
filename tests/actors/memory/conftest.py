from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.actors.context import durability


@pytest.fixture(autouse=True)
def safe_disk() -> Iterator[None]:
    """Fail a test in which an actor spoke of data that a power loss would take, wherever the error was raised."""
    yield
    violations = list(durability.violations)
    durability.forget_disks()
    assert violations == []
