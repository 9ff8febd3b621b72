"""`agent backup` and `agent restore` as an operator runs them, beside an agent that people talk to."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from actors.linux.disk import GATEWAY_KEY, OBSERVER_PAGE, OPERATOR_KEY, put_secret, secret_names
from domain.text.secret_scrub import disguises
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID
from tests.actors.backup.roots import lasting_files, make_root
from tests.actors.cli.command import CHECKOUT, run
from tests.e2e.stage import Process, bot_texts, events, is_bot
from tests.patience import PATIENCE_S, eventually


@pytest.fixture
def server() -> Iterator[PlaygroundServer]:
    with PlaygroundServer() as made:
        yield made


def test_a_backup_and_its_restore_say_what_they_did(tmp_path: Path) -> None:
    make_root(tmp_path / "data")
    made = run("agent", "backup", "b", cwd=tmp_path)
    assert (made.returncode, made.stderr) == (0, "")
    assert made.stdout.startswith("9 files, ")
    again = run("agent", "backup", "c", "--json", cwd=tmp_path)
    assert json.loads(again.stdout)["files"] == 9
    restored = run("agent", "restore", "c", "--to", "new", cwd=tmp_path)
    assert (restored.returncode, restored.stderr) == (0, "")
    assert lasting_files(tmp_path / "new") == lasting_files(tmp_path / "data")


def test_what_cannot_be_done_is_one_sentence_and_exit_code_1(tmp_path: Path) -> None:
    make_root(tmp_path / "data")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "file").touch()
    for arguments in (
        ("backup", "mine"),
        ("backup", "data/b"),
        ("backup", "b", "--data", "nothing"),
        ("restore", "mine"),
        ("restore", "nothing\x1b[31m"),
    ):
        done = run("agent", *arguments, cwd=tmp_path)
        assert done.returncode == 1, arguments
        assert done.stderr.startswith("error: ")
        assert len(done.stderr.splitlines()) == 1, done.stderr
        assert "\x1b" not in done.stderr
    assert not (tmp_path / "b").exists()


def test_a_backup_of_a_running_agent_holds_no_secret_that_the_agent_knows(
    tmp_path: Path, server: PlaygroundServer
) -> None:
    """Each in every disguise; and no file of it looks as if it held another one. All modes are as they were."""
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    key = "sk-proj-7f3k9Q2mZx81LwTr5VbN"
    (data / "secrets.env").write_text(f"OPENAI_API_KEY={key}\n")
    (data / "secrets.env").chmod(0o600)
    put_secret(data, GATEWAY_KEY, "c29tZSByYW5kb20gYnl0ZXM0Mg")
    agent = Process(server, data, more="[observer]\nenabled = true\nport = 0\n")
    agent.start()
    try:
        eventually((data / OBSERVER_PAGE).exists)
        server.say(GENERAL_ID, "run: echo mine > note; chmod 640 note; echo made")
        eventually(lambda: any("made" in text for text in bot_texts(server)))
        done = run("agent", "backup", "b", "--config", "agent.toml", cwd=tmp_path)
        secrets = {
            server.bot_token,
            key,
            (data / OPERATOR_KEY).read_text(),
            (data / GATEWAY_KEY).read_text().strip(),
            json.loads((data / OBSERVER_PAGE).read_text())["url"].partition("token=")[2],
            *(path.stem for path in (data / "sockets").glob("*.sock")),
        }
    finally:
        agent.terminate()

    assert (done.returncode, done.stderr) == (0, "")
    assert all(len(secret) > 15 for secret in secrets)
    files = [path for path in (tmp_path / "b").rglob("*") if path.is_file() and not path.is_symlink()]
    for path in files:
        content = path.read_bytes()
        for form in (form for secret in secrets for form in disguises(secret)):
            assert form.encode() not in content, path
        assert re.search(rb"(?i)[?&](?:token|key)=|bearer ", content) is None, path
    assert len(files) > 3
    assert secret_names().isdisjoint(path.name for path in files)
    copied = tmp_path / "b" / "root"
    for path in copied.rglob("*"):
        if not path.is_symlink():
            assert path.stat().st_mode & 0o777 == (data / path.relative_to(copied)).stat().st_mode & 0o777, path


def said_in(root: Path, thread: int) -> list[str]:
    """Words of people in a thread, by the thread's logs."""
    return [event.content for event in events(root, "discord-thread", thread) if event.kind == "user"]


