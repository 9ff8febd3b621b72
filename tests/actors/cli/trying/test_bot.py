"""The bot's process beside the page: it dies and lives, ends with us, and its complaint is ours."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from actors.cli.trying.bot import BotProcess
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID
from tests.actors.cli.command import inherited, open_command, run, start
from tests.patience import PATIENCE_S, eventually
from tests.trusted import write_settings


def children_of(pid: int) -> list[int]:
    """Processes whose parent is `pid`."""
    found = []
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = place.read_text().rpartition(")")[2].split()
        except OSError:  # it has just ended
            continue
        if int(fields[1]) == pid:
            found.append(int(place.parent.name))
    return found


def is_alive(pid: int) -> bool:
    """Whether a process of that number runs; one that waits to be buried does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def arguments_of(pid: int) -> bytes:
    """What a process was started with; nothing if it has just ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


class Tried:
    """`agent try`, and what stands in its page's address."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.data = folder / "data"
        options = ["--no-browser", "--port", "0", "--data", str(self.data), *arguments]
        self.process = open_command(
            "agent", "try", *options, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        found = re.search(r"http://\S+", self.process.stdout.readline())
        assert found is not None
        self.url = found[0]

    @property
    def bot(self) -> int:
        """The process of the bot that holds the data root."""
        eventually(lambda: (self.data / "agent.lock").exists() and bool(children_of(self.process.pid)))
        (bot,) = children_of(self.process.pid)
        return bot

    def end(self) -> tuple[int, str]:
        if self.process.poll() is None:
            self.process.terminate()
        _, complaints = self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode, complaints


@pytest.fixture
def tried(tmp_path: Path) -> Iterator[Tried]:
    made = Tried(tmp_path)
    yield made
    made.end()


@pytest.mark.slow
def test_a_bot_that_is_killed_is_another_one_soon_and_says_so(tried: Tried) -> None:
    first = tried.bot
    os.kill(first, signal.SIGKILL)
    eventually(lambda: first not in children_of(tried.process.pid) and bool(children_of(tried.process.pid)))

    code, complaints = tried.end()
    assert code == 0
    assert "the bot died (SIGKILL); it is started again at once" in complaints


@pytest.mark.slow
def test_a_page_that_is_killed_leaves_no_bot(tried: Tried) -> None:
    bot = tried.bot
    tried.process.kill()
    tried.process.wait(PATIENCE_S)
    eventually(lambda: not is_alive(bot))


@pytest.mark.slow
def test_ctrl_c_ends_both_in_good_order(tried: Tried) -> None:
    bot = tried.bot
    tried.process.send_signal(signal.SIGINT)
    code, _ = tried.end()
    assert code == 0
    assert not Path(f"/proc/{bot}").exists()


@pytest.mark.slow
def test_no_token_and_no_key_is_an_argument(tried: Tried) -> None:
    token = tried.url.partition("token=")[2]
    for pid in (tried.process.pid, tried.bot):
        assert token.encode() not in Path(f"/proc/{pid}/cmdline").read_bytes()


@pytest.mark.slow
def test_what_keeps_the_bot_from_starting_ends_the_command_with_its_words(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("no folder")
    done = run("agent", "try", "--say", "hi", "--data", "data", cwd=tmp_path)

    assert done.returncode == 1
    assert str(tmp_path / "data") in done.stderr
    assert "started again" not in done.stderr


@pytest.mark.slow
def test_a_port_that_is_taken_is_all_that_is_said(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = run("agent", "try", "--no-browser", "--data", "data", "--port", str(port), cwd=tmp_path)

    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"error: port {port} of 127.0.0.1 cannot be used: Address already in use")


@pytest.mark.slow
def test_ctrl_c_in_a_terminal_while_it_starts_ends_both_without_a_traceback(tmp_path: Path) -> None:
    command = [*start("agent"), "try", "--no-browser", "--port", "0", "--data", "data"]
    process = subprocess.Popen(
        command, cwd=tmp_path, env=inherited(), stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    eventually(lambda: any(b"trying.child" in arguments_of(pid) for pid in children_of(process.pid)))
    threading.Event().wait(0.15)  # it imports what it needs
    bots = children_of(process.pid)
    os.killpg(process.pid, signal.SIGINT)
    _, complaints = process.communicate(timeout=PATIENCE_S)

    assert "Traceback" not in complaints
    assert complaints.count("Aborted!") <= 1, "one of the two says so"
    assert not any(map(is_alive, bots))


@pytest.mark.slow
def test_two_on_one_data_root_are_one_too_many(tried: Tried, tmp_path: Path) -> None:
    assert tried.bot
    done = run("agent", "try", "--say", "hi", "--data", str(tried.data), cwd=tmp_path)

    assert done.returncode == 1
    assert "error: data root" in done.stderr


def test_what_a_library_prints_is_passed_on_and_harms_nobody(
    capsys: pytest.CaptureFixture[str],
) -> None:
    told = ("a library", "[]", "7", '{"other": 1}', '{"online": "Anne"}', '{"onl')
    words = ";".join(f"print({line!r})" for line in told)
    online: list[str] = []
    bot = BotProcess(os.environ, online.append, f"{words};input();raise SystemExit(3)")
    bot.go({})
    try:
        eventually(lambda: bot.is_over)
    finally:
        bot.stop()
    assert bot.exit_code == 3

    assert online == ["Anne"]
    assert capsys.readouterr().err.splitlines() == [line for line in told if "Anne" not in line]


@pytest.mark.parametrize("is_wanted", [True, False])
def test_a_bot_that_dies_before_it_is_told_where_to_go_is_started_again(
    monkeypatch: pytest.MonkeyPatch, *, is_wanted: bool
) -> None:
    bot = BotProcess(os.environ, lambda _name: None, "input();raise SystemExit(3)")
    os.kill(bot._process.pid, signal.SIGKILL)
    bot._process.wait(PATIENCE_S)
    if not is_wanted:
        monkeypatch.setattr(threading.Thread, "start", lambda _thread: None)  # nobody sees its death before the end
    bot.go({})
    try:
        if is_wanted:
            eventually(lambda: bot.is_over)
    finally:
        bot.stop()

    assert (bot.starts, bot.exit_code) == ((2, 3) if is_wanted else (1, 0))


@pytest.mark.slow
def test_a_death_is_a_line_of_the_log_where_that_is_json(tmp_path: Path) -> None:
    write_settings(tmp_path, '[log]\nformat = "json"\n')
    tried = Tried(tmp_path)
    first = tried.bot
    os.kill(first, signal.SIGKILL)
    eventually(lambda: first not in children_of(tried.process.pid) and bool(children_of(tried.process.pid)))
    _, complaints = tried.end()

    lines = [json.loads(line) for line in complaints.splitlines()]
    assert [line["level"] for line in lines if "the bot died" in line["text"]] == ["WARNING"]


def test_the_page_kills_only_a_bot_that_stands_beside_it(tmp_path: Path) -> None:
    killed = threading.Event()
    with PlaygroundServer() as server:
        assert _act(server) == (400, False)
        server.accompany(tmp_path, killed.set)
        assert _act(server) == (200, True)
        assert server.say(GENERAL_ID, "hi")
    assert killed.is_set()


def _act(server: PlaygroundServer) -> tuple[int, bool]:
    """Status of a kill, and whether the page knows of a bot."""
    connection = http.client.HTTPConnection(server.origin.removeprefix("http://"), timeout=PATIENCE_S)
    headers: dict[str, Any] = {"Authorization": f"Bearer {server.person_token}"}
    connection.request("POST", "/control/kill", "{}", headers | {"Content-Type": "application/json"})
    killed = connection.getresponse()
    killed.read()
    connection.request("GET", "/control/state", headers=headers)
    state = json.loads(connection.getresponse().read())
    connection.close()
    return killed.status, bool(state["has_companion"])
