"""Hosts in processes of their own, by Ray: the whole agent on a loopback Discord, and a host that is cut off."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from actors.cluster.storage import read_note
from actors.context.log.file import check_file
from actors.socket.client import AgentNotRunningError, ask_operator
from domain.log.parser import parse
from domain.policy import approval as wording
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID, GUEST_ID
from tests.e2e.stage import CHECKOUT, bot_texts
from tests.e2e.test_approval import ASKS, hears, press, question
from tests.patience import PATIENCE_S, eventually

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="Ray is in the lock for Linux only")]

LISTENS, LOOPBACK = "0A", "0100007F"


class Agent:
    """`agent run --hosts 2` in a process of its own."""

    def __init__(self, server: PlaygroundServer, folder: Path, more: str = "") -> None:
        self.data = folder / "data"
        config = folder / "agent.toml"
        config.write_text(
            f'data_root = "{self.data}"\n'
            f'[discord]\napi_base = "{server.api_base}"\ngateway_url = "{server.gateway_url}"\n'
            f'channels = ["{GENERAL_ID}"]\nallowed_users = ["*"]\n[model]\nname = "offline"\n{more}'
        )
        self.stderr = folder / "agent.stderr"
        command = "from actors.cli import agent; agent()"
        with self.stderr.open("wb") as stderr:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-c", command, "run", "--hosts", "2", "--config", str(config)],
                env={**os.environ, "DISCORD_BOT_TOKEN": server.bot_token, "PYTHONPATH": str(CHECKOUT)},
                cwd=folder,
                stderr=stderr,
            )

    def hosts(self) -> dict[str, int]:
        """Process of each host that runs."""
        return self._numbers(r"running, process (\d+):")

    def windows(self) -> dict[str, int]:
        """Number of windows of each host."""
        return self._numbers(r"running, .*: (\d+) windows")

    def _numbers(self, pattern: str) -> dict[str, int]:
        try:
            figures = ask_operator(self.data, "status")["actors"].get("cluster", {})
        except AgentNotRunningError:
            return {}
        found = {name: re.match(pattern, str(words)) for name, words in figures.items()}
        return {name: int(match[1]) for name, match in found.items() if match}


@pytest.fixture
def agent(request: pytest.FixtureRequest, server: PlaygroundServer, tmp_path: Path) -> Iterator[Agent]:
    made = Agent(server, tmp_path, getattr(request, "param", ""))
    yield made
    made.process.kill()  # its hosts end with it, also one that stands still
    made.process.wait(PATIENCE_S)
    if folder := read_note(made.data).folder:
        shutil.rmtree(folder, ignore_errors=True)


def ask(server: PlaygroundServer, channel: int, text: str) -> str:
    said = server.say(channel, text)
    return str(server.wait_for_reply(channel, after=said, timeout_s=PATIENCE_S)["content"])


def writer_of(data: Path, channel: int, pids: dict[str, int]) -> str:
    """The host that has the channel's log locked; its descriptors are shown to root only, as it is undumpable."""
    (log,) = data.glob(f"logs/**/{channel}/*.md")
    locks = [line.split() for line in Path("/proc/locks").read_text().splitlines() if " FLOCK " in line]
    holders = {int(row[-4]) for row in locks if int(row[-3].rpartition(":")[2]) == log.stat().st_ino}
    return next((name for name, pid in pids.items() if pid in holders), "")


