"""Commands that are turned off (`shell.enabled = false`): the model is offered and promised no command."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from actors.bootstrap import agent_plan, discord_connection
from actors.context.part import context_config
from actors.kernel import ActorSystem
from actors.part import Parts, Plan
from actors.parts import parts
from actors.settings.load import load
from domain.turn.bash_tool import bash_tool
from domain.turn.call_result import TURNED_OFF
from messages.memory import MEMORY
from messages.skills import SKILLS
from tests.actors.context.rig import Rig, bash_call


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    rig = Rig(tmp_path, tool=None)
    yield rig
    rig.stop()


def table(folder: Path, *, enabled: bool) -> tuple[Plan, Parts]:
    given = {"data_root": str(folder), "shell.enabled": enabled, "shell.timeout_s": 30.0, "embedder.provider": "local"}
    settings = load(environ={}, folder=folder, overrides=given)
    plan = agent_plan(settings, {}, ActorSystem(workers=0), discord_connection(settings, ""))
    return plan, parts(plan)


def test_no_tool_is_offered_and_the_system_prompt_claims_none(rig: Rig) -> None:
    rig.say("what time is it?", 1)
    (request,) = rig.requests()
    assert request.tools == ()
    assert "commands cannot be run here" in request.system_prompt
    for promise in ("bash", "/work/", "Run commands"):
        assert promise not in request.system_prompt


def test_whoever_may_have_no_commands_anyway_is_told_the_same(rig: Rig) -> None:
    rig.say("hello", 1)
    member = rig.answer("hi").system_prompt
    rig.deliver()
    rig.say("hello", 2, may_run=False)
    assert rig.answer("hi").system_prompt == member


def test_a_tool_call_all_the_same_is_refused_and_reaches_no_shell(rig: Rig) -> None:
    rig.say("what time is it?", 1)
    rig.answer("", bash_call("date"))
    assert rig.commands() == []
    assert rig.answer("I cannot say.").messages[-1].text == TURNED_OFF
    assert rig.deliver().text == "I cannot say."


def test_the_settings_decide_about_the_tool_and_about_skills_which_need_it(tmp_path: Path) -> None:
    on, off = (context_config(*table(tmp_path, enabled=enabled)) for enabled in (True, False))
    assert (on.tool, on.contributors) == (bash_tool(30.0, 600.0), (MEMORY, SKILLS))
    assert (off.tool, off.contributors) == (None, (MEMORY,))


def test_the_command_that_begins_a_skill_is_not_offered(tmp_path: Path) -> None:
    on, off = ({command.name for command in table(tmp_path, enabled=enabled)[1].commands} for enabled in (True, False))
    assert on - off == {"skill", "skills"}
    assert off <= on
