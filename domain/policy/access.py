"""Access control: users with access, by one rule for messages, commands, buttons and all other actions."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from messages.base import Value, make_ready

EVERYBODY = "*"
"""Entry in an `Access` that admits every user who can write in the channel."""


class Standing(StrEnum):
    """Rights of a person."""

    NOBODY = "nobody"
    """No access: the bot ignores the user."""
    VIEWER = "viewer"
    """Talk with the model, without bash for the model."""
    MEMBER = "member"
    """Everything."""


class Access(Value, frozen=True, kw_only=True, gc=False):
    """Users with access, by id and never by name; with all sets empty, no user has access."""

    users: frozenset[str]
    roles: frozenset[str] = frozenset()
    viewer_roles: frozenset[str] = frozenset()


def standing(access: Access, *, user_id: str, role_ids: Iterable[str]) -> Standing:
    """Standing of a person with the given roles."""
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
