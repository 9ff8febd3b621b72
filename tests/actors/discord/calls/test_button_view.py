from __future__ import annotations

import asyncio

from actors.discord.calls.button_view import view_of
from actors.part import Button


def test_more_buttons_than_discord_takes_are_left_out_and_discord_py_keeps_none_of_them() -> None:
    async def make() -> tuple[int, bool]:
        view = view_of(Button("x" * 100, f"id{number}") for number in range(30))
        assert view is not None
        return len(view.children), view.is_finished()

    assert asyncio.run(make()) == (25, True)
    assert view_of([]) is None
