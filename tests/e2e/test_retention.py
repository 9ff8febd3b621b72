"""Words older than `memory.keep_days`, through the whole agent: no file of the data root has them any more."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from actors.context.log.file import WindowLog, check_file
from actors.socket.client import ask_operator
from domain.log.event import Kind, event
from domain.memory.pins import PIN
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID
from messages.base import Surface, Window
from tests.actors.cli.command import run
from tests.e2e.stage import Stage
from tests.patience import eventually

HERE = Window(surface=Surface.DISCORD_CHANNEL, id=str(GENERAL_ID))
ELSEWHERE = Window(surface=Surface.DISCORD_CHANNEL, id="910000000000000777")
OLD = datetime.now(UTC) - timedelta(days=40)


def write_old_log(root: Path, window: Window, *words: str, pinned: str = "") -> None:
    """A log of 40 days ago, with a message for each text and perhaps a pin of another one."""
    events = [
        event(f"old{place}", OLD, Kind.USER, text, {"message_id": str(10**17 + place), "overheard": True, "open": 0})
        for place, text in enumerate((*words, pinned) if pinned else words)
    ]
    if pinned:
        meta: dict[str, Any] = {"action": PIN, "request": "r", "by": "1", "event": events[-1].id, "path": "", "line": 1}
        events.append(event("pin1", OLD, Kind.PIN, "", meta))
    root.mkdir(exist_ok=True, mode=0o700)
    log = WindowLog.create(root, window, OLD, "1", None, events)
    log.end_window()


def holding(root: Path, word: str) -> list[str]:
    """Files below a data root with a word in their bytes."""
    files = (file for file in root.rglob("*") if file.is_file() and not file.is_symlink())
    return [str(file.relative_to(root)) for file in files if word.encode() in file.read_bytes()]


def stage_of(server: PlaygroundServer, data: Path) -> Stage:
    settings: dict[str, Any] = {"memory.keep_days": 30, f"channels.{ELSEWHERE.id}": {"keep_days": 0}}
    return Stage(server, data, **settings)


@pytest.mark.req("X-253")
def test_expired_words_are_in_no_file_and_what_is_pinned_or_newer_or_kept_by_a_table_stays(
    server: PlaygroundServer, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    write_old_log(data, HERE, "an aardvark in the garden", pinned="a giraffe for ever")
    write_old_log(data, ELSEWHERE, "a zebra of the other channel")
    stage = stage_of(server, data)
    stage.ask("a nightingale of today")
    eventually(lambda: ask_operator(data, "memory.stats", window="cli/operator")["rows"] >= 4)
    told = ask_operator(data, "forget.expired", window="cli/operator")
    assert (told["windows"], told["failed"]) == (1, [])
    assert told["events"] >= 1
    assert holding(data, "aardvark") == []
    stage.stop()
    assert holding(data, "aardvark") == []
    assert all(holding(data, word) for word in ("giraffe", "nightingale", "zebra"))
    assert all(check_file(log) == () for log in (data / "logs").rglob("*.md"))


@pytest.mark.req("X-253")
def test_the_command_forgets_what_has_expired_where_no_agent_runs(server: PlaygroundServer, tmp_path: Path) -> None:
    data = tmp_path / "data"
    write_old_log(data, HERE, "an aardvark in the garden")
    (tmp_path / "agent.toml").write_text(f'data_root = "{data}"\n[memory]\nkeep_days = 30\n')
    done = run("agent", "forget", "expired", "--config", str(tmp_path / "agent.toml"), cwd=tmp_path)
    assert "1 record of 1 window" in done.stdout, done.stderr
    assert holding(data, "aardvark") == []
