"""Years go by on a clock of their own; every minute of ten years is `agent chaos reminders --years 10`."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from actors.scheduler.zone import load_zone
from lab.chaos.reminders.replay import START, replay


@pytest.mark.slow
def test_in_ten_years_every_firing_comes_exactly_once() -> None:
    report = replay(load_zone(), START, START.replace(year=2036), step=timedelta(hours=6))
    assert report.is_sound, report
    assert report.firings > 3652 + 500 + 200


def test_minute_by_minute_through_every_kind_of_day_each_comes_on_its_minute() -> None:
    for day in ("2026-03-29", "2026-10-25", "2031-10-26", "2028-02-29"):
        middle = datetime.fromisoformat(day).replace(tzinfo=UTC)
        report = replay(load_zone(), middle - timedelta(days=1), middle + timedelta(days=2))
        assert report.is_sound, report
        assert report.firings >= 3
