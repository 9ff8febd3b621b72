"""Answers while they are being written: one message per turn, edited now and then, that the answer itself replaces."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field

import discord

from actors.discord.calls.rest_calls import TRANSIENT, CallFailedError, CallRefusedError, RestCalls, described
from actors.discord.timing import Timing
from domain.text.running_text import running_text, stopped_text
from domain.turn.stop_request import STOP_PREFIX
from messages.discord import EndProgress, ShowProgress

log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Running:
    """What is shown of one turn."""

    turn_id: str
    wanted: ShowProgress
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    shown: str = ""
    message_id: int | None = None
    begun_at: float = 0.0
    """When the message was posted, on the loop's clock."""
    is_ending: bool = False
    pump: asyncio.Task[None] | None = None


class LiveMessages:
    """At most one running message per turn; lives on the loop.

    A channel may have two for a moment, while the answer of the turn before is held up.

    Edits are coalesced: the newest text wins, one call is in flight, and two are at least `Timing.edit_every_s` apart.
    None of them matters enough to fail for, since the answer itself comes in any case.

    Args:
        reference: What a first message refers to, told the channel's and the answered message's id.
        present: Makes text fit to be shown.
    """

    def __init__(
        self,
        *,
        rest: RestCalls,
        timing: Timing,
        reference: Callable[[str, str], discord.MessageReference | None],
        present: Callable[[str], str],
        posted: Callable[[str, int], None],
    ) -> None:
        self._rest = rest
        self._timing = timing
        self._reference = reference
        self._present = present
        self._posted = posted
        self._running: dict[tuple[str, str], _Running] = {}
        """(channel, turn) -> what is shown of it."""

    def show(self, progress: ShowProgress) -> None:
        """Show how far a turn is, soon."""
        channel_id = progress.window.id
        key = (channel_id, progress.turn_id)
        running = self._running.get(key)
        if running is None:
            running = self._running[key] = _Running(progress.turn_id, progress)
            running.pump = asyncio.get_running_loop().create_task(self._pump(channel_id, running))
        running.wanted = progress
        running.changed.set()

    async def end(self, ended: EndProgress) -> None:
        """Leave what was said, with a note, or take away a message that said nothing."""
        running = await self._finish(ended.window.id, ended.turn_id)
        if running is None or running.message_id is None:
            return
        text = stopped_text(self._present(running.wanted.text), ended.note)
        message_id = running.message_id

        async def call(client: discord.Client) -> None:
            message = client.get_partial_messageable(int(ended.window.id)).get_partial_message(message_id)
            if text:
                await message.edit(content=text, view=None, allowed_mentions=discord.AllowedMentions.none())
            else:
                await message.delete()

        try:
            await self._rest.persist(f"ending a running message in channel {ended.window.id}", call)
        except (CallRefusedError, CallFailedError) as error:
            log.warning("a running message in channel %s stays as it is: %s", ended.window.id, error)

    async def take(self, channel_id: str, turn_id: str) -> int | None:
        """The message that shows the turn, for the answer to replace, once nothing changes it any more.

        None when there is none, or when it is too old to be edited as often as an answer may need; then it is removed.
        """
        running = await self._finish(channel_id, turn_id)
        if running is None or running.message_id is None:
            return None
        if asyncio.get_running_loop().time() - running.begun_at < self._timing.edit_limit_s:
            return running.message_id
        await self.remove(channel_id, running.message_id)
        return None

    def close(self) -> None:
        """Change nothing more."""
        for running in self._running.values():
            if running.pump is not None:
                running.pump.cancel()
        self._running.clear()

    async def _finish(self, channel_id: str, turn_id: str) -> _Running | None:
        """Stop showing a turn; returns when no call of it is under way."""
        running = self._running.pop((channel_id, turn_id), None)
        if running is None:
            return None
        running.is_ending = True
        running.changed.set()
        if running.pump is not None:
            await asyncio.wait([running.pump])
        return running

    async def _pump(self, channel_id: str, running: _Running) -> None:
        try:
            while True:
                await running.changed.wait()
                running.changed.clear()
                if running.is_ending or not await self._update(channel_id, running):
                    return
                await self._pause(running)
        except Exception:
            log.exception("showing how far a turn is in channel %s went wrong", channel_id)

    async def _pause(self, running: _Running) -> None:
        """Wait until the next edit is due, or the end; what changed meanwhile is still news then."""
        is_news = False
        until = asyncio.get_running_loop().time() + self._timing.edit_every_s
        while not running.is_ending and (left_s := until - asyncio.get_running_loop().time()) > 0:
            try:
                async with asyncio.timeout(left_s):
                    await running.changed.wait()
            except TimeoutError:
                break
            running.changed.clear()
            is_news = True
        if is_news:
            running.changed.set()

    async def _update(self, channel_id: str, running: _Running) -> bool:
        """Show the newest state; whether there is sense in doing it again."""
        wanted = running.wanted
        text = running_text(self._present(wanted.text), self._present(wanted.status))
        if text == running.shown:
            return True
        try:
            if running.message_id is None:
                await self._post(channel_id, running, text)
            elif asyncio.get_running_loop().time() - running.begun_at < self._timing.edit_limit_s:
                await self._edit(channel_id, running.message_id, running.turn_id, text)
        except (CallRefusedError, CallFailedError) as error:
            log.info("how far a turn is in channel %s is not shown: %s", channel_id, error)
            return not isinstance(error, CallRefusedError)
        except TRANSIENT as error:
            log.info("how far a turn is in channel %s is not shown: %s", channel_id, described(error))
            return True
        running.shown = text
        return True

    async def _post(self, channel_id: str, running: _Running, text: str) -> None:
        reference = self._reference(channel_id, running.wanted.answers_message_id)

        async def call(client: discord.Client) -> discord.Message:
            return await client.get_partial_messageable(int(channel_id)).send(
                text,
                nonce=f"{running.turn_id}.live",
                reference=reference,  # type: ignore[arg-type]  # the overloads know no "reference or none"
                mention_author=False,
                allowed_mentions=discord.AllowedMentions.none(),
                suppress_embeds=True,
                view=stop_button(running.turn_id),
            )

        # Persisted, unlike an edit: a message that may be there or not could never be replaced.
        shown = await self._rest.persist(f"posting how far a turn is in channel {channel_id}", call)
        running.message_id = shown.id
        running.begun_at = asyncio.get_running_loop().time()
        self._posted(channel_id, shown.id)

    async def _edit(self, channel_id: str, message_id: int, turn_id: str, text: str) -> None:
        async def call(client: discord.Client) -> None:
            message = client.get_partial_messageable(int(channel_id)).get_partial_message(message_id)
            await message.edit(content=text, view=stop_button(turn_id), allowed_mentions=discord.AllowedMentions.none())

        await self._rest.once(call)

    async def remove(self, channel_id: str, message_id: int) -> None:
        """Take a running message away."""

        async def call(client: discord.Client) -> None:
            await client.get_partial_messageable(int(channel_id)).get_partial_message(message_id).delete()

        try:
            await self._rest.persist(f"removing a running message in channel {channel_id}", call)
        except (CallRefusedError, CallFailedError) as error:
            log.warning("an old running message in channel %s stays: %s", channel_id, error)


def stop_button(turn_id: str) -> discord.ui.View:
    """A button that names the turn it stops.

    The view counts as finished, so that discord.py doesn't keep it: presses are told by their custom id, which also
    works for messages of an earlier life.
    """
    view = discord.ui.View(timeout=None)
    view.add_item(discord.ui.Button(label="Stop", style=discord.ButtonStyle.secondary, custom_id=STOP_PREFIX + turn_id))
    view.stop()
    return view
