"""Bounds: what was replaced first goes first, what is newest stays, and whatever is said to be kept reads back."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from actors.memory.derived.database import DerivedDatabase
from actors.objects.store.audit import audit
from actors.objects.store.bounds import MIB, StoreLimits, enforce
from actors.objects.store.database import SCHEMA
from messages.base import Window
from messages.objects import (
    CollectObjects,
    ListVersions,
    ObjectsCollected,
    VersionsListed,
)
from messages.status import DescribeYourself, SelfDescription
from tests.actors.objects.store.rig import OTHER, WINDOW, StoreRig, edit_text, long_text

DAY_S = 86_400.0
UNIT = 2_400
"""Bytes that 60 lines of a text take at most as they are stored; more than nine tenths of it at least."""


@pytest.fixture
def rigs(tmp_path: Path) -> Iterator[Any]:
    made: list[StoreRig] = []

    def make(**limits: int) -> StoreRig:
        made.append(StoreRig(tmp_path, **limits))
        return made[-1]

    yield make
    for rig in made:
        rig.stop()
        assert audit(rig.path) == []


def versions_with_text(rig: StoreRig, name: str, window: Window = WINDOW) -> tuple[int, ...]:
    """Which versions have their text."""
    return rig.answer(VersionsListed, ListVersions, window=window, object=name).kept


def kept_bytes(rig: StoreRig) -> int:
    """Bytes of all windows' texts."""
    return int(dict(rig.answer(SelfDescription, DescribeYourself).operator_figures)["kept_bytes"])


def test_what_was_replaced_first_goes_first_and_what_is_newest_stays(rigs: Any) -> None:
    rig = rigs(window_bytes=5 * UNIT)
    rig.store_round([rig.version("f1", long_text(0, 60)), rig.version("f2", long_text(1, 60))])
    rig.store_round([rig.version("f2", long_text(2, 60)), rig.version("f1", long_text(3, 60))])
    assert (versions_with_text(rig, "f1"), versions_with_text(rig, "f2")) == ((1, 2), (1, 2))
    rig.store_round([rig.version("f3", long_text(4, 60)), rig.version("f4", long_text(5, 60))])
    assert versions_with_text(rig, "f2") == (2,)
    assert versions_with_text(rig, "f1")[-1] == 2
    rig.store_round([rig.version("f5", long_text(6, 60))])
    assert (versions_with_text(rig, "f1"), versions_with_text(rig, "f2"), versions_with_text(rig, "f3")) == (
        (2,),
        (2,),
        (1,),
    )
    assert rig.text("f1") == long_text(3, 60)


def test_where_all_is_newest_what_comes_has_no_room_and_no_other_goes(rigs: Any) -> None:
    rig = rigs(window_bytes=3 * UNIT)
    rig.store_round([rig.version("f1", long_text(1, 60)), rig.version("f2", long_text(2, 60))])
    rig.store_round([rig.version("f3", long_text(3, 120))])
    assert (versions_with_text(rig, "f1"), versions_with_text(rig, "f2"), versions_with_text(rig, "f3")) == (
        (1,),
        (1,),
        (),
    )
    assert rig.text("f3") is None
    rig.store_round([rig.version("f4", "short")])
    assert versions_with_text(rig, "f4") == (1,)


def test_for_lack_of_room_what_came_last_has_none(rigs: Any) -> None:
    rig = rigs(window_bytes=3 * UNIT)
    rig.store_round(
        [rig.version("f1", long_text(1, 60)), rig.version("f2", long_text(2, 30)), rig.version("f3", long_text(3, 90))]
    )
    assert (versions_with_text(rig, "f1"), versions_with_text(rig, "f2"), versions_with_text(rig, "f3")) == (
        (1,),
        (1,),
        (1,),
    )
    rig.store_round(
        [rig.version("f4", "short"), rig.version("f5", long_text(4, 60)), rig.version("f6", long_text(5, 60))]
    )
    assert (versions_with_text(rig, "f4"), versions_with_text(rig, "f5"), versions_with_text(rig, "f6")) == (
        (1,),
        (),
        (),
    )


def test_for_lack_of_room_no_file_loses_a_text_that_came_again(rigs: Any) -> None:
    rig = rigs(window_bytes=3 * UNIT)
    same = long_text(1, 60)
    rig.store_round([rig.version("f1", same), rig.version("f2", long_text(2, 60))])
    rig.store_round([rig.version("f3", long_text(3, 120)), rig.version("f4", same)])
    assert (rig.text("f1"), rig.text("f3"), rig.text("f4")) == (same, None, same)


def test_a_replaced_text_makes_room_for_the_one_that_replaces_it(rigs: Any) -> None:
    rig = rigs(window_bytes=3 * UNIT)
    rig.store_round([rig.version("f1", long_text(1, 110)), rig.version("f2", long_text(2, 60))])
    rig.store_round([rig.version("f1", long_text(3, 110))])
    assert (versions_with_text(rig, "f1"), versions_with_text(rig, "f2")) == ((2,), (1,))


