"""One stateless turn from the command line."""

from __future__ import annotations

import base64
import json
import os
import re
import shlex
import socket
import subprocess
from pathlib import Path

import pytest

from actors.cli.agent_cli import TurnResult, ask
from actors.kernel import Actor, ActorSpec, ActorSystem
from domain.policy import approval as wording
from domain.text.secret_scrub import disguises
from domain.turn.prompt import system_prompt
from lab.load.prepared_logs import make_logs
from lab.loopback_model.answers import Answer, Call, Received
from lab.loopback_model.server import LoopbackModel
from messages.base import CONTEXT_KIND, Surface, Window
from tests.actors.cli.command import digest, inherited, run, run_on_terminal, start
from tests.patience import PATIENCE_S
from tests.trusted import write_settings


@pytest.mark.req("S0-10")
def test_it_prints_the_answer_and_nothing_else(tmp_path: Path) -> None:
    done = run("agent-cli", "run: echo $((7919*7919))", cwd=tmp_path)
    assert done.returncode == 0
    assert "62710561" in done.stdout
    assert done.stderr == ""


def test_where_commands_are_turned_off_none_runs(tmp_path: Path) -> None:
    write_settings(tmp_path, "[shell]\nenabled = false\n")
    done = run("agent-cli", "run: touch ran", cwd=tmp_path)
    assert done.returncode == 0
    assert "no bash tool is offered" in done.stdout
    assert not (tmp_path / "ran").exists()


def test_commands_run_in_the_callers_folder(tmp_path: Path) -> None:
    assert str(tmp_path) in run("agent-cli", "run: pwd", cwd=tmp_path).stdout


@pytest.mark.req("S0-12", "S0-42", "X-26")
def test_the_data_root_is_left_as_it_is(tmp_path: Path) -> None:
    data = tmp_path / "data"
    (data / "logs").mkdir(parents=True)
    (data / "logs" / "x.md").write_text("kept")
    before = digest(tmp_path)
    run("agent-cli", "run: echo hello", cwd=tmp_path, environment={"AGENT_HOME": str(data)})
    assert digest(tmp_path) == before


@pytest.mark.req("S0-42")
def test_a_data_root_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    run("agent-cli", "hello", cwd=tmp_path)
    assert digest(tmp_path) == {}


@pytest.mark.req("X-239")
def test_a_data_root_with_a_pipe_in_the_place_of_a_folder_is_named_by_every_command(
    subtests: pytest.Subtests, tmp_path: Path
) -> None:
    (tmp_path / "agent.toml").write_text(f'data_root = "{tmp_path / "data"}"\n[model]\nname = "offline"\n')
    pipe = tmp_path / "data" / "logs" / "discord-channel"
    pipe.parent.mkdir(parents=True)
    os.mkfifo(pipe)
    fault = f"{pipe}: must be a folder and is a pipe; take it away"
    config = ("--config", str(tmp_path / "agent.toml"))
    for command in (
        ("agent-cli", "hello", *config),
        ("agent", "try", "--port", "0", "--say", "hello", "--data", str(tmp_path / "data"), *config),
        ("agent", "backup", str(tmp_path / "backup"), *config),
        ("agent", "doctor", *config),
    ):
        with subtests.test(command=command):
            done = run(*command, cwd=tmp_path)
            assert done.returncode == 1
            assert "Traceback" not in done.stderr
            assert (done.stdout if "doctor" in command else done.stderr).count(fault) == 1


def test_the_prompt_may_come_from_stdin(subtests: pytest.Subtests, tmp_path: Path) -> None:
    cases: list[tuple[str, ...]] = [("-",), ()]
    for number, arguments in enumerate(cases):
        place = tmp_path / str(number)
        place.mkdir()
        with subtests.test(arguments=arguments):
            assert "7" in run("agent-cli", *arguments, cwd=place, stdin=b"run: echo $((3+4))").stdout


def test_bytes_that_are_no_text_are_answered_all_the_same(tmp_path: Path) -> None:
    done = run("agent-cli", "-", cwd=tmp_path, stdin=b"\xff\xfe hello")
    assert (done.returncode, done.stderr) == (0, "")


