"""Offer to people: commands, and completions for typed text."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable
from typing import Any

from discord import app_commands

SlashCommand = app_commands.Command[Any, ..., Any]
TreeCommand = SlashCommand | app_commands.Group | app_commands.ContextMenu
"""Whatever can stand in a command tree."""
Choices = list[app_commands.Choice[str]]

MOST_CHOICES = 25
_LONGEST = 100


def slash(name: str, description: str, callback: Callable[..., Coroutine[Any, Any, None]]) -> SlashCommand:
    """A slash command; its options are the parameters of `callback` after the interaction."""
    return app_commands.Command(name=name, description=description, callback=callback)


def choices(names: Iterable[str], typed: str) -> Choices:
    """Names among `names` that contain the typed text, as many as Discord shows; beginnings first."""
    needle = typed.strip().casefold()
    fitting = [name for name in names if needle in name.casefold() and 0 < len(name) <= _LONGEST]
    fitting.sort(key=lambda name: not name.casefold().startswith(needle))
    return [app_commands.Choice(name=name, value=name) for name in fitting[:MOST_CHOICES]]
