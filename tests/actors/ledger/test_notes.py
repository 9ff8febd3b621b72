"""Notes of calls under way: what a kill leaves of them, what the next life makes of it, and what spoils the file."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from actors.ledger import notes as module
from actors.ledger.file import Damage
from actors.ledger.notes import FILE, Notes
from actors.linux.disk import RealDisk
from messages.model import CallKind, CallOutcome, CallSpent
from tests.actors.ledger.calls import NOON, FullDisk, begun, close_late, enter, spent

SOON = NOON + timedelta(seconds=1)


def life(folder: Path, name: str, disk: RealDisk | None = None) -> tuple[Notes, list[CallSpent]]:
    """A life's notes, and what it is to enter of earlier ones."""
    notes = Notes(folder, name, disk)
    return notes, notes.recover(Damage())


def killed(folder: Path, name: str = "next") -> list[str]:
    """Ids of what a next life would enter."""
    return [each.call_id for each in life(folder, name)[1]]


def test_what_was_under_way_is_given_to_the_next_life_as_it_was_begun(tmp_path: Path) -> None:
    notes, nothing = life(tmp_path / "usage", "one")
    notes.begin(begun("a"))
    notes.begin(begun("a", attempt=2))

    assert nothing == []
    first, second = life(tmp_path / "usage", "two")[1]
    assert first == CallSpent(
        at=NOON,
        kind=CallKind.MODEL,
        owner="discord-channel/1",
        run_id="t",
        purpose="p",
        call_id="a",
        attempt=1,
        model="m",
        prompt_tokens=5,
        cost_usd=0.25,
        outcome=CallOutcome.KILLED,
        is_estimated=True,
    )
    assert second.attempt == 2


def test_what_the_ledger_has_an_entry_of_is_not_given(tmp_path: Path) -> None:
    notes, _ = life(tmp_path, "one")
    for call_id in "abc":
        notes.begin(begun(call_id))
    enter(tmp_path, spent("a", SOON))
    assert killed(tmp_path) == ["b", "c"]

    _, (b, _) = life(tmp_path, "two")
    enter(tmp_path, b)  # and killed again before the other, and before any note is forgotten
    assert killed(tmp_path) == ["c"]


def test_settled_notes_are_gone_and_not_before(tmp_path: Path) -> None:
    notes, _ = life(tmp_path, "one")
    notes.begin(begun("a"))
    notes, _ = life(tmp_path, "two")
    assert notes.has_earlier
    notes.begin(begun("b"))
    notes.tidy()
    assert killed(tmp_path) == ["a", "b"]
    notes.settle()
    notes.tidy()

    assert killed(tmp_path) == ["b"]
    assert not notes.has_earlier


def test_a_life_of_the_same_process_goes_on_with_what_is_not_over(tmp_path: Path) -> None:
    notes, _ = life(tmp_path, "one")
    for call_id in "ab":
        notes.begin(begun(call_id))
    enter(tmp_path, spent("a", SOON))
    notes.end(spent("a", SOON))

    notes, lost = life(tmp_path, "one")
    assert (lost, notes.under_way) == ([], 1)
    notes.tidy()
    assert killed(tmp_path) == ["b"]
    notes.end(spent("b", SOON))
    notes.tidy()
    assert killed(tmp_path) == []


def test_a_note_that_was_written_twice_is_given_once(tmp_path: Path) -> None:
    notes, _ = life(tmp_path, "one")
    notes.begin(begun("a"))
    notes.begin(begun("a"))

    assert killed(tmp_path) == ["a"]


def test_an_id_that_comes_again_later_is_another_call(tmp_path: Path) -> None:
    notes, _ = life(tmp_path, "one")
    notes.begin(begun("a", NOON))
    notes.begin(begun("a", SOON))
    enter(tmp_path, spent("a", NOON))

    assert killed(tmp_path) == ["a"]


def test_a_call_that_ended_before_it_began_is_over_all_the_same(tmp_path: Path) -> None:
    notes, _ = life(tmp_path, "one")
    notes.begin(begun("a"))
    notes.begin(begun("b"))
    back = spent("a", NOON - timedelta(hours=1))
    enter(tmp_path, back)
    notes.end(back)
    notes.tidy()

    assert killed(tmp_path) == ["b"]


