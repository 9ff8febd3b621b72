from __future__ import annotations

from collections.abc import Mapping

from actors.observer.census import BUSY, IDLE, RESTING, Census, Seen
from messages.base import Address

NO_COUNTS: Mapping[str, Mapping[str, int]] = {"crashes": {}, "restarts": {}}


def window(number: int, waiting: int = 0, state: str = IDLE, told: int = 0) -> Seen:
    return Seen(Address("context", f"discord-thread/{number}"), waiting, state, told)


def memory(told: int) -> Seen:
    return Seen(Address("memory"), 0, IDLE, told)


def test_each_kind_is_summed_and_told_a_second() -> None:
    census = Census()
    census.take([memory(100), window(1)], NO_COUNTS, 10.0)
    census.take(
        [memory(140), window(1, 3, BUSY, 2), window(2, 1, RESTING, 6)],
        {"crashes": {"web": 2}, "restarts": {"web": 1}},
        12.0,
    )

    kinds = {each["kind"]: each for each in census.kinds}
    assert kinds["memory"]["rate"] == 20.0
    assert (kinds["context"]["alive"], kinds["context"]["waiting"], kinds["context"]["busy"]) == (2, 4, 1)
    assert kinds["context"]["rate"] == 4.0
    assert [kinds[kind]["resting"] for kind in ("memory", "context", "web")] == [0, 1, 0]
    assert (kinds["web"]["alive"], kinds["web"]["crashes"], kinds["web"]["restarts"]) == (0, 2, 1)


def test_a_reader_gets_all_windows_once_and_then_what_changed() -> None:
    census = Census()
    census.take([window(1), window(2)], NO_COUNTS, 10.0)
    first = census.changes(0)
    assert first["all"]
    assert first["rows"].keys() == {"discord-thread/1", "discord-thread/2"}

    seen = census.version
    census.take([window(1), window(3, 1, BUSY)], NO_COUNTS, 11.0)
    changes = census.changes(seen)
    assert changes == {
        "all": False,
        "rows": {"discord-thread/3": [BUSY, 1, 0.0]},
        "gone": ["discord-thread/2"],
        "count": 2,
    }
    assert census.changes(census.version) == {"all": False, "rows": {}, "gone": [], "count": 2}


def test_a_window_that_comes_back_is_not_gone() -> None:
    census = Census()
    census.take([window(1)], NO_COUNTS, 10.0)
    seen = census.version
    census.take([], NO_COUNTS, 11.0)
    census.take([window(1)], NO_COUNTS, 12.0)

    changes = census.changes(seen)
    assert changes["gone"] == []
    assert changes["rows"].keys() == {"discord-thread/1"}
