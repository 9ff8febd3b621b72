"""The command, with the whole agent in a process of its own; what it finds is row 46 of `tests/matrix`."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.actors.cli.command import CHECKOUT, run
from tests.e2e.stage import eventually
from tests.patience import PATIENCE_S


@pytest.mark.req("C-40")
@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="looks for the agent in /proc")
def test_a_run_that_is_told_to_end_ends_its_agent_too(tmp_path: Path) -> None:
    code = "from actors.cli import agent_load; agent_load()"
    tool = subprocess.Popen(
        [sys.executable, "-P", "-c", code, "--threads", "1", "--turns", "1", "--keep", str(tmp_path / "kept")],
        env={**os.environ, "PYTHONPATH": str(CHECKOUT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    config = str(tmp_path / "kept" / "agent.toml")
    eventually(lambda: is_running_with(config))

    tool.send_signal(signal.SIGTERM)

    assert tool.wait(PATIENCE_S) == 128 + signal.SIGTERM
    assert not is_running_with(config)


def is_running_with(argument: str) -> bool:
    """Whether any process has `argument` as a whole one of its own."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if argument.encode() in path.read_bytes().split(b"\0"):
                return True
        except OSError:  # it has just ended
            continue
    return False


def test_files_are_not_left_in_a_folder_that_holds_something(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("x")
    done = run("agent-load", "--threads", "1", "--turns", "1", "--keep", ".", cwd=tmp_path)

    assert (done.returncode, done.stdout) == (1, "")
    assert "not empty" in done.stderr


def test_a_load_of_nothing_is_refused(tmp_path: Path) -> None:
    done = run("agent-load", "--threads", "0", "--turns", "1", cwd=tmp_path)

    assert done.returncode == 2
    assert "--threads" in done.stderr
