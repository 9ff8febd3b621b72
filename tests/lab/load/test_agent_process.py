from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.load import agent_process
from lab.load.agent_process import AgentProcess, FloorProcess, environment, read_complaints
from tests.patience import PATIENCE_S, eventually

CRASH = """\
2026-11-22 04:18:55,123 ERROR actors.kernel.supervisor: context/discord-thread/1 crashed in handle: ValueError: no
Traceback (most recent call last):
  File "x.py", line 1, in handle
2026-11-22 not a record: actors.kernel.supervisor: crashed in a quoted line
"""
GAVE_UP = "2026-11-22 04:18:56,000 CRITICAL actors.kernel.supervisor: model crashed 5 times within 60 s: giving up\n"
SLOW = "2026-11-22 04:18:57,000 WARNING actors.discord.calls.rest_calls: posting in channel 1 failed (attempt 1 of 6)\n"
ONLINE = "online as Remembrancer\n"


@pytest.fixture
def refused_agent(tmp_path: Path) -> Iterator[AgentProcess]:
    """An agent with invalid settings."""
    agent = AgentProcess(tmp_path, "nonsense = 1\n", "token")
    yield agent
    agent.stop(0)


def test_each_crash_that_the_supervisor_reports_is_one_restart() -> None:
    complaints = read_complaints(ONLINE + CRASH + CRASH + GAVE_UP + SLOW)

    assert (complaints.restarts, complaints.errors, complaints.warnings) == (2, 1, 1)
    assert complaints.samples == (CRASH.splitlines()[0], CRASH.splitlines()[0], GAVE_UP.strip())


def test_an_error_is_told_with_what_its_traceback_ends_with() -> None:
    failed = "2026-11-22 04:18:58,000 ERROR actors.kernel.loop: loop embedder: a coroutine failed\n"
    traceback = 'Traceback (most recent call last):\n  File "x.py", line 1, in f\n    g()\nOSError: the disk is full\n'

    assert read_complaints(failed + traceback + ONLINE).samples == (f"{failed.strip()}: OSError: the disk is full",)
    assert read_complaints(failed + ONLINE).samples == (failed.strip(),)


def test_of_many_complaints_the_first_few_are_shown() -> None:
    complaints = read_complaints(CRASH * 9 + GAVE_UP * 9)

    assert (complaints.restarts, complaints.errors) == (9, 9)
    assert complaints.samples == (CRASH.splitlines()[0],) * 5 + (GAVE_UP.strip(),) * 5


def test_an_agent_that_says_nothing_has_no_complaints() -> None:
    complaints = read_complaints(ONLINE)

    assert (complaints.restarts, complaints.errors, complaints.warnings, complaints.end) == (0, 0, 0, ONLINE.strip())


def test_the_agent_inherits_neither_keys_nor_settings_nor_a_proxy() -> None:
    inherited = {"PATH": "/bin", "OPENAI_API_KEY": "k", "AGENT_CONFIG": "c", "https_proxy": "p", "GITHUB_TOKEN": "t"}

    environ = environment(inherited, "playground")

    assert environ.keys() == {"PATH", "PYTHONPATH", "DISCORD_BOT_TOKEN"}
    assert environ["DISCORD_BOT_TOKEN"] == "playground"


def test_an_agent_that_cannot_start_says_why_and_has_an_exit_code(refused_agent: AgentProcess) -> None:
    refused_agent.start()
    refused_agent.wait(PATIENCE_S)

    assert not refused_agent.is_running
    assert refused_agent.stop(30) == 1
    assert "nonsense" in refused_agent.complaints().end


def test_further_options_are_the_agents(tmp_path: Path) -> None:
    agent = AgentProcess(tmp_path, "", "token", ("--no-such-option", "2"))
    agent.start()
    agent.wait(PATIENCE_S)

    assert agent.stop(0) == 2
    assert "--no-such-option" in agent.complaints().end


def test_what_it_uses_is_known_while_it_runs(refused_agent: AgentProcess) -> None:
    assert refused_agent.usage() is None
    refused_agent.start()
    assert refused_agent.pid is not None
    os.kill(refused_agent.pid, signal.SIGSTOP)

    usage = refused_agent.usage()

    assert usage is None or (usage.processes, usage.cpu_s >= 0) == (1, True)


def test_a_floor_that_goes_by_the_signal_has_ended_well(tmp_path: Path) -> None:
    nowhere = {"FLOOR_API_BASE": "http://127.0.0.1:1", "FLOOR_GATEWAY": "ws://127.0.0.1:1"}
    floor = FloorProcess(tmp_path, nowhere, "token")
    floor.start()

    assert floor.stop(PATIENCE_S) == 0


def test_an_agent_that_does_not_end_in_time_is_killed(refused_agent: AgentProcess) -> None:
    refused_agent.start()
    assert refused_agent.pid is not None
    os.kill(refused_agent.pid, signal.SIGSTOP)  # so that it does not hear what it is asked

    assert refused_agent.stop(0) is None
    assert not refused_agent.is_running


_CAMPAIGN = """
import sys
from pathlib import Path
from lab.load.agent_process import BotProcess
bot = "import os, time; from pathlib import Path; Path('pid').write_text(f'{os.getpid()} '); time.sleep(600)"
BotProcess(Path(sys.argv[1]), [bot], "token", {}).start()
sys.stdin.read()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's signal at a parent's death is Linux's")
def test_a_bot_ends_when_its_campaign_is_killed(tmp_path: Path) -> None:
    def bot() -> str:
        return (tmp_path / "pid").read_text() if (tmp_path / "pid").exists() else ""

    with subprocess.Popen([sys.executable, "-c", _CAMPAIGN, str(tmp_path)], stdin=subprocess.PIPE) as campaign:
        process = Path("/proc", eventually(lambda: bot().strip() if bot().endswith(" ") else ""))
        campaign.kill()

    eventually(lambda: not process.exists())


def test_a_signal_that_comes_during_a_start_is_handled_after_it() -> None:
    def end(number: int, _frame: object) -> None:
        raise SystemExit(128 + number)

    def start() -> None:
        with agent_process.defer_termination():
            signal.raise_signal(signal.SIGTERM)
            done.append("started")

    before = signal.signal(signal.SIGTERM, end)
    done: list[str] = []
    try:
        with pytest.raises(SystemExit):
            start()
        assert done == ["started"]
        assert signal.getsignal(signal.SIGTERM) is end
    finally:
        signal.signal(signal.SIGTERM, before)
