"""View of buttons for discord.py, as far as Discord accepts the buttons."""

from __future__ import annotations

from collections.abc import Iterable

import discord

from actors.part import Button
from messages.discord import PostedButton

MOST_BUTTONS = 25
_LONGEST_LABEL = 80
_LONGEST_ID = 100


def view_of(buttons: Iterable[Button | PostedButton]) -> discord.ui.View | None:
    """View of buttons for discord.py; None without possible buttons.

    The view counts as finished, so discord.py doesn't keep it: the custom id of a press names the button.
    """
    possible = [button for button in buttons if _is_possible(button)][:MOST_BUTTONS]
    if not possible:
        return None
    view = discord.ui.View(timeout=None)
    for button in possible:
        view.add_item(discord.ui.Button(label=button.label[:_LONGEST_LABEL], custom_id=button.custom_id))
    view.stop()
    return view


def _is_possible(button: Button | PostedButton) -> bool:
    """True if Discord accepts the button."""
    return bool(button.label.strip()) and len(button.custom_id) <= _LONGEST_ID
