"""Survey of Discord by REST for `agent doctor`: the settings' ids are compared with Discord's data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from actors.cli.setup.permissions import has_content_intent, in_channel
from actors.cli.setup.rest import DiscordError, DiscordRest
from actors.discord.part import discord_wish
from actors.part import DiscordConnection, Finding, Level
from actors.settings.schema import Settings
from domain.policy.access import EVERYBODY
from domain.policy.discord_world import KINDS, DiscordWorld, Person, Place, PlaceKind, RoleOf
from domain.policy.settings_faults import DiscordWish, settings_faults

MOST_GUILDS = 20
MOST_PEOPLE = 50
_NAME = "discord ids"
_VIEW = 1 << 10
_ADMINISTRATOR = 1 << 3
_INTENT = (
    "Message Content Intent is off: switch it on under Bot, Privileged Gateway Intents, in the Discord developer portal"
)


def survey_findings(settings: Settings, connection: DiscordConnection, now: datetime) -> Iterator[Finding]:
    """Findings on the token, the intent and each id in the settings; Discord is asked.

    Args:
        settings: The operator's decisions.
        connection: Discord's address, and the bot's token; nothing is asked without a token or a channel.
        now: Present time, aware.
    """
    if not connection.token or not connection.channels:
        return
    rest = DiscordRest(connection.api_base, connection.token, longest_wait_s=2.0)
    wish = discord_wish(settings, connection)
    try:
        me = rest.me()
        if not has_content_intent(rest.application()):
            yield Finding(_NAME, Level.FAIL, _INTENT)
        world = _Survey(rest, wish, str(me["id"])).world()
    except DiscordError as error:
        yield Finding(_NAME, Level.FAIL if error.status == 401 else Level.WARN, f"not checked: {error}")
        return
    faults = list(settings_faults(wish, world, int(now.timestamp() * 1000)))
    for fault in faults:
        yield Finding(_NAME, Level.OK if fault.is_note else Level.WARN, str(fault))
    if all(fault.is_note for fault in faults):
        channels = len(world.heard_channels(wish.channels))
        yield Finding(_NAME, Level.OK, f"Discord knows every id; {channels} channels are heard")


class _Survey:
    """Questions about the ids of a wish."""

    def __init__(self, rest: DiscordRest, wish: DiscordWish, bot_id: str) -> None:
        self._rest = rest
        self._wish = wish
        self._bot_id = bot_id
        self._places: dict[str, Place] = {}
        self._hidden: set[str] = set()
        self._roles: dict[str, RoleOf] = {}
        self._servers: dict[str, Mapping[str, Any]] = {}
        self._channels: dict[str, Mapping[str, Any]] = {}

    def world(self) -> DiscordWorld:
        """Knowledge of Discord about the ids.

        Raises:
            DiscordError: Discord cannot be asked.
        """
        guilds = {str(each["id"]): str(each["name"]) for each in self._rest.guilds()}
        for guild_id in list(guilds)[:MOST_GUILDS]:
            self._look_into(guild_id)
        wish = self._wish
        for channel_id in dict.fromkeys((*wish.channels, *filter(None, [wish.reminders_channel]), *wish.tables)):
            if channel_id not in self._places and channel_id not in guilds and channel_id not in self._roles:
                self._look_up(channel_id)
        known = DiscordWorld(bot_id=self._bot_id, guilds=guilds, places=self._places, roles=self._roles)
        channels = known.heard_channels(wish.channels)
        return DiscordWorld(
            bot_id=self._bot_id,
            guilds=guilds,
            places=self._places,
            roles=self._roles,
            persons=dict(self._people(channels)),
            knows_persons=True,
            hidden=frozenset(self._hidden),
            out=max(0, len(guilds) - MOST_GUILDS),
        )

    def _look_into(self, guild_id: str) -> None:
        guild, me = self._rest.guild(guild_id), self._rest.member(guild_id, self._bot_id)
        self._servers[guild_id] = guild
        for role in guild["roles"]:
            if str(role["id"]) != guild_id:
                tags = role.get("tags") or {}
                bot_id = str(tags.get("bot_id") or "")
                self._roles[str(role["id"])] = RoleOf(name=str(role.get("name")), guild_id=guild_id, bot_id=bot_id)
        for channel in self._rest.channels(guild_id):
            self._channels[str(channel["id"])] = channel
            permissions = in_channel(guild, me, channel)
            self._places[str(channel["id"])] = _place(channel, guild_id, permissions)

    def _look_up(self, channel_id: str) -> None:
        """Look up an id other than a server's channel: a thread, a hidden channel, or an unknown id."""
        try:
            channel = self._rest.get(f"/channels/{channel_id}")
        except DiscordError as error:
            if error.status == 403:
                self._hidden.add(channel_id)
            elif error.status != 404:
                raise
            return
        if isinstance(channel, dict) and str(channel.get("type", "")).isdecimal():
            parent = self._places.get(str(channel.get("parent_id")))
            permissions = parent.permissions if parent is not None else -1
            self._places[channel_id] = _place(channel, str(channel.get("guild_id") or ""), permissions)

    def _people(self, channels: list[str]) -> Iterator[tuple[str, Person]]:
        wish = self._wish
        wanted = [*wish.users, *filter(None, [wish.reminders_owner])]
        strange = [each for each in (*wish.channels, *wish.roles, *wish.viewer_roles) if self._is_unknown(each)]
        for user_id in list(dict.fromkeys([*wanted, *strange]))[:MOST_PEOPLE]:
            if user_id != EVERYBODY and (person := self._person(user_id, channels)) is not None:
                yield user_id, person

    def _is_unknown(self, number: str) -> bool:
        return not any(number in known for known in (self._places, self._roles, self._servers, self._hidden))

    def _person(self, user_id: str, channels: list[str]) -> Person | None:
        members: dict[str, Mapping[str, Any]] = {}
        for guild_id in self._servers:
            if (member := self._answer_to(f"/guilds/{guild_id}/members/{user_id}")) is not None:
                members[guild_id] = member
        user = next(iter(members.values()))["user"] if members else self._answer_to(f"/users/{user_id}")
        if user is None:
            return None
        sees = (each for each in channels if self._may_view(each, members))
        name = str(user.get("global_name") or user.get("username"))
        return Person(name=name, is_bot=bool(user.get("bot")), guild_ids=frozenset(members), sees=frozenset(sees))

    def _may_view(self, channel_id: str, members: Mapping[str, Mapping[str, Any]]) -> bool:
        place = self._places[channel_id]
        channel = self._channels.get(place.parent_id if place.kind is PlaceKind.THREAD else channel_id)
        member, guild = members.get(place.guild_id), self._servers.get(place.guild_id)
        if channel is None or member is None or guild is None:
            return False
        is_owner = str(guild.get("owner_id")) == str(member["user"]["id"])
        return is_owner or bool(in_channel(guild, member, channel) & (_VIEW | _ADMINISTRATOR))

    def _answer_to(self, path: str) -> Mapping[str, Any] | None:
        """Answer to `GET path`; None for an unknown object."""
        try:
            answer = self._rest.get(path)
        except DiscordError as error:
            if error.status in (400, 403, 404):
                return None
            raise
        return answer if isinstance(answer, dict) else None


def _place(channel: Mapping[str, Any], guild_id: str, permissions: int) -> Place:
    return Place(
        name=str(channel.get("name") or ""),
        kind=KINDS.get(int(channel["type"]), PlaceKind.OTHER),
        guild_id=guild_id,
        parent_id=str(channel.get("parent_id") or ""),
        permissions=permissions,
    )
