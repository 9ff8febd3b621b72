from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from actors.facts.store.journal import FILE, Change, Journal, Owed
from actors.linux.notebook import LONG_BYTES

AT = datetime(2026, 11, 26, tzinfo=UTC)


def owed(turn: str) -> Owed:
    return Owed(turn, "c", "I like tea", AT, "m")


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    journal = Journal(tmp_path)
    journal.open()
    return journal


def again(root: Path) -> Journal:
    later = Journal(root)
    later.open()
    return later


def test_each_step_is_known_after_a_crash(journal: Journal, tmp_path: Path) -> None:
    journal.begin(owed("a"))
    journal.end(journal.owed["a"], is_new=False, answer_text="I see", model="m2", at=AT)
    journal.note_facts({"a": ("fact",), "forgotten": ("no",)})
    journal.note_changes({"a": (Change(old_id="o", new_id="n", text="t"),), "forgotten": ()}, AT)
    (found,) = again(tmp_path).owed.values()

    assert (found.turn, found.conversation, found.user_text, found.at) == ("a", "c", "I like tea", AT)
    assert (found.answer_text, found.answered_at, found.model) == ("I see", AT, "m2")
    assert (found.facts, found.changes, found.decided_at) == (
        ("fact",),
        (Change(old_id="o", new_id="n", text="t"),),
        AT,
    )


def test_what_is_done_is_known_no_more_and_leaves_no_line(journal: Journal, tmp_path: Path) -> None:
    journal.end(owed("a"), is_new=True, answer_text="", model="", at=AT)
    journal.finish("a")
    assert journal.owed == {}
    journal.commit()
    later = again(tmp_path)

    assert later.owed == {}
    (line,) = (tmp_path / FILE).read_bytes().splitlines()
    assert line.startswith(b'{"type":"recent","turn":"a"')
    assert b"tea" not in line


@pytest.mark.parametrize(
    "harm",
    [b'{"type":"begun","tu', b"\xff\xfe\n", b'{"type":"other"}\n', b"[]\n", b'{"type":"done","turn":"unknown"}\n'],
)
def test_a_line_that_is_none_costs_no_other(journal: Journal, tmp_path: Path, harm: bytes) -> None:
    journal.begin(owed("a"))
    with (tmp_path / FILE).open("ab") as stream:
        stream.write(harm)
    later = again(tmp_path)

    assert list(later.owed) == ["a"]
    later.begin(owed("b"))
    assert list(again(tmp_path).owed) == ["a", "b"]


def test_lines_of_a_turn_that_nobody_knows_are_passed_over(journal: Journal) -> None:
    journal.note_facts({"unknown": ("fact",)})

    assert journal.owed == {}


def test_what_is_done_and_not_crossed_out_is_known_after_a_crash(journal: Journal, tmp_path: Path) -> None:
    journal.end(owed("a"), is_new=True, answer_text="", model="", at=AT)
    journal.finish("a")

    assert list(again(tmp_path).owed) == ["a"]


def test_a_compaction_drops_no_turn_that_is_done_and_not_crossed_out(journal: Journal, tmp_path: Path) -> None:
    journal.end(owed("a"), is_new=True, answer_text="", model="", at=AT)
    journal.finish("a")
    journal.begin(Owed("b", "c", "x" * LONG_BYTES, AT, "m"))
    journal.begin(owed("c"))

    assert list(again(tmp_path).owed) == ["a", "b", "c"]
    journal.commit()
    assert list(again(tmp_path).owed) == ["b", "c"]
