"""State that outlives a life, within its bounds."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from actors.workspace.bookkeeping import Bookkeeping
from actors.workspace.upkeep.state import (
    MOST_APART,
    MOST_DIRTY,
    MOST_OWED,
    MOST_WRITTEN,
    WRITTEN,
    Source,
    Stretch,
    WorkspaceState,
)
from domain.workspace.said_words import SAID_CHARS, SaidWords
from tests.recording_disk import RecordingDisk


class Death(BaseException):
    """Stands for a kill."""


def die_after(disk: RecordingDisk, writes: int, act: Callable[[], None]) -> None:
    """Have a kill come after a number of written files."""
    numbers = itertools.count()

    def before(call: str, _data: bytes) -> None:
        if call == "replace" and next(numbers) >= writes:
            raise Death

    disk.before = before
    with suppress(Death):
        act()


def words(number: int, text: str = "Never") -> SaidWords:
    return SaidWords(f"t{number}", "logs/a.md", number, "Alice", f"{text} {number}.")


def test_everything_is_there_in_the_next_life(tmp_path: Path) -> None:
    books = Bookkeeping(tmp_path)
    state = WorkspaceState(books)
    assert state.is_fresh
    state.add_said([words(1)])
    state.owe(Stretch("logs/a.md", "t1", "t2"))
    state.note_turn("t3", "logs/a.md")
    state.add_written(["t0"], Source("logs/a.md", ("t0",), ("0123456789ab",)))
    state.keep()
    again = WorkspaceState(books)
    assert not again.is_fresh
    assert (again.words, again.owed, again.dirty, again.log) == (state.words, state.owed, ["t3"], "logs/a.md")


def test_nothing_grows_without_bound(tmp_path: Path) -> None:
    state = WorkspaceState(Bookkeeping(tmp_path))
    for number in range(200):
        state.add_said([words(number)])
    turns = [each.turn_id for each in state.words]
    assert turns[:2] + turns[-2:] == ["t0", "t1", "t198", "t199"], "the first and the newest stay"
    assert sum(len(each.text) for each in state.words) <= SAID_CHARS
    for number in range(2 * MOST_OWED):
        state.owe(Stretch(f"logs/{number}.md", "a", "z"))
    assert len(state.owed) == MOST_OWED
    for _ in range(2 * MOST_APART):
        state.take_apart(state.owed[0], ["a", "b"], ["c"])
    assert len(state.owed) <= MOST_OWED
    assert sum(each.is_apart for each in state.owed) in (MOST_APART, MOST_APART + 1)
    for number in range(2 * MOST_DIRTY):
        state.note_turn(f"t{number}", "logs/a.md")
    assert len(state.dirty) == MOST_DIRTY
    assert state.dirty[0] == "t0", "from there on the window is asked"
    books = Bookkeeping(tmp_path)
    sources = [{"log": "logs/a.md", "turns": [f"t{number}"], "marks": []} for number in range(2 * MOST_WRITTEN)]
    assert books.put_document(WRITTEN, {"turns": [], "sources": sources}, is_durable=False)
    state = WorkspaceState(books)
    state.add_written((f"t{number}" for number in range(2 * MOST_WRITTEN)), Source("logs/a.md", (), ()))
    assert (tmp_path / WRITTEN).stat().st_size < 80 * MOST_WRITTEN


def test_what_is_left_of_a_turn_stays_in_its_place(tmp_path: Path) -> None:
    state = WorkspaceState(Bookkeeping(tmp_path))
    state.add_said(map(words, range(3)))
    state.replace_turn("t1", [words(1, "Always")])
    assert [each.text for each in state.words] == ["Never 0.", "Always 1.", "Never 2."]
    state.replace_turn("t1", ())
    assert [each.turn_id for each in state.words] == ["t0", "t2"]


def test_a_longer_stretch_stands_for_the_shorter_one(tmp_path: Path) -> None:
    state = WorkspaceState(Bookkeeping(tmp_path))
    state.owe(Stretch("logs/a.md", "t1", "t2"))
    state.owe(Stretch("logs/a.md", "t1", "t4"))
    assert state.owed == [Stretch("logs/a.md", "t1", "t4")]


def test_what_is_owed_of_a_log_is_one_stretch_until_a_part_of_it_is_refused(tmp_path: Path) -> None:
    state = WorkspaceState(Bookkeeping(tmp_path))
    a = "logs/a.md"
    for first, last in (("t1", "t2"), ("t3", "t3"), ("t5", "t8")):
        state.owe(Stretch(a, first, last))
    assert state.owed == [Stretch(a, "t1", "t8")]
    state.pay(Stretch(a, "t1", "t8"), ["t3", "t5"])
    assert state.owed == [Stretch(a, "t3", "t8")]
    state.take_apart(Stretch(a, "t3", "t8"), ["t3", "t5", "t6"], ["t7", "t8"])
    halves = [Stretch(a, "t3", "t5", is_apart=True), Stretch(a, "t6", "t6", is_apart=True)]
    assert state.owed == [Stretch(a, "t7", "t8"), *halves]
    state.owe(Stretch(a, "t9", "t9"))
    assert state.owed == [*halves, Stretch(a, "t7", "t9")]
    assert WorkspaceState(Bookkeeping(tmp_path)).owed == [Stretch(a, "t7", "t8"), *halves], "as it was kept"
    state.put_off(halves[0])
    assert state.owed[-1] == halves[0]
    state.take_apart(halves[0], ["t3"])
    state.pay(Stretch(a, "t7", "t9"))
    assert state.owed == [halves[1], Stretch(a, "t3", "t3", is_apart=True)]


def test_what_session_was_not_told_of_when_the_window_began_anew_is_owed(tmp_path: Path) -> None:
    state = WorkspaceState(Bookkeeping(tmp_path))
    for turn in ("t1", "t2", "t3"):
        state.note_turn(turn, "logs/a.md")
    state.note_turn("u1", "logs/b.md")
    assert (state.owed, state.dirty) == ([Stretch("logs/a.md", "t1", "t3")], ["u1"])
    state.told_of(["u1"])
    state.note_turn("v1", "logs/c.md")
    assert state.owed == [Stretch("logs/a.md", "t1", "t3")]


def test_only_turns_that_were_told_are_told_of_no_more(tmp_path: Path) -> None:
    state = WorkspaceState(Bookkeeping(tmp_path, is_kept=False))
    for turn in ("t1", "t2", "t3"):
        state.note_turn(turn, "logs/a.md")
    state.told_of(["t0"])
    assert state.dirty == ["t1", "t2", "t3"]
    state.told_of(["t2"])
    assert state.dirty == ["t3"]
    state.note_turn("t4", "logs/b.md")
    assert state.dirty == ["t4"]


@pytest.mark.parametrize("writes", [0, 1, 2])
def test_a_kill_while_a_stretch_is_taken_apart_leaves_every_turn_owed(tmp_path: Path, writes: int) -> None:
    disk = RecordingDisk()
    state, whole = WorkspaceState(Bookkeeping(tmp_path, disk)), Stretch("logs/a.md", "t1", "t4")
    state.owe(whole)
    state.keep()
    die_after(disk, writes, lambda: state.take_apart(whole, ["t1", "t2"], ["t3", "t4"]))
    owed = WorkspaceState(Bookkeeping(tmp_path)).owed
    assert "t1" in {each.first for each in owed}
    assert "t4" in {each.last for each in owed}


@pytest.mark.parametrize("writes", [0, 1, 2])
def test_a_kill_while_a_turn_is_forgotten_leaves_the_rest_of_the_stretch_owed(tmp_path: Path, writes: int) -> None:
    disk, gone = RecordingDisk(), frozenset({"t1"})
    state = WorkspaceState(Bookkeeping(tmp_path, disk))
    state.add_written(["t1", "t2"], Source("logs/a.md", ("t1", "t2"), ("0123456789ab",)))
    state.keep()
    die_after(disk, writes, lambda: state.forget(gone))
    again = WorkspaceState(Bookkeeping(tmp_path))
    again.forget(gone)
    assert again.owed == [Stretch("logs/a.md", "t2", "t2", is_apart=True)]
