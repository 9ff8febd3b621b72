"""Observation of the bot: messages, events, REST calls, counts, and waits woken by the event itself."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from domain.text.running_text import is_running
from lab.playground.gateway.events import Event
from lab.playground.hub import Hub
from lab.playground.world.objects import Json
from lab.playground.world.records import MessageFlag, MessageKind
from lab.playground.world.request_log import RequestRecord

ANSWERS = (
    MessageKind.DEFAULT,
    MessageKind.REPLY,
    MessageKind.CHAT_INPUT_COMMAND,
    MessageKind.CONTEXT_MENU_COMMAND,
)
WAIT_S = 60.0
"""Patience with the bot: Discord's own limits hold on its side of the wire, and a busy machine needs longer."""


def is_answer(payload: Json) -> bool:
    """True if a message is an answer, rather than a placeholder or a growing text."""
    if payload["flags"] & MessageFlag.LOADING or is_running(payload["content"]):
        return False
    return bool(payload["content"] or payload["embeds"] or payload["attachments"] or payload["components"])


# queries


def messages(hub: Hub, channel_id: int, *, after: int = 0, limit: int = 1000) -> list[Json]:
    """Messages of a channel or thread after the id `after`, oldest first."""
    newest_first = hub.world.channel(channel_id).history.after(after, limit)
    return [hub.payloads.message(message) for message in reversed(newest_first)]


def file(hub: Hub, attachment_id: int) -> bytes:
    """Bytes of an attached file; empty if the file is unknown or forgotten."""
    return hub.files.get(attachment_id) or b""


def last_event(hub: Hub) -> int:
    """Number of the newest event."""
    return hub.feed.seq


def requests(hub: Hub, method: str = "", path_part: str = "") -> list[RequestRecord]:
    """The bot's newest REST calls, oldest first."""
    return hub.requests.matching(method, path_part)


def counters(hub: Hub) -> dict[str, int]:
    """Counts since the start: messages, edits, interactions, sessions, faults, requests by status."""
    by_status = {f"status_{status}": count for status, count in hub.requests.by_status.items()}
    return {**hub.counters, **hub.gateway.counters, **by_status, "faults_fired": hub.faults.fired}


def is_bot_typing(hub: Hub, channel_id: int) -> bool:
    """True if the bot shows as typing now."""
    return hub.world.is_typing(hub.world.channel(channel_id), hub.world.bot)


# waits, each ended by `TimeoutError`


async def wait_for_reply(
    hub: Hub, channel_id: int, *, after: int, timeout_s: float = WAIT_S, until: Callable[[Json], bool] = is_answer
) -> Json:
    """First message of the bot, newer than `after`, that satisfies `until` when posted or by a later edit."""

    def fits(payload: Json) -> bool:
        return _is_reply(hub, payload) and int(payload["id"]) > after and until(payload)

    for payload in messages(hub, channel_id, after=after):
        if fits(payload):
            return payload
    event = await hub.feed.wait(
        lambda event: event.name in ("MESSAGE_CREATE", "MESSAGE_UPDATE") and fits(event.payload), timeout_s, channel_id
    )
    return event.payload


async def settled_replies(
    hub: Hub, channel_id: int, *, after: int, quiet_s: float = 1.0, timeout_s: float = WAIT_S
) -> list[Json]:
    """Messages of the bot after `after`, once all are answers and the bot did not post, edit or type for `quiet_s`."""
    async with asyncio.timeout(timeout_s):
        await wait_for_reply(hub, channel_id, after=after, timeout_s=timeout_s)
        while True:
            try:
                await hub.feed.wait(lambda event: _is_by_bot(hub, event), quiet_s, channel_id)
            except TimeoutError:
                replies = [each for each in messages(hub, channel_id, after=after) if _is_reply(hub, each)]
                if all(map(is_answer, replies)):
                    return replies


async def wait_for(
    hub: Hub, predicate: Callable[[Event], bool], *, after: int | None = None, timeout_s: float = WAIT_S
) -> Event:
    """First event after number `after` (None: from now on) that satisfies `predicate`.

    Args:
        hub: The playground.
        predicate: Runs on the server's thread.
        after: A number given by `last_event`.
        timeout_s: Longest wait.
    """
    for event in hub.feed.since(after) if after is not None else ():
        if predicate(event):
            return event
    return await hub.feed.wait(predicate, timeout_s)


async def next_events(hub: Hub, *, after: int, timeout_s: float = WAIT_S) -> list[Event]:
    """Events after number `after`, after a wait for the first; [] without an event in time."""
    if hub.feed.seq <= after:
        try:
            await hub.feed.wait(lambda _: True, timeout_s)
        except TimeoutError:
            return []
    return hub.feed.since(after)


async def wait_until_online(hub: Hub, *, online: bool = True, timeout_s: float = WAIT_S) -> None:
    """Return once the bot has a gateway session with a socket (or no such session)."""
    if hub.gateway.is_online != online:
        await hub.feed.wait(
            lambda event: event.name == "PLAYGROUND_BOT" and event.payload["online"] == online, timeout_s
        )


async def wait_for_typing(hub: Hub, channel_id: int, *, timeout_s: float = WAIT_S) -> None:
    """Return once the bot shows as typing."""
    if not is_bot_typing(hub, channel_id):
        await hub.feed.wait(
            lambda event: event.name == "TYPING_START" and _is_by_bot(hub, event), timeout_s, channel_id
        )


def _is_reply(hub: Hub, payload: Json) -> bool:
    return bool(payload["author"]["id"] == str(hub.world.bot.id) and payload["type"] in ANSWERS)


def _is_by_bot(hub: Hub, event: Event) -> bool:
    author = event.payload.get("author")
    return bool((author["id"] if author else event.payload.get("user_id")) == str(hub.world.bot.id))
