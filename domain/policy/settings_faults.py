"""Faults of settings about Discord: ids that can never work as given, each with value, reason and remedy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from domain.policy.access import EVERYBODY
from domain.policy.channel_rules import ChannelRules
from domain.policy.discord_world import DiscordWorld, Place, PlaceKind

_SNOWFLAKE_BITS = 22
_EPOCH_MS = 1_420_070_400_000
_DAY_MS = 86_400_000
_NO_WORDS = frozenset({PlaceKind.CATEGORY, PlaceKind.FORUM, PlaceKind.MEDIA, PlaceKind.OTHER})
"""Kinds of channels without messages of their own."""
_ABOUT = {
    PlaceKind.VOICE: "its text chat is heard, its speech is not",
    PlaceKind.STAGE: "its text chat is heard, its speech is not",
    PlaceKind.FORUM: "each of its posts is heard as a conversation",
    PlaceKind.MEDIA: "each of its posts is heard as a conversation",
    PlaceKind.THREAD: "only this thread is heard, not its channel",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscordWish:
    """Settings about Discord with ids."""

    channels: tuple[str, ...] = ()
    users: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    viewer_roles: tuple[str, ...] = ()
    dms: bool = False
    reminders_channel: str = ""
    """Channel of reminders without a place of their own; empty for the first of `channels`."""
    reminders_owner: str = ""
    has_reminders: bool = True
    tables: tuple[str, ...] = ()
    """Ids of channels with settings of their own."""
    rules: ChannelRules = field(default_factory=ChannelRules)


@dataclass(frozen=True, slots=True)
class SettingsFault:
    """Setting with a value without effect, or with an unexpected effect."""

    key: str
    text: str
    """Value and reason, with the remedy."""
    is_note: bool = False
    """True for a remark on a working setting."""

    def __str__(self) -> str:
        """Fault in the operator's words."""
        return f"{self.key}: {self.text}"


def settings_faults(wish: DiscordWish, world: DiscordWorld, now_ms: int) -> Iterator[SettingsFault]:
    """Faults of the settings, in the order of the keys.

    Args:
        wish: Settings in force.
        world: Knowledge of the bot; what is unknown counts as no fault where a server is out.
        now_ms: Present time in milliseconds since 1970.
    """
    finder = _Finder(wish, world, now_ms)
    yield from finder.channels()
    yield from finder.users()
    for key, roles in (("discord.allowed_roles", wish.roles), ("discord.viewer_roles", wish.viewer_roles)):
        yield from finder.roles(key, roles)
    yield from finder.direct_messages()
    yield from finder.reminders()
    yield from finder.tables()


