"""REST: channels, people, the guild, files."""

from __future__ import annotations

from aiohttp import web

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
"""Among an application's flags: the same intent, of a bot that is in few servers."""


class ChannelRoutes:
    """Handlers of channels, people and the bot's own account."""

    def __init__(self, hub: Hub) -> None:
        """Keep the hub.

        Args:
            hub: The playground.
        """
        self._hub = hub

    def routes(self) -> list[Route]:
        """The routes."""
        channel, guild = "/channels/{channel_id}", "/guilds/{guild_id}"
        return [
            Route("GET", channel, self._get, major="channel_id"),
            Route("PATCH", channel, self._patch, major="channel_id"),
            Route("DELETE", channel, self._delete, major="channel_id"),
            Route("GET", guild, self._guild, major="guild_id"),
            Route("GET", guild + "/channels", self._channels, major="guild_id"),
            Route("GET", guild + "/members/search", self._search, major="guild_id"),
            Route("GET", guild + "/members/{user_id}", self._member, major="guild_id"),
            Route("GET", "/users/@me/guilds", self._guilds),
            Route("GET", "/users/@me", self._me),
            Route("GET", "/users/{user_id}", self._user),
            Route("POST", "/users/@me/channels", self._dm),
            Route("GET", "/oauth2/applications/@me", self._application),
            Route("GET", "/applications/@me", self._application),
            Route("GET", "/gateway", self._gateway),
            Route("GET", "/gateway/bot", self._gateway_bot),
        ]

    async def serve_file(self, request: web.Request) -> web.Response:
        """The bytes of an attachment, whose address carries a signature, as on Discord's CDN."""
        fault = self._hub.faults.take("GET", request.path)
        if fault is not None and (instead := await _instead_of_file(request, fault)) is not None:
            return instead
        data = self._hub.files.get(int(request.match_info["attachment_id"]))
        if data is None:
            raise web.HTTPNotFound(text="This content is no longer available.")
        headers = {"Content-Disposition": "attachment", "X-Content-Type-Options": "nosniff"}
        return web.Response(body=data, content_type="application/octet-stream", headers=headers)

    # channels

    async def _get(self, call: Call) -> Json:
        return self._hub.payloads.channel(call.channel(self._hub.world))

    async def _patch(self, call: Call) -> Json:
        channel, payload = call.channel(self._hub.world), call.payload
        if "name" in payload:
            channel.name = rules.clean_channel_name(payload["name"])
        if channel.thread is None:
            channel.topic = payload.get("topic", channel.topic)
        else:
            self._change_thread(channel, payload)
        self._hub.update_channel(channel)
        return self._hub.payloads.channel(channel)

    def _change_thread(self, thread: Channel, payload: Json) -> None:
        state = thread_state(thread)
        if state.archived and set(payload) - {"archived", "locked"} and payload.get("archived") is not False:
            raise ApiError(400, 50083, "Tried to perform an operation on an archived thread")
        if payload.get("auto_archive_duration") is not None:
            rules.check_archive_minutes(int(payload["auto_archive_duration"]))
            state.auto_archive_minutes = int(payload["auto_archive_duration"])
        state.locked = bool(payload.get("locked", state.locked))
        self._hub.world.set_archived(thread, bool(payload.get("archived", state.archived)))

    async def _delete(self, call: Call) -> Json:
        channel = call.channel(self._hub.world)
        payload = self._hub.payloads.channel(channel)
        self._hub.delete_channel(channel)
        return payload

    # people and the guild

    async def _guild(self, call: Call) -> Json:
        guild = self._hub.payloads.guild(call.guild_id(self._hub.world))
        count = len(self._hub.world.users)
        return {**guild, "approximate_member_count": count, "approximate_presence_count": count}

    async def _channels(self, call: Call) -> list[Json]:
        payloads = self._hub.payloads
        return [payloads.channel(channel) for channel in payloads.guild_channels(call.guild_id(self._hub.world))]

    async def _member(self, call: Call) -> Json:
        call.guild_id(self._hub.world)
        return member_payload(call.user(self._hub.world))

    async def _search(self, call: Call) -> list[Json]:
        """Members whose name begins so, as Discord looks for them: without a privileged intent."""
        call.guild_id(self._hub.world)
        begin = str(call.query.get("query", "")).casefold()
        most = min(int(call.query.get("limit", "1")), 1000)
        users = [user for user in self._hub.world.users.values() if user.name.casefold().startswith(begin)]
        return [member_payload(user) for user in users][:most]

    async def _guilds(self, _: Call) -> list[Json]:
        return [
            {"id": str(guild_id), "name": name, "permissions": ALL_PERMISSIONS, "owner": False}
            for guild_id, name in self._hub.world.guilds.items()
        ]

    async def _me(self, _: Call) -> Json:
        return {**user_payload(self._hub.world.bot), "verified": True, "mfa_enabled": False, "flags": 0}

    async def _user(self, call: Call) -> Json:
        return user_payload(call.user(self._hub.world))

    async def _dm(self, call: Call) -> Json:
        user = self._hub.world.user(int(call.payload["recipient_id"]))
        return self._hub.payloads.channel(self._hub.world.dm_with(user))

    async def _application(self, _: Call) -> Json:
        described = self._hub.payloads.application()
        if not self._hub.config.allowed_intents & MESSAGE_CONTENT:
            described["flags"] &= ~MAY_READ
        return described

    async def _gateway(self, _: Call) -> Json:
        return {"url": self._hub.gateway.url}

    async def _gateway_bot(self, _: Call) -> Json:
        start = {"total": 1000, "remaining": 999, "reset_after": 86_400_000, "max_concurrency": 1}
        return {
            "url": self._hub.gateway.url,
            "shards": self._hub.config.recommended_shards,
            "session_start_limit": start,
        }


async def _instead_of_file(request: web.Request, fault: Fault) -> web.Response | None:
    """Answer of the CDN under a fault; None for the file, perhaps late."""
    if fault.kind in (FaultKind.ABORT_BEFORE, FaultKind.ABORT_AFTER):
        reset_transport(request.transport)
    elif fault.kind is FaultKind.DELAY:
        await fault.delay()
        return None
    status = fault.status if fault.kind is FaultKind.HTML else int(fault.kind[:3]) if fault.kind[0] in "45" else 503
    return web.Response(status=status, text=f"{fault.kind}: injected")