def test_json_is_one_document(tmp_path: Path) -> None:
    found = json.loads(run("agent-cli", "--json", "run: echo 62710561", cwd=tmp_path).stdout)
    assert (found["outcome"], found["model"]) == ("answered", "offline")
    assert "62710561" in found["answer"]


@pytest.mark.req("S0-12", "S0-104", "C-36")
def test_nothing_is_remembered_from_call_to_call(tmp_path: Path) -> None:
    first = run("agent-cli", "hello", cwd=tmp_path).stdout
    assert run("agent-cli", "hello", cwd=tmp_path).stdout == first


@pytest.mark.req("X-26")
def test_new_says_that_there_is_nothing_to_end(subtests: pytest.Subtests, tmp_path: Path) -> None:
    cases: list[str] = ["/new", "/New\n"]
    for number, words in enumerate(cases):
        place = tmp_path / str(number)
        place.mkdir()
        with subtests.test(words=words):
            done = run("agent-cli", words, cwd=place)
            assert (done.returncode, done.stdout) == (0, "")
            assert "stateless" in done.stderr


@pytest.mark.req("X-26", "S0-11")
def test_a_slash_command_is_refused_with_a_sentence_and_sent_to_no_model(
    subtests: pytest.Subtests, tmp_path: Path
) -> None:
    cases: list[tuple[str, str]] = [
        ("/remember tea is at five", "remember"),
        ("/memory stats", "memory"),
        (" /status\n", "status"),
        ("/help", "help"),
        ("/stop", "stop"),
        ("/skill owls", "skill"),
        ("/skills", "skills"),
        ("/new and what else", "new"),
        ("/REMEMBER tea", "remember"),
        ("\ufeff\uff0fremember: tea", "remember"),
    ]
    for number, (words, name) in enumerate(cases):
        place = tmp_path / str(number)
        place.mkdir()
        with subtests.test(words=words, name=name):
            done = run("agent-cli", words, cwd=place)
            assert (done.returncode, done.stdout) == (1, "")
            assert done.stderr == (
                f"error: /{name} is a Discord command: agent-cli answers one prompt and has no commands\n"
            )


def test_words_that_only_look_like_one_are_answered(subtests: pytest.Subtests, tmp_path: Path) -> None:
    cases: list[str] = ["/etc is where?", "what does /help do?", "/helpful or not"]
    for number, words in enumerate(cases):
        place = tmp_path / str(number)
        place.mkdir()
        with subtests.test(words=words):
            done = run("agent-cli", words, cwd=place)
            assert done.returncode == 0
            assert f"I have read “{words}”." in done.stdout


@pytest.mark.req("S0-10", "S0-66")
def test_every_place_that_the_model_is_given_can_be_opened(subtests: pytest.Subtests, tmp_path: Path) -> None:
    cases: list[str] = ["global", "audience", "context"]
    for number, scope in enumerate(cases):
        place = tmp_path / str(number)
        place.mkdir()
        with subtests.test(scope=scope):
            make_logs(place / "data", 1, 3)
            assert run("agent", "memory", "rebuild", cwd=place).returncode == 0
            with LoopbackModel(open_places) as model:
                write_settings(
                    place, f'[model]\nname = "openai/owl"\napi_base = "{model.api_base}"\n[memory]\nscope = "{scope}"\n'
                )
                done = run("agent-cli", "What about the harbour?", cwd=place, environment={"OPENAI_API_KEY": "k" * 20})
                asked = model.requests()[0].body["messages"][0]["content"]
            assert "`logs/…` lie below the folder that `$AGENT_DATA_ROOT` names" in asked
            assert "can't read" not in done.stdout
            assert "agent t0-0a" in done.stdout
            assert "in this window's log" not in run("agent-cli", "--model", "offline", "hello", cwd=place).stdout


