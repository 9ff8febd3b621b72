"""Hooks with a real shell: what scripts read, print and leave behind."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

from actors.kernel import ActorSpec, ActorSystem
from actors.shell.actor import ShellActor
from actors.shell.config import ShellConfig
from actors.workspace.skills.hooks import HookOutput
from tests.actors.workspace.skills.hook_rig import HookRig, write_skill
from tests.patience import PATIENCE_S


class Waiting:
    """Outputs, for a test that waits for them."""

    def __init__(self, rig: HookRig) -> None:
        self.done = threading.Event()
        self.outputs: list[tuple[HookOutput, ...]] = []
        rig.outputs = self  # type: ignore[assignment]

    def append(self, outputs: tuple[HookOutput, ...]) -> None:
        self.outputs.append(outputs)
        self.done.set()

    def wait_for_texts(self) -> dict[str, str]:
        assert self.done.wait(PATIENCE_S)
        return {output.skill: output.text for output in self.outputs.pop()}


@pytest.fixture(params=["none", "bundled"])
def rig(request: pytest.FixtureRequest, live_system: ActorSystem, tmp_path: Path) -> HookRig:
    """Hooks on a shell; they have four times as long as a person would wait, for bash begins late on a busy machine."""
    skills = tmp_path / "skills"
    config = ShellConfig(
        work_root=tmp_path / "work", data_root=tmp_path / "data", sandbox=request.param, skill_roots=(skills,)
    )
    (tmp_path / "data").mkdir()
    live_system.register(ActorSpec("shell", lambda _key: ShellActor(config), core=True))
    rig = HookRig(live_system, skills, patience=4.0)
    live_system.start()
    return rig


@pytest.mark.req("S4-112", "X-114")
def test_a_hook_reads_the_facts_and_only_its_stdout_counts(rig: HookRig, tmp_path: Path) -> None:
    write_skill(
        tmp_path / "skills" / "tea",
        "hooks: {before_prompt: x.sh}",
        x='facts=$(cat); echo noise >&2; printf "%s" "$facts"\n',
    )
    write_skill(tmp_path / "skills" / "deaf", "hooks: {before_prompt: x.sh}", x="yes | head -c 100000\n")
    own = write_skill(tmp_path / "skills" / "own", "hooks: {before_prompt: x.sh}", x="#!/bin/cat\nsaid by cat\n")
    (own.parent / "x.sh").chmod(0o755)
    waiting = Waiting(rig)

    rig.begin("before_prompt", text="It's \"so\" $(touch /tmp/x) 'quoted'\n字" * 300)
    said = waiting.wait_for_texts()

    told = said["tea"]
    assert told.startswith('{"event":"before_prompt","window":"discord-channel/')
    assert "It\\u0027s" in told
    assert len(said["deaf"]) == 1_000
    assert said["own"] == "#!/bin/cat\nsaid by cat"
    assert rig.lives.hook_faults == ()


def test_scripts_that_fail_or_hang_hold_nothing_up(rig: HookRig, tmp_path: Path) -> None:
    write_skill(tmp_path / "skills" / "slow", "hooks: {before_prompt: x.sh}", x="sleep 60\n")
    write_skill(tmp_path / "skills" / "bad", "hooks: {before_prompt: x.sh}", x="echo half; exit 7\n")
    write_skill(tmp_path / "skills" / "good", "hooks: {before_prompt: x.sh}", x="echo whole\n")
    waiting = Waiting(rig)

    rig.begin("before_prompt")

    assert waiting.wait_for_texts() == {"good": "whole"}
    assert sorted(rig.lives.hook_faults) == [
        "skill bad: hook before_prompt: ended with exit code 7",
        "skill slow: hook before_prompt: took longer than 6 s",
    ]


def test_what_a_hook_is_told_is_json_of_the_text_as_it_was(rig: HookRig, tmp_path: Path) -> None:
    write_skill(tmp_path / "skills" / "tea", "hooks: {before_prompt: x.sh}", x="cat\n")
    waiting = Waiting(rig)

    rig.begin("before_prompt", text="It's `so`: $HOME \\n %s 字")

    assert json.loads(waiting.wait_for_texts()["tea"])["text"] == "It's `so`: $HOME \\n %s 字"
