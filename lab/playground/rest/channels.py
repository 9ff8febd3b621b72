"""REST: channels, threads, people, the guild, files."""

from __future__ import annotations

import asyncio
from typing import Any

from aiohttp import web

from lab.playground.gateway.protocol import reset_transport
from lab.playground.hub import Hub
from lab.playground.rest.endpoints import Call, Route
from lab.playground.rest.messages import read_draft
from lab.playground.world import rules
from lab.playground.world.errors import ApiError, unknown
from lab.playground.world.faults import Fault, FaultKind
from lab.playground.world.payloads import Json
from lab.playground.world.records import Channel, ChannelKind
from lab.playground.world.state import thread_state


class ChannelRoutes:
    """Handlers of channels, threads, people and the bot's own account.

    Args:
        hub: The playground.
    """

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    def routes(self) -> list[Route]:
        """The routes."""
        channel, guild = "/channels/{channel_id}", "/guilds/{guild_id}"
        member = channel + "/thread-members"
        return [
            Route("GET", channel, self._get, major="channel_id"),
            Route("PATCH", channel, self._patch, major="channel_id"),
            Route("DELETE", channel, self._delete, major="channel_id"),
            Route("POST", channel + "/messages/{message_id}/threads", self._thread_from_message, major="channel_id"),
            Route("POST", channel + "/threads", self._thread, major="channel_id"),
            Route("PUT", member + "/@me", self._join, major="channel_id"),
            Route("DELETE", member + "/@me", self._leave, major="channel_id"),
            Route("PUT", member + "/{user_id}", self._add_member, major="channel_id"),
            Route("DELETE", member + "/{user_id}", self._remove_member, major="channel_id"),
            Route("GET", member, self._members, major="channel_id"),
            Route("GET", channel + "/threads/archived/{visibility}", self._archived, major="channel_id"),
            Route("GET", guild, self._guild, major="guild_id"),
            Route("GET", guild + "/channels", self._channels, major="guild_id"),
            Route("GET", guild + "/threads/active", self._active, major="guild_id"),
            Route("GET", guild + "/members/{user_id}", self._member, major="guild_id"),
            Route("GET", "/users/@me", self._me),
            Route("GET", "/users/{user_id}", self._user),
            Route("POST", "/users/@me/channels", self._dm),
            Route("GET", "/oauth2/applications/@me", self._application),
            Route("GET", "/applications/@me", self._application),
            Route("GET", "/gateway", self._gateway, needs_token=False),
            Route("GET", "/gateway/bot", self._gateway_bot),
        ]

    async def serve_file(self, request: web.Request) -> web.Response:
        """The bytes of an attachment; no token needed, as on Discord's CDN."""
        fault = self._hub.faults.take("GET", request.path)
        if fault is not None and (instead := await _instead_of_file(request, fault)) is not None:
            return instead
        data = self._hub.files.get(int(request.match_info["attachment_id"]))
        if data is None:
            raise web.HTTPNotFound(text="This content is no longer available.")
        headers = {"Content-Disposition": "attachment", "X-Content-Type-Options": "nosniff"}
        return web.Response(body=data, content_type="application/octet-stream", headers=headers)

    # channels

    def _channel(self, call: Call) -> Channel:
        world = self._hub.world
        channel = world.channel(call.id("channel_id"))
        if not world.may_see(world.bot, channel):
            raise ApiError(403, 50001, "Missing Access")
        return channel

    async def _get(self, call: Call) -> Json:
        return self._hub.payloads.channel(self._channel(call))

    async def _patch(self, call: Call) -> Json:
        channel, payload = self._channel(call), call.payload
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
        channel = self._channel(call)
        payload = self._hub.payloads.channel(channel)
        self._hub.delete_channel(channel)
        return payload

    # threads

    async def _thread_from_message(self, call: Call) -> Json:
        parent = self._channel(call)
        starter = self._hub.world.message(parent, call.id("message_id"))
        return self._hub.payloads.channel(
            self._hub.create_thread(
                parent,
                rules.clean_channel_name(call.payload.get("name")),
                self._hub.world.bot,
                starter=starter,
                auto_archive_minutes=_archive_minutes(call.payload),
            )
        )

    async def _thread(self, call: Call) -> Json:
        parent = self._channel(call)
        name, minutes = rules.clean_channel_name(call.payload.get("name")), _archive_minutes(call.payload)
        if parent.kind == ChannelKind.FORUM:
            return self._forum_post(call, parent, name, minutes)
        private = int(call.payload.get("type") or ChannelKind.PRIVATE_THREAD) == ChannelKind.PRIVATE_THREAD
        thread = self._hub.create_thread(
            parent, name, self._hub.world.bot, private=private, auto_archive_minutes=minutes
        )
        return self._hub.payloads.channel(thread)

    def _forum_post(self, call: Call, parent: Channel, name: str, minutes: int) -> Json:
        draft = read_draft(self._hub, parent, call.payload.get("message") or {}, call.uploads)
        thread = self._hub.create_thread(parent, name, self._hub.world.bot, auto_archive_minutes=minutes)
        for attachment in draft.attachments:
            attachment.channel_id = thread.id
        draft.message_id = thread.id
        message = self._hub.post(thread, draft)
        return {**self._hub.payloads.channel(thread), "message": self._hub.payloads.message(message)}

    async def _join(self, call: Call) -> None:
        self._hub.add_to_thread(self._channel(call), self._hub.world.bot)

    async def _leave(self, call: Call) -> None:
        self._hub.remove_from_thread(self._channel(call), self._hub.world.bot)

    async def _add_member(self, call: Call) -> None:
        self._hub.add_to_thread(self._channel(call), self._hub.world.user(call.id("user_id")))

    async def _remove_member(self, call: Call) -> None:
        self._hub.remove_from_thread(self._channel(call), self._hub.world.user(call.id("user_id")))

    async def _members(self, call: Call) -> list[Json]:
        thread = self._channel(call)
        return [self._hub.payloads.thread_member(thread, user_id) for user_id in thread_state(thread).members]

    async def _archived(self, call: Call) -> Json:
        kinds = {"public": ChannelKind.PUBLIC_THREAD, "private": ChannelKind.PRIVATE_THREAD}
        kind = kinds.get(call.params["visibility"])
        parent, world = self._channel(call), self._hub.world
        limit = min(int(call.query.get("limit", 50)), 100)
        before = call.query.get("before")
        found = [
            thread
            for thread in world.threads.values()
            if thread.parent_id == parent.id
            and thread.kind == kind
            and world.may_see(world.bot, thread)
            and thread_state(thread).archived
            and (before is None or thread_state(thread).archive_changed_at < before.replace(" ", "+"))
        ]
        found.sort(key=lambda thread: thread_state(thread).archive_changed_at, reverse=True)
        return self._thread_list(found[:limit], has_more=len(found) > limit)

    async def _active(self, call: Call) -> Json:
        return self._thread_list(self._hub.payloads.active_threads(self._guild_id(call)))

    def _thread_list(self, threads: list[Channel], **more: Any) -> Json:
        payloads, bot_id = self._hub.payloads, self._hub.world.bot.id
        members = [payloads.thread_member(t, bot_id) for t in threads if bot_id in thread_state(t).members]
        return {"threads": [payloads.channel(t) for t in threads], "members": members, **more}

    # people and the guild

    def _guild_id(self, call: Call) -> int:
        guild_id = call.id("guild_id")
        if guild_id not in self._hub.world.guilds:
            raise unknown("Guild", 10004)
        return guild_id

    async def _guild(self, call: Call) -> Json:
        guild = self._hub.payloads.guild(self._guild_id(call))
        count = len(self._hub.world.users)
        return {**guild, "approximate_member_count": count, "approximate_presence_count": count}

    async def _channels(self, call: Call) -> list[Json]:
        return [self._hub.payloads.channel(c) for c in self._hub.payloads.guild_channels(self._guild_id(call))]

    async def _member(self, call: Call) -> Json:
        self._guild_id(call)
        return self._hub.payloads.member(self._hub.world.user(call.id("user_id")))

    async def _me(self, _: Call) -> Json:
        return {**self._hub.payloads.user(self._hub.world.bot), "verified": True, "mfa_enabled": False, "flags": 0}

    async def _user(self, call: Call) -> Json:
        return self._hub.payloads.user(self._hub.world.user(call.id("user_id")))

    async def _dm(self, call: Call) -> Json:
        user = self._hub.world.user(int(call.payload["recipient_id"]))
        return self._hub.payloads.channel(self._hub.world.dm_with(user))

    async def _application(self, _: Call) -> Json:
        return self._hub.payloads.application()

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
    """What the CDN answers when a fault hits it; None for the file, if late."""
    if fault.kind in (FaultKind.ABORT_BEFORE, FaultKind.ABORT_AFTER):
        reset_transport(request.transport)
    elif fault.kind is FaultKind.DELAY:
        await asyncio.sleep(fault.delay_s)
        return None
    status = fault.status if fault.kind is FaultKind.HTML else int(fault.kind[:3]) if fault.kind[0] in "45" else 503
    return web.Response(status=status, text=f"{fault.kind}: injected")


def _archive_minutes(payload: Json) -> int:
    minutes = int(payload.get("auto_archive_duration") or 1440)
    rules.check_archive_minutes(minutes)
    return minutes