def test_a_backup_under_load_holds_every_message_that_was_answered_before_it(
    tmp_path: Path, server: PlaygroundServer
) -> None:
    """No invented message either; doctor finds no fault, and an agent runs on the restored data."""
    agent = Process(server, tmp_path / "data")
    agent.start()
    threads = [server.create_thread(GENERAL_ID, f"thread {number}") for number in range(4)]
    numbers, said, answered = count(), set[str](), set[str]()

    def talk() -> None:
        """Say one thing in each thread, and the next one after each answer."""
        for thread in threads:
            text = f"message number {next(numbers)} of thread {thread}"
            server.say(thread, text)
            said.add(text)

    def answers() -> int:
        return sum(is_bot(message) for thread in threads for message in server.messages(thread))

    try:
        for _ in range(3):
            talk()
        eventually(lambda: answers() >= len(said))
        answered |= said
        for _ in range(3):
            talk()
        copying = subprocess.Popen(
            [sys.executable, "-P", "-c", "from actors.cli import agent; agent()", "backup", "b", "--data", "data"],
            cwd=tmp_path,
            env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(CHECKOUT)},
        )
        while copying.poll() is None:
            talk()
            eventually(lambda: answers() >= len(said))
        assert copying.returncode == 0
    finally:
        agent.terminate()

    restored = run("agent", "restore", "b", "--to", "new", cwd=tmp_path)
    assert restored.returncode == 0, restored.stderr
    logged = [
        event.content
        for thread in threads
        for event in events(tmp_path / "new", "discord-thread", thread)
        if event.kind == "user"
    ]
    assert answered <= set(logged) <= said
    assert len(logged) == len(set(logged))
    looked = run("agent", "doctor", "--json", environment={"AGENT_HOME": str(tmp_path / "new")}, cwd=tmp_path)
    checks = {check["name"]: check for check in json.loads(looked.stdout)["checks"]}
    for name in ("data root", "logs", "memory", "reminders"):
        assert checks[name]["level"] == "ok", checks[name]

    missed = said - set(logged)
    shutil.rmtree(tmp_path / "data")
    (tmp_path / "new").rename(tmp_path / "data")
    agent.start()
    try:
        server.say(threads[0], "are you still the same?")  # the next answer may be to a missed message
        eventually(lambda: "are you still the same?" in said_in(tmp_path / "data", threads[0]))
    finally:
        assert agent.terminate() == 0
    texts = said_in(tmp_path / "data", threads[0])
    assert "are you still the same?" in texts
    assert {text for text in missed if str(threads[0]) in text} <= set(texts), "what the backup had not, was read back"


@pytest.mark.parametrize("after_files", [1, 5, 20])
def test_a_backup_that_is_killed_is_refused_by_restore(tmp_path: Path, after_files: int) -> None:
    root = make_root(tmp_path / "data")
    for number in range(400):
        (root / f"skills/x/file{number}").write_bytes(b"x" * 100_000)
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", "from actors.cli import agent; agent()", "backup", "b"],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(CHECKOUT)},
    )
    eventually(lambda: len(list((tmp_path / "b").rglob("*"))) > after_files)
    process.send_signal(signal.SIGKILL)
    assert process.wait(PATIENCE_S) == -signal.SIGKILL
    refused = run("agent", "restore", "b", "--to", "new", cwd=tmp_path)
    assert refused.returncode == 1
    assert "holds no whole backup" in refused.stderr
    assert not (tmp_path / "new").exists()
    again = run("agent", "backup", "b", cwd=tmp_path)
    assert "unfinished backup" in again.stderr