def open_places(request: Received) -> Answer:
    """Steps of a model that looks at each given place."""
    last = str(request.body["messages"][-1]["content"])
    places = re.findall(r'"path":"([^"]+)","line":([0-9]+)', last)
    if not places:
        return Answer(last)
    looks = "; ".join(f'sed -n {line},+2p "$AGENT_DATA_ROOT/{path}"' for path, line in places)
    return Answer(calls=(Call("bash", json.dumps({"command": looks})),))


@pytest.mark.req("S0-10")
def test_where_there_are_no_logs_the_prompt_promises_none(subtests: pytest.Subtests, tmp_path: Path) -> None:
    cases: list[str] = ["global", "audience"]
    for number, scope in enumerate(cases):
        place = tmp_path / str(number)
        place.mkdir()
        with subtests.test(scope=scope), LoopbackModel(lambda _: Answer("hi")) as model:
            write_settings(
                place, f'[model]\nname = "openai/owl"\napi_base = "{model.api_base}"\n[memory]\nscope = "{scope}"\n'
            )
            run("agent-cli", "hello", cwd=place, environment={"OPENAI_API_KEY": "k" * 20})
            assert "logs/" not in model.requests()[0].body["messages"][0]["content"]


def test_the_system_prompt_of_a_single_turn_promises_what_there_is() -> None:
    window = Window(surface=Surface.CLI, id="turn")
    with_logs, without = system_prompt(window, "/here"), system_prompt(window, "/here", shows_logs=False)
    assert "$AGENT_DATA_ROOT/logs/" in with_logs
    assert "logs/" not in without
    assert all(
        "Nothing said here is kept" in each and "is kept word for word" not in each for each in (with_logs, without)
    )


def test_an_empty_prompt_is_refused(tmp_path: Path) -> None:
    done = run("agent-cli", "  ", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "error: the prompt is empty\n")


@pytest.mark.req("S0-104")
def test_on_a_terminal_there_is_no_conversation(tmp_path: Path) -> None:
    code, shown = run_on_terminal("agent-cli", cwd=tmp_path)
    assert (code, "Missing argument 'PROMPT'." in shown) == (2, True), shown
    assert not list(tmp_path.iterdir())


def test_where_stdin_is_closed_the_prompt_is_empty(subtests: pytest.Subtests, tmp_path: Path) -> None:
    cases: list[str] = ["", "-"]
    for number, arguments in enumerate(cases):
        place = tmp_path / str(number)
        place.mkdir()
        with subtests.test(arguments=arguments):
            done = run_in_shell(f"{shlex.join(start('agent-cli'))} {arguments} <&-", place)
            assert (done.returncode, done.stdout, done.stderr) == (1, "", "error: the prompt is empty\n")


