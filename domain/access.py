"""Who is heard: the one rule for messages, commands and whatever else a person can do."""

from __future__ import annotations

from collections.abc import Iterable

from messages.base import Value

EVERYBODY = "*"
"""Among the users of an `Access`: whoever can write in the channel is heard."""


class Access(Value, frozen=True, kw_only=True, gc=False):
    """Those who are heard, by id and never by name; with both sets empty, nobody is."""

    users: frozenset[str]
    roles: frozenset[str] = frozenset()


def may(access: Access, *, user_id: str, role_ids: Iterable[str]) -> bool:
    """Whether the person with these roles is heard."""
    return EVERYBODY in access.users or user_id in access.users or not access.roles.isdisjoint(role_ids)


def depends_on_roles(access: Access, user_id: str) -> bool:
    """Whether `may` cannot be answered for this person without knowing their roles."""
    return bool(access.roles) and not may(access, user_id=user_id, role_ids=())
