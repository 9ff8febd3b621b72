"""The stage that end-to-end tests stand on."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.playground.server import PlaygroundServer
from tests.e2e.stage import Stage


def test_an_agent_that_does_not_come_online_fails_its_test_and_leaves_no_thread_to_others(
    server: PlaygroundServer, tmp_path: Path
) -> None:
    """Threads are looked for after each test."""
    with pytest.raises(pytest.fail.Exception, match="did not come online"):
        Stage(server, tmp_path / "data", online_s=0.0)
