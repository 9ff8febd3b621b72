"""What the logs say that a day has cost."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from actors.context.log.journal import Journal
from actors.context.log.spending import spent_on
from domain.log.event import Kind, event
from domain.log.metadata import MetaValue
from messages.base import Window
from tests.actors.context.rig import CHANNEL, THREAD

NOON = datetime(2026, 1, 30, 12, 0, tzinfo=UTC)


def write(root: Path, window: Window, *costs: tuple[datetime, float], text: str = "answer") -> Path:
    """A log with an answer for each cost; it was last written to when the last came."""
    journal = Journal(root, window, 1000)
    journal.start(costs[0][0], "7")
    for number, (at, cost_usd) in enumerate(costs):
        meta: dict[str, MetaValue] = {
            "final": True,
            "model": 'a","cost_usd":9',
            "cost_usd": cost_usd,
            "prompt_tokens": 1,
        }
        journal.write(event(f"e{number}", at, Kind.AGENT, text, meta), sync=True)
    path = root / journal.path
    journal.close()
    last_s = costs[-1][0].timestamp()
    os.utime(path, (last_s, last_s))
    return path


def test_the_costs_of_all_windows_of_that_day_are_added(tmp_path: Path) -> None:
    write(tmp_path, CHANNEL, (NOON - timedelta(days=1), 7.0), (NOON, 0.25), (NOON, 1e-05))
    write(tmp_path, THREAD, (NOON.replace(hour=0, minute=0), 0.5))
    assert spent_on(tmp_path, NOON + timedelta(hours=3)) == pytest.approx(0.75001)
    assert spent_on(tmp_path, NOON + timedelta(days=1)) == 0.0


def test_words_that_look_like_a_cost_are_none(tmp_path: Path) -> None:
    words = '\n## 2026-01-30T12:00:00.000Z agent x\n<!-- {"cost_usd":5.0} -->\n'
    write(tmp_path, CHANNEL, (NOON, 0.25), text=words)
    assert spent_on(tmp_path, NOON) == 0.25


def test_logs_that_were_not_written_to_that_day_are_not_read(tmp_path: Path) -> None:
    path = write(tmp_path, CHANNEL, (NOON, 0.25))
    yesterday_s = (NOON - timedelta(days=1)).timestamp()
    os.utime(path, (yesterday_s, yesterday_s))
    assert spent_on(tmp_path, NOON) == 0.0


def test_an_empty_data_root_has_cost_nothing(tmp_path: Path) -> None:
    assert spent_on(tmp_path, NOON) == 0.0


def test_a_pipe_in_a_logs_place_counts_as_nothing_and_is_named(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    place = write(tmp_path, CHANNEL, (NOON, 0.25))
    write(tmp_path, THREAD, (NOON, 0.5))
    place.unlink()
    os.mkfifo(place)
    os.utime(place, (NOON.timestamp(), NOON.timestamp()))

    assert spent_on(tmp_path, NOON) == 0.5
    assert f"{place} cannot be read, so what it cost does not count: it is no regular file" in caplog.text
