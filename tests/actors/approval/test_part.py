from __future__ import annotations

from pathlib import Path

import pytest

from actors.bootstrap import agent_plan
from actors.kernel import ActorSystem
from actors.parts import parts
from actors.settings.load import load
from messages.shell import APPROVAL


@pytest.mark.req("X-236")
def test_only_the_operators_socket_can_decide_so_that_no_command_of_a_model_approves_another(tmp_path: Path) -> None:
    settings = load(environ={}, folder=tmp_path, overrides={"shell.approve": "always"})
    table = parts(agent_plan(settings, {}, ActorSystem(workers=0), None))
    (part,) = (part for part in table if part.spec.kind == APPROVAL.kind)
    assert part.verbs == {}
    assert part.operator_verbs.keys() == {"approval.list", "approval.decide"}
