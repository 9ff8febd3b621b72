from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from actors.bootstrap import agent_plan
from actors.kernel import ActorSystem
from actors.settings.load import load


@pytest.mark.req("X-236")
@pytest.mark.parametrize(
    ("given", "lets_write", "asks"),
    [
        ({}, False, False),
        ({"shell.network": "on"}, False, True),
        ({"shell.sandbox": "none"}, False, True),
        ({}, True, True),
        ({"shell.approve": "always"}, False, True),
        ({"shell.approve": "never", "shell.network": "on", "shell.sandbox": "none"}, True, False),
    ],
)
def test_commands_that_can_change_what_is_outside_of_a_sandbox_are_asked_about(
    tmp_path: Path, given: dict[str, object], lets_write: bool, asks: bool
) -> None:
    settings = load(environ={}, folder=tmp_path, overrides={"shell.approve": "outside", **given})
    plan = replace(agent_plan(settings, {}, ActorSystem(workers=0), None), caller_lets_write=lets_write)
    assert plan.asks_before_commands is asks
