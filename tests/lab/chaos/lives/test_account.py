from __future__ import annotations

from collections import Counter
from pathlib import Path

from lab.chaos.lives.account import ANSWERED, ASKED, FILE, Account, LifePlan, count_doubled, count_lost


def test_an_account_holds_what_all_lives_noted_and_need_not_be_there(tmp_path: Path) -> None:
    assert Account(tmp_path).lines() == []
    for _life in range(2):
        account = Account(tmp_path)
        account.note(ASKED, "fact 1-1")
        account.note(ANSWERED)

    assert Account(tmp_path).lines() == [(ASKED, "fact 1-1"), (ANSWERED, "")] * 2
    assert Account(tmp_path).about(ASKED) == ["fact 1-1", "fact 1-1"]


def test_a_torn_line_of_the_account_says_nothing(tmp_path: Path) -> None:
    Account(tmp_path).note(ASKED, "one")
    with (tmp_path / FILE).open("a") as file:
        file.write("answered o")

    assert Account(tmp_path).lines() == [(ASKED, "one")]


def test_what_is_missing_is_lost_and_each_copy_beyond_the_first_doubled() -> None:
    assert count_lost(["a", "b", "c"], Counter("aa")) == 2
    assert count_doubled(Counter("aaabbc")) == 3
    assert count_doubled(Counter(a=0)) == 0


def test_a_plan_is_read_as_it_was_written(tmp_path: Path) -> None:
    for plan in (LifePlan(3), LifePlan(0, is_last=True), LifePlan(4, cut=7, ends=True)):
        assert LifePlan.read(plan.write(tmp_path)) == plan
