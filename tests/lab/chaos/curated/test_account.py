from __future__ import annotations

from pathlib import Path

from lab.chaos.curated.account import ASKED, CUT, STAGED, Account, AccountBook, Verdict, judged, read

BEFORE = b"# Memory\n\n- of people\n- another\n"
ACCOUNT = Account(asked={"fact 1-1", "fact 1-2", "fact 1-3"}, staged={"fact 1-1", "fact 1-2"})


def verdict(index: bytes) -> Verdict:
    return judged(ACCOUNT, BEFORE, index)


def test_each_staged_fact_once_and_one_that_was_only_asked_for_or_not_is_sound() -> None:
    for also in (b"", b"- fact 1-3\n"):
        index = BEFORE + b"\n## Remembered\n\n- fact 1-1\n- fact 1-2\n" + also
        found = verdict(index)
        assert (found.lost, found.doubled, found.strange, found.harmed) == (0, 0, 0, 0)


def test_what_is_lost_doubled_or_strange_is_counted() -> None:
    found = verdict(BEFORE + b"- fact 1-2\n- fact 1-2\n- fact 9-9\n")
    assert (found.lost, found.doubled, found.strange, found.harmed, found.stand) == (1, 1, 1, 0, 2)


def test_lines_of_people_that_are_gone_altered_or_in_another_order_are_harmed() -> None:
    facts = b"- fact 1-1\n- fact 1-2\n"
    assert verdict(b"# Memory\n\n- of people\n" + facts).harmed == 1
    assert verdict(b"# Memory\n\n- of People\n- another\n" + facts).harmed == 1
    assert verdict(b"# Memory\n\n- another\n- of people\n" + facts).harmed == 1


def test_a_book_holds_what_was_noted_and_none_need_be_there(tmp_path: Path) -> None:
    assert read(tmp_path / "book") == Account()
    for _life in range(2):
        book = AccountBook(tmp_path / "book")
        book.note(ASKED, "fact 1-1")
        book.note(STAGED, "fact 1-1")
        book.note(CUT, "write")
    account = read(tmp_path / "book")
    assert (account.asked, account.staged) == ({"fact 1-1"}, {"fact 1-1"})
    assert account.cuts == {"write": 2}
