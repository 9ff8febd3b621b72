"""Visibility of turns, by the store."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from actors.memory.store import MemoryPlan, Store
from domain.memory.remembered import USER, Remembered
from messages.base import EventId, Surface, TurnId, Window

BEGAN = datetime(2026, 1, 5, tzinfo=UTC)
WINDOW = Window(surface=Surface.DISCORD_CHANNEL, id="1234567890123456789")


@pytest.mark.req("X-14")
@pytest.mark.parametrize(("exclude_visible", "found"), [(True, [2, 3]), (False, [1, 2, 3])])
def test_what_the_history_shows_is_left_out_unless_it_is_pinned_or_wanted_all_the_same(
    tmp_path: Path, exclude_visible: bool, found: list[int]
) -> None:
    store = Store.open(MemoryPlan(tmp_path, "none", 8, scope="global", exclude_visible=exclude_visible), BEGAN)
    store.remember(
        WINDOW,
        [
            Remembered(
                path="logs/discord-channel/1234567890123456789/a.md",
                line=8 * number + 1,
                event_id=EventId(f"e{number}"),
                turn_id=TurnId(f"t{number}"),
                at=BEGAN + timedelta(minutes=number),
                role=USER,
                author="Ana",
                text=f"turn {number}",
                is_pinned=number == 2,
            )
            for number in (1, 2, 3, 4)
        ],
    )
    shown = store.mask(WINDOW, [EventId("e1"), EventId("e2")], TurnId("t4"))
    assert [row for row in range(1, 5) if shown[row]] == found
    store.close()
