from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.actors.context.rig import Rig


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    """A running window system."""
    made = Rig(tmp_path)
    yield made
    made.stop()
