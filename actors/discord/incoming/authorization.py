"""Authorization: rights of a person and relevance of an action to the bot; asks Discord for missing facts."""

from __future__ import annotations

import logging

import discord

from actors.discord.calls.rest_calls import CallFailedError, CallRefusedError, RestCalls, is_limit
from actors.discord.incoming.arrival import Admitted, Origin
from actors.discord.incoming.places.window_map import NoWindow, WindowMap
from actors.discord.incoming.reading.names import NameBook
from domain.policy.access import Access, Standing, depends_on_roles, standing

log = logging.getLogger(__name__)

NOT_HERE = "I am not active in this channel."
NOT_HEARD = "You are not on the list of people that I listen to."

Verdict = Admitted | str | NoWindow
"""Window of an event and standing of its author; the reason of a refusal; or `UNKNOWN`."""
RolesFound = dict[int, frozenset[str]]
"""User id -> role ids, as far as looked up in this pass."""


class Authorization:
    """Judges by channel, person and roles; lives on the loop and outlives each client."""

    def __init__(self, *, window_map: WindowMap, access: Access, rest: RestCalls, names: NameBook) -> None:
        self.window_map = window_map
        self._names = names
        self._access = access
        self._rest = rest

    def judge(self, origin: Origin) -> Verdict:
        """Verdict on an event, as far as possible without asking Discord."""
        return self._verdict(origin, _roles_at_hand(origin))

    async def inquire(self, origin: Origin, roles: RolesFound) -> Admitted | str:
        """Verdict on an event, with questions to Discord.

        Args:
            origin: Author and place of the event.
            roles: Roles found so far; new ones are added.

        Raises:
            CallFailedError: Discord does not answer now; ask again, or the event is lost.
        """
        verdict = self.judge(origin)
        if verdict is NoWindow.UNKNOWN:
            try:
                verdict = await self._find_verdict(origin, roles)
            except CallRefusedError as error:
                if error.__cause__ is not None and is_limit(error.__cause__):
                    raise CallFailedError(str(error)) from error
                return NOT_HERE  # The channel or the person is gone.
        return str(verdict) if isinstance(verdict, NoWindow) else verdict

    def _verdict(self, origin: Origin, roles: frozenset[str] | None) -> Verdict:
        window = self.window_map.window_of(origin.channel)
        if window is NoWindow.ELSEWHERE:
            return NOT_HERE
        user_id = str(origin.author.id)
        if roles is None and depends_on_roles(self._access, user_id):
            return NoWindow.UNKNOWN
        stands = standing(self._access, user_id=user_id, role_ids=roles or ())
        if stands is Standing.NOBODY:
            return NOT_HEARD
        return window if isinstance(window, NoWindow) else Admitted(window, stands)

    async def _find_verdict(self, origin: Origin, roles: RolesFound) -> Verdict:
        if self.window_map.window_of(origin.channel) is NoWindow.UNKNOWN:
            channel = await self._rest.persist(
                "looking up a channel", lambda client: client.fetch_channel(int(origin.channel_id))
            )
            if self.window_map.learn(channel) is NoWindow.ELSEWHERE:
                return NOT_HERE
        role_ids = _roles_at_hand(origin)
        if role_ids is None and depends_on_roles(self._access, str(origin.author.id)):
            role_ids = await self._roles_of(origin, roles)
        return self._verdict(origin, role_ids or frozenset())

    async def _roles_of(self, origin: Origin, roles: RolesFound) -> frozenset[str]:
        author_id, guild_id = origin.author.id, origin.guild_id
        if author_id not in roles and guild_id is not None:
            member = await self._rest.persist(
                "looking up a member", lambda client: client.http.get_member(guild_id, author_id)
            )
            self._names.note(guild_id, author_id, member.get("nick"))
            roles[author_id] = frozenset(str(role) for role in member["roles"])
        return roles.get(author_id, frozenset())


def _roles_at_hand(origin: Origin) -> frozenset[str] | None:
    """Roles of the author if Discord sent them along, as with live events but not with history."""
    if not isinstance(origin.author, discord.Member) or not isinstance(origin.author.guild, discord.Guild):
        return None  # Of a server that discord.py doesn't know its roles are not known either.
    return frozenset(str(role.id) for role in origin.author.roles)
