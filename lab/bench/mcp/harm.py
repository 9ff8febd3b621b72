"""Harm of a hostile server: the end of its own call, and the state of the neighbour, memory, disk and processes."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from lab.bench.mcp.hostile.row import End
from lab.bench.mcp.stage import McpStage, text_of
from lab.bench.measure import rss_bytes
from messages.web import McpReply, ServerAnswered, ServerDescribed, ServerListed, ToolsListed

MIB = 1 << 20
NEIGHBOUR = 1
"""Window of the neighbour."""
_LOOK_S = 0.1


@dataclass(frozen=True, slots=True)
class Outcome:
    """Outcome of one call."""

    end: End
    text: str
    """All text of the outcome visible to the model."""
    seconds: float


@dataclass(slots=True)
class Watch:
    """Observation of the agent during an attack."""

    neighbour_s: list[float] = field(default_factory=list)
    """Seconds of each call of the neighbour."""
    grown_bytes: int = 0
    """Growth of the agent's memory at the maximum."""
    fault: BaseException | None = None


def attack(stage: McpStage, server: str, words: tuple[str, ...], window: int = 0) -> Outcome:
    """Meet one hostile server."""
    began = time.perf_counter()
    reply = stage.do(words, server, window)
    return Outcome(end_of(reply), visible_text(reply), time.perf_counter() - began)


def end_of(reply: McpReply) -> End:
    """End of a call."""
    match reply:
        case ServerAnswered(is_error=False) | ToolsListed() | ServerListed() | ServerDescribed():
            return End.ANSWERED
        case _:
            return End.REFUSED


def visible_text(reply: McpReply) -> str:
    """All text of a reply, in the form seen by the script."""
    match reply:
        case ServerAnswered(parts=parts):
            return "\n".join([text_of(parts), *(f"{part.name} {part.media_type}" for part in parts)])
        case ToolsListed(servers=servers, tools=tools):
            lines = [f"{each.name} {each.title} {each.fault}" for each in servers]
            return "\n".join([*lines, *(f"{each.server} {each.name} {each.description}" for each in tools)])
        case ServerListed(items=items):
            return "\n".join(f"{each.name} {each.description}" for each in items)
        case ServerDescribed(text=text):
            return text
        case _:
            return reply.reason


@contextmanager
def observe_harm(stage: McpStage) -> Iterator[Watch]:
    """Observation until the end of the block, while a neighbour calls the sample server again and again."""
    watch, over = Watch(), threading.Event()
    stage.add(NEIGHBOUR)  # so that its server runs
    before = rss_bytes()

    def call() -> None:
        try:
            while not over.is_set() or not watch.neighbour_s:
                watch.neighbour_s.append(stage.add(NEIGHBOUR))
                over.wait(_LOOK_S)
        except BaseException as error:  # noqa: BLE001 - told to the caller
            watch.fault = error

    def look() -> None:
        while not over.wait(_LOOK_S):
            watch.grown_bytes = max(watch.grown_bytes, rss_bytes() - before)

    threads = [threading.Thread(target=target, name=f"bench-{target.__name__}") for target in (call, look)]
    for thread in threads:
        thread.start()
    try:
        yield watch
    finally:
        over.set()
        for thread in threads:
            thread.join()


def disk_bytes(folder: Path) -> int:
    """Bytes of all files below a folder."""
    total = 0
    for root, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += (Path(root) / name).lstat().st_blocks * 512
    return total


def processes_with(mark: str) -> list[int]:
    """Processes with a text in the arguments, except this process."""
    pids = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            with suppress(OSError):
                if mark.encode() in (entry / "cmdline").read_bytes():
                    pids.append(int(entry.name))
    return pids
