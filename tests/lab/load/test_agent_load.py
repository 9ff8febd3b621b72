"""The command, with the whole agent in a process of its own; what it finds is row 46 of `tests/matrix`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner

from lab.commands import agent_load
from tests.actors.cli.command import CHECKOUT, run
from tests.patience import PATIENCE_S, eventually


@pytest.mark.req("C-40")
@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="looks for the agent in /proc")
def test_a_run_that_is_told_to_end_ends_its_agent_too(tmp_path: Path) -> None:
    code = "from lab.commands import agent_load; agent_load()"
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
    """True if any process has exactly `argument` among its arguments."""
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


def test_sizes_are_numbers_with_commas_between_them(tmp_path: Path) -> None:
    done = run("agent-load", "--threads", "10,x", "--turns", "1", cwd=tmp_path)

    assert done.returncode == 2
    assert "'x'" in done.stderr


def test_a_plot_that_could_not_be_drawn_is_refused_before_anything_runs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    options = ["--threads", "1", "--turns", "1", "--plot"]
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    missing = CliRunner().invoke(agent_load, [*options, str(tmp_path / "x.png")])
    present = ModuleType("matplotlib")
    present.__spec__ = ModuleSpec("matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib", present)
    nowhere = CliRunner().invoke(agent_load, [*options, str(tmp_path / "no" / "x.png")])

    assert (missing.exit_code, nowhere.exit_code) == (1, 1)
    assert "matplotlib" in missing.stderr
    assert "there is no such folder" in nowhere.stderr


@pytest.mark.req("C-40")
@pytest.mark.slow
def test_the_agent_and_the_floor_are_driven_alike_and_compared(tmp_path: Path) -> None:
    done = run(
        "agent-load",
        *("--threads", "3", "--turns", "2", "--model-latency-ms", "20", "--floor", "--rounds", "1", "--json"),
        cwd=tmp_path,
    )

    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads(done.stdout)
    for subject, run_of in zip(("agent", "floor"), document["runs"], strict=True):
        counts = {name: run_of[name] for name in ("sent", "replied", "lost", "doubled", "cross_talk", "restarts")}
        assert counts == {"sent": 6, "replied": 6, "lost": 0, "doubled": 0, "cross_talk": 0, "restarts": 0}
        assert (run_of["subject"], run_of["agent_exit_code"], run_of["timed_out"]) == (subject, 0, False)
        assert [each["name"] for each in run_of["harness"]] == ["discord", "model", "tool"]
        assert document[subject]["cpu_ms_per_turn"] == run_of["cpu_ms_per_turn"] > 0
        assert document[subject]["peak_rss_mb"] > 50
    assert [run_of["logs"] for run_of in document["runs"]] == [3 + 8, 0]
    assert document["ratio"]["cpu_ms_per_turn"] > 0


@pytest.mark.slow
def test_commands_run_in_the_turns_that_say_so(tmp_path: Path) -> None:
    done = run(
        "agent-load",
        *("--threads", "4", "--turns", "3", "--model-latency-ms", "20", "--profile", "bash", "--seed", "b", "--json"),
        cwd=tmp_path,
    )

    assert (done.returncode, done.stderr) == (0, "")
    ran, unmatched = json.loads(done.stdout)["verdicts"]
    assert ran["value"] > 0
    assert unmatched["value"] == 0
