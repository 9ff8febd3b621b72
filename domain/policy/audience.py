"""Audience of a window: the readers, and the texts that may be shown there without a new reader.

The permissions at the moment of showing decide, as stated by Discord then (`messages.discord.Readers`). Two
channels are compared overwrite by overwrite: words may be shown in another window only if every possible reader of the
target, with any roles, may read the source. The present holders of roles do not matter.

A label, `<guild id>:<channel id>:<reach>`, names a window's place for the log's metadata. The label
decides only the view of the logs for a window's commands. A thread's channel id is the parent's id.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, combinations

from messages.base import Window
from messages.discord import Grant, Readers


class Reach(StrEnum):
    """Readership of a window within the guild, at the time of the label."""

    EVERYONE = "everyone"
    """Every member: a channel visible to `@everyone`, or a public thread in such a channel."""
    CHANNEL = "channel"
    """Readers of the channel: the channel itself, or a public thread in the channel."""
    PRIVATE = "private"
    """Invited members: a private thread, or a direct message (with guild id 0)."""


@dataclass(frozen=True, slots=True)
class Audience:
    """Place of one window, and the readers at the time of the record."""

    guild_id: str
    channel_id: str
    reach: Reach

    def __str__(self) -> str:
        """The label."""
        return f"{self.guild_id}:{self.channel_id}:{self.reach.value}"

    @classmethod
    def parse(cls, label: str) -> Audience | None:
        """Audience of a label; None for an empty label.

        Raises:
            ValueError: `label` is neither empty nor `<guild id>:<channel id>:<reach>`.
        """
        if not label:
            return None
        guild_id, _, rest = label.partition(":")
        channel_id, _, reach = rest.partition(":")
        reaches = [each.value for each in Reach]
        if not guild_id.isdecimal() or not channel_id.isdecimal() or reach not in reaches:
            raise ValueError(f"audience {label!r}: must be <guild id>:<channel id>:<reach>, reach one of {reaches}")
        return cls(guild_id, channel_id, Reach(reach))


def may_show(source: Window, source_readers: Readers | None, target: Window, readers: Readers | None) -> bool:
    """True if words of `source` may be shown in `target`: all readers of `target` may read `source` anyway."""
    return source == target or admits(source_readers, readers)


def admits(source: Readers | None, target: Readers | None) -> bool:
    """True if words of a window with the readers `source` may be shown in any other with the readers `target`."""
    if source is None or target is None or source.is_private or source.guild_id != target.guild_id:
        return False
    return not any(_is_stranger(source, target, person) for person in _people(source, target))


def is_open(readers: Readers) -> bool:
    """True if every member of the server may read a window with the given readers."""
    return not readers.is_private and all(map(_is_everyones, readers.reads))


def _is_everyones(grant: Grant) -> bool:
    """True if every member has the permission."""
    return grant.is_default and not grant.denied_roles and not grant.denied_members


@dataclass(frozen=True, slots=True)
class _Person:
    """A possible member of the server: id, as far as an overwrite names the member, and roles."""

    member: str
    roles: frozenset[str]


def _is_stranger(source: Readers, target: Readers, person: _Person) -> bool:
    """True if `person` sees new messages in `target` but may not read the messages in `source`."""
    return _has(target.sees, person) and not all(_has(grant, person) for grant in source.reads)


def _has(grant: Grant, person: _Person) -> bool:
    """True if `person` has a permission: overwrites for the member count first, then for roles, then for everyone."""
    if person.member in grant.allowed_members:
        return True
    if person.member in grant.denied_members:
        return False
    if not person.roles.isdisjoint(grant.allowed_roles):
        return True
    if not person.roles.isdisjoint(grant.denied_roles):
        return False
    return grant.is_default or not person.roles.isdisjoint(grant.giving_roles)


def _people(source: Readers, target: Readers) -> Iterable[_Person]:
    """All kinds of people distinguishable by the permissions.

    Two roles suffice for each: of a stranger's roles, a single role admits to the target, and a single role excludes
    from the source; without further roles the person is still a stranger.
    """
    grants = (target.sees, *source.reads)
    role_sets = ((), *combinations(_sorts_of_roles(grants), 1), *combinations(_sorts_of_roles(grants), 2))
    for member in ("", *_sorts_of_members(grants)):
        for roles in role_sets:
            yield _Person(member, frozenset(roles))


def _sorts_of_roles(grants: Sequence[Grant]) -> list[str]:
    """One role of each kind: roles that no grant tells apart count as one role."""
    named = frozenset(
        chain.from_iterable((*each.giving_roles, *each.denied_roles, *each.allowed_roles) for each in grants)
    )
    sorts = {
        tuple(
            (role in each.giving_roles, role in each.denied_roles, role in each.allowed_roles) for each in grants
        ): role
        for role in sorted(named)
    }
    return list(sorts.values())


def _sorts_of_members(grants: Sequence[Grant]) -> list[str]:
    """One member of each kind, among members named by a grant."""
    named = frozenset(chain.from_iterable((*each.denied_members, *each.allowed_members) for each in grants))
    sorts = {
        tuple((member in each.denied_members, member in each.allowed_members) for each in grants): member
        for member in sorted(named)
    }
    return list(sorts.values())


NO_VIEW = "nobody"
"""Key of the view without logs, for windows with unknown readers."""


def view_key(audience_label: str) -> str:
    """Folder name of the readable logs for a window with a label, apart from the window's own logs.

    Windows of one channel share a view: a reader of a channel's thread sees the channel.

    Raises:
        ValueError: as `Audience.parse`.
    """
    audience = Audience.parse(audience_label)
    return NO_VIEW if audience is None else f"{audience.guild_id}-{audience.channel_id}"


def view_of(readers: Readers) -> str:
    """Folder name as in `view_key`, for a window with the given readers."""
    return f"{readers.guild_id}-{readers.channel_id}"
