"""Findings of channels, logs and stderr: each fails the run."""

from __future__ import annotations

import dataclasses

import pytest

from lab.load.agent_process import Complaints
from lab.load.campaign import Ending, report_of
from lab.load.log_audit import LogAudit
from lab.load.meter import Meter
from lab.load.profiles.traffic import BURST
from lab.load.report import Report
from lab.load.tally import Standing
from tests.lab.load.profiles.drive import PLAN, FakeDrive

STANDING = Standing(unanswered=frozenset(), doubled=0, disordered=0, unexpected=0, samples=())
WELL = Ending(
    peak_rss_mb=1.0,
    exit_code=0,
    verdicts=(),
    complaints=Complaints(restarts=0, errors=0, warnings=0, end="", samples=()),
    audit=LogAudit(),
    standing=STANDING,
)


def report_with(ending: Ending) -> Report:
    drive = FakeDrive(lambda _: (0.0, 0.0))
    drive.meter = Meter(lambda: None, {}, lambda: 0.0)
    return report_of(PLAN, BURST, drive, ending)


def standing(**counts: object) -> dict[str, object]:
    return {"standing": dataclasses.replace(STANDING, **counts)}  # type: ignore[arg-type]


def test_an_ending_of_which_nothing_is_found_is_no_failure() -> None:
    assert report_with(WELL).failures() == ()


def test_whatever_is_found_anywhere_fails_the_run(subtests: pytest.Subtests) -> None:
    cases: list[tuple[dict[str, object], str]] = [
        (standing(unanswered=frozenset({(1, 1)})), "1 of 0 messages were lost"),
        (standing(doubled=1), "1 messages were answered or logged more than once"),
        (standing(disordered=1), "1 answers or their logs are not in the order of the messages"),
        (standing(unexpected=1), "1 messages of the agent are no whole answers"),
        (standing(cross_talk=1), "1 messages held something of another thread"),
        ({"audit": LogAudit(missing={(1, 1)})}, "1 of 0 messages were lost"),
        ({"audit": LogAudit(doubled=1)}, "1 messages were answered or logged more than once"),
        ({"audit": LogAudit(disordered=1)}, "1 answers or their logs are not in the order of the messages"),
        ({"audit": LogAudit(cross_talk=1)}, "1 messages held something of another thread"),
        ({"audit": LogAudit(broken=["a log"])}, "1 logs are not as they should be"),
        ({"complaints": dataclasses.replace(WELL.complaints, errors=1)}, "1 errors were logged by the agent"),
        ({"complaints": dataclasses.replace(WELL.complaints, restarts=1)}, "1 actors crashed"),
        ({"exit_code": 3}, "the agent ended with exit code 3"),
    ]
    for counts, reason in cases:
        with subtests.test(found=counts, reason=reason):
            assert report_with(dataclasses.replace(WELL, **counts)).failures() == (reason,)  # type: ignore[arg-type]


def test_a_message_that_is_lost_twice_over_is_one_lost_message() -> None:
    lost = standing(unanswered=frozenset({(1, 1)})) | {"audit": LogAudit(missing={(1, 1), (1, 2)})}

    assert report_with(dataclasses.replace(WELL, **lost)).lost == 2  # type: ignore[arg-type]


def test_what_was_logged_posted_or_complained_of_is_told_in_its_own_words() -> None:
    counts = {
        **standing(unexpected=1, samples=("half an",)),
        "audit": LogAudit(broken=["a log"]),
        "complaints": dataclasses.replace(WELL.complaints, errors=1, samples=("an error",)),
    }

    assert report_with(dataclasses.replace(WELL, **counts)).details == ("a log", "an error", "half an")  # type: ignore[arg-type]
