"""Every command on a terminal, with words of others that try to steer it."""

from __future__ import annotations

import errno
import io
import json
import os
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from actors.cli.terminal import ShownCommand, ShownStream
from lab.commands import agent, agent_cli, agent_load
from lab.loopback_model.server import Answer, LoopbackModel, Refusal
from tests.actors.cli.command import CHECKOUT, inherited, run, run_on_terminal, start
from tests.actors.memory.rig import Brain, MemoryRig
from tests.patience import PATIENCE_S
from tests.trusted import write_settings

STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\u200b\u2060\U000e0000-\U000e007f]"
)
EVIL = (
    "\x1b]52;c;Z29uZQ==\x07\x1b[2J\x1b[32mgreen\x1b[0m\x9b31m\x9d0;t\x9c\x08\x7f\u202eevil\u2066\u200b\U000e0041\rover"
)
"""Clipboard, clearing, colours, title, rubbing out, reading direction, writing over: in 7-bit and in 8-bit form."""
PROGRAMS = {"agent": agent, "agent-cli": agent_cli, "agent-load": agent_load}
OWN_MARKS = re.compile(r"\x1b\[3[123]m(ok|warn|FAIL|fail) *\x1b\[0m")
"""Beginnings of lines of `agent doctor`."""
OWN_BAR = re.compile(
    r"\x1b\[\?25[lh]|\r\x1b\[1A|\r?\x1b\[2K|\x1b\[(?:3[0-9]|38;5;[0-9]+)(?:;[0-9]+)*m[\u2500-\u28ff0-9:-]*\x1b\[0m"
)
"""Bar of progress: coloured are only lines, a moving mark and the remaining time."""


def steering(received: str) -> list[str]:
    return STEERING.findall(received.replace("\r\n", "\n"))


def test_every_program_begins_with_streams_that_show(subtests: pytest.Subtests) -> None:
    for name in PROGRAMS:
        with subtests.test(name=name):
            scripts = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]["scripts"]

            assert scripts.keys() == PROGRAMS.keys() - {"agent-load"}  # which is of the repository only
            assert isinstance(PROGRAMS[name], ShownCommand)
            assert f"; {name.replace('-', '_')}(" in (CHECKOUT / "bin" / name).read_text()


