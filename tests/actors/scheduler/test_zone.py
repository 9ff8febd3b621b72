from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from actors.scheduler.zone import load_zone


@pytest.mark.req("S0-116")
def test_the_zone_is_londons_whatever_the_machine_is_set_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    monkeypatch.setenv("PYTHONTZPATH", "/nowhere")
    summer = datetime(2026, 7, 10, 8, tzinfo=UTC).astimezone(load_zone())
    assert (summer.hour, summer.tzname(), summer.utcoffset()) == (9, "BST", timedelta(hours=1))