def test_a_text_that_another_file_still_has_does_not_go(rigs: Any) -> None:
    rig = rigs(window_bytes=int(2.8 * UNIT))
    same = long_text(1, 60)
    rig.store_round([rig.version("f1", same), rig.version("f2", same)])
    rig.store_round([rig.version("f1", "other"), rig.version("f3", long_text(2, 60))])
    rig.store_round([rig.version("f4", long_text(3, 60))])
    assert (rig.text("f1", no=1), rig.text("f2")) == (same, same)
    rig.store_round([rig.version("f2", "other"), rig.version("f5", long_text(4, 60))])
    assert (rig.text("f1", no=1), rig.text("f2", no=1)) == (None, None)


def test_a_text_that_came_back_is_newest_again(rigs: Any) -> None:
    rig = rigs()
    rig.store_round([rig.version("f1", text) for text in ("one", "two", "one")])
    rig.clock.advance(DAY_S)
    assert rig.answer(ObjectsCollected, CollectObjects, keep_days=0).texts == 1
    assert [rig.text("f1", no=number) for number in (1, 2, 3)] == ["one", None, "one"]


def test_of_a_text_that_came_back_it_counts_when_it_was_replaced_last(rigs: Any) -> None:
    rig = rigs()
    rig.store_round([rig.version("f1", text) for text in ("one", "two", "one")])
    rig.clock.advance(10 * DAY_S)
    rig.store_round([rig.version("f1", "three")])
    rig.clock.advance(DAY_S)
    assert rig.answer(ObjectsCollected, CollectObjects, keep_days=5).texts == 1
    assert [rig.text("f1", no=number) for number in (1, 2, 3, 4)] == ["one", None, "one", "three"]


def test_the_bound_of_all_windows_takes_from_whoever_has_the_oldest(rigs: Any) -> None:
    rig = rigs(total_bytes=int(3.5 * UNIT))
    rig.store_round([rig.version("f1", text, OTHER) for text in (long_text(1, 60), long_text(2, 60))], OTHER)
    rig.store_round([rig.version("f1", text) for text in (long_text(3, 60), long_text(4, 60))])
    assert (versions_with_text(rig, "f1", OTHER), versions_with_text(rig, "f1")) == ((2,), (1, 2))


def test_the_bound_of_one_window_takes_from_no_other(rigs: Any) -> None:
    rig = rigs(window_bytes=int(1.5 * UNIT))
    rig.store_round([rig.version("f1", text, OTHER) for text in (long_text(1, 35), long_text(2, 35))], OTHER)
    for seed in range(10):
        rig.store_round([rig.version("f1", long_text(seed, 60))])
    assert versions_with_text(rig, "f1", OTHER) == (1, 2)
    assert versions_with_text(rig, "f1") == (10,)


def test_many_small_changes_are_thrown_away_until_there_is_room_for_a_large_file(rigs: Any) -> None:
    rig = rigs(window_bytes=60_000)
    text = long_text(1, 200)
    made = []
    for number in range(300):
        text = edit_text(text, number)
        made.append(rig.version("f1", text))
    rig.store_round(made)
    large = long_text(2, 500)
    rig.store_round([rig.version("f2", large)])
    rig.store_round([rig.version("f3", long_text(3, 400))])
    assert (rig.text("f1"), rig.text("f2"), rig.text("f3")) == (text, large, long_text(3, 400))
    assert kept_bytes(rig) <= 60_000


def test_what_was_replaced_before_a_day_goes_and_the_file_gets_smaller(rigs: Any) -> None:
    rig = rigs()
    rig.store_round([rig.version("f1", long_text(number, 2_000)) for number in range(20)])
    rig.clock.advance(10 * DAY_S)
    rig.store_round([rig.version("f1", long_text(number, 2_000)) for number in range(20, 25)])
    rig.live_again()
    before = rig.path.stat().st_size
    kept_before = kept_bytes(rig)
    collected = rig.answer(ObjectsCollected, CollectObjects, keep_days=5)
    assert collected.texts == 19
    assert versions_with_text(rig, "f1") == (20, 21, 22, 23, 24, 25)
    assert collected.bytes_freed == kept_before - kept_bytes(rig) > 19 * 50_000
    assert collected.file_bytes == rig.path.stat().st_size < before / 3
    assert rig.answer(ObjectsCollected, CollectObjects, keep_days=5).texts == 0
    rig.clock.advance(DAY_S)
    assert rig.answer(ObjectsCollected, CollectObjects, keep_days=0).texts == 5
    assert rig.text("f1") == long_text(24, 2_000)


