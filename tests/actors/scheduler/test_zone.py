from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta

import pytest

from actors.scheduler.zone import ZoneMissingError, load_zone


@pytest.mark.req("S0-116")
def test_the_zone_is_londons_whatever_the_machine_is_set_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    monkeypatch.setenv("PYTHONTZPATH", "/nowhere")
    summer = datetime(2026, 7, 10, 8, tzinfo=UTC).astimezone(load_zone())
    assert (summer.hour, summer.tzname(), summer.utcoffset()) == (9, "BST", timedelta(hours=1))


def test_missing_rules_are_an_error_that_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "tzdata"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "tzdata", None)
    with pytest.raises(ZoneMissingError, match="install the package tzdata"):
        load_zone()
