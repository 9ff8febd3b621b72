from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from actors.kernel import Actor
from actors.part import SHIPPED_SKILLS
from messages.base import MessageId
from messages.discord import AttachFile, FileAttached
from messages.socket import Refused
from tests.skills.sandboxed import WINDOW, door_to, run_script

SCRIPT = SHIPPED_SKILLS / "send-file" / "scripts" / "send.py"


class FakeDiscordActor(Actor):
    """Posts everything but what is called `no.txt`, and says what it was asked."""

    def handle(self, message: AttachFile) -> None:
        if message.path == "no.txt":
            self.tell(message.reply_to, Refused(request_id=message.request_id, reason="file 'no.txt': a rule"))
            return
        line = f"{message.window.id}:{message.path}:{message.caption}"
        if message.further:
            line = f"{message.path} {message.further} {message.descriptions} {message.is_spoiler}"
        attached = FileAttached(
            request_id=message.request_id, message_id=MessageId("7"), filename=line, size_bytes=1234
        )
        self.tell(message.reply_to, attached)


@pytest.fixture
def door() -> Iterator[Path]:
    """The socket of a window whose files the fake posts."""
    with door_to(FakeDiscordActor, "discord.attach", AttachFile) as path:
        yield path


def send(command: str, door: Path | None, home: Path) -> subprocess.CompletedProcess[str]:
    """Run `send.py` as the agent's tool does."""
    return run_script(SCRIPT, command, door, home, HOME=str(home))


@pytest.mark.parametrize(
    ("command", "path"),
    [
        ('"$S" a.txt', "a.txt"),
        ('"$S" -- -a.txt', "-a.txt"),
        ('"$S" "$HOME/b/a.txt"', "b/a.txt"),
        ('mkdir b; cd b; python3 -I "$S" a.txt', "b/a.txt"),
        ('mkdir b; cd b; "$S" ../a.txt', "a.txt"),
        ('mkdir b; ln -s b c; cd c; "$S" a.txt', "b/a.txt"),
        ('"$S" "a b\'c.txt"', "a b'c.txt"),
    ],
)
def test_a_path_is_told_as_it_is_below_the_working_directory(
    door: Path, tmp_path: Path, command: str, path: str
) -> None:
    done = send(command, door, tmp_path)
    assert (done.stdout, done.stderr) == (f"Posted {WINDOW.id}:{path}: (1,234 bytes).\n", "")
    assert done.returncode == 0


def test_a_path_elsewhere_leads_out_and_is_left_to_the_agent_to_refuse(door: Path, tmp_path: Path) -> None:
    assert ":../" in send('"$S" /etc/passwd', door, tmp_path).stdout


def test_a_home_behind_a_link_is_the_same_place(door: Path, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert ":a.txt:" in send('"$S" a.txt', door, tmp_path / "link").stdout
    assert ":a.txt:" in send('"$S" "$HOME/a.txt"', door, tmp_path / "link").stdout


def test_a_caption_is_passed_on(door: Path, tmp_path: Path) -> None:
    assert ":a.txt:two words (" in send('"$S" a.txt --caption "two words"', door, tmp_path).stdout


def test_several_files_are_one_request_with_their_descriptions(door: Path, tmp_path: Path) -> None:
    done = send('"$S" a.png "$HOME/b.png" --alt one --alt "number two" --spoiler', door, tmp_path)
    assert done.stdout == "Posted a.png ('b.png',) ('one', 'number two') True (1,234 bytes).\n"


def test_an_eleventh_file_is_refused(door: Path, tmp_path: Path) -> None:
    done = send('"$S" 1 2 3 4 5 6 7 8 9 10 11', door, tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert "further" in done.stderr


def test_a_refusal_is_an_error(door: Path, tmp_path: Path) -> None:
    done = send('"$S" no.txt', door, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "error: file 'no.txt': a rule\n")


def test_wrong_usage_is_said_and_nothing_is_asked(subtests: pytest.Subtests, tmp_path: Path) -> None:
    cases: list[str] = ["", "a.txt --loud"]
    for number, options in enumerate(cases):
        place = tmp_path / str(number)
        place.mkdir()
        with subtests.test(options=options):
            done = send(f'"$S" {options}', None, place)
            assert done.returncode == 2
            assert "usage: send.py" in done.stderr
