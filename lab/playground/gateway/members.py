"""Payloads of READY and of the member chunks, straight from the world."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lab.discord_json import APPLICATION_FLAGS, application_flags
from lab.playground.gateway.session import GatewaySession
from lab.playground.world import defaults
from lab.playground.world.objects import Json, member_payload, user_payload
from lab.playground.world.records import User
from lab.playground.world.state import World

_CHUNK_MEMBERS = 1000


def ready(world: World, session: GatewaySession, resume_url: str) -> Json:
    """`d` of READY: the bot, the session, and its guilds as not available yet."""
    bot = user_payload(world.bot)
    return {
        "v": 10,
        "user": {**bot, "verified": True, "mfa_enabled": False, "email": None, "flags": 0},
        "guilds": [{"id": str(i), "unavailable": True} for i in filter(session.serves, world.guilds)],
        "private_channels": [],
        "session_id": session.session_id,
        "resume_gateway_url": resume_url,
        "shard": list(session.shard),
        "application": {"id": str(defaults.APPLICATION_ID), **application_flags(APPLICATION_FLAGS)},
    }


def member_chunks(world: World, request: Json) -> Iterator[Json]:
    """`d` of each GUILD_MEMBERS_CHUNK in answer to an op 8, at least one chunk."""
    members = _find_members(world, request)
    chunks = [members[i : i + _CHUNK_MEMBERS] for i in range(0, len(members), _CHUNK_MEMBERS)] or [[]]
    for index, chunk in enumerate(chunks):
        yield {
            "guild_id": str(request.get("guild_id") or defaults.GUILD_ID),
            "members": [member_payload(user) for user in chunk],
            "chunk_index": index,
            "chunk_count": len(chunks),
            "not_found": [],
            **({"nonce": request["nonce"]} if request.get("nonce") else {}),
        }


def _find_members(world: World, request: dict[str, Any]) -> list[User]:
    """Users by id, or by the beginning of their name."""
    query = str(request.get("query") or "").lower()
    asked_ids = request.get("user_ids")
    ids = {int(i) for i in (asked_ids if isinstance(asked_ids, list) else [asked_ids])} if asked_ids else None
    members = [
        user
        for user in world.users.values()
        if (user.id in ids if ids is not None else user.name.lower().startswith(query))
    ]
    return members[: int(request.get("limit") or 0) or None]
