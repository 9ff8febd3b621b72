"""A window's real door under lines that nobody wrote: the agent neither grows nor dies, and answers people meanwhile.

`FUZZ_LINES=100000 bin/test tests/e2e/test_socket_fuzz.py` sends as many as a night needs.
"""

from __future__ import annotations

import json
import os
import random
import re
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from actors.socket.client import ask_operator
from actors.socket.wire import LONGEST_LINE_BYTES
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID
from tests.e2e.stage import Process
from tests.patience import PATIENCE_S

LINES = int(os.environ.get("FUZZ_LINES", "2400"))
CLIENTS = 8
AT_A_TIME = 8
MOST_GROWTH_MIB = 64
VERBS: Mapping[str, Mapping[str, object]] = {
    "help": {},
    "memory.search": {"query": "owls", "limit": 200},
    "memory.expand": {"path": f"logs/discord-channel/{GENERAL_ID}/20260101T000000Z_0001.md", "line": 3},
    "web.read": {"url": "http://127.0.0.1:9/"},
    "discord.attach": {"path": "none.txt", "caption": "x"},
    "reminders.list": {"limit": 1},
    "reminders.delete": {"id": "none"},
    "reminders.modify": {"id": "none", "in_minutes": 1},
}
"""What each verb of a window takes, harmless as it is: of the reminders none is made, and nothing is asked outside."""
SLOW = {"reminders.delete": 0.05, "reminders.modify": 0.05}
"""How often they are sent beside others: what is wanted of the file of reminders is done one after the other."""
VALUES: tuple[Callable[[random.Random], object], ...] = (
    lambda rng: None,
    lambda rng: rng.choice([True, -1, 0, 2**53, 2**64, -(10**30), 1e308, ""]),
    lambda rng: "x" * rng.choice([1, 65, 4_001, 60_000]),
    lambda rng: "😀" * rng.choice([1, 500, 4_000]),
    lambda rng: "é\u202e\x00\n'\"\\" * rng.randrange(50),
    lambda rng: [[]] * rng.choice([1, 100, 12_000]),
    lambda rng: {str(key): [] for key in range(rng.choice([1, 100, 4_000]))},
    lambda rng: {"a": {"b": {"c": [1, {"d": None}]}}},
)


def line_of(rng: random.Random) -> bytes:
    """One line, with its newline: half right, or wrong in some way."""
    if rng.random() < 0.05:
        return bytes(rng.choice(b'{}[]":,0az\\\xff\xc3 ') for _ in range(rng.randrange(300))) + b"\n"
    if rng.random() < 0.02:
        return rng.choice([b"[", b'{"a":', b"[[],"]) * rng.randrange(12_000) + b"\n"
    (verb,) = rng.choices(list(VERBS), [SLOW.get(verb, 1.0) for verb in VERBS])
    arguments: dict[str, object] = dict(VERBS[verb])
    for _ in range(rng.choice([0, 1, 1, 2])):
        arguments[rng.choice([*arguments, "window", "request_id", "zzz"])] = rng.choice(VALUES)(rng)
    request: dict[str, object] = {"id": rng.randrange(10**6), "verb": verb, "arguments": arguments}
    if rng.random() < 0.2:
        request[rng.choice(["id", "verb", "arguments", "key", "more"])] = rng.choice(VALUES)(rng)
    line = json.dumps(request).encode()
    if rng.random() < 0.1:
        line = line[: rng.randrange(len(line))].replace(b"\n", b" ")
    return (line if rng.random() < 0.002 else line[: LONGEST_LINE_BYTES - 1]) + b"\n"


class Client:
    """One connection after the other: some lines are sent, and their answers read or left."""

    def __init__(self, path: Path, seed: int) -> None:
        self._path = path
        self._rng = random.Random(seed)
        self.answers = self.refusals = 0

    def send(self, count: int) -> None:
        """Send so many lines."""
        while count > 0:
            with socket.socket(socket.AF_UNIX) as door:
                door.settimeout(PATIENCE_S)
                door.connect(str(self._path))
                count -= self._speak(door, min(count, self._rng.choice([1, 20, 500])))

    def _speak(self, door: socket.socket, count: int) -> int:
        sent, waits = 0, True
        with door.makefile("rb") as answers:
            try:
                while sent < count and waits:
                    few = [line_of(self._rng) for _ in range(min(AT_A_TIME, count - sent))]
                    door.sendall(b"".join(few))
                    sent += len(few)
                    if self._rng.random() < 0.02:
                        break  # it goes without its answers
                    waits = all(self._read(answers.readline()) for _ in few)
            except (BrokenPipeError, ConnectionResetError):
                pass  # a line was too long
        return sent

    def _read(self, line: bytes) -> bool:
        if line:
            self.answers += 1
            self.refusals += not json.loads(line)["ok"]
        return bool(line)


def rss_mib(pid: int) -> float:
    found = re.search(r"^VmRSS:\s*([0-9]+) kB", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    assert found is not None
    return int(found[1]) / 1024


def ask(server: PlaygroundServer, text: str) -> str:
    said = server.say(GENERAL_ID, text)
    return str(server.wait_for_reply(GENERAL_ID, after=said, timeout_s=PATIENCE_S)["content"])


@pytest.fixture
def process(server: PlaygroundServer) -> Iterator[Process]:
    """The agent in a process of its own, its data below a path that has room for sockets."""
    with TemporaryDirectory(prefix="s-") as folder:
        made = Process(server, Path(folder) / "data")
        yield made
        made.terminate()


def test_a_flood_of_lines_that_nobody_wrote_leaves_the_agent_as_it_was(
    server: PlaygroundServer, process: Process
) -> None:
    process.start()
    ask(server, "run: true")
    (path,) = (process.data / "sockets").glob("*.sock")
    Client(path, seed=0).send(200)  # what is loaded once is loaded now
    before, most = rss_mib(process.pid), [0.0]
    is_over = threading.Event()

    def watch() -> None:
        while not is_over.wait(0.05):
            most[0] = max(most[0], rss_mib(process.pid))

    clients = [Client(path, seed) for seed in range(1, CLIENTS + 1)]
    with ThreadPoolExecutor(CLIENTS + 1) as pool:
        watching = pool.submit(watch)
        floods = [pool.submit(client.send, LINES // CLIENTS) for client in clients]
        try:
            assert "hello" in ask(server, "hello")
            for flood in floods:
                flood.result()
        finally:
            is_over.set()
        watching.result()

    assert most[0] - before <= MOST_GROWTH_MIB
    assert sum(client.answers for client in clients) > LINES // 2
    assert sum(client.refusals for client in clients) > LINES // 4
    assert "hello again" in ask(server, "hello again")
    kernel = ask_operator(process.data, "status")["system"]
    assert (kernel["crashes"], kernel["restarts"], kernel["stuck"]) == ({}, {}, {})
    assert process.terminate() == 0
