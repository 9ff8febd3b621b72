"""Access control: who is heard, by one rule for messages, commands, buttons and whatever else a person can do."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from messages.base import Value, make_ready

EVERYBODY = "*"
"""Among the users of an `Access`: every user who can write in the channel is heard."""


class Standing(StrEnum):
    """Rights of a person."""

    NOBODY = "nobody"
    """Nothing: the bot doesn't hear them."""
    VIEWER = "viewer"
    """Talk with the model, which gets no bash for it."""
    MEMBER = "member"
    """Everything."""


class Access(Value, frozen=True, kw_only=True, gc=False):
    """Users who are heard, by id and never by name; with all sets empty, no user is heard."""

    users: frozenset[str]
    roles: frozenset[str] = frozenset()
    viewer_roles: frozenset[str] = frozenset()


def standing(access: Access, *, user_id: str, role_ids: Iterable[str]) -> Standing:
    """Standing of a person with these roles."""
    roles = frozenset(role_ids)
    if EVERYBODY in access.users or user_id in access.users or not access.roles.isdisjoint(roles):
        return Standing.MEMBER
    return Standing.NOBODY if access.viewer_roles.isdisjoint(roles) else Standing.VIEWER


def depends_on_roles(access: Access, user_id: str) -> bool:
    """True if `standing` needs the roles of this person."""
    if not access.roles and not access.viewer_roles:
        return False
    return standing(access, user_id=user_id, role_ids=()) is Standing.NOBODY


make_ready(__name__)
