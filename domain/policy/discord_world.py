"""Discord as known to a bot: channels, roles, servers and people, by their ids; values only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

PERMISSIONS: Mapping[str, int] = {
    "View Channels": 1 << 10,
    "Send Messages": 1 << 11,
    "Send Messages in Threads": 1 << 38,
    "Read Message History": 1 << 16,
    "Attach Files": 1 << 15,
    "Add Reactions": 1 << 6,
}
"""Permissions needed by the bot: name, as Discord shows the permission to people -> bit."""
THREADS_PERMISSION = ("Create Public Threads", 1 << 35)
"""Needed where questions open threads."""
ADMINISTRATOR = 1 << 3


class PlaceKind(StrEnum):
    """Kind of a channel, in the words for people."""

    TEXT = "text channel"
    ANNOUNCEMENT = "announcement channel"
    VOICE = "voice channel"
    STAGE = "stage channel"
    FORUM = "forum"
    MEDIA = "media channel"
    CATEGORY = "category"
    THREAD = "thread"
    DIRECT = "direct conversation"
    OTHER = "channel of a kind without messages"


KINDS: Mapping[int, PlaceKind] = {
    0: PlaceKind.TEXT,
    1: PlaceKind.DIRECT,
    2: PlaceKind.VOICE,
    3: PlaceKind.DIRECT,
    4: PlaceKind.CATEGORY,
    5: PlaceKind.ANNOUNCEMENT,
    10: PlaceKind.THREAD,
    11: PlaceKind.THREAD,
    12: PlaceKind.THREAD,
    13: PlaceKind.STAGE,
    15: PlaceKind.FORUM,
    16: PlaceKind.MEDIA,
}
"""Discord's number of a channel type -> kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A channel, category or thread."""

    name: str
    kind: PlaceKind
    guild_id: str = ""
    parent_id: str = ""
    """Category of a channel, channel of a thread."""
    permissions: int = -1
    """Permissions of the bot there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleOf:
    """A role of a server."""

    name: str
    guild_id: str
    bot_id: str = ""
    """Bot of the role; empty for a role of people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """An account."""

    name: str
    is_bot: bool = False
    guild_ids: frozenset[str] = frozenset()
    """Servers of the bot that the account is in."""
    sees: frozenset[str] = frozenset()
    """Heard channels visible to the account."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscordWorld:
    """Knowledge of the bot about Discord."""

    bot_id: str
    guilds: Mapping[str, str]
    """Server id -> name."""
    places: Mapping[str, Place]
    roles: Mapping[str, RoleOf]
    persons: Mapping[str, Person] = field(default_factory=dict)
    """Accounts looked up, and bots with known roles."""
    knows_persons: bool = False
    """True if each account in the settings was looked up."""
    hidden: frozenset[str] = frozenset()
    """Existing channels that the bot may not view."""
    out: int = 0
    """Number of servers in an outage, with unknown channels."""

    def lacks(self, place: Place, *, opens_threads: bool) -> list[str]:
        """Names of the permissions missing for the bot in a channel."""
        if place.permissions & ADMINISTRATOR:
            return []
        needed = dict(PERMISSIONS)
        if opens_threads and place.kind in (PlaceKind.TEXT, PlaceKind.ANNOUNCEMENT):
            needed |= [THREADS_PERMISSION]
        return [name for name, bit in needed.items() if not place.permissions & bit]

    def children(self, category_id: str) -> list[str]:
        """Ids of the channels in a category."""
        inner = (key for key, place in self.places.items() if place.parent_id == category_id)
        return [key for key in inner if self.places[key].kind is not PlaceKind.THREAD]

    def heard_channels(self, channels: tuple[str, ...]) -> list[str]:
        """Ids of the channels and threads in a list of channels and categories."""
        inner = (self.children(each) for each in channels if self._is_category(each))
        named = [each for each in channels if each in self.places and not self._is_category(each)]
        return list(dict.fromkeys([*named, *(each for children in inner for each in children)]))

    def _is_category(self, channel_id: str) -> bool:
        place = self.places.get(channel_id)
        return place is not None and place.kind is PlaceKind.CATEGORY
