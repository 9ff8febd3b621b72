"""Random servers as discord.py holds them, and who reads what in them by Discord's own documentation."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, combinations
from types import SimpleNamespace
from typing import Any, cast

import discord

ADMINISTRATOR, VIEW, HISTORY, CONNECT = 1 << 3, 1 << 10, 1 << 16, 1 << 20
ALL = (1 << 53) - 1
GUILD, OWNER = 1, 90
ROLES = (11, 12, 13)
MEMBERS = (91, 92)
STRANGER = 99
VOICE = 2


@dataclass
class FakeGuild:
    """A server: its roles' permissions, and for each channel its type and overwrites as the gateway sends them."""

    roles: dict[int, int]
    channels: list[tuple[int, list[dict[str, Any]]]] = field(default_factory=list)

    @classmethod
    def random(cls, dice: random.Random) -> FakeGuild:
        """Any server; permissions that matter are likely."""
        base = {role: _bits(dice, 0.25) for role in ROLES}
        made = cls(
            {GUILD: _bits(dice, 0.6)}
            | {role: bits | (ADMINISTRATOR * (dice.random() < 0.1)) for role, bits in base.items()}
        )
        if dice.random() < 0.02:
            made.roles[GUILD] |= ADMINISTRATOR
        for _ in range(2):
            targets = [target for target in (GUILD, *ROLES, *MEMBERS, OWNER) if dice.random() < 0.4]
            overwrites = [
                {
                    "id": target,
                    "type": int(target in (*MEMBERS, OWNER)),
                    "allow": str(_bits(dice, 0.3)),
                    "deny": str(_bits(dice, 0.3)),
                }
                for target in targets
            ]
            made.channels.append((VOICE if dice.random() < 0.15 else 0, overwrites))
        return made

    def held(self) -> list[discord.abc.GuildChannel]:
        """The channels as discord.py holds them."""
        guild = discord.Guild(data=cast("Any", self._payload()), state=cast("Any", _State()))
        return list(guild.channels)

    def _payload(self) -> dict[str, Any]:
        roles = [
            {
                "id": role,
                "name": "r",
                "permissions": str(bits),
                "colors": {"primary_color": 0},
                "flags": 0,
                "position": 0,
            }
            for role, bits in self.roles.items()
        ]
        channels = [
            {"id": 100 + number, "type": kind, "name": "c", "position": number, "permission_overwrites": overwrites}
            | ({"bitrate": 64000, "user_limit": 0} if kind == VOICE else {})
            for number, (kind, overwrites) in enumerate(self.channels)
        ]
        return {"id": GUILD, "name": "g", "owner_id": OWNER, "roles": roles, "channels": channels, "features": []}

    def people(self) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Everybody who could be a member, with all roles that he could have."""
        sets = chain.from_iterable(combinations(ROLES, size) for size in range(len(ROLES) + 1))
        for roles in sets:
            for member in (*MEMBERS, OWNER, STRANGER):
                yield member, roles

    def permissions(self, channel: int, member: int, roles: tuple[int, ...]) -> int:
        """What somebody may do in a channel: `compute_overwrites(compute_base_permissions(...))` of the documentation."""
        if member == OWNER:
            return ALL
        permissions = self.roles[GUILD]
        for role in roles:
            permissions |= self.roles[role]
        if permissions & ADMINISTRATOR:
            return ALL
        overwrites = {each["id"]: each for each in self.channels[channel][1]}
        if (everyone := overwrites.get(GUILD)) is not None:
            permissions &= ~int(everyone["deny"])
            permissions |= int(everyone["allow"])
        allow = deny = 0
        for role in roles:
            if (of_role := overwrites.get(role)) is not None:
                allow |= int(of_role["allow"])
                deny |= int(of_role["deny"])
        permissions &= ~deny
        permissions |= allow
        if (of_member := overwrites.get(member)) is not None:
            permissions &= ~int(of_member["deny"])
            permissions |= int(of_member["allow"])
        return permissions

    def sees(self, channel: int, member: int, roles: tuple[int, ...]) -> bool:
        """Whether somebody sees what is said in a channel."""
        return bool(self.permissions(channel, member, roles) & VIEW)

    def reads(self, channel: int, member: int, roles: tuple[int, ...]) -> bool:
        """Whether somebody may read what was said in a channel."""
        needed = VIEW | HISTORY | (CONNECT if self.channels[channel][0] == VOICE else 0)
        return self.permissions(channel, member, roles) & needed == needed

    def has_new_reader(self, source: int, target: int) -> bool:
        """Whether anybody who sees the target could not read the source."""
        return any(self.sees(target, *person) and not self.reads(source, *person) for person in self.people())


def _bits(dice: random.Random, likelihood: float) -> int:
    return sum(bit for bit in (VIEW, HISTORY, CONNECT) if dice.random() < likelihood)


class _State(SimpleNamespace):
    """As much of discord.py's connection as a guild asks for."""

    shard_count = None
    cache_guild_expressions = False
    self_id = 1
    member_cache_flags = discord.MemberCacheFlags.none()
    user = SimpleNamespace(id=1)
