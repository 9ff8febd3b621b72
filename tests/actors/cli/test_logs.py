"""`agent logs tail` as a command of its own process."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from datetime import timedelta
from pathlib import Path

import pytest

from actors.context.log.file import WindowLog
from domain.log.event import Event, Kind, event
from domain.log.parser import parse
from domain.turn.forgetting.rewriting import forget_words
from tests.actors.cli.command import inherited, run, run_on_terminal, start
from tests.domain.log.logs import START, WINDOW
from tests.patience import PATIENCE_S

KEY = WINDOW.address.key


def log_event(number: int, text: str, kind: Kind = Kind.USER) -> Event:
    at = START + timedelta(seconds=number)
    return event(f"e{number}", at, kind, text, {"author": "Anne"} if kind is Kind.USER else {})


def log_of(root: Path, *events: Event) -> WindowLog:
    log = WindowLog.create(root, WINDOW, START, "a")
    log.append(*events)
    return log


def test_the_last_events_are_printed_with_who_said_them(tmp_path: Path) -> None:
    log_of(tmp_path, log_event(0, "first"), log_event(1, "where\nis it"), log_event(2, "there", Kind.AGENT)).close()

    done = run("agent", "logs", "tail", "-n", "2", KEY, "--data", str(tmp_path), cwd=tmp_path)

    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0].endswith("user Anne")
    assert lines[1:3] == ["    where", "    is it"]
    assert lines[3].endswith("agent")
    assert lines[4:] == ["    there"]


def test_without_a_window_each_event_names_its_own(tmp_path: Path) -> None:
    log_of(tmp_path, log_event(0, "first")).close()

    done = run("agent", "logs", "tail", "--data", str(tmp_path), cwd=tmp_path)

    assert f" {KEY} user Anne" in done.stdout


def test_words_of_others_steer_no_terminal(tmp_path: Path) -> None:
    log_of(tmp_path, log_event(0, "\x1b]0;owned\x07宽 wide")).close()

    code, received = run_on_terminal("agent", "logs", "tail", "--data", str(tmp_path), cwd=tmp_path)

    assert code == 0
    assert "\x1b]0;" not in received
    assert "宽 wide" in received


def test_a_window_that_is_none_is_named_with_the_rule(subtests: pytest.Subtests, tmp_path: Path) -> None:
    cases: list[tuple[str, str]] = [
        ("discord-thread/12", "15 to 20 decimal digits"),
        ("nowhere/1", "<surface>/<id> is required"),
        ("discord-dm/123456789012345678", "no messages"),
    ]
    for number, (window, rule) in enumerate(cases):
        place = tmp_path / str(number)
        place.mkdir()
        with subtests.test(window=window, rule=rule):
            done = run("agent", "logs", "tail", window, "--data", str(place), cwd=place)

            assert done.returncode in (1, 2)
            assert rule in done.stderr


def test_who_wants_no_colour_or_can_show_none_gets_none(subtests: pytest.Subtests, tmp_path: Path) -> None:
    cases: list[tuple[dict[str, str], set[str]]] = [
        ({}, {"36", "1", "0"}),
        ({"NO_COLOR": "1"}, {"1", "0"}),
        ({"NO_COLOR": ""}, {"36", "1", "0"}),
        ({"TERM": "dumb"}, set()),
    ]
    for number, (environment, styles) in enumerate(cases):
        place = tmp_path / str(number)
        place.mkdir()
        with subtests.test(environment=environment, styles=styles):
            log_of(place, log_event(0, "first")).close()
            colours = {"NO_COLOR": "", **environment}

            _, received = run_on_terminal("agent", "logs", "tail", "--data", str(place), cwd=place, environment=colours)

            assert "user Anne" in received.replace("\x1b[0m", "")
            assert set(re.findall(r"\x1b\[([0-9]*)m", received)) == styles


def test_who_reads_no_more_of_it_is_not_told_that_the_logs_cannot_be_read(tmp_path: Path) -> None:
    log_of(tmp_path, *(log_event(number, "x" * 100_000) for number in range(3))).close()
    command = [*start("agent"), "logs", "tail", "--data", str(tmp_path)]
    with subprocess.Popen(
        command, cwd=tmp_path, env=inherited(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(1)
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(PATIENCE_S) == 1
    with Path("/dev/full").open("w") as full:
        process = subprocess.Popen(
            command, cwd=tmp_path, env=inherited(), stdout=full, stderr=subprocess.PIPE, text=True
        )
        _, complaint = process.communicate(timeout=PATIENCE_S)
    assert complaint == "error: the output cannot be written: No space left on device\n"


def test_a_log_that_is_no_file_is_named(tmp_path: Path) -> None:
    log = log_of(tmp_path, log_event(0, "first"))
    log.close()
    (path,) = (tmp_path / "logs").rglob("*.md")
    path.unlink()
    path.mkdir()

    done = run("agent", "logs", "tail", "--data", str(tmp_path), cwd=tmp_path)

    assert done.stderr == f"error: {path}: it is not a regular file and must be removed\n"


def test_a_pipe_among_the_logs_is_named_with_the_rule(tmp_path: Path) -> None:
    log_of(tmp_path, log_event(0, "first")).close()
    pipe, surface = tmp_path / "logs" / "pipe.md", tmp_path / "logs" / "discord-thread"
    surface.rename(tmp_path / "moved")
    os.mkfifo(pipe)
    for command in ("check", "show"):
        for path in (pipe, tmp_path / "logs"):
            done = run("agent", "logs", command, str(path), cwd=tmp_path)
            assert done.stderr == f"error: {pipe}: it is not a regular file and must be removed\n"
    os.mkfifo(surface)
    done = run("agent", "logs", "check", str(tmp_path / "logs"), cwd=tmp_path)
    assert done.stderr == f"error: {surface}: must be a folder and is a pipe; take it away\n"


@pytest.mark.req("X-245")
def test_forgotten_words_are_no_problem_and_are_told_with_who_asked_and_why(tmp_path: Path) -> None:
    log = log_of(tmp_path, log_event(0, "the secret"), log_event(1, "other"))
    meta = {"what": "forgot", "forget_id": "f1", "by": "operator", "why": "asked by mail"}
    log.append(event("n1", log_event(2, "").at, "system", "forgotten", meta))
    log.close()
    (path,) = (tmp_path / "logs").rglob("*.md")
    path.write_bytes(forget_words(path.read_bytes(), {parse(path.read_bytes()).events[0].event.id}, (), "f1"))

    done = run("agent", "logs", "check", str(path), cwd=tmp_path)
    told = json.loads(run("agent", "logs", "check", "--json", str(path), cwd=tmp_path).stdout)
    shown = run("agent", "logs", "show", str(path), cwd=tmp_path).stdout

    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "1 logs, 0 problems")
    assert "1 events and 0 quotations" in done.stdout
    assert "asked by operator: asked by mail (f1)" in done.stdout
    assert [(each["events"], each["by"]) for each in told["forgotten"]] == [(1, "operator")]
    assert "(forgotten)" in shown
    assert "secret" not in shown


def test_following_goes_on_until_ctrl_c(tmp_path: Path) -> None:
    log = log_of(tmp_path, log_event(0, "first"))
    command = [*start("agent"), "logs", "tail", "-f", "--data", str(tmp_path)]
    environment = {**inherited(), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline().endswith("user Anne\n")
        assert process.stdout.readline() == "    first\n"
        log.append(log_event(1, "second"))
        assert process.stdout.readline().endswith("user Anne\n")
        assert process.stdout.readline() == "    second\n"
        os.kill(process.pid, signal.SIGINT)
        assert process.wait(PATIENCE_S) == 0
    log.close()
