"""Changes on the command line are confirmed in Discord, in the window of the reminder."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from actors.cli.relay import relay
from actors.linux.disk import OPERATOR_KEY
from actors.part import SHIPPED_SKILLS
from actors.settings.load import load
from actors.settings.secret import DISCORD_BOT_TOKEN, Secrets
from actors.socket.paths import OPERATOR_SOCKET, listener
from domain.reminder.text import confirmation
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID
from messages.base import Address, RequestId, Surface, Window
from messages.discord import PostMessage
from tests.actors.cli.command import run
from tests.e2e.stage import Stage, bot_texts
from tests.patience import eventually
from tests.trusted import write_settings

ASKED = "remind me to water the owls in 600 minutes"
NO_CHANNEL = 910000000000009999


def settle(folder: Path, server: PlaygroundServer, channel: int = GENERAL_ID) -> None:
    """The command line's settings, for the data root `data` there."""
    folder.mkdir(exist_ok=True)
    write_settings(
        folder,
        f'data_root = "data"\n[discord]\napi_base = "{server.api_base}"\ngateway_url = "{server.gateway_url}"\n'
        f'channels = ["{channel}"]\n',
    )


def ask(folder: Path, words: str, token: str = "") -> subprocess.CompletedProcess[str]:
    (folder / "data").mkdir(exist_ok=True)
    done = run("agent-cli", words, cwd=folder, environment={"DISCORD_BOT_TOKEN": token} if token else {})
    assert done.returncode == 0, done.stderr
    return done


def line_in(folder: Path) -> str:
    return (folder / "data" / "reminders.md").read_text().rstrip("\n")


@pytest.mark.req("S0-144", "X-27")
def test_a_running_agent_says_it_in_the_reminders_channel_after_the_answer(
    server: PlaygroundServer, tmp_path: Path
) -> None:
    settle(tmp_path, server)
    stage = Stage(server, tmp_path / "data")
    try:
        done = ask(tmp_path, ASKED)
        eventually(lambda: bool(bot_texts(server)))
    finally:
        stage.stop()
    (text,) = bot_texts(server)
    assert text.startswith(f"Reminder set:\n```\n{line_in(tmp_path)}\n```\n")
    assert done.stdout.rstrip().endswith(text), "printed behind the answer"
    assert done.stderr == ""


@pytest.mark.req("S0-144", "X-27")
def test_where_no_agent_runs_discord_is_told_by_rest(server: PlaygroundServer, tmp_path: Path) -> None:
    settle(tmp_path, server)
    done = ask(tmp_path, "remind me to say @everyone ```ls``` in 600 minutes", server.bot_token)
    (message,) = [one for one in server.messages(GENERAL_ID) if one["author"].get("bot")]
    assert message["content"].startswith("Reminder set:\n```\n- [ ] ")
    assert [file["filename"] for file in message["attachments"]] == ["exact.txt"]
    (record,) = server.requests("POST", "/messages")
    assert record.payload["allowed_mentions"]["parse"] == []
    assert done.stderr == ""


def test_a_reminder_of_a_thread_is_confirmed_there_and_nowhere_else(server: PlaygroundServer, tmp_path: Path) -> None:
    thread = server.create_thread(GENERAL_ID, "private", private=True)
    settle(tmp_path, server)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "reminders.md").write_text(
        f'- [ ] date=2099-01-30 time=09:00 recur=none msg="biopsy" id=rid_AAAAAAAAAAAA in=discord-thread/{thread}\n'
    )
    script = SHIPPED_SKILLS / "reminders" / "scripts" / "reminders.py"
    ask(tmp_path, f"run: python3 -I {script} modify rid_AAAAAAAAAAAA --time 10:00", server.bot_token)
    assert "time=10:00" in line_in(tmp_path)
    assert bot_texts(server) == []
    (text,) = bot_texts(server, thread)
    assert text.startswith("Reminder changed:")


def try_relay(server: PlaygroundServer, folder: Path, act: Callable[[socket.socket], None]) -> str:
    """Result of the relay of a confirmation beside something that has the socket of an agent."""
    settle(folder, server)
    settings = load(environ={}, folder=folder)
    settings.data_root.mkdir()
    (settings.data_root / OPERATOR_KEY).write_text("key")
    secrets = Secrets({DISCORD_BOT_TOKEN: server.bot_token}, {DISCORD_BOT_TOKEN: "env"})
    window = Window(surface=Surface.DISCORD_CHANNEL, id=str(GENERAL_ID))
    words = confirmation("Reminder set", "- [ ] line")
    post = PostMessage(
        request_id=RequestId("r"), reply_to=Address("cli"), window=window, text=words.text, exact=words.exact, nonce="n"
    )
    with listener(settings.data_root / OPERATOR_SOCKET) as door, ThreadPoolExecutor(1) as pool:
        door.settimeout(5.0)
        door.listen()
        acting = pool.submit(act, door)
        reason = relay(settings, secrets, post, 0.05 if act is hang else 10.0)
        acting.result()
    return reason


def hang(_door: socket.socket) -> None:
    """Take no request."""


def die(door: socket.socket) -> None:
    """Take a request, and die before the answer."""
    connection, _ = door.accept()
    with connection, connection.makefile("rb") as lines:
        lines.readline()


def test_an_agent_that_hangs_may_say_it_yet_so_nobody_else_does(server: PlaygroundServer, tmp_path: Path) -> None:
    reason = try_relay(server, tmp_path, hang)
    assert "did not answer within 0.05 s; the confirmation may still be shown" in reason
    assert bot_texts(server) == []


def test_an_agent_that_died_with_the_request_says_it_in_the_next_life(server: PlaygroundServer, tmp_path: Path) -> None:
    reason = try_relay(server, tmp_path, die)
    assert "ended before it answered; the confirmation may still be shown" in reason
    assert bot_texts(server) == []


def test_without_a_token_it_is_printed_and_nothing_else(server: PlaygroundServer, tmp_path: Path) -> None:
    settle(tmp_path, server)
    done = ask(tmp_path, ASKED)
    assert "Reminder set:" in done.stdout
    assert (done.stderr, bot_texts(server)) == ("", [])


@pytest.mark.parametrize(
    ("channel", "token", "why"),
    [(NO_CHANNEL, "", "Unknown Channel"), (GENERAL_ID, "not.the.token", "token")],
)
def test_where_it_cannot_be_said_that_is_told_and_the_answer_stands(
    server: PlaygroundServer, tmp_path: Path, channel: int, token: str, why: str
) -> None:
    settle(tmp_path, server, channel)
    done = ask(tmp_path, ASKED, token or server.bot_token)
    assert "Reminder set:" in done.stdout
    assert done.stderr.startswith("note: the confirmation could not be shown in Discord: ")
    assert why in done.stderr
    assert bot_texts(server) == []
