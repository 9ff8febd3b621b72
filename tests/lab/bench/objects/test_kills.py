from __future__ import annotations

from pathlib import Path

from lab.bench.objects.kills import Judgement, Kept, judged, killed
from lab.bench.objects.life import ANSWERED, ASKED, Book, Entry

ENTRIES = (
    Entry(ASKED, "e1", "aa"),
    Entry(ANSWERED, "e1", "aa"),
    Entry(ASKED, "", "bb"),
    Entry(ANSWERED, "", "bb"),
    Entry(ASKED, "e3", "cc"),
)


def test_what_was_answered_must_be_kept_and_what_was_only_asked_may_be() -> None:
    assert judged(ENTRIES, Kept(("aa", "bb"), ("e1",))) == Judgement(answered=2, lost=0, doubled=0)
    assert judged(ENTRIES, Kept(("aa", "bb", "cc"), ("e1", "e3"))) == Judgement(answered=2, lost=0, doubled=0)


def test_a_version_or_output_that_is_missing_is_lost_and_one_that_is_there_twice_doubled() -> None:
    assert judged(ENTRIES, Kept(("aa",), ("e1",))).lost == 1
    assert judged(ENTRIES, Kept(("aa", "bb"), ())).lost == 1
    assert judged(ENTRIES, Kept(("aa", "bb", "aa"), ("e1", "e1"))).doubled == 2


def test_a_torn_line_of_the_account_says_nothing(tmp_path: Path) -> None:
    book = Book(tmp_path / "account")
    assert book.entries() == []
    for entry in ENTRIES:
        book.note(entry)
    with (tmp_path / "account").open("ab") as file:
        file.write(b'{"what": "answ')
    assert book.entries() == list(ENTRIES)


def test_lives_are_killed_and_nothing_that_was_answered_is_lost() -> None:
    told: list[int] = []
    figures = killed(3, "test", told.append)
    assert told == [1, 2, 3]
    assert [figures[name] for name in ("kills", "lost", "doubled", "faults", "failures")] == [3, 0, 0, 0, 0]