def test_a_folder_that_is_gone_is_told_of_in_a_sentence(tmp_path: Path) -> None:
    done = run_in_shell(f"mkdir gone; cd gone; rmdir ../gone; {shlex.join(start('agent-cli'))} hello", tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == ("error: the current folder cannot be used, change to another: No such file or directory\n")


def run_in_shell(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", line],
        cwd=folder,
        env=inherited(),
        capture_output=True,
        text=True,
        timeout=2 * PATIENCE_S,
        check=False,
    )


@pytest.mark.req("S0-10")
def test_commands_run_in_a_folder_whose_name_is_no_utf8(subtests: pytest.Subtests, tmp_path: Path) -> None:
    cases: list[tuple[str, ...]] = [(), ("--write",)]
    for number, options in enumerate(cases):
        place = tmp_path / str(number)
        place.mkdir()
        with subtests.test(options=options):
            folder = place / os.fsdecode(b"a b\n\xff")
            folder.mkdir()
            done = run("agent-cli", *options, "run: echo $((7919*7919))", cwd=folder)
            assert "exit code 0" in done.stdout
            assert "62710561" in done.stdout
            assert done.stderr == ""


def test_a_reminder_that_such_a_folder_has_no_place_for_is_refused_in_words(tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"\xff")
    folder.mkdir()
    done = run("agent-cli", "remind me in 5 minutes to go", cwd=folder)
    assert "its folder does not exist" in done.stdout
    assert done.stderr == ""


def test_a_model_that_cannot_be_reached_is_an_error_on_stderr(tmp_path: Path) -> None:
    settings = '[model]\nname = "openai/x"\napi_base = "http://127.0.0.1:9/v1"\nretries = 0\n'
    write_settings(tmp_path, settings)
    done = run("agent-cli", "hello", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert "could not get an answer from the model" in done.stderr


@pytest.mark.req("S0-04", "S0-10")
def test_its_help_says_that_it_is_for_tests_and_where_the_agent_lives(tmp_path: Path) -> None:
    words = " ".join(run("agent-cli", "--help", cwd=tmp_path).stdout.split())
    assert "For testing: no history is kept" in words
    assert "agent itself lives in Discord" in words


@pytest.mark.req("C-13")
def test_help_imports_nothing_heavy(subtests: pytest.Subtests, tmp_path: Path) -> None:
    cases: list[str] = ["agent", "agent-cli", "agent-load"]
    for number, program in enumerate(cases):
        place = tmp_path / str(number)
        place.mkdir()
        with subtests.test(program=program):
            name = program.replace("-", "_")
            code = (
                f"import sys; sys.argv = ['x', '--help']\nfrom lab.commands import {name}\n"
                f"try:\n    {name}()\nexcept SystemExit:\n    pass\n"
                "print(sorted({'aiohttp', 'asyncio', 'discord', 'litellm', 'msgspec', 'pydantic', 'pykka'} & set(sys.modules)))"
            )
            import sys

            from tests.actors.cli.command import CHECKOUT

            done = subprocess.run(
                [sys.executable, "-c", code],
                cwd=CHECKOUT,
                capture_output=True,
                text=True,
                timeout=PATIENCE_S,
                check=True,
            )
            assert "Usage:" in done.stdout
            assert done.stdout.rstrip().endswith("[]")


@pytest.mark.crashes
def test_a_turn_that_is_lost_in_a_crash_is_not_waited_for() -> None:
    class Broken(Actor):
        """A window that crashes over everything."""

        def handle(self, message: object) -> None:
            raise RuntimeError(type(message).__name__)

    system = ActorSystem(workers=1)
    system.register(ActorSpec(CONTEXT_KIND, lambda _key: Broken()))
    system.start()
    try:
        answer = ask(system, system.edge("cli"), "hello")
    finally:
        system.stop()

    assert answer == TurnResult("the turn was lost in a crash; -v shows why", "failed")


def test_commands_read_the_folder_without_its_secrets_and_change_nothing_in_it(tmp_path: Path) -> None:
    write_settings(tmp_path, "")
    (tmp_path / "secrets.env").write_text("GEMINI_API_KEY=t0ken\n")
    (tmp_path / "secrets.env").chmod(0o600)
    (tmp_path / "note").write_text("mine")
    before = digest(tmp_path)
    for command in ("cat note secrets.env", "grep -r t0ken . /proc/1/environ", "echo x | tee agent.toml new note"):
        done = run("agent-cli", f"run: {command}", cwd=tmp_path)
        assert "t0ken" not in done.stdout.replace(command, "")
    assert "mine" in run("agent-cli", "run: cat note", cwd=tmp_path).stdout
    assert "kept" in run("agent-cli", "run: echo kept > ~/x; cat ~/x", cwd=tmp_path).stdout
    assert digest(tmp_path) == before


def test_commands_write_where_they_were_let_but_give_the_agent_no_settings(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    run(
        "agent-cli",
        "--write",
        "run: echo mine > note; for f in agent.toml secrets.env .git/x; do echo x > $f; done",
        cwd=tmp_path,
    )
    assert {path.name for path in tmp_path.iterdir()} == {"note", ".git"}
    assert list((tmp_path / ".git").iterdir()) == []


def test_a_command_makes_neither_the_agents_data_nor_its_secrets(tmp_path: Path) -> None:
    (tmp_path / "conf").mkdir()
    write_settings(tmp_path / "conf", 'data_root = "../kept/data"\n')
    plant = "run: mkdir -p kept/data/skills; echo x > conf/secrets.env; mv kept k; mv conf c; echo mine > note"
    run("agent-cli", "--write", "--config", "conf/agent.toml", plant, cwd=tmp_path)
    assert sorted(map(str, (path.relative_to(tmp_path) for path in tmp_path.rglob("*")))) == [
        "conf",
        "conf/agent.toml",
        "note",
    ]


def test_a_command_reaches_nobody_by_a_socket_or_pipe_of_the_folder(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    pipe = os.open(tmp_path / "pipe", os.O_RDWR | os.O_NONBLOCK)
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(tmp_path / "door"))
            server.listen()
            server.settimeout(0)
            knock = "import socket; socket.socket(socket.AF_UNIX).connect('door')"
            run("agent-cli", f'run: python3 -c "{knock}"; echo hello > pipe', cwd=tmp_path)
            with pytest.raises(BlockingIOError):
                server.accept()
        with pytest.raises(BlockingIOError):
            os.read(pipe, 1)
    finally:
        os.close(pipe)


def test_a_token_in_a_repositorys_settings_is_not_read(tmp_path: Path, subtests: pytest.Subtests) -> None:
    """Whatever a command tries; and git works with what it is shown."""
    token = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
    git = ("git", "-c", "init.defaultBranch=main", "-C", str(tmp_path))
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "remote", "add", "origin", f"https://x:{token}@github.com/owner/name.git"], check=True)
    header = f"AUTHORIZATION: basic {base64.b64encode(f'x:{token}'.encode()).decode()}"
    subprocess.run([*git, "config", "http.https://github.com/.extraheader", header], check=True)
    before = (tmp_path / ".git" / "config").read_bytes()
    reading = (
        "git remote -v; git config --list; cat .git/config; git config --get-all http.https://github.com/.extraheader; "
        "umask 0; mv .git moved; mv .git/config .git/c; rm -f .git/config; cat moved/config .git/c; grep -r ghp_ . "
        "| head; echo end"
    )
    for options in ((), ("--write",)):
        with subtests.test(options=options):
            done = run("agent-cli", *options, f"run: {reading}", cwd=tmp_path)

            assert "https://github.com/owner/name.git" in done.stdout
            assert "end" in done.stdout
            for form in disguises(token):
                assert form not in done.stdout
            assert (tmp_path / ".git" / "config").read_bytes() == before


def test_nobody_lets_commands_write_to_the_running_program() -> None:
    checkout = Path(__file__).parents[3]
    done = run("agent-cli", "--write", "run: touch planted", cwd=checkout)
    assert done.returncode == 1
    assert "--write: Commands cannot be let write in" in done.stderr
    assert not (checkout / "planted").exists()


@pytest.mark.req("X-236")
def test_before_each_command_it_asks_on_the_terminal_and_does_what_it_is_told(tmp_path: Path) -> None:
    write_settings(tmp_path, '[shell]\napprove = "always"\n')
    code, screen = run_on_terminal("agent-cli", "run: echo o''wls", cwd=tmp_path, typed=b"y\n")
    assert (code, "May the agent run this command?" in screen, "owls" in screen) == (0, True, True)
    code, screen = run_on_terminal("agent-cli", "run: echo o''wls", cwd=tmp_path, typed=b"\n")
    assert (code, "owls" in screen, wording.REFUSED in screen) == (0, False, True)


@pytest.mark.req("X-236")
def test_without_a_terminal_what_must_be_asked_is_refused_and_nothing_else(tmp_path: Path) -> None:
    write_settings(tmp_path, '[shell]\napprove = "outside"\n')
    reading = run("agent-cli", "run: echo o''wls", cwd=tmp_path)
    assert "owls" in reading.stdout
    writing = run("agent-cli", "--write", "run: touch mark; echo o''wls", cwd=tmp_path)
    assert (writing.returncode, "owls" in writing.stdout, wording.NO_TERMINAL in writing.stdout) == (0, False, True)
    assert "there is no terminal to ask on" in writing.stderr
    assert not (tmp_path / "mark").exists()
