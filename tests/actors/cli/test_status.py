from __future__ import annotations

import contextlib
import json
import os
import pty
import signal
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from actors.cli.status import _rows, _span
from actors.socket.status import Facts, system_facts
from messages.base import Address
from tests.actors.cli.command import inherited, run, start
from tests.actors.socket.rig import MUTE, OWNER, Rig
from tests.patience import PATIENCE_S


@pytest.fixture
def rig() -> Iterator[Rig]:
    with TemporaryDirectory(prefix="s-") as folder:
        made: list[Rig] = []
        facts = partial(_facts, made)
        made.append(Rig(Path(folder), describers=(OWNER, MUTE), system_facts=facts))
        yield made[0]
        made[0].system.stop()


def _facts(made: list[Rig]) -> Facts:
    return system_facts(made[0].system, datetime(2026, 1, 1, tzinfo=UTC))


def test_status_tells_of_the_system_and_of_each_actor_and_who_did_not_answer(rig: Rig) -> None:
    rig.system.tell(Address("nobody"), rig.ask_for_door())

    done = run("agent", "status", "--data", str(rig.root), cwd=rig.root)

    assert done.returncode == 0, done.stderr
    lines = dict(line.split("  ", 1) for line in done.stdout.splitlines())
    told = {name.strip(): value.strip() for name, value in lines.items()}
    assert told["owner"] == "rows 3, held 0"
    assert told["no answer"] == "mute"
    assert told["actors"] == "mute 1, owner 1, socket 1"
    assert told["crashes"] == "none"
    assert told["dead letters"] != "none"
    assert "\x1b" not in done.stdout


def test_who_is_at_work_is_named_and_the_rest_counted() -> None:
    assert dict(_rows({"system": {"at_work": 0, "some_at_work": []}, "actors": {}, "late": []}))["at work"] == "nothing"
    busy = {"at_work": 12, "some_at_work": ["memory", "facts"]}
    assert dict(_rows({"system": busy, "actors": {}, "late": []}))["at work"] == "memory, facts and 10 more"


def test_what_is_drawn_steers_and_turns_nothing() -> None:
    system = {"not_answering": ["a\u202eb"], "actors": {"owner": 1}}
    report = {"system": system, "actors": {"owner": {"last_error": "no\x1b[2J\r\u202e\u200bway"}}, "late": ["m\u2066"]}

    told = dict(_rows(report))
    assert (told["owner"], told["not answering"], told["no answer"]) == (
        r"last error \u202e\u200bway",
        r"a\u202eb",
        r"m\u2066",
    )


def test_status_as_json_is_one_document(rig: Rig) -> None:
    done = run("agent", "status", "--json", "--data", str(rig.root), cwd=rig.root)

    told = json.loads(done.stdout)
    assert told["actors"]["owner"] == {"rows": 3, "held": 0}
    assert told["system"]["windows_in_memory"] == 0


def test_without_a_running_agent_status_says_so_and_fails(tmp_path: Path) -> None:
    done = run("agent", "status", "--data", str(tmp_path), cwd=tmp_path)

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"error: no agent is running on the data root {tmp_path}\n"


def test_a_span_of_time_is_said_in_its_two_largest_units(subtests: pytest.Subtests) -> None:
    cases: list[tuple[int, str]] = [
        (0, "0 s"),
        (59, "59 s"),
        (60, "1 min 0 s"),
        (3_661, "1 h 1 min"),
        (90_000, "1 d 1 h"),
    ]
    for seconds, words in cases:
        with subtests.test(seconds=seconds, words=words):
            assert _span(seconds) == words


def test_on_a_terminal_the_watched_status_is_drawn_on_the_other_screen_until_q(rig: Rig) -> None:
    """As typed: q is there before the first look at the keys."""
    code, received = watched(rig, b" q")

    assert code == 0
    assert received.index("\x1b[?1049h") < received.index("owner") < received.index("\x1b[?1049l")
    assert "q ends" in received


def test_a_watched_status_in_a_pipe_is_printed_each_second(rig: Rig) -> None:
    command = [*start("agent"), "status", "--watch", "--data", str(rig.root)]
    environment = {**inherited(), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, cwd=rig.root, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        blanks = 0
        while blanks < 2:
            line = process.stdout.readline()
            assert line, "it ended"
            blanks += line == "\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(PATIENCE_S) == 0


def watched(rig: Rig, keys: bytes) -> tuple[int, str]:
    """Exit code, and what the terminal received, of a watched status to which `keys` are typed."""
    ours, theirs = pty.openpty()
    command = [*start("agent"), "status", "--watch", "--data", str(rig.root)]
    environment = {**inherited(), "TERM": "xterm-256color", "COLUMNS": "100", "LINES": "40"}
    process = subprocess.Popen(command, cwd=rig.root, env=environment, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    received = b""
    with process, contextlib.closing(os.fdopen(ours, "r+b", buffering=0)) as terminal:
        with contextlib.suppress(OSError):
            while chunk := terminal.read(65536):
                received += chunk
                if b"q ends" in received and keys:
                    for key in keys:
                        terminal.write(bytes([key]))
                    keys = b""
        return process.wait(PATIENCE_S), received.decode(errors="surrogateescape")
