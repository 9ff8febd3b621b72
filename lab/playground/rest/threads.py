"""REST: threads, their members and their archive."""

from __future__ import annotations

from typing import Any

from lab.playground.rest.drafts import read_draft
from lab.playground.rest.route import Call, Created, Route
from lab.playground.world import rules
from lab.playground.world.errors import ApiError
from lab.playground.world.objects import Json, thread_member_payload
from lab.playground.world.records import Channel, ChannelKind
from lab.playground.world.state import thread_state

CREATE_PUBLIC_THREADS = 1 << 35


def _thread_from_message(call: Call) -> Created:
    name, minutes = _name_and_minutes(call)
    if not call.world.is_permitted(call.bot, call.channel, CREATE_PUBLIC_THREADS):
        raise ApiError(403, 50013, "Missing Permissions")
    thread = call.hub.create_thread(call.channel, name, call.bot, starter=call.message, auto_archive_minutes=minutes)
    return Created(call.hub.payloads.channel(thread))


def _thread(call: Call) -> Created:
    parent = call.channel
    name, minutes = _name_and_minutes(call)
    if not parent.kind.has_text:
        return _forum_post(call, parent, name, minutes)
    private = int(call.payload.get("type") or ChannelKind.PRIVATE_THREAD) == ChannelKind.PRIVATE_THREAD
    thread = call.hub.create_thread(parent, name, call.bot, private=private, auto_archive_minutes=minutes)
    return Created(call.hub.payloads.channel(thread))


def _forum_post(call: Call, parent: Channel, name: str, minutes: int) -> Created:
    draft = read_draft(call.hub, parent, call.payload.get("message") or {}, call.uploads)
    thread = call.hub.create_thread(parent, name, call.bot, auto_archive_minutes=minutes)
    for attachment in draft.attachments:
        attachment.channel_id = thread.id
    draft.message_id = thread.id
    message = call.hub.post(thread, draft)
    return Created({**call.hub.payloads.channel(thread), "message": call.hub.payloads.message(message)})


def _name_and_minutes(call: Call) -> tuple[str, int]:
    minutes = int(call.payload.get("auto_archive_duration") or 1440)
    rules.check_archive_minutes(minutes)
    return rules.clean_channel_name(call.payload.get("name")), minutes


def _members(call: Call) -> list[Json]:
    thread = call.channel
    return [thread_member_payload(thread, user_id) for user_id in thread_state(thread).members]


def _archived_of(call: Call, kind: ChannelKind | None) -> list[Channel]:
    parent = call.channel
    return [
        thread
        for thread in call.world.threads.values()
        if thread.parent_id == parent.id and thread.kind == kind and thread_state(thread).archived
    ]


def _archive_page(call: Call) -> Json:
    kinds = {"public": ChannelKind.PUBLIC_THREAD, "private": ChannelKind.PRIVATE_THREAD}
    before = call.query.get("before")
    threads = [
        thread
        for thread in _archived_of(call, kinds.get(call.params["visibility"]))
        if call.world.may_see(call.bot, thread)
        and (before is None or thread_state(thread).archive_changed_at < before.replace(" ", "+"))
    ]
    threads.sort(key=lambda thread: thread_state(thread).archive_changed_at, reverse=True)
    return _page(call, threads)


def _joined_page(call: Call) -> Json:
    """Archived private threads with the bot as a member, newest first, regardless of the time of archiving."""
    before = int(call.query.get("before") or 1 << 63)
    threads = [
        thread
        for thread in _archived_of(call, ChannelKind.PRIVATE_THREAD)
        if thread.id < before and call.bot.id in thread_state(thread).members
    ]
    threads.sort(key=lambda thread: thread.id, reverse=True)
    return _page(call, threads)


def _page(call: Call, threads: list[Channel]) -> Json:
    limit = min(int(call.query.get("limit", 50)), 100)
    return _list(call, threads[:limit], has_more=len(threads) > limit)


def _list(call: Call, threads: list[Channel], **more: Any) -> Json:
    members = [thread_member_payload(t, call.bot.id) for t in threads if call.bot.id in thread_state(t).members]
    return {"threads": [call.hub.payloads.channel(t) for t in threads], "members": members, **more}


_CHANNEL = "/channels/{channel_id}"
_MEMBER = _CHANNEL + "/thread-members"

ROUTES = (
    Route("POST", _CHANNEL + "/messages/{message_id}/threads", _thread_from_message, major="channel_id"),
    Route("POST", _CHANNEL + "/threads", _thread, major="channel_id"),
    Route("PUT", _MEMBER + "/@me", lambda c: c.hub.add_to_thread(c.channel, c.bot), major="channel_id"),
    Route("DELETE", _MEMBER + "/@me", lambda c: c.hub.remove_from_thread(c.channel, c.bot), major="channel_id"),
    Route("PUT", _MEMBER + "/{user_id}", lambda c: c.hub.add_to_thread(c.channel, c.user), major="channel_id"),
    Route("DELETE", _MEMBER + "/{user_id}", lambda c: c.hub.remove_from_thread(c.channel, c.user), major="channel_id"),
    Route("GET", _MEMBER, _members, major="channel_id"),
    Route("GET", _CHANNEL + "/threads/archived/{visibility}", _archive_page, major="channel_id"),
    Route("GET", _CHANNEL + "/users/@me/threads/archived/private", _joined_page, major="channel_id"),
    Route(
        "GET",
        "/guilds/{guild_id}/threads/active",
        lambda c: _list(c, c.hub.payloads.active_threads(c.guild_id), has_more=False),
        major="guild_id",
    ),
)
