from __future__ import annotations

from pathlib import Path

import pytest

from lab.chaos.lives.campaign import run
from lab.chaos.lives.objects import OBJECTS, Entry, judge_kept

ANSWERED = (Entry("e1", "aa"), Entry("e2", "bb"))


def test_a_line_of_the_account_is_read_as_it_was_written() -> None:
    for entry in (Entry("e1-1", "aa", "2026-01-01T00:00:00+00:00"), Entry("e1-2", "bb")):
        assert Entry.read(entry.text()) == entry


def test_what_was_answered_must_be_kept_and_what_was_only_asked_may_be() -> None:
    sound = {"answered": 2, "lost": 0, "doubled": 0}
    assert judge_kept(ANSWERED, ("aa", "bb"), ("e1", "e2")) == sound
    assert judge_kept(ANSWERED, ("aa", "bb", "cc"), ("e1", "e2", "e3")) == sound


def test_a_version_or_output_that_is_missing_is_lost_and_one_that_is_there_twice_doubled() -> None:
    assert judge_kept(ANSWERED, ("aa",), ("e1", "e2"))["lost"] == 1
    assert judge_kept(ANSWERED, ("aa", "bb"), ("e1",))["lost"] == 1
    assert judge_kept(ANSWERED, ("aa", "bb", "aa"), ("e1", "e2", "e1"))["doubled"] == 2


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="asks /proc who stems from whom")
def test_lives_are_killed_and_nothing_that_was_answered_is_lost() -> None:
    report = run(OBJECTS, 3, "test")

    assert report.is_sound, report
    assert report.kills == 3
