"""User agent of all calls, in the form that Discord asks of bots: `DiscordBot (url, version)`."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

USER_AGENT = f"DiscordBot (https://github.com/Rapptz/discord.py, {version('discord.py')})"
"""Made without discord.py itself, whose import takes half a second."""


def name_calls(http: Any) -> None:
    """Have the calls of discord.py's HTTP client name the bot; once more after its login for answers to interactions.

    Answers to interactions take only the client's session from it, which is made by the login and would name aiohttp:
    Discord's network may refuse such a call (code 40333).
    """
    http.user_agent = USER_AGENT
    if session := http._HTTPClient__session:
        session.headers["User-Agent"] = USER_AGENT
