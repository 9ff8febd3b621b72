"""REST: channels, people, the guild, files."""

from __future__ import annotations

from aiohttp import web

from domain.turn.attachments import image_type
from lab.discord_json import application_flags
from lab.playground.gateway.transport import reset_transport
from lab.playground.hub import Hub
from lab.playground.rest.route import Call, Route
from lab.playground.world import rules
from lab.playground.world.errors import ApiError
from lab.playground.world.faults import Fault, FaultKind
from lab.playground.world.objects import ALL_PERMISSIONS, Json, member_payload, user_payload
from lab.playground.world.records import Channel
from lab.playground.world.state import thread_state

MESSAGE_CONTENT = 1 << 15
"""Among the intents."""
MAY_READ = 1 << 19
"""Among an application's flags: the same intent, for a bot in few servers."""


def _patch(call: Call) -> Json:
    channel, payload = call.channel, call.payload
    if "name" in payload:
        channel.name = rules.clean_channel_name(payload["name"])
    if channel.thread is None:
        channel.topic = payload.get("topic", channel.topic)
    else:
        _change_thread(call, channel)
    call.hub.update_channel(channel)
    return call.hub.payloads.channel(channel)


def _change_thread(call: Call, thread: Channel) -> None:
    payload, state = call.payload, thread_state(thread)
    if state.archived and set(payload) - {"archived", "locked"} and payload.get("archived") is not False:
        raise ApiError(400, 50083, "Tried to perform an operation on an archived thread")
    if payload.get("auto_archive_duration") is not None:
        rules.check_archive_minutes(int(payload["auto_archive_duration"]))
        state.auto_archive_minutes = int(payload["auto_archive_duration"])
    state.locked = bool(payload.get("locked", state.locked))
    call.world.set_archived(thread, bool(payload.get("archived", state.archived)))


def _delete(call: Call) -> Json:
    channel = call.channel
    payload = call.hub.payloads.channel(channel)
    call.hub.delete_channel(channel)
    return payload


def _guild(call: Call) -> Json:
    count = len(call.world.users)
    counts = {"approximate_member_count": count, "approximate_presence_count": count}
    return {**call.hub.payloads.guild(call.guild_id), **counts}


def _channels(call: Call) -> list[Json]:
    payloads = call.hub.payloads
    return [payloads.channel(channel) for channel in payloads.guild_channels(call.guild_id)]


def _member(call: Call) -> Json:
    call.world.known_guild(call.id("guild_id"))
    return member_payload(call.user)


def _search(call: Call) -> list[Json]:
    """Members by the beginning of their name, as in Discord's search: without a privileged intent."""
    call.world.known_guild(call.id("guild_id"))
    begin = str(call.query.get("query", "")).casefold()
    most = min(int(call.query.get("limit", "1")), 1000)
    users = [user for user in call.world.users.values() if user.name.casefold().startswith(begin)]
    return [member_payload(user) for user in users][:most]


def _guilds(call: Call) -> list[Json]:
    return [
        {
            "id": str(guild_id),
            "name": name,
            "icon": None,
            "banner": None,
            "features": [],
            "owner": False,
            "permissions": ALL_PERMISSIONS,
        }
        for guild_id, name in call.world.guilds.items()
    ]


def _me(call: Call) -> Json:
    return {**user_payload(call.bot), "verified": True, "mfa_enabled": False, "locale": "en-US"}


def _dm(call: Call) -> Json:
    return call.hub.payloads.channel(call.world.dm_with(call.world.user(int(call.payload["recipient_id"]))))


def _application(call: Call) -> Json:
    described = call.hub.payloads.application()
    if not call.hub.config.allowed_intents & MESSAGE_CONTENT:
        described |= application_flags(described["flags"] & ~MAY_READ)
    return described


def _gateway_bot(call: Call) -> Json:
    start = {"total": 1000, "remaining": 999, "reset_after": 86_400_000, "max_concurrency": 1}
    shards = call.hub.config.recommended_shards
    return {"url": call.hub.gateway.url, "shards": shards, "session_start_limit": start}


_CHANNEL, _GUILD = "/channels/{channel_id}", "/guilds/{guild_id}"

ROUTES = (
    Route("GET", _CHANNEL, lambda c: c.hub.payloads.channel(c.channel), major="channel_id"),
    Route("PATCH", _CHANNEL, _patch, major="channel_id"),
    Route("DELETE", _CHANNEL, _delete, major="channel_id"),
    Route("GET", _GUILD, _guild, major="guild_id"),
    Route("GET", _GUILD + "/channels", _channels, major="guild_id"),
    Route("GET", _GUILD + "/members/search", _search, major="guild_id"),
    Route("GET", _GUILD + "/members/{user_id}", _member, major="guild_id"),
    Route("GET", "/users/@me/guilds", _guilds),
    Route("GET", "/users/@me", _me),
    Route("GET", "/users/{user_id}", lambda c: user_payload(c.user)),
    Route("POST", "/users/@me/channels", _dm),
    Route("GET", "/oauth2/applications/@me", _application),
    Route("GET", "/applications/@me", _application),
    Route("GET", "/gateway", lambda c: {"url": c.hub.gateway.url}),
    Route("GET", "/gateway/bot", _gateway_bot),
)


async def serve_file(hub: Hub, request: web.Request) -> web.Response:
    """Bytes of an attachment with a signed address, as on Discord's CDN."""
    fault = hub.faults.take("GET", request.path)
    if fault is not None and (instead := await _instead_of_file(request, fault)) is not None:
        return instead
    data = hub.files.get(int(request.match_info["attachment_id"]))
    if data is None:
        raise web.HTTPNotFound(text="This content is no longer available.")
    headers = {"Content-Disposition": "attachment", "X-Content-Type-Options": "nosniff"}
    return web.Response(body=data, content_type=image_type(data) or "application/octet-stream", headers=headers)


async def _instead_of_file(request: web.Request, fault: Fault) -> web.Response | None:
    """Answer of the CDN under a fault; None for the file, perhaps late."""
    if fault.kind in (FaultKind.ABORT_BEFORE, FaultKind.ABORT_AFTER):
        reset_transport(request.transport)
    elif fault.kind is FaultKind.DELAY:
        await fault.delay()
        return None
    status = fault.status if fault.kind is FaultKind.HTML else int(fault.kind[:3]) if fault.kind[0] in "45" else 503
    return web.Response(status=status, text=f"{fault.kind}: injected")