def test_a_text_that_cannot_be_read_does_not_keep_others_from_going(rigs: Any) -> None:
    rig = rigs()
    text = long_text(1, 100)
    rig.store_round([rig.version("f1", each) for each in (text, edit_text(text, 1), edit_text(text, 2))])
    rig.stop()
    connection = apsw.Connection(str(rig.path))
    list(connection.execute("UPDATE texts SET data = x'00' WHERE id = 2"))
    connection.close()
    rig.start()
    rig.clock.advance(DAY_S)
    assert rig.answer(ObjectsCollected, CollectObjects, keep_days=0).texts == 2
    assert [rig.text("f1", no=number) for number in (1, 2, 3)] == [None, None, None]
    rig.store_round([rig.version("f1", "sound")])
    rig.clock.advance(DAY_S)
    assert rig.answer(ObjectsCollected, CollectObjects, keep_days=0).texts == 1
    assert rig.text("f1") == "sound"


@pytest.mark.parametrize(
    ("count", "size", "left"), [(11, 2 * MIB, (10, 10)), (20, 2 * MIB, (11, 10, 10)), (11, 1_000, (9, 9))]
)
def test_a_round_makes_some_room_but_throws_away_only_so_much_unless_far_too_much_is_kept(
    count: int, size: int, left: tuple[int, ...]
) -> None:
    connection = DerivedDatabase(SCHEMA, None, datetime.now(UTC)).connection
    list(connection.execute("INSERT INTO windows(id, key) VALUES (1, 'w')"))
    row = "INSERT INTO texts(window, hash, depth, size, replaced, data) VALUES (1, ?, 0, ?, ?, zeroblob(1000))"
    list(connection.executemany(row, [(b"%d" % number, size, number) for number in range(count)]))
    for expected in left:
        enforce(connection, 1, StoreLimits(window_bytes=10_000), ())
        assert list(connection.execute("SELECT count(*), min(replaced) FROM texts")) == [(expected, count - expected)]
    connection.close()


STEPS = st.lists(
    st.tuples(
        st.sampled_from([WINDOW, OTHER]),
        st.lists(st.tuples(st.sampled_from(["f1", "f2", "f3"]), st.integers(0, 8), st.integers(1, 60)), max_size=4),
        st.sampled_from(["", "", "", "reopen", "collect"]),
    ),
    max_size=14,
)
Texts = dict[tuple[Window, str], list[str]]


def require_as_written(rig: StoreRig, made: Texts, owed: set[tuple[Window, str]], window_bytes: int) -> None:
    """Return if what is said to be kept is what was written, and the newest is there of each file that is `owed`."""
    for (window, name), written in made.items():
        listed = rig.answer(VersionsListed, ListVersions, window=window, object=name)
        assert [version.no for version in listed.versions] == list(range(1, len(written) + 1))
        for number, text in enumerate(written, 1):
            expected = text if number in listed.kept else None
            assert rig.text(name, window, no=number) == expected
        assert len(written) in listed.kept or (window, name) not in owed
    assert kept_bytes(rig) <= 2 * window_bytes


def owed_of(rig: StoreRig, made: Texts, window: Window, names: set[str], window_bytes: int) -> set[tuple[Window, str]]:
    """Of files that came with a round those whose newest text must stay: there was room for it, or it was kept."""
    newest = [each[-1] for (where, _), each in made.items() if where == window]
    has_room = sum(len(text.encode()) for text in newest) <= window_bytes // 2
    return {
        (window, name) for name in names if has_room or len(made[window, name]) in versions_with_text(rig, name, window)
    }


LACKED_ROOM = [(WINDOW, [("f2", 0, 5), ("f1", 0, 1)], ""), (WINDOW, [("f2", 0, 1)], "")]
"""A file had no room when it came, though it would have now."""


@given(STEPS, st.integers(200, 8_000))
@example(LACKED_ROOM, 240)
@settings(max_examples=30, deadline=None)
def test_whatever_is_said_to_be_kept_reads_back_at_any_time_and_in_any_life(
    tmp_path_factory: pytest.TempPathFactory,
    steps: list[tuple[Window, list[tuple[str, int, int]], str]],
    window_bytes: int,
) -> None:
    rig = StoreRig(tmp_path_factory.mktemp("store"), window_bytes=window_bytes, total_bytes=2 * window_bytes)
    made: Texts = {}
    owed: set[tuple[Window, str]] = set()
    for window, texts, then in steps:
        versions = [(name, long_text(seed, lines)) for name, seed, lines in texts]
        rig.store_round([rig.version(name, text, window) for name, text in versions], window)
        for name, text in versions:
            made.setdefault((window, name), []).append(text)
        names = {name for name, _ in versions}
        owed -= {(window, name) for name in names}
        owed |= owed_of(rig, made, window, names, window_bytes)
        if then == "reopen":
            rig.live_again()
        if then == "collect":
            rig.answer(ObjectsCollected, CollectObjects, keep_days=0)
        require_as_written(rig, made, owed, window_bytes)
    rig.load_objects()
    rig.stop()
    assert audit(rig.path) == []
