"""Hostile servers, in order, beside a friendly server and its window; a row of figures for each."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path

from lab.bench.benchmark import Rows
from lab.bench.mcp.harm import MIB, attack, disk_bytes, observe_harm, processes_with
from lab.bench.mcp.hostile.http import HttpServer
from lab.bench.mcp.hostile.row import End, Hostile
from lab.bench.mcp.hostile.table import HOSTILE
from lab.bench.mcp.hostile.web import SITES
from lab.bench.mcp.stage import FRIENDLY, McpStage
from lab.bench.measure import Figures, percentile
from lab.bench.process import MeasurementError

SIZE = 2048
"""Megabytes, thousands or files of an attack, depending on the row."""
TIMEOUT_S = 5.0
GONE_S = 30.0
LOOK_S = 0.1
MOST_SHOWN = 8 * MIB
"""Characters of an answer."""
MOST_AT_A_TIME = 50
"""Servers of one agent; settings allow 100."""
SECRETS = {"HOSTILE_API_KEY": "operator-secret-0123456789"}


def settings_of(row: Hostile, mark: str, port: int, *, size: int, timeout_s: float) -> Mapping[str, object]:
    """Settings of a hostile server.

    Args:
        row: The server.
        mark: Text in the arguments of the server's processes.
        port: Port of a service of the host.
        size: Size of the attack.
        timeout_s: Longest time of a call.
    """
    return {"command": list(row.argv(size, mark, port)), "timeout_s": timeout_s}


def measure_hostile(say: Callable[[str], object]) -> Rows:
    """Figures of each hostile server.

    Raises:
        MeasurementError: a server did harm.
    """
    rows: dict[str, Figures] = {}
    for first in range(0, len(HOSTILE), MOST_AT_A_TIME):
        rows.update(_measure_programs(say, HOSTILE[first : first + MOST_AT_A_TIME]))
    return {**rows, **_measure_sites(say)}


def _measure_programs(say: Callable[[str], object], hostile: tuple[Hostile, ...]) -> Rows:
    named = {f"h{number}": row for number, row in enumerate(hostile)}
    rows: dict[str, Figures] = {}
    with tempfile.TemporaryDirectory(prefix="agent-mcp-") as root, HttpServer(lambda _exchange: None) as canary:
        mark = Path(root).name
        settings = {
            name: settings_of(row, mark, canary.port, size=SIZE, timeout_s=TIMEOUT_S) for name, row in named.items()
        }
        with McpStage(Path(root), {"friendly": FRIENDLY, **settings}, SECRETS) as stage:
            for name, row in named.items():
                say(row.name)
                rows[row.name] = _figures(stage, name, row.command, row.end, row.absent)
        left = wait_until_gone(mark)
        if canary.requests:
            raise MeasurementError("a server reached the host's network")
        for figures in rows.values():
            figures["left"] = float(len(left))
    return rows


def wait_until_gone(mark: str) -> list[int]:
    """Wait for the end of a mark's processes; return the processes left after `GONE_S`."""
    pause = threading.Event()
    for _ in range(int(GONE_S / LOOK_S)):
        if not (left := processes_with(mark)):
            return left
        pause.wait(LOOK_S)
    return processes_with(mark)


def _measure_sites(say: Callable[[str], object]) -> Rows:
    rows: dict[str, Figures] = {}
    with ExitStack() as opened:
        canary = opened.enter_context(HttpServer(lambda _exchange: None))
        servers = {
            f"w{number}": opened.enter_context(HttpServer(site.handler(canary.url)))
            for number, site in enumerate(SITES)
        }
        named = {
            name: {"url": server.url, "key": "HOSTILE_API_KEY", "timeout_s": TIMEOUT_S}
            for name, server in servers.items()
        }
        root = opened.enter_context(tempfile.TemporaryDirectory(prefix="agent-mcp-"))
        stage = opened.enter_context(McpStage(Path(root), {"friendly": FRIENDLY, **named}, SECRETS))
        for name, site in zip(servers, SITES, strict=True):
            say(site.name)
            rows[f"web: {site.name}"] = _figures(stage, name, (), site.end, site.absent)
            if canary.requests:
                raise MeasurementError(f"{site.name}: the canary was reached")
    return rows


def _figures(stage: McpStage, server: str, words: tuple[str, ...], end: End, absent: tuple[str, ...]) -> Figures:
    """Figures of one attack.

    Raises:
        MeasurementError: the call ended or showed text in a forbidden way, or a neighbour was harmed.
    """
    before = disk_bytes(stage.root)
    with observe_harm(stage) as watch:
        outcome = attack(stage, server, words)
    if watch.fault is not None:
        raise MeasurementError(f"{server}: the neighbour was harmed: {watch.fault}")
    if end not in (End.EITHER, outcome.end):
        raise MeasurementError(f"{server}: the call was {outcome.end}: {outcome.text[:200]!r}")
    secret = [text for text in (*absent, *SECRETS.values()) if text in outcome.text]
    if secret or len(outcome.text) > MOST_SHOWN:
        raise MeasurementError(f"{server}: {len(outcome.text)} characters were shown, with {secret!r} among them")
    return {
        "ended_s": outcome.seconds,
        "neighbour_ms": percentile(watch.neighbour_s, 0.95) * 1000,
        "neighbour_max_ms": max(watch.neighbour_s) * 1000,
        "memory_mib": watch.grown_bytes / MIB,
        "disk_mib": (disk_bytes(stage.root) - before) / MIB,
    }