def test_a_place_that_this_user_may_not_read_ends_a_command_in_a_sentence() -> None:
    @click.command(cls=ShownCommand)
    def look() -> None:
        raise PermissionError(errno.EACCES, "Permission denied", "/theirs/reminders.md")

    done = CliRunner().invoke(look)

    assert (done.exit_code, done.output) == (1, "error: /theirs/reminders.md: Permission denied\n")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with settings, a conversation, a memory and reminders, all made by an attacker."""
    home = tmp_path_factory.mktemp("home")
    write_settings(home, 'data_root = "data"\n[embedder]\nprovider = "local"\n')
    (home / "evil.toml").write_text(f"data_root = {json.dumps(EVIL)}\n[model]\nname = {json.dumps(f'x/{EVIL}')}\n")
    (home / f"{EVIL}.md").write_text(f"{EVIL}\n")
    (home / "data").mkdir()
    rig = MemoryRig(home / "data", brain=Brain("local/all-MiniLM-L6-v2/384", 384))
    rig.exchange(f"My cat {EVIL} likes tuna", f"Noted. {EVIL}")
    rig.stop()
    line = f'- [ ] date=2026-03-20 time=01:30 recur=daily msg="say \u202eevil\u2066" id=rid_DAILY\n- [ ] date={EVIL} msg="x"\n'
    (home / "r.md").write_bytes(line.encode())
    return home


def test_what_is_looked_into_is_shown_and_steers_nothing(subtests: pytest.Subtests, home: Path) -> None:
    cases: list[tuple[str, ...]] = [
        ("logs", "show", "data/logs"),
        ("logs", "check", "."),
        ("logs", "check", f"{EVIL}.md"),
        ("memory", "search", "cat"),
        ("memory", "search", "cat", "--json"),
        ("memory", "stats", "--data", EVIL),
        ("reminders", "list", "--file", "r.md"),
        ("reminders", "list", "--file", "r.md", "--json"),
        ("reminders", "check", "--file", "r.md"),
        ("reminders", "next", "--file", "r.md"),
        ("config", "--config", "evil.toml"),
        ("doctor", "--config", "evil.toml"),
        ("status", "--config", "evil.toml"),
        ("run", "--config", f"{EVIL}.toml"),
        ("bench", "kernel", "--only", EVIL),
        ("bench", "recall", "--data", EVIL),
        ("bench", "discord", EVIL),
        ("chaos", "reminders", EVIL),
        ("memory", "why", EVIL),
        ("memory", "rebuild", "--data", EVIL),
    ]
    for command in cases:
        with subtests.test(command=command):
            _, received = run_on_terminal("agent", *command, cwd=home)

            assert "evil" in received or "over" in received, (
                received
            )  # of a line that was written over, the end is shown
            assert steering(OWN_BAR.sub("", OWN_MARKS.sub("", received))) == []


@pytest.fixture
def model() -> Iterator[LoopbackModel]:
    with LoopbackModel(lambda _request: Answer(f"first\n\t{EVIL}")) as server:
        yield server


def settings(folder: Path, model: LoopbackModel) -> None:
    write_settings(
        folder,
        f'[model]\nname = "hosted_vllm/x"\napi_base = "{model.api_base}"\nretries = 0\n[shell]\nenabled = false\n'
        "[embedder]\nprovider = 'local'\n",
    )


@pytest.mark.parametrize(
    "command",
    [("agent-cli", "--json", "hi"), ("agent", "try", "--say", "hi"), ("agent-cli", "-v", "hi")],
    ids=" ".join,
)
def test_an_answer_is_shown_and_steers_nothing(tmp_path: Path, model: LoopbackModel, command: tuple[str, ...]) -> None:
    settings(tmp_path, model)
    code, received = run_on_terminal(*command, cwd=tmp_path)

    assert (code, "evil" in received) == (0, True), received
    assert steering(received) == []


def test_what_the_models_server_says_of_an_error_is_shown_and_steers_nothing(
    tmp_path: Path, model: LoopbackModel
) -> None:
    model.behave = lambda _request: Refusal(400, f"no {EVIL}")
    settings(tmp_path, model)
    code, received = run_on_terminal("agent-cli", "-v", "hi", cwd=tmp_path)

    assert code == 1
    assert steering(received) == []


def test_another_program_gets_the_answer_as_it_is_but_for_what_would_steer_a_terminal_behind_it(
    tmp_path: Path, model: LoopbackModel
) -> None:
    words = "\u05d0\u200f\u200b\U000e0041 and \ttabs"
    model.behave = lambda _request: Answer(f"first\n{words}{EVIL}")
    settings(tmp_path, model)
    done = run("agent-cli", "hi", cwd=tmp_path)

    assert done.stdout.startswith(f"first\n{words}\\u001b]52;c;")
    assert re.findall(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", done.stdout) == []
    assert json.loads(run("agent-cli", "--json", "hi", cwd=tmp_path).stdout)["answer"] == f"first\n{words}{EVIL}"


def test_everything_else_steers_nothing_in_a_pipe_either(home: Path) -> None:
    done = run("agent", "reminders", "list", "--file", "r.md", cwd=home)

    assert "evil" in done.stdout
    assert steering(done.stdout) == []


def test_a_stream_shows_tracebacks_and_log_lines_as_well_and_has_no_way_around_it() -> None:
    behind = io.StringIO()
    stream = ShownStream(behind)
    print(RuntimeError(EVIL), "café\r\nnext", file=stream)

    assert steering(behind.getvalue()) == []
    assert behind.getvalue().endswith("café\nnext\n")
    assert not hasattr(stream, "buffer")


def test_a_letter_that_the_terminal_lacks_ends_no_command(tmp_path: Path) -> None:
    done = run("agent", "logs", "check", "é.md", cwd=tmp_path, environment={"PYTHONIOENCODING": "ascii"})

    assert (done.returncode, done.stderr) == (1, "error: \\xe9.md: no such file or folder\n")


def test_where_what_is_printed_does_not_fit_one_sentence_says_so(subtests: pytest.Subtests, tmp_path: Path) -> None:
    cases: list[tuple[str, ...]] = [(), ("--json",), ("--json-events",), ("--help",)]
    for number, more in enumerate(cases):
        place = tmp_path / str(number)
        place.mkdir()
        with subtests.test(more=more):
            with Path("/dev/full").open("w") as full:
                done = subprocess.run(
                    [*start("agent-cli"), *more, "hello"],
                    cwd=place,
                    env=inherited(),
                    stdout=full,
                    stderr=subprocess.PIPE,
                    text=True,
                    timeout=PATIENCE_S,
                    check=False,
                )
            assert (done.returncode, done.stderr) == (
                1,
                "error: the output cannot be written: No space left on device\n",
            )


def test_a_talk_whose_answers_cannot_be_printed_ends(subtests: pytest.Subtests, tmp_path: Path) -> None:
    cases: list[tuple[str, str]] = [("full", "No space left on device"), ("unread", "Broken pipe")]
    for number, (sink, why) in enumerate(cases):
        place = tmp_path / str(number)
        place.mkdir()
        with subtests.test(sink=sink, why=why):
            if sink == "full":
                out = os.open("/dev/full", os.O_WRONLY)
            else:
                unread, out = os.pipe()
                os.close(unread)
            try:
                done = subprocess.run(
                    [*start("agent"), "try", "--data", "d", "--say", "hello"],
                    cwd=place,
                    env=inherited(),
                    stdout=out,
                    stderr=subprocess.PIPE,
                    text=True,
                    timeout=2 * PATIENCE_S,
                    check=False,
                )
            finally:
                os.close(out)
            assert done.returncode == 1
            assert done.stderr.endswith(f"error: the answer cannot be printed: {why}\n")
