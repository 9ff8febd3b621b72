"""Attacks by sessions: where the kernel gives each session a share of the processor, a command has one share."""

from __future__ import annotations

import hashlib
import statistics
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from actors.shell.sandbox.enclosure import schedules_by_session
from messages.base import Surface, Window
from messages.shell import BashOutcome
from tests.abuse.case import python
from tests.abuse.conftest import LOOKS
from tests.abuse.ground import Ground

pytestmark = pytest.mark.skipif(not schedules_by_session(), reason="this kernel has no share for a session")

SESSIONS = 100
ATTACK_S = 4.0
MOST_TIMES = 2.0
"""By how many times another window may be slower than beside as many loops that never ask for a session."""
ALLOWANCE_S = 0.1
LOOPS = f"""
import time
apart = {{apart}}
for _ in range({SESSIONS}):
    if os.fork() == 0:
        if apart:
            try: os.setsid(); breach("begins a session")
            except PermissionError: pass
        until = time.monotonic() + {ATTACK_S}
        while time.monotonic() < until: pass
        os._exit(0)
print("begun", flush=True)
time.sleep({ATTACK_S})
"""


def beside_loops(ground: Ground, *, apart: bool) -> tuple[float, float, str]:
    """Seconds of another window's command and of the agent's own work beside loops, medians; and what these said."""
    attack = ground.ask(python(LOOPS.format(apart=apart).replace("print(", "open('begun', 'w').close(); print(")))
    deadline = time.monotonic() + 60
    while not (ground.workdir / "begun").exists():
        assert time.monotonic() < deadline, "the attack never began"
        time.sleep(0.01)
    time.sleep(0.3)  # until the command has given way
    commands_s, work_s = list[float](), list[float]()
    until = time.monotonic() + ATTACK_S - 1
    neighbour = ground.another_window()
    while time.monotonic() < until:
        began = time.monotonic()
        assert ground.result(ground.ask("true", of=neighbour)).exit_code == 0
        commands_s.append(time.monotonic() - began)
        began = time.monotonic()
        hashlib.pbkdf2_hmac("sha256", b"an answer", b"", 100_000)
        work_s.append(time.monotonic() - began)
    result = ground.result(attack)
    assert result.outcome is not BashOutcome.ABORTED or "threads" in result.text, result.text
    return statistics.median(commands_s), statistics.median(work_s), result.text


@pytest.mark.req("X-234")
@pytest.mark.parametrize("ground", [LOOKS], indirect=True)
def test_a_hundred_sessions_slow_others_no_more_than_a_hundred_loops(ground: Ground) -> None:
    with (
        TemporaryDirectory(prefix="abuse-", dir="/var/tmp") as root,
        Ground(Path(root), "auto", may_group=False) as made,
    ):
        plain_command_s, plain_work_s, _ = beside_loops(made.fresh(), apart=False)

        command_s, work_s, said = beside_loops(made.fresh(), apart=True)

    assert "breach" not in said.lower()
    assert command_s <= MOST_TIMES * plain_command_s + ALLOWANCE_S
    assert work_s <= MOST_TIMES * plain_work_s + ALLOWANCE_S


@pytest.mark.req("X-234")
@pytest.mark.parametrize("ground", [LOOKS], indirect=True)
def test_the_one_session_of_a_command_gives_way_as_its_processes_do(ground: Ground) -> None:
    got = ground.attack("until grep -q 'nice 19' /proc/self/autogroup; do sleep 0.05; done; cat /proc/self/autogroup")

    assert got.text.strip().endswith("nice 19")


@pytest.mark.req("X-234")
@pytest.mark.parametrize("ground", [LOOKS], indirect=True)
def test_a_command_in_its_callers_own_folder_may_begin_sessions(ground: Ground) -> None:
    """Nobody but the caller waits for it, and databases and terminals need sessions."""
    with TemporaryDirectory(prefix="abuse-", dir="/var/tmp") as root:
        here = Path(root, "here")
        here.mkdir()
        with Ground(Path(root), "auto", may_group=False, cli_workdir=here) as made:
            of_caller = made.ask("setsid echo apart", of=Window(surface=Surface.CLI, id="turn"))
            of_window = made.ask("setsid echo apart")

            assert made.result(of_caller).text.strip() == "apart"
            assert "Operation not permitted" in made.result(of_window).text


def test_it_is_known_how_the_kernel_shares_the_processor(tmp_path: Path) -> None:
    for content, shares in (("1\n", True), ("0\n", False)):
        (tmp_path / "enabled").write_text(content)
        assert schedules_by_session(tmp_path / "enabled") is shares
    assert not schedules_by_session(tmp_path / "missing"), "a kernel without the feature"
