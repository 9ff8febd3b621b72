"""The stage that end-to-end tests stand on."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.playground.server import PlaygroundServer
from tests.e2e import stage


def test_an_agent_that_does_not_come_online_fails_its_test_and_leaves_no_thread_to_others(
    server: PlaygroundServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Threads are looked for after each test."""
    monkeypatch.setattr(stage, "ONLINE_S", 0.0)

    with pytest.raises(pytest.fail.Exception, match="did not come online"):
        stage.Stage(server, tmp_path / "data")
