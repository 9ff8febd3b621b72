"""Rate of a link: messages a second between a head and a host, two processes, through Ray."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any

from actors.cluster.head import Head
from actors.cluster.host import HostSystem
from actors.cluster.lease import Lease
from actors.cluster.ray_folder import RayFolder
from actors.cluster.ray_pool import RayPool
from actors.cluster.shared import host_codec
from actors.kernel import Actor, ActorSpec, ActorSystem, Edge, boot_seconds
from messages.base import CONTEXT_KIND, Address, MessageId, Surface, UserId, Window
from messages.context import ReviseMessage, UserMessage
from messages.discord import UserMessageLogged

WINDOWS = 64
TEXT = "What did we say about the boat last week? " * 3
ECHO, COUNT, LAST = "echo", "count", "last"
PATIENCE_S = 120.0


class CountingWindow(Actor):
    """A window that answers people's messages and takes edits silently."""

    def handle(self, message: Any) -> None:
        """Answer, or not."""
        if isinstance(message, UserMessage):
            self.tell(message.reply_to, UserMessageLogged(window=message.window, message_id=message.message_id))


class CountingHost:
    """A host with only counting windows; Ray makes an actor of it."""

    def begin(self, _packed: bytes, name: str, epoch: str) -> str:
        """Start the actors."""
        system = ActorSystem()
        self._host = HostSystem(system, host_codec(name), Lease(boot_seconds), epoch)
        system.register(self._host.wrap_spec(ActorSpec(CONTEXT_KIND, lambda _key: CountingWindow())))
        system.start()
        return ""

    def exchange(self, frame: bytes, wait_s: float) -> bytes:
        """Carry a frame here and a frame back."""
        return self._host.exchange(frame, wait_s)

    def end(self) -> None:
        """Stop."""
        self._host.system.stop(1.0)


def main() -> None:
    """Measure, and print the figures as JSON."""
    sizes = json.loads(sys.argv[1])
    sys.stdout.write(json.dumps(measure(int(sizes["messages"]))))


def measure(count: int) -> dict[str, float]:
    """Messages a second to the host, and there and back at once; CPU of a message to the host, all told; one alone."""
    with tempfile.TemporaryDirectory(prefix="agent-bench-") as folder:
        system = ActorSystem()
        head = Head(
            system,
            RayPool(CountingHost, b"", RayFolder(Path(folder))),
            1,
            surface=Address("edge", "bench"),
            on_fatal=_end,
        )
        system.start()
        edge = system.edge("bench")
        try:
            head.start()
            _say(system, edge, WINDOWS, ECHO)
            _hear(edge, WINDOWS)
            alone = []
            for _ in range(50):
                began = perf_counter()
                _say(system, edge, 1, ECHO)
                _hear(edge, 1)
                alone.append(perf_counter() - began)
            processes = {"head": os.getpid(), "host": head.states()[0].pid}
            before = {pid: _cpu_s(pid) for pid in processes.values()}
            began = perf_counter()
            _say(system, edge, count - WINDOWS, COUNT)
            _say(system, edge, WINDOWS, LAST)
            _hear(edge, WINDOWS)
            one_way_s = perf_counter() - began
            cpu_us = {name: (_cpu_s(pid) - before[pid]) / count * 1e6 for name, pid in processes.items()}
            began = perf_counter()
            _say(system, edge, count, ECHO)
            _hear(edge, count)
            both_ways_s = perf_counter() - began
        finally:
            head.stop()
            system.stop()
    return {
        "one_way_per_s": round(count / one_way_s),
        "both_ways_per_s": round(2 * count / both_ways_s),
        "head_cpu_us": round(cpu_us["head"], 2),
        "host_cpu_us": round(cpu_us["host"], 2),
        "round_trip_ms": round(sorted(alone)[len(alone) // 2] * 1000, 2),
    }


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _say(system: ActorSystem, edge: Edge, count: int, how: str) -> None:
    sent_at = datetime(2026, 1, 1, tzinfo=UTC)
    for number in range(count):
        window = Window(surface=Surface.DISCORD_THREAD, id=str(10**17 + number % WINDOWS))
        if how == COUNT:
            edit = ReviseMessage(window=window, message_id=MessageId(str(number)), text=TEXT, files=0)
            system.tell(window.address, edit)
            continue
        message = UserMessage(
            window=window,
            message_id=MessageId(str(number)),
            author_id=UserId("7"),
            author_name=how,
            text=TEXT,
            sent_at=sent_at,
            reply_to=edge.address,
        )
        system.tell(window.address, message)


def _hear(edge: Edge, count: int) -> None:
    received = 0
    while received < count:
        edge_messages = edge.drain() or [edge.receive(PATIENCE_S)]
        received += len(edge_messages)


def _end(reason: str) -> None:
    sys.stderr.write(reason)
    os._exit(1)
