"""REST route, and a call of a route."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from lab.playground.hub import Hub
from lab.playground.world.records import Channel, Message, Upload, User
from lab.playground.world.state import World
from lab.playground.world.traffic import Part


@dataclass(slots=True)
class Call:
    """A request, with the body read and decoded."""

    hub: Hub
    method: str
    path: str
    """Without the API prefix."""
    params: dict[str, str]
    query: dict[str, str]
    payload: Any = field(default_factory=dict)
    has_body: bool = False
    parts: list[Part] = field(default_factory=list)
    uploads: list[Upload] = field(default_factory=list)

    def id(self, name: str) -> int:
        """A snowflake of the path."""
        return int(self.params[name])

    @property
    def world(self) -> World:
        """The world of the hub."""
        return self.hub.world

    @property
    def bot(self) -> User:
        """The caller."""
        return self.hub.world.bot

    @property
    def channel(self) -> Channel:
        """Channel of the path, readable by the bot; else `ApiError`."""
        return self.world.channel_of_bot(self.id("channel_id"))

    @property
    def message(self) -> Message:
        """Message of the path, in its channel; else `ApiError`."""
        return self.world.message(self.channel, self.id("message_id"))

    @property
    def user(self) -> User:
        """The user of the path, else `ApiError`."""
        return self.world.user(self.id("user_id"))

    @property
    def guild_id(self) -> int:
        """The guild of the path, else `ApiError`."""
        return self.world.known_guild(self.id("guild_id"))


@dataclass(frozen=True, slots=True)
class Created:
    """JSON answer of a creating call, with status 201."""

    payload: Any


Handler = Callable[[Call], Any]
"""Gives the JSON answer, `Created` around the answer for 201, or None for 204; raises `ApiError`."""


@dataclass(frozen=True, slots=True)
class Route:
    """REST route.

    Attributes:
        path: Path with `{name}` for variable parts; `…_id` takes digits only.
        bucket: Rate-limit bucket.
        major: The path parameter for counting the limit.
        needs_token: True if the bot shows its token; else `{token}` in the path is an interaction's.
    """

    method: str
    path: str
    handler: Handler
    bucket: str = "other"
    major: str = ""
    needs_token: bool = True
