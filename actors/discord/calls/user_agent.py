"""User agent of all calls, in Discord's form for bots: `DiscordBot (url, version)`."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

USER_AGENT = f"DiscordBot (https://github.com/Rapptz/discord.py, {version('discord.py')})"
"""Made without discord.py itself, since its import takes half a second."""


def name_calls(http: Any) -> None:
    """Name the bot in the calls of discord.py's HTTP client; call again after login for answers to interactions.

    Answers to interactions only use the client's session, made by the login, and would name aiohttp:
    Discord's network may refuse a call by that name (code 40333).
    """
    http.user_agent = USER_AGENT
    if session := http._HTTPClient__session:
        session.headers["User-Agent"] = USER_AGENT
