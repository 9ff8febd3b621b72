"""Names of people, channels and roles, as members of a server see them; one person has one name in a server."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from itertools import islice

import discord

from actors.discord.calls.parsing import WireMessage
from actors.discord.calls.rest_calls import CallFailedError, CallRefusedError, RestCalls
from domain.text.mention import YOU, Mentioned, NameOf
from domain.turn.discord.said import account_name
from domain.turn.discord.wire import Wire, id_at, object_at, objects_at, text_at

log = logging.getLogger(__name__)

_PEOPLE = 20_000
_ASKED_AT_ONCE = 10
"""Most names requested because of one message in history."""

IsOpen = Callable[[discord.abc.GuildChannel | discord.Thread], bool]
"""True if every member of the server may read a channel."""


class NameBook:
    """Nicknames of people, from live messages and, for authors in history, from Discord; in memory and bounded.

    Discord sends nicknames with live messages only. Without this book one person would have two names in a window:
    a nickname live, and the account's name in what was caught up.
    """

    def __init__(self, rest: RestCalls, is_open: IsOpen) -> None:
        """Begin without names.

        Args:
            rest: Asks for nicknames.
            is_open: Decides if a channel may be named to everyone.
        """
        self._rest = rest
        self._is_open = is_open
        self._nicks: dict[tuple[int, int], str] = {}
        """Server and person -> nickname; empty for a person without one."""

    def learn(self, message: WireMessage) -> None:
        """Note the nicknames in a message: of the author, and of mentioned people."""
        guild_id, wire = guild_of(message), message.wire
        if guild_id is None:
            return
        if member := object_at(wire, "member"):
            self.note(guild_id, message.author.id, text_at(member, "nick"))
        for user in objects_at(wire, "mentions"):
            if (number := id_at(user, "id")) and (member := object_at(user, "member")):
                self.note(guild_id, int(number), text_at(member, "nick"))

    def note(self, guild_id: int, user_id: int, nick: str | None) -> None:
        """Note a person's nickname in a server; None or empty for a person without one."""
        self._nicks.pop((guild_id, user_id), None)
        self._nicks[guild_id, user_id] = nick or ""
        if len(self._nicks) > _PEOPLE:
            for key in list(islice(self._nicks, _PEOPLE // 8)):
                del self._nicks[key]

    async def inquire(self, message: WireMessage) -> None:
        """Ask for the nicknames missing from a message in history; a name that Discord does not give stays out."""
        guild_id = guild_of(message)
        if guild_id is None:
            return
        for user_id in islice(dict.fromkeys(_people_of(message)), _ASKED_AT_ONCE):
            if (guild_id, user_id) not in self._nicks:
                await self._ask(guild_id, user_id)

    async def _ask(self, guild_id: int, user_id: int) -> None:
        try:
            member = await self._rest.persist(
                "looking up a member", lambda client: client.http.get_member(guild_id, user_id)
            )
        except CallRefusedError:
            self.note(guild_id, user_id, None)  # gone from the server, and without a nickname
        except CallFailedError as error:
            log.warning("the nickname of person %d is not known: %s", user_id, error)
        else:
            self.note(guild_id, user_id, member.get("nick"))

    def author_name(self, message: WireMessage) -> str:
        """Name of a message's author."""
        guild_id = guild_of(message)
        nick = "" if guild_id is None else self._nicks.get((guild_id, message.author.id), "")
        return nick or message.author.display_name

    def user_name(self, message: WireMessage, user: Wire) -> str:
        """Name of a Discord user mentioned in a message."""
        number, guild_id = id_at(user, "id"), guild_of(message)
        nick = self._nicks.get((guild_id, int(number)), "") if number and guild_id is not None else ""
        return nick or account_name(user) or "somebody"

    def name_of(self, message: WireMessage) -> NameOf:
        """Names for the mentions of a message: nicknames, roles, and channels that all members may read."""
        guild_id = guild_of(message)
        guild = message.guild if isinstance(message.guild, discord.Guild) else None

        def name(kind: Mentioned, number: str) -> str:
            match kind:
                case Mentioned.PERSON:
                    return self._person_name(message, guild_id, int(number))
                case Mentioned.ROLE:
                    return "" if guild is None else self._role_name(guild, int(number))
                case Mentioned.CHANNEL:
                    channel = None if guild is None else guild.get_channel_or_thread(int(number))
                    if channel is None or not (channel.id == message.channel.id or self._is_open(channel)):
                        return ""  # its name is for those who may see the channel
                    return channel.name

        return name

    def _person_name(self, message: WireMessage, guild_id: int | None, user_id: int) -> str:
        nick = "" if guild_id is None else self._nicks.get((guild_id, user_id), "")
        me = message._state.user
        return f"{nick or me.display_name}{YOU}" if me is not None and me.id == user_id else nick

    def _role_name(self, guild: discord.Guild, role_id: int) -> str:
        role = guild.get_role(role_id)
        if role is None:
            return ""
        is_own = role.tags is not None and role.tags.bot_id == self._rest.bot_id()
        return f"{role.name}{YOU}" if is_own else role.name


def guild_of(message: discord.Message) -> int | None:
    """Server of a message, also outside discord.py's cache."""
    if message.guild is not None:
        return message.guild.id
    return message.channel.guild_id if isinstance(message.channel, discord.PartialMessageable) else None


def mentions_role_of(message: WireMessage, role_ids: Iterable[int], bot_id: int) -> bool:
    """True if `role_ids` contain the role that Discord reserves for the bot alone."""
    if not isinstance(message.guild, discord.Guild):
        return False
    roles = filter(None, map(message.guild.get_role, role_ids))
    return any(role.tags is not None and role.tags.bot_id == bot_id for role in roles)


def _people_of(message: WireMessage) -> Iterable[int]:
    """Author, author of the answered message, and mentioned people; without webhooks, as a webhook is no member."""
    if message.webhook_id is None:
        yield message.author.id
    answered = object_at(message.wire, "referenced_message")
    users = (
        object_at(answered, "author") if answered.get("webhook_id") is None else {},
        *objects_at(message.wire, "mentions"),
    )
    yield from (int(number) for user in users if user.get("bot") is not True and (number := id_at(user, "id")))