def test_the_file_is_empty_when_nothing_is_under_way_and_is_not_made_for_nothing(tmp_path: Path) -> None:
    notes, _ = life(tmp_path / "usage", "one")
    notes.tidy()
    assert not (tmp_path / "usage").exists()
    notes.begin(begun("a"))
    notes.tidy()
    assert (tmp_path / "usage" / FILE).stat().st_size > 0
    notes.end(spent("a", SOON))
    notes.tidy()
    assert (tmp_path / "usage" / FILE).stat().st_size == 0
    notes.begin(begun("b"))

    assert killed(tmp_path / "usage") == ["b"]


def test_the_file_stays_small_while_something_is_under_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_BYTES", 2_000)
    notes, _ = life(tmp_path, "one")
    notes.begin(begun("first"))
    sizes = set()
    for number in range(50):
        notes.begin(begun(str(number)))
        notes.end(spent(str(number), SOON))
        sizes.add((tmp_path / FILE).stat().st_size)

    assert 1_000 < max(sizes) <= 2_000
    assert "first" in killed(tmp_path)


class CountingDisk(RealDisk):
    """Counts what is opened."""

    opened = 0

    def open(self, path: Path, flags: int, mode: int = 0o600, /) -> int:
        self.opened += 1
        return super().open(path, flags, mode)


def test_the_file_is_made_anew_seldom_whatever_is_under_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_BYTES", 1_000)
    disk = CountingDisk()
    notes, _ = life(tmp_path, "one", disk)
    for number in range(64):
        notes.begin(begun(str(number)))

    assert notes.under_way == 64
    assert 2 < disk.opened < 20


def test_what_is_emptied_has_room_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_BYTES", 1_000)
    disk = CountingDisk()
    notes, _ = life(tmp_path, "one", disk)
    for number in range(64):
        notes.begin(begun(str(number)))
        notes.end(spent(str(number), SOON))
        notes.tidy()

    assert disk.opened == 2, "a draft and the file, once"


def test_calls_under_way_beyond_a_number_are_forgotten_the_oldest_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_NOTES", 3)
    notes, _ = life(tmp_path, "one")
    for call_id in "abcde":
        notes.begin(begun(call_id))

    assert notes.under_way == 3


@pytest.mark.parametrize("kept", [1, 60])
def test_the_end_of_a_line_that_was_cut_off_says_nothing(tmp_path: Path, kept: int) -> None:
    notes, _ = life(tmp_path, "one")
    notes.begin(begun("a"))
    line = (tmp_path / FILE).read_bytes()
    (tmp_path / FILE).write_bytes(line + line[:kept])

    damage = Damage()
    assert [each.call_id for each in Notes(tmp_path, "two").recover(damage)] == ["a"]
    assert damage.lines == 0


@pytest.mark.parametrize(
    ("was", "is_now"),
    [
        (b'{"life"', b'["life"'),
        (b'"life"', b'"live"'),
        (b'"call_id":"a"', b'"call_id":1'),
        (b'"call_id":"a"', b'"call_id":"\xff"'),
        (b'"at":"2026-03-31T12:00:00Z"', b'"at":"2026-03-31T12:00:00"'),
        (b'"at":"2026-03-31T12:00:00Z"', b'"at":"9999-12-31T23:59:59-14:00"'),
        (b'"prompt_tokens":5', b'"prompt_tokens":-5'),
        (b'"cost_usd":0.25', b'"cost_usd":-0.25'),
    ],
)
def test_a_line_that_is_no_note_is_counted_and_the_others_are_given(tmp_path: Path, was: bytes, is_now: bytes) -> None:
    notes, _ = life(tmp_path, "one")
    notes.begin(begun("a"))
    notes.begin(begun("b"))
    edited = (tmp_path / FILE).read_bytes().replace(was, is_now, 1)
    assert is_now in edited
    (tmp_path / FILE).write_bytes(edited)

    damage = Damage()
    assert [each.call_id for each in Notes(tmp_path, "two").recover(damage)] == ["b"]
    assert (damage.lines, damage.files) == (1, [FILE])


