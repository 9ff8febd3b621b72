"""Servers that mean harm: each harms its own call at most; `bin/agent bench mcp --hostile` has the large sizes."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from lab.bench.mcp.harm import MIB, Outcome, attack, disk_bytes, observe_harm
from lab.bench.mcp.hostile.hosts import HOSTS
from lab.bench.mcp.hostile.http import HttpServer
from lab.bench.mcp.hostile.lists import LISTS
from lab.bench.mcp.hostile.row import End, Hostile
from lab.bench.mcp.hostile.streams import STREAMS
from lab.bench.mcp.hostile.table import HOSTILE
from lab.bench.mcp.hostile.web import SITES
from lab.bench.mcp.hostile.words import WORDS
from lab.bench.mcp.hostile_run import MOST_SHOWN, SECRETS, settings_of, wait_until_gone
from lab.bench.mcp.stage import FRIENDLY, McpStage
from tests.patience import PATIENCE_S

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("require_sandbox")]

SIZE = 8
AT_A_TIME = 6
MOST_GROWN = 256 * MIB
MOST_DISK = 64 * MIB
WEB_TIMEOUT_S = 2.0


def judge(name: str, outcome: Outcome, end: End, absent: Sequence[str]) -> None:
    assert end in (End.EITHER, outcome.end), (name, outcome.text[:500])
    assert [text for text in (*absent, *SECRETS.values()) if text in outcome.text] == []
    assert 0 < len(outcome.text) < MOST_SHOWN or outcome.end is End.ANSWERED
    assert outcome.seconds < PATIENCE_S


@pytest.mark.req("X-264")
@pytest.mark.parametrize("rows", [STREAMS, LISTS, HOSTS, WORDS], ids=["streams", "lists", "hosts", "words"])
def test_hostile_programs_harm_no_other_call_and_leave_no_process(
    rows: Sequence[Hostile], subtests: pytest.Subtests
) -> None:
    named = {f"h{number}": row for number, row in enumerate(rows)}
    with tempfile.TemporaryDirectory(prefix="m-") as root, HttpServer(lambda _exchange: None) as canary:
        mark = Path(root).name
        settings = {
            name: settings_of(row, mark, canary.port, size=SIZE, timeout_s=row.timeout_s) for name, row in named.items()
        }
        with McpStage(Path(root), {"friendly": FRIENDLY, **settings}, SECRETS) as stage, observe_harm(stage) as watch:
            before = disk_bytes(stage.root)
            windows = itertools.count(2)
            with ThreadPoolExecutor(AT_A_TIME) as pool:
                begun = {
                    name: pool.submit(attack, stage, name, row.command, next(windows)) for name, row in named.items()
                }
                for name, row in named.items():
                    with subtests.test(name=row.name):
                        judge(row.name, begun[name].result(), row.end, row.absent)
            taken = disk_bytes(stage.root) - before
        assert canary.requests == []
    assert watch.fault is None
    assert watch.grown_bytes < MOST_GROWN
    assert taken < MOST_DISK
    assert wait_until_gone(mark) == []


@pytest.mark.req("X-264")
def test_hostile_sites_harm_no_other_call_and_lead_nowhere(subtests: pytest.Subtests) -> None:
    with ExitStack() as opened:
        canary = opened.enter_context(HttpServer(lambda _exchange: None))
        sites = {f"w{number}": site for number, site in enumerate(SITES)}
        servers = {name: opened.enter_context(HttpServer(site.handler(canary.url))) for name, site in sites.items()}
        settings = {
            name: {"url": server.url, "key": next(iter(SECRETS)), "timeout_s": WEB_TIMEOUT_S}
            for name, server in servers.items()
        }
        root = opened.enter_context(tempfile.TemporaryDirectory(prefix="m-"))
        stage = opened.enter_context(McpStage(Path(root), {"friendly": FRIENDLY, **settings}, SECRETS))
        with observe_harm(stage) as watch, ThreadPoolExecutor(AT_A_TIME) as pool:
            windows = itertools.count(2)
            begun = {name: pool.submit(attack, stage, name, (), next(windows)) for name in sites}
            for name, site in sites.items():
                with subtests.test(name=site.name):
                    judge(site.name, begun[name].result(), site.end, site.absent)
                    assert len(servers[name].requests) < 50
        assert canary.requests == []
        assert watch.fault is None
        assert watch.grown_bytes < MOST_GROWN


@pytest.mark.req("X-264")
def test_there_are_fifty_hostile_servers_of_different_names() -> None:
    names = [row.name for row in (*HOSTILE, *SITES)]

    assert len(names) == len(set(names)) >= 50