@pytest.mark.req("X-156", "X-158")
def test_a_stopped_host_that_goes_on_writes_no_log_that_another_has_and_the_agent_ends_in_good_order(
    agent: Agent, server: PlaygroundServer
) -> None:
    """One whole life: windows on two hosts, one of which stands still beyond its lease and goes on when it is late."""
    eventually(lambda: len(agent.hosts()) == 2)
    threads = [server.create_thread(GENERAL_ID, f"thread {n}") for n in range(6)]
    for thread in threads:
        assert ask(server, thread, "hello")
    pids = agent.hosts()
    assert sum(agent.windows().values()) == 6
    writers = {thread: writer_of(agent.data, thread, pids) for thread in threads}
    assert set(writers.values()) == set(pids), "both have windows"
    (log,) = agent.data.glob(f"logs/**/{threads[0]}/*.md")
    stopped = pids[writers[threads[0]]]
    before = log.read_bytes()

    os.kill(stopped, signal.SIGSTOP)
    said = server.say(threads[0], "are you there?")
    other = next(thread for thread in threads if writers[thread] != writers[threads[0]])
    assert ask(server, other, "and you?"), "one window's trouble is never another's"
    assert log.read_bytes() == before, "nobody has it yet"
    server.wait_for_reply(threads[0], after=said, timeout_s=PATIENCE_S)
    taken_over = log.read_bytes()
    with contextlib.suppress(ProcessLookupError):  # Ray may have ended it meanwhile
        os.kill(stopped, signal.SIGCONT)
    eventually(lambda: not Path(f"/proc/{stopped}").exists() or "Z" in Path(f"/proc/{stopped}/stat").read_text())

    assert taken_over.startswith(before)
    assert log.read_bytes() == taken_over, "who went on has written nothing"
    assert check_file(log) == ()
    words = [event.event.content for event in parse(taken_over).events]
    assert words.count("are you there?") == 1
    eventually(lambda: len(agent.hosts()) == 2)
    folder = Path(read_note(agent.data).folder)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert (folder / "token").stat().st_mode & 0o777 == 0o600
    addresses = listening(folder)
    assert addresses
    assert {address for address in addresses if not address.endswith(LOOPBACK)} == set(), "only on this machine"
    text = b"are you there?"
    assert not [path for path in folder.rglob("*") if path.is_file() and text in path.read_bytes()]
    agent.process.terminate()
    assert agent.process.wait(PATIENCE_S) == 0
    assert not [path for path in Path("/proc").glob("[0-9]*") if str(agent.data) in _command(path)]


@pytest.mark.req("X-236")
@pytest.mark.parametrize("agent", [ASKS], indirect=True)
def test_a_question_about_a_hosts_command_outlives_the_host_and_its_press_counts_once(
    agent: Agent, server: PlaygroundServer
) -> None:
    eventually(lambda: len(agent.hosts()) == 2)
    thread = server.create_thread(GENERAL_ID, "thread")
    server.say(thread, "run: echo x >> mark; wc -l < mark")
    asked = question(server, thread)
    assert wording.NOT_YOURS in press(server, asked, "Allow", GUEST_ID, thread)
    (host,) = (name for name, count in agent.windows().items() if count)
    os.kill(agent.hosts()[host], signal.SIGKILL)
    eventually(lambda: host not in agent.hosts())
    assert press(server, asked, "Allow", channel=thread).startswith("Allowed.")
    hears(server, "\n1", thread)

    server.say(thread, "run: echo x >> mark; wc -l < mark")
    press(server, question(server, thread), "Allow", channel=thread)
    hears(server, "\n2", thread)
    assert sum("May the agent" in text for text in bot_texts(server, thread)) == 2
    agent.process.terminate()
    assert agent.process.wait(PATIENCE_S) == 0


def listening(folder: Path) -> list[str]:
    """Local addresses, in the kernel's hexadecimal, at which Ray's own processes listen."""
    sockets = set()
    for process in Path("/proc").glob("[0-9]*"):
        if str(folder) in _command(process):
            with contextlib.suppress(OSError):
                sockets |= {str(place.readlink()) for place in (process / "fd").iterdir()}
    rows = [line.split() for name in ("tcp", "tcp6") for line in Path("/proc/net", name).read_text().splitlines()[1:]]
    return [row[1].partition(":")[0] for row in rows if row[3] == LISTENS and f"socket:[{row[9]}]" in sockets]


def _command(process: Path) -> str:
    try:
        return (process / "cmdline").read_text()
    except OSError:
        return ""
