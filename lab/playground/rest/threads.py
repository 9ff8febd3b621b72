"""REST: threads, their members and their archive."""

from __future__ import annotations

from typing import Any

from lab.playground.hub import Hub
from lab.playground.rest.drafts import read_draft
from lab.playground.rest.route import Call, Route
from lab.playground.world import rules
from lab.playground.world.objects import Json, thread_member_payload
from lab.playground.world.records import Channel, ChannelKind
from lab.playground.world.state import thread_state


class ThreadRoutes:
    """Handlers of threads."""

    def __init__(self, hub: Hub) -> None:
        """Keep the hub.

        Args:
            hub: The playground.
        """
        self._hub = hub

    def routes(self) -> list[Route]:
        """The routes."""
        channel = "/channels/{channel_id}"
        member = channel + "/thread-members"
        return [
            Route("POST", channel + "/messages/{message_id}/threads", self._thread_from_message, major="channel_id"),
            Route("POST", channel + "/threads", self._thread, major="channel_id"),
            Route("PUT", member + "/@me", self._join, major="channel_id"),
            Route("DELETE", member + "/@me", self._leave, major="channel_id"),
            Route("PUT", member + "/{user_id}", self._add_member, major="channel_id"),
            Route("DELETE", member + "/{user_id}", self._remove_member, major="channel_id"),
            Route("GET", member, self._members, major="channel_id"),
            Route("GET", channel + "/threads/archived/{visibility}", self._archived, major="channel_id"),
            Route("GET", channel + "/users/@me/threads/archived/private", self._joined, major="channel_id"),
            Route("GET", "/guilds/{guild_id}/threads/active", self._active, major="guild_id"),
        ]

    async def _thread_from_message(self, call: Call) -> Json:
        parent = call.channel(self._hub.world)
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
        parent = call.channel(self._hub.world)
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
        self._hub.add_to_thread(call.channel(self._hub.world), self._hub.world.bot)

    async def _leave(self, call: Call) -> None:
        self._hub.remove_from_thread(call.channel(self._hub.world), self._hub.world.bot)

    async def _add_member(self, call: Call) -> None:
        self._hub.add_to_thread(call.channel(self._hub.world), call.user(self._hub.world))

    async def _remove_member(self, call: Call) -> None:
        self._hub.remove_from_thread(call.channel(self._hub.world), call.user(self._hub.world))

    async def _members(self, call: Call) -> list[Json]:
        thread = call.channel(self._hub.world)
        return [thread_member_payload(thread, user_id) for user_id in thread_state(thread).members]

    async def _archived(self, call: Call) -> Json:
        kinds = {"public": ChannelKind.PUBLIC_THREAD, "private": ChannelKind.PRIVATE_THREAD}
        kind = kinds.get(call.params["visibility"])
        parent, world = call.channel(self._hub.world), self._hub.world
        limit = min(int(call.query.get("limit", 50)), 100)
        before = call.query.get("before")
        archived = [
            thread
            for thread in world.threads.values()
            if thread.parent_id == parent.id
            and thread.kind == kind
            and world.may_see(world.bot, thread)
            and thread_state(thread).archived
            and (before is None or thread_state(thread).archive_changed_at < before.replace(" ", "+"))
        ]
        archived.sort(key=lambda thread: thread_state(thread).archive_changed_at, reverse=True)
        return self._thread_list(archived[:limit], has_more=len(archived) > limit)

    async def _joined(self, call: Call) -> Json:
        """Archived private threads that the bot takes part in, newest first, whenever they were archived."""
        parent, world = call.channel(self._hub.world), self._hub.world
        limit = min(int(call.query.get("limit", 50)), 100)
        before = int(call.query.get("before") or 1 << 63)
        archived = [
            thread
            for thread in world.threads.values()
            if thread.parent_id == parent.id
            and thread.kind == ChannelKind.PRIVATE_THREAD
            and thread.id < before
            and world.bot.id in thread_state(thread).members
            and thread_state(thread).archived
        ]
        archived.sort(key=lambda thread: thread.id, reverse=True)
        return self._thread_list(archived[:limit], has_more=len(archived) > limit)

    async def _active(self, call: Call) -> Json:
        return self._thread_list(self._hub.payloads.active_threads(call.guild_id(self._hub.world)))

    def _thread_list(self, threads: list[Channel], **more: Any) -> Json:
        payloads, bot_id = self._hub.payloads, self._hub.world.bot.id
        members = [thread_member_payload(t, bot_id) for t in threads if bot_id in thread_state(t).members]
        return {"threads": [payloads.channel(t) for t in threads], "members": members, **more}


def _archive_minutes(payload: Json) -> int:
    minutes = int(payload.get("auto_archive_duration") or 1440)
    rules.check_archive_minutes(minutes)
    return minutes
