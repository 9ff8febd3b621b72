"""Recorded exchanges that stand for a class each, from pydantic/pydantic-ai (MIT, `recorded/LICENSE`)."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.bench.recorded.run import ALL, Report, measure

FOLDER = Path(__file__).with_name("recorded")
UNTAKEN = {"tools of the provider": 1}
"""Of the file that stands for these; each other file has at least one exchange that is played."""


@pytest.mark.req("X-216")
def test_exchanges_with_real_providers_are_asked_for_and_understood_as_recorded(litellm: None) -> None:
    report = measure(lambda _file: None, data=FOLDER)

    assert isinstance(report, Report)
    assert not report.differences
    assert (report.files, report.files_taken, report.files_left_out) == (21, 20, UNTAKEN)
    figures = report[ALL]
    assert (figures["taken"], figures["streams"], figures["errors"], figures["plays"]) == (29, 8, 5, 46)
