"""REST route, and a call of a route."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from lab.playground.world.records import Channel, Upload, User
from lab.playground.world.state import World


@dataclass(slots=True)
class Call:
    """A request, with the body read and decoded."""

    method: str
    path: str
    """Without the API prefix."""
    params: dict[str, str]
    query: dict[str, str]
    payload: Any = field(default_factory=dict)
    uploads: list[Upload] = field(default_factory=list)

    def id(self, name: str) -> int:
        """A snowflake of the path."""
        return int(self.params[name])

    def channel(self, world: World) -> Channel:
        """The channel of the path, which the bot may read; else `ApiError`."""
        return world.channel_of_bot(self.id("channel_id"))

    def user(self, world: World) -> User:
        """The user of the path, else `ApiError`."""
        return world.user(self.id("user_id"))

    def guild_id(self, world: World) -> int:
        """The guild of the path, else `ApiError`."""
        return world.known_guild(self.id("guild_id"))


Handler = Callable[[Call], Awaitable[Any]]
"""Gives the JSON answer, or None for 204; raises `ApiError`."""


@dataclass(frozen=True, slots=True)
class Route:
    """One REST route.

    Attributes:
        path: With `{name}` for what varies; `…_id` takes digits only.
        bucket: Rate-limit bucket.
        major: The path parameter the limit is counted for.
        needs_token: Whether the bot shows its token; else `{token}` in the path is an interaction's.
    """

    method: str
    path: str
    handler: Handler
    bucket: str = "other"
    major: str = ""
    needs_token: bool = True
