from __future__ import annotations

from collections import Counter

import pytest

from actors.cluster.placement import choose_host

KEYS = [f"discord-thread/{number}" for number in range(3000)]


def test_windows_are_spread_evenly_and_the_same_in_any_order_of_hosts() -> None:
    counts = Counter(choose_host(key, ["h1", "h2", "h3"]) for key in KEYS)

    assert all(900 < count < 1100 for count in counts.values())
    assert [choose_host(key, ["h3", "h1", "h2"]) for key in KEYS] == [
        choose_host(key, ["h1", "h2", "h3"]) for key in KEYS
    ]


def test_a_host_that_goes_moves_no_window_but_its_own() -> None:
    before = {key: choose_host(key, ["h1", "h2", "h3"]) for key in KEYS}
    after = {key: choose_host(key, ["h1", "h3"]) for key in KEYS}

    assert {key for key in KEYS if before[key] != after[key]} == {key for key in KEYS if before[key] == "h2"}


def test_there_must_be_a_host() -> None:
    with pytest.raises(ValueError, match="empty"):
        choose_host("discord-thread/1", [])
