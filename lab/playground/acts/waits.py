"""Waiting for what the bot does: woken by the event itself, never by polling."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from domain.text.running_text import is_running
from lab.playground.gateway.events import Event
from lab.playground.hub import Hub
from lab.playground.world.objects import Json
from lab.playground.world.records import MessageFlag, MessageKind

ANSWERS = (
    MessageKind.DEFAULT,
    MessageKind.REPLY,
    MessageKind.CHAT_INPUT_COMMAND,
    MessageKind.CONTEXT_MENU_COMMAND,
)


class Waits:
    """Conditions on one playground that may be waited for; used on the server's loop only."""

    def __init__(self, hub: Hub) -> None:
        """Begin without waits.

        Args:
            hub: The playground.
        """
        self._hub = hub

    async def message(
        self, channel_id: int, is_wanted: Callable[[Json], bool], after: int, timeout_s: float, *, by_bot: bool = True
    ) -> Json:
        """The first message newer than `after` that is, or by an edit becomes, `wanted`; else `TimeoutError`."""

        def fits(payload: Json) -> bool:
            by = not by_bot or payload["author"]["id"] == str(self._hub.world.bot.id)
            return by and int(payload["id"]) > after and payload["type"] in ANSWERS and is_wanted(payload)

        for message in reversed(self._hub.world.channel(channel_id).history.after(after, 1000)):
            payload = self._hub.payloads.message(message)
            if fits(payload):
                return payload
        event = await self._hub.feed.wait(
            lambda event: event.name in ("MESSAGE_CREATE", "MESSAGE_UPDATE") and fits(event.payload),
            timeout_s,
            channel_id,
        )
        return event.payload

    async def settled(self, channel_id: int, after: int, quiet_s: float, timeout_s: float) -> list[Json]:
        """The bot's messages after `after`, oldest first.

        That is once all of them say something, and it did not post, edit or type for `quiet_s`.
        """
        async with asyncio.timeout(timeout_s):
            await self.message(channel_id, is_answer, after, timeout_s)
            while True:
                try:
                    await self._hub.feed.wait(self._is_by_bot, quiet_s, channel_id)
                except TimeoutError:
                    if all(map(is_answer, said := self._said_by_bot(channel_id, after))):
                        return said

    def _said_by_bot(self, channel_id: int, after: int) -> list[Json]:
        newest_first = self._hub.world.channel(channel_id).history.after(after, 1000)
        payloads = [self._hub.payloads.message(message) for message in reversed(newest_first)]
        bot_id = str(self._hub.world.bot.id)
        return [p for p in payloads if p["author"]["id"] == bot_id and p["type"] in ANSWERS]

    async def event(self, is_wanted: Callable[[Event], bool], after: int | None, timeout_s: float) -> Event:
        """The first `wanted` event after number `after` (None: from now on); else `TimeoutError`."""
        for event in self._hub.feed.since(after) if after is not None else ():
            if is_wanted(event):
                return event
        return await self._hub.feed.wait(is_wanted, timeout_s)

    async def events(self, after: int, timeout_s: float) -> list[Event]:
        """The events after number `after`; waits for one when there is none, and gives [] when none comes."""
        if self._hub.feed.seq <= after:
            try:
                await self._hub.feed.wait(lambda _: True, timeout_s)
            except TimeoutError:
                return []
        return self._hub.feed.since(after)

    async def bot(self, online: bool, timeout_s: float) -> None:
        """Return once the bot is online (or offline); `TimeoutError` if that does not happen."""
        if self._hub.gateway.is_online != online:
            await self._hub.feed.wait(
                lambda event: event.name == "PLAYGROUND_BOT" and event.payload["online"] == online, timeout_s
            )

    async def typing(self, channel_id: int, timeout_s: float) -> None:
        """Return once the bot shows as typing; `TimeoutError` if it does not."""
        world = self._hub.world
        if not world.is_typing(world.channel(channel_id), world.bot):
            await self._hub.feed.wait(
                lambda event: event.name == "TYPING_START" and self._is_by_bot(event), timeout_s, channel_id
            )

    def _is_by_bot(self, event: Event) -> bool:
        author = event.payload.get("author")
        who = author["id"] if author else event.payload.get("user_id")
        return bool(who == str(self._hub.world.bot.id))


def is_answer(payload: Json) -> bool:
    """True if a message is an answer, rather than a placeholder or a growing text."""
    if payload["flags"] & MessageFlag.LOADING or is_running(payload["content"]):
        return False
    return bool(payload["content"] or payload["embeds"] or payload["attachments"] or payload["components"])
