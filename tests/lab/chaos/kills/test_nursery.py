"""Processes of a campaign: what an agent leaves behind is named and killed, and nothing outlives the nursery."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from actors.linux.processes import descendants
from lab.chaos.kills.nursery import LivingAgent, Nursery
from tests.patience import PATIENCE_S, eventually

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="asks /proc who stems from whom")

PROGRAM = """
import subprocess, sys, time
from lab.chaos.kills.program import carry_out

def live(config):
    if "child" in config:
        subprocess.Popen(["sleep", "600"], start_new_session=True)
    open(config, "w").close()
    if "exit" in config:
        sys.exit(3)
    time.sleep(600)

carry_out(lambda: None, live, 0.2)
"""


def start_agent(nursery: Nursery, config: Path) -> LivingAgent:
    agent = nursery.start(config, config.with_suffix(".stderr"))
    eventually(config.exists)
    return agent


def test_an_agent_that_is_killed_leaves_nothing_and_its_end_is_told(tmp_path: Path) -> None:
    with Nursery(PROGRAM) as nursery:
        agent = start_agent(nursery, tmp_path / "plain")
        agent.kill()
        burial = nursery.bury(agent)
        assert (burial.code, burial.left) == (-signal.SIGKILL, ())
        assert agent.over.is_set()
        assert agent.killed_at_s is not None
        ending = start_agent(nursery, tmp_path / "exit")
        assert ending.has_ended(PATIENCE_S)
        assert nursery.bury(ending).code == 3


def test_what_outlives_an_agent_is_named_and_killed(tmp_path: Path) -> None:
    with Nursery(PROGRAM) as nursery:
        agent = start_agent(nursery, tmp_path / "child")
        agent.kill()
        left = nursery.bury(agent).left
        assert len(left) == 1
        assert "sleep" in left[0]
        after = start_agent(nursery, tmp_path / "plain")
        after.kill()
        assert nursery.bury(after).left == ()


def test_another_agent_and_what_it_started_is_not_left_behind(tmp_path: Path) -> None:
    with Nursery(PROGRAM) as nursery:
        first, second = start_agent(nursery, tmp_path / "child"), start_agent(nursery, tmp_path / "plain")
        second.kill()
        assert nursery.bury(second).left == ()
        assert not first.has_ended()
        first.kill()
        assert len(nursery.bury(first).left) == 1


def test_closing_ends_everything(tmp_path: Path) -> None:
    nursery = Nursery(PROGRAM)
    agent = start_agent(nursery, tmp_path / "child")
    (family,) = [descendants(agent.pid)]
    assert family
    nursery.close()
    assert agent.has_ended(PATIENCE_S)
    eventually(lambda: not any(Path(f"/proc/{pid}").exists() for pid in family))
