"""The stream of events as the command lines give it."""

from __future__ import annotations

import fcntl
import json
import os
import select
import signal
import subprocess
import threading
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from actors.socket.client import AgentNotRunningError, ask_operator
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import ELSEWHERE_ID, GENERAL_ID
from messages.status import RUNS
from tests.actors.cli.command import inherited, open_command, run
from tests.e2e.stage import Stage
from tests.patience import PATIENCE_S, eventually
from tests.trusted import write_settings

OF_A_COMMAND = [
    "agent_start",
    "turn_start",
    "message_start",
    "message_end",
    "message_start",
    "message_end",
    "tool_execution_start",
    "tool_execution_end",
    "turn_end",
    "turn_start",
    "message_start",
    "message_end",
    "turn_end",
    "agent_end",
]


def parsed(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.req("S0-98f")
def test_agent_cli_prints_what_happens_and_nothing_else(tmp_path: Path) -> None:
    done = run("agent-cli", "--json-events", "run: echo owl", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    lines = parsed(done.stdout)
    assert [line["type"] for line in lines] == [*OF_A_COMMAND, "post"]
    assert lines[-1]["text"] == lines[-4]["text"]
    assert "owl" in lines[-1]["text"]


def test_agent_cli_fails_as_ever_when_there_is_no_answer(tmp_path: Path) -> None:
    write_settings(tmp_path, '[model]\nname = "openai/owl"\napi_base = "http://127.0.0.1:9"\nretries = 0\n')
    done = run("agent-cli", "--json-events", "hello", cwd=tmp_path, environment={"OPENAI_API_KEY": "k" * 20})
    lines = parsed(done.stdout)
    assert done.returncode == 1
    assert (lines[-2]["type"], lines[-2]["outcome"]) == ("agent_end", "failed")
    assert lines[-2]["notice"] in done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_agent_cli_that_is_ended_ends_what_it_told_of_and_leaves_no_folder(
    tmp_path: Path, number: signal.Signals
) -> None:
    (tmp_path / "tmp").mkdir()
    (tmp_path / "here").mkdir()
    process = open_command(
        *("agent-cli", "--json-events", "run: sleep 600"),
        cwd=tmp_path / "here",
        env={**inherited(), "TMPDIR": str(tmp_path / "tmp")},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with process:
        assert process.stdout is not None
        lines = []
        for line in process.stdout:
            lines += parsed(line)
            if lines[-1]["type"] == "tool_execution_start":
                process.send_signal(number)
        assert process.wait(PATIENCE_S) != 0
    assert [line["type"] for line in lines[-3:]] == ["tool_execution_end", "turn_end", "agent_end"]
    assert lines[-1]["outcome"] == "lost"
    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_reader_who_sleeps_does_not_keep_an_agent_cli_that_is_ended(tmp_path: Path, number: int) -> None:
    (tmp_path / "tmp").mkdir()
    (tmp_path / "here").mkdir()
    unread, out = os.pipe()
    fcntl.fcntl(out, fcntl.F_SETPIPE_SZ, 4096)
    try:
        process = open_command(
            *("agent-cli", "--json-events", "run: seq 9000"),
            cwd=tmp_path / "here",
            env={**inherited(), "TMPDIR": str(tmp_path / "tmp")},
            stdout=out,
            stderr=subprocess.DEVNULL,
        )
        eventually(lambda: not select.select([], [out], [], 0)[1])
        process.send_signal(number)
        assert process.wait(PATIENCE_S) != 0
    finally:
        os.close(unread)
        os.close(out)
    assert list((tmp_path / "tmp").iterdir()) == []


def test_only_one_of_two_things_can_be_printed(tmp_path: Path) -> None:
    done = run("agent-cli", "--json-events", "--json", "hello", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "--json and --json-events" in done.stderr


def look(stage: Stage) -> subprocess.Popen[str]:
    """`agent events`, looking at that agent."""
    return open_command(
        *("agent", "events", "--data", str(stage.data)),
        cwd=stage.data.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.req("S0-98f")
def test_the_running_agent_tells_the_operator_what_it_does(tmp_path: Path) -> None:
    with PlaygroundServer() as server:
        stage = Stage(server, tmp_path / "data")
        looker = look(stage)
        assert looker.stdout is not None
        printed: deque[str] = deque()
        reader = threading.Thread(target=printed.extend, args=(looker.stdout,))
        reader.start()
        try:
            eventually(lambda: bool(stage.agent.system.topics.of(RUNS)))
            stage.ask("run: echo owl")
            eventually(lambda: any("agent_end" in line for line in list(printed)))
            looker.send_signal(signal.SIGINT)
            assert looker.wait(PATIENCE_S) == 0
        finally:
            looker.kill()
            looker.wait()
            reader.join()
            assert looker.stderr is not None
            said = looker.stderr.read()
            looker.stderr.close()
            looker.stdout.close()
            stage.stop()
    assert said == ""
    assert [line["type"] for line in parsed("".join(printed)) if line["type"] != "message_update"] == OF_A_COMMAND


def test_who_comes_in_the_middle_of_a_run_is_not_shown_its_rest_though_another_follows_it(tmp_path: Path) -> None:
    with PlaygroundServer() as server:
        stage = Stage(server, tmp_path / "data", channels=(GENERAL_ID, ELSEWHERE_ID))
        begun = ask_operator(stage.data, "events.read")["last"]
        said = server.say(GENERAL_ID, "run: until [ -e go ]; do sleep 0.1; done")
        eventually(lambda: "tool_execution_start" in str(ask_operator(stage.data, "events.read", after=begun)))
        looker = look(stage)
        assert looker.stdout is not None
        printed: deque[str] = deque()
        reader = threading.Thread(target=printed.extend, args=(looker.stdout,))
        reader.start()
        try:
            eventually(lambda: bool(stage.ask("hello", ELSEWHERE_ID) and printed))
            (stage.data / "work" / "discord-channel" / str(GENERAL_ID) / "go").touch()
            server.wait_for_reply(GENERAL_ID, after=said, timeout_s=PATIENCE_S)
            stage.ask("run: echo owl", ELSEWHERE_ID)
            eventually(lambda: any("owl" in line and "tool_execution_end" in line for line in list(printed)))
        finally:
            looker.kill()
            looker.wait()
            reader.join()
            assert looker.stderr is not None
            looker.stderr.close()
            looker.stdout.close()
            stage.stop()
    assert str(GENERAL_ID) not in "".join(printed)


def test_an_agent_that_ends_tells_that_the_run_does_too(tmp_path: Path) -> None:
    told: deque[str] = deque()

    def look_until_it_ends(last: int) -> None:
        with suppress(AgentNotRunningError):
            while True:
                answer = ask_operator(stage.data, "events.read", PATIENCE_S, after=last, wait_s=50)
                told.extend(answer["events"])
                last = answer["last"]

    with PlaygroundServer() as server:
        stage = Stage(server, tmp_path / "data")
        looker = threading.Thread(target=look_until_it_ends, args=(ask_operator(stage.data, "events.read")["last"],))
        looker.start()
        try:
            server.say(GENERAL_ID, "run: sleep 600")
            eventually(lambda: any("tool_execution_start" in line for line in list(told)))
            stage.agent.stop(2)
        finally:
            stage.stop()
            looker.join()
    ends = parsed("\n".join(told))[-3:]
    assert [line["type"] for line in ends] == ["tool_execution_end", "turn_end", "agent_end"]
    assert ends[-1]["outcome"] == "lost"


def test_without_a_running_agent_there_is_nothing_to_look_at(tmp_path: Path) -> None:
    done = run("agent", "events", "--data", str(tmp_path), cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"error: no agent is running on the data root {tmp_path}\n"