class _Finder:
    def __init__(self, wish: DiscordWish, world: DiscordWorld, now_ms: int) -> None:
        self._wish = wish
        self._world = world
        self._newest = (now_ms + _DAY_MS - _EPOCH_MS) << _SNOWFLAKE_BITS
        self._heard_channels = world.heard_channels(wish.channels)
        self._heard_guilds = {world.places[each].guild_id for each in self._heard_channels}

    def channels(self) -> Iterator[SettingsFault]:
        """Faults of `discord.channels`, and of the permissions in each channel."""
        key, world = "discord.channels", self._world
        yield from _find_doubles(key, self._wish.channels)
        for channel_id in dict.fromkeys(self._wish.channels):
            place = world.places.get(channel_id)
            if place is None:
                yield from self._strange(key, channel_id, "channel")
            elif place.kind is PlaceKind.CATEGORY:
                if not world.children(channel_id):
                    words = "has no channels yet; channels that are made in it will be heard"
                    yield SettingsFault(
                        key, f"{channel_id} is the category {place.name!r}, which {words}", is_note=True
                    )
            elif place.kind in (PlaceKind.DIRECT, PlaceKind.OTHER):
                yield SettingsFault(key, f"{channel_id} is a {place.kind}; discord.dms decides about direct messages")
            elif place.kind in _ABOUT:
                yield SettingsFault(
                    key, f"{channel_id} is the {place.kind} {place.name!r}: {_ABOUT[place.kind]}", is_note=True
                )
        for channel_id in self._heard_channels:
            yield from self._permissions(key, channel_id, world.places[channel_id])

    def _permissions(self, key: str, channel_id: str, place: Place) -> Iterator[SettingsFault]:
        rule = self._wish.rules.of((channel_id, place.parent_id))
        if lacks := self._world.lacks(place, opens_threads=rule.opens_threads):
            text = f"in {channel_id} ({place.name!r}) the bot lacks {', '.join(lacks)}: grant it there or by its role"
            yield SettingsFault(key, text)
        if rule.opens_threads and place.kind in (PlaceKind.VOICE, PlaceKind.STAGE):
            text = (
                f"{channel_id} ({place.name!r}) is a {place.kind}, which has no threads: questions are answered there"
            )
            yield SettingsFault("discord.threads", text, is_note=True)

    def users(self) -> Iterator[SettingsFault]:
        """Faults of `discord.allowed_users`."""
        key, named = "discord.allowed_users", [each for each in self._wish.users if each != EVERYBODY]
        yield from _find_doubles(key, named)
        if EVERYBODY in self._wish.users and named:
            yield SettingsFault(key, f'"*" is everyone, so {", ".join(named)} change nothing', is_note=True)
        for user_id in dict.fromkeys(named):
            yield from self._person(key, user_id)

    def _person(self, key: str, user_id: str) -> Iterator[SettingsFault]:
        world, person = self._world, self._world.persons.get(user_id)
        if user_id == world.bot_id:
            yield SettingsFault(key, f"{user_id} is the bot itself, which ignores its own messages")
        elif person is not None and person.is_bot:
            yield SettingsFault(key, f"{user_id} is the bot {person.name!r}: messages of bots are ignored")
        elif person is None and (world.knows_persons or self._is_known(user_id) or int(user_id) > self._newest):
            yield from self._strange(key, user_id, "account")
        elif person is not None and world.knows_persons and self._heard_guilds:
            if person.guild_ids.isdisjoint(self._heard_guilds):
                text = f"{user_id} ({person.name!r}) is in no server with a channel of discord.channels"
                yield SettingsFault(key, text)
            elif not person.sees:
                text = f"{user_id} ({person.name!r}) may view none of the channels of discord.channels"
                yield SettingsFault(key, text)

    def roles(self, key: str, roles: Sequence[str]) -> Iterator[SettingsFault]:
        """Faults of a list of roles."""
        yield from _find_doubles(key, roles)
        for role_id in dict.fromkeys(roles):
            role = self._world.roles.get(role_id)
            if role_id in self._world.guilds:
                name = self._world.guilds[role_id]
                text = f'{role_id} is @everyone of the server {name!r}: write discord.allowed_users = ["*"] instead'
                yield SettingsFault(key, text)
            elif role is None:
                yield from self._strange(key, role_id, "role")
            elif role.bot_id:
                yield SettingsFault(key, f"{role_id} is the role {role.name!r} of a bot: people cannot have it")
            elif self._heard_guilds and role.guild_id not in self._heard_guilds:
                server = self._world.guilds.get(role.guild_id, role.guild_id)
                text = f"{role_id} is a role of the server {server!r}, of which no channel is in discord.channels"
                yield SettingsFault(key, text)

    def direct_messages(self) -> Iterator[SettingsFault]:
        """Faults of `discord.dms`."""
        if self._wish.dms and not self._wish.users:
            text = "true, but direct messages have no roles, so all of them are ignored: name people in allowed_users"
            yield SettingsFault("discord.dms", text)

    def reminders(self) -> Iterator[SettingsFault]:
        """Faults of the place and owner of reminders."""
        if not self._wish.has_reminders:
            return
        configured = self._wish.reminders_channel
        channel_id = configured or next(iter(self._wish.channels), "")
        place = self._world.places.get(channel_id)
        if place is not None and place.kind in _NO_WORDS:
            source = "" if configured else " (the first of discord.channels)"
            text = f"{channel_id}{source} is the {place.kind} {place.name!r}, which takes no messages: name a channel"
            yield SettingsFault("reminders.channel", text)
        elif place is None and configured:
            yield from self._strange("reminders.channel", configured, "channel")
        if self._wish.reminders_owner:
            yield from self._owner("reminders.owner", self._wish.reminders_owner)

    def _owner(self, key: str, owner_id: str) -> Iterator[SettingsFault]:
        person = self._world.persons.get(owner_id)
        if owner_id == self._world.bot_id or (person is not None and person.is_bot):
            yield SettingsFault(key, f"{owner_id} is a bot: only people can be reminded")
        elif person is None and (self._world.knows_persons or self._is_known(owner_id)):
            yield from self._strange(key, owner_id, "account")

    def tables(self) -> Iterator[SettingsFault]:
        """Faults of the ids of `[channels.<id>]`."""
        channels = {*self._heard_channels, *self._wish.channels}
        channels |= {self._world.places[each].parent_id for each in self._heard_channels} - {""}
        for channel_id in self._wish.tables:
            key, place = f"channels.{channel_id}", self._world.places.get(channel_id)
            if place is None:
                yield from self._strange("channels", channel_id, "channel")
            elif channel_id not in channels and place.parent_id not in channels:
                text = f"the {place.kind} {place.name!r} is not heard: add it to discord.channels"
                yield SettingsFault(key, text)

    # ids that are not what they should be

    def _is_known(self, number: str) -> bool:
        world = self._world
        return number in world.places or number in world.roles or number in world.guilds or number in world.hidden

    def _strange(self, key: str, number: str, wanted: str) -> Iterator[SettingsFault]:
        """Fault of an id that is no channel, account or role, according to `wanted`; none while a server is out."""
        if number in self._world.hidden:
            text = f"{number} is a channel that the bot may not view: grant View Channels there"
        elif (other := self._other_kind(number)) != "":
            text = f"{number} is {other}, and not the id of {_article(wanted)}"
        elif int(number) > self._newest:
            text = f"{number} is not an id: its number stands for a time in the future"
        elif near := self._rounded_from(number, wanted):
            text = f"{number} is a rounded number, as YAML and JSON readers make them: write {near}, in quotes"
        elif self._world.out and wanted != "account":
            return
        else:
            servers = ", ".join(map(repr, self._world.guilds.values())) or "none"
            where = "that Discord knows" if wanted == "account" else f"of a server that the bot is in ({servers})"
            rounded = "; it ends in zeros, as rounded numbers do" if number.endswith("00") else ""
            text = f"{number} is no {wanted} {where}{rounded}: copy the id again"
        yield SettingsFault(key, text)

    def _other_kind(self, number: str) -> str:
        world = self._world
        if number == world.bot_id:
            return "the bot itself (its user and application have one id)"
        if number in world.guilds:
            return f"the server {world.guilds[number]!r}"
        if (place := world.places.get(number)) is not None:
            return f"the {place.kind} {place.name!r}"
        if (role := world.roles.get(number)) is not None:
            return f"the role {role.name!r}"
        if (person := world.persons.get(number)) is not None:
            return f"the {'bot' if person.is_bot else 'account'} {person.name!r}"
        return ""

    def _rounded_from(self, number: str, wanted: str) -> str:
        """Known ids that a reader with 53 bits would have turned into this id."""
        world = self._world
        places = {key: each.name for key, each in world.places.items()} if wanted == "channel" else {}
        roles = {key: each.name for key, each in world.roles.items()} if wanted == "role" else {}
        near = [f"{each} ({name!r})" for each, name in (places | roles).items() if float(each) == float(number)]
        return " or ".join(near)


def _article(wanted: str) -> str:
    return f"an {wanted}" if wanted[0] in "aeiou" else f"a {wanted}"


def _find_doubles(key: str, values: Sequence[str]) -> Iterator[SettingsFault]:
    for value in dict.fromkeys(values):
        if (count := values.count(value)) > 1:
            yield SettingsFault(key, f"{value} stands there {count} times", is_note=True)