def _large(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(100 * 1024 * 1024)


def _link(path: Path) -> None:
    (path.parent / "other").write_bytes(b"somebody's\n")
    path.symlink_to("other")


@pytest.mark.parametrize("put", [_large, _link])
def test_what_is_no_file_of_notes_is_refused_and_replaced(tmp_path: Path, put: Callable[[Path], None]) -> None:
    put(tmp_path / FILE)
    notes = Notes(tmp_path, "one")
    with pytest.raises(OSError, match=r"larger than|symbolic links"):
        notes.recover(Damage())
    notes.begin(begun("a"))
    notes.begin(begun("b"))

    assert killed(tmp_path) == ["a", "b"]
    assert (tmp_path / FILE).stat().st_size < 1_000
    assert not (tmp_path / "other").exists() or (tmp_path / "other").read_bytes() == b"somebody's\n"


def test_a_folder_in_its_place_is_told_at_each_tidying_only_and_what_is_under_way_is_written_when_it_is_gone(
    tmp_path: Path,
) -> None:
    (tmp_path / FILE).mkdir()
    disk = CountingDisk()
    notes = Notes(tmp_path, "one", disk)
    with pytest.raises(OSError, match="no regular file"):
        notes.recover(Damage())
    with pytest.raises(OSError, match="directory"):
        notes.begin(begun("a"))
    was_failing = notes.is_failing
    tried = disk.opened
    notes.begin(begun("b"))
    assert disk.opened == tried
    with pytest.raises(OSError, match="directory"):
        notes.tidy()
    (tmp_path / FILE).rmdir()
    notes.tidy()

    assert (was_failing, notes.is_failing) == (True, False)
    assert killed(tmp_path) == ["a", "b"]


def test_a_file_system_that_fails_a_close_costs_no_other_file_its_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes, _ = life(tmp_path, "one")
    notes.begin(begun("a"))
    with monkeypatch.context() as patched:
        patched.setattr(os, "close", close_late)
        notes.close()
    with (tmp_path / "another").open("w") as another:  # which has the number now
        notes.begin(begun("b"))
        notes.close()
        assert another.tell() == 0

    assert killed(tmp_path) == ["a", "b"]
    assert (tmp_path / "another").read_bytes() == b""


def test_a_disk_that_is_full_within_a_line_loses_no_other(tmp_path: Path) -> None:
    disk = FullDisk(10_000)
    notes, _ = life(tmp_path, "one", disk)
    notes.begin(begun("a"))
    disk.room = 10
    with pytest.raises(OSError, match="full"):
        notes.begin(begun("b"))
    assert killed(tmp_path) == ["a"]
    disk.room = 10_000
    notes.tidy()
    notes.begin(begun("c"))

    assert killed(tmp_path) == ["a", "b", "c"]


def test_where_the_ledger_cannot_be_read_notes_of_earlier_lives_stay_for_the_next(tmp_path: Path) -> None:
    notes, _ = life(tmp_path, "one")
    notes.begin(begun("a"))
    (tmp_path / "2026-03.jsonl").mkdir()
    notes = Notes(tmp_path, "two")
    with pytest.raises(OSError, match="no regular file"):
        notes.recover(Damage())
    notes.begin(begun("b"))
    notes.settle()
    notes.tidy()
    (tmp_path / "2026-03.jsonl").rmdir()

    assert killed(tmp_path) == ["a", "b"]


def test_a_file_that_somebody_has_taken_away_is_made_anew(tmp_path: Path) -> None:
    notes, _ = life(tmp_path, "one")
    notes.begin(begun("a"))
    (tmp_path / FILE).unlink()
    notes.begin(begun("b"))

    assert killed(tmp_path) == ["a", "b"]


def test_before_it_is_read_nothing_of_the_file_is_touched(tmp_path: Path) -> None:
    notes, _ = life(tmp_path, "one")
    notes.begin(begun("a"))
    other = Notes(tmp_path, "two")
    other.begin(begun("b"))
    other.tidy()

    assert killed(tmp_path) == ["a"]
