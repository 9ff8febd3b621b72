"""Real processes and real kills; five hundred are `agent chaos layers --only curated --kills 500`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lab.chaos.lives.account import ANSWERED, ASKED, Account
from lab.chaos.lives.campaign import run
from lab.chaos.lives.curated import BEFORE, CURATED, CUT, CutDisk, judge_kept

ASKED_FACTS, STAGED_FACTS = ("fact 1-1", "fact 1-2", "fact 1-3"), ("fact 1-1", "fact 1-2")
WRONG = ("lost", "doubled", "strange", "harmed")


@pytest.fixture
def account(tmp_path: Path) -> Account:
    account = Account(tmp_path)
    for word, facts in ((ASKED, ASKED_FACTS), (ANSWERED, STAGED_FACTS)):
        for fact in facts:
            account.note(word, fact)
    return account


def wrong(account: Account, index: bytes) -> list[int]:
    counts = judge_kept(account, index)
    return [counts[name] for name in WRONG]


def test_each_staged_fact_once_and_one_that_was_only_asked_for_or_not_is_sound(account: Account) -> None:
    for also in (b"", b"- fact 1-3\n"):
        index = BEFORE + b"\n## Remembered\n\n- fact 1-1\n- fact 1-2\n" + also
        assert wrong(account, index) == [0, 0, 0, 0]


def test_what_is_lost_doubled_or_strange_is_counted(account: Account) -> None:
    assert wrong(account, BEFORE + b"- fact 1-2\n- fact 1-2\n- fact 9-9\n") == [1, 1, 1, 0]


def test_lines_of_people_that_are_gone_altered_or_in_another_order_are_harmed(account: Account) -> None:
    tests = b"- `make test` runs the tests\n"
    for before in (
        BEFORE.replace(b"- Releases are cut on Thursdays\n", b""),
        BEFORE.replace(b"Thursdays", b"Fridays"),
        BEFORE.replace(tests, b"").replace(b"days\n", b"days\n" + tests),
    ):
        assert wrong(account, before + b"- fact 1-1\n- fact 1-2\n") == [0, 0, 0, 1]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="asks /proc who stems from whom")
def test_what_was_staged_stands_once_after_every_kill() -> None:
    report = run(CURATED, 8, "test")

    assert report.is_sound, report
    assert report.counts["asked"] >= report.counts["committed"] >= report.counts["staged"] > 0
    in_calls = sum(count for name, count in report.counts.items() if name.startswith("in "))
    assert 0 < report.counts["in_disk_calls"] == in_calls <= 8


def test_the_process_dies_in_the_call_of_the_disk_that_was_named(tmp_path: Path) -> None:
    class DeadError(Exception):
        pass

    def die() -> None:
        raise DeadError

    disk = CutDisk(2, Account(tmp_path), "seed", die)
    fd = disk.open(tmp_path / "file", os.O_WRONLY | os.O_CREAT)
    with pytest.raises(DeadError):
        disk.write(fd, b"x" * 1000)
    os.close(fd)
    assert 0 < len((tmp_path / "file").read_bytes()) < 1000
    assert Account(tmp_path).about(CUT) == ["write"]
