"""Streaming by edits: one message per turn shows a partial answer, until the whole answer replaces it."""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections import deque
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

import discord

from actors.discord.calls.background import BackgroundTasks
from actors.discord.calls.refusals import describe
from actors.discord.calls.rest_calls import TRANSIENT, CallFailedError, CallForbiddenError, CallRefusedError
from actors.discord.outgoing.channel_messages import ChannelMessages, Draft
from actors.discord.outgoing.recognition import live_nonce, running_turn
from actors.discord.outgoing.redaction import Redaction
from actors.discord.timing import Timing, backoff
from domain.text.running_text import interrupted_text, running_text, stopped_text
from domain.turn.typed_command import STOP_PREFIX
from messages.base import ChannelId
from messages.discord import EndProgress, ShowProgress

log = logging.getLogger(__name__)

INTERRUPTED = "interrupted"
MOST_OVER = 256


@dataclass(slots=True)
class _Running:
    """Message with the progress of a turn."""

    turn_id: str
    newest: ShowProgress
    """Progress to show."""
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    text: str = ""
    """Text that is shown now."""
    message_id: int | None = None
    begun_at: float = 0.0
    """When the message was posted, on the loop's clock."""
    may_be_posted: bool = False
    """True after a failed post, or if an earlier life may have posted: the message may be there, under an unknown id.
    """
    is_ending: bool = False
    timer: asyncio.TimerHandle | None = None
    """Until the turn has lasted long enough to be shown."""
    pump: asyncio.Task[None] | None = None


class LiveMessages:
    """At most one running message per turn; lives on the loop.

    A channel may have two for a moment, while the answer of the turn before is held up.

    A running message begins only when the first words are `Timing.draft_after_s` old: an answer complete by then costs
    one call. Edits are coalesced: the newest text wins, one call is in flight, and two are at least
    `Timing.edit_every_s` apart. A failed edit is ignored, since the answer itself comes in any case.
    """

    def __init__(self, *, messages: ChannelMessages, redaction: Redaction, timing: Timing) -> None:
        self._messages = messages
        self._redaction = redaction
        self._timing = timing
        self._tasks = BackgroundTasks()
        self._running: dict[tuple[ChannelId, str], _Running] = {}
        """(channel, turn) -> running message."""
        self._left: dict[tuple[ChannelId, str], int] = {}
        """(channel, turn) that is over, or of an earlier life -> message to be ended or to become the answer."""
        self._ending: set[int] = set()
        """Messages of ended turns while they are changed or removed."""
        self._replaced: deque[int] = deque(maxlen=MOST_OVER)
        """Messages that became answers, the newest last."""
        self._over: deque[str] = deque(maxlen=MOST_OVER)
        """Ended turns without a shown message in this life, the newest last."""

    def show(self, progress: ShowProgress) -> None:
        """Show how far a turn is, soon."""
        channel_id = ChannelId(progress.window.id)
        key = (channel_id, progress.turn_id)
        running = self._running.get(key)
        if running is None:
            running = self._running[key] = _Running(progress.turn_id, progress)
            running.may_be_posted = self._may_be_of_earlier_life(progress)
            later = asyncio.get_running_loop().call_later
            running.timer = later(self._timing.draft_after_s, self._begin, channel_id, running)
        running.newest = progress
        running.changed.set()
        if progress.status and running.timer is not None:
            self._begin(channel_id, running)  # What is being done is told once it has lasted.

    def _may_be_of_earlier_life(self, progress: ShowProgress) -> bool:
        """True if an earlier life may have shown the turn, unknown to the window: only this actor crashed."""
        question_id = progress.answers_message_id
        return self._messages.is_of_earlier_life(question_id) and not self._messages.has_passed_on(int(question_id))

    def _begin(self, channel_id: ChannelId, running: _Running) -> None:
        """Show the running message from now on."""
        if running.timer is not None:
            running.timer.cancel()
            running.timer = None
        what = f"showing progress of a turn in channel {channel_id}"
        running.pump = self._tasks.spawn(self._pump(channel_id, running), what)

    async def end(self, ended: EndProgress) -> None:
        """Leave the partial answer with a note, or remove an empty message."""
        channel_id = ChannelId(ended.window.id)
        running = await self._finish(channel_id, ended.turn_id)
        if running is None and (message_id := self._left.pop((channel_id, ended.turn_id), None)) is not None:
            await self._end_left(channel_id, message_id, ended.turn_id, ended.note)
            return
        if running is None:
            self._over.append(ended.turn_id)
        if running is None and ended.look_first:
            await self._end_earlier(channel_id, ended)
        if running is None or running.message_id is None:
            return
        text = stopped_text(self._redaction.present(running.newest.text), ended.note)
        await self._leave(channel_id, running.message_id, ended.turn_id, text)

    def watch(self, messages: Iterable[discord.Message], unfinished: Collection[str]) -> None:
        """Ensure that no message of the bot shows a turn of an earlier life as running for ever.

        Args:
            messages: The bot's own, of one channel.
            unfinished: Turns whose answer may still replace the message, for as long as edits are possible; the message
                of any other turn is ended soon.
        """
        for message in messages:
            turn_id, channel_id = running_turn(message), ChannelId(str(message.channel.id))
            key = channel_id, turn_id
            if not turn_id or key in self._running:
                continue
            self._left[key] = message.id
            is_over = turn_id not in unfinished or turn_id in self._over
            seconds = self._timing.left_running_s if is_over else self._timing.edit_limit_s
            work = self._end_late(channel_id, message.id, turn_id, seconds)
            self._tasks.spawn(work, f"ending a running message of an earlier life in channel {channel_id}")

    async def _end_late(self, channel_id: ChannelId, message_id: int, turn_id: str, seconds: float) -> None:
        await asyncio.sleep(seconds)
        if self._left.pop((channel_id, turn_id), None) is not None:
            await self._end_left(channel_id, message_id, turn_id, INTERRUPTED)

    async def _end_left(self, channel_id: ChannelId, message_id: int, turn_id: str, note: str) -> None:
        """End a message of an earlier life, if it still shows a running turn."""
        try:
            message = await self._messages.read("looking at a running message", channel_id, message_id)
        except (CallRefusedError, CallFailedError) as error:
            log.info("a running message in channel %s is not looked at: %s", channel_id, error)
            return
        if message is not None and running_turn(message) == turn_id and message_id not in self._replaced:
            await self._leave(channel_id, message_id, turn_id, interrupted_text(message.content, note))

    async def _end_earlier(self, channel_id: ChannelId, ended: EndProgress) -> None:
        """End the message of a turn left by an earlier life."""
        try:
            left = await self._find(channel_id, ended.turn_id, ended.answers_message_id)
        except (CallRefusedError, CallFailedError) as error:
            log.warning("messages left by a turn in channel %s are not looked for: %s", channel_id, error)
            return
        if left is not None:
            await self._leave(channel_id, left.id, ended.turn_id, interrupted_text(left.content, ended.note))

    def is_ending(self, message_id: int) -> bool:
        """True while a message is changed or removed: an answer in its place would go with it."""
        return message_id in self._ending

    def note_replaced(self, message_id: int) -> None:
        """Leave a message to the answer that takes its place now, whatever was decided about it before."""
        self._left = {key: left for key, left in self._left.items() if left != message_id}
        self._replaced.append(message_id)

    async def remove(self, channel_id: ChannelId, message_id: int, turn_id: str) -> None:
        """Take a running message away, as soon as Discord lets the bot."""
        await self._leave(channel_id, message_id, turn_id, "")

    def keep(self, channel_id: ChannelId, message_id: int, turn_id: str) -> None:
        """Have `take` give a running message once more: the answer could not be shown yet."""
        self._left[channel_id, turn_id] = message_id

    async def _leave(self, channel_id: ChannelId, message_id: int, turn_id: str, text: str) -> None:
        """Leave `text` in a running message, or remove the message if `text` is empty; as soon as Discord allows."""
        self._left.pop((channel_id, turn_id), None)  # while it is changed, no answer may take its place
        if not await self._change(channel_id, message_id, text):
            self.keep(channel_id, message_id, turn_id)
            work = self._leave_late(channel_id, message_id, turn_id, text)
            self._tasks.spawn(work, f"ending a running message in channel {channel_id}")

    async def _leave_late(self, channel_id: ChannelId, message_id: int, turn_id: str, text: str) -> None:
        """Try again until the text is left, or the turn's answer has replaced the message."""
        key = channel_id, turn_id
        for attempt in itertools.count(1):
            await asyncio.sleep(backoff(attempt, self._timing.gap_again_s, self._timing.gap_again_limit_s))
            if self._left.get(key) != message_id:
                return
            del self._left[key]  # while it is changed, no answer may take its place
            if await self._change(channel_id, message_id, text):
                return
            self._left[key] = message_id

    async def _change(self, channel_id: ChannelId, message_id: int, text: str) -> bool:
        """Change a running message once; False if the change may succeed later."""
        what = f"ending a running message in channel {channel_id}"
        self._ending.add(message_id)
        try:
            if text:
                await self._messages.edit(what, channel_id, message_id, Draft(text=text))
            else:
                await self._messages.delete(what, channel_id, message_id)
        except (CallForbiddenError, CallFailedError) as error:
            log.warning("a running message in channel %s stays as it is for now: %s", channel_id, error)
            return False
        except CallRefusedError as error:
            log.warning("a running message in channel %s stays as it is: %s", channel_id, error)
        finally:
            self._ending.discard(message_id)
        return True

    async def take(self, channel_id: ChannelId, turn_id: str) -> int | None:
        """Running message of the turn, for the answer to replace, once no edit of the message is under way.

        None without a message, or with a message too old for the edits of an answer; the old message is then removed.
        """
        running = await self._finish(channel_id, turn_id)
        left = self._left.pop((channel_id, turn_id), None)
        if running is None or running.message_id is None:
            return left
        if asyncio.get_running_loop().time() - running.begun_at < self._timing.edit_limit_s:
            return running.message_id
        await self.remove(channel_id, running.message_id, turn_id)
        return None

    def close(self) -> None:
        """Stop all changes."""
        self._tasks.cancel()
        for running in self._running.values():
            if running.timer is not None:
                running.timer.cancel()
        self._running.clear()

    async def _finish(self, channel_id: ChannelId, turn_id: str) -> _Running | None:
        """Stop showing a turn; returns when no call of it is under way."""
        running = self._running.pop((channel_id, turn_id), None)
        if running is None:
            return None
        running.is_ending = True
        running.changed.set()
        if running.timer is not None:
            running.timer.cancel()
        if running.pump is not None:
            await asyncio.wait([running.pump])
        try:
            await self._find_posted(channel_id, running)
        except (CallRefusedError, CallFailedError) as error:
            log.warning("a message that may show a turn in channel %s is not looked for: %s", channel_id, error)
        return running

    async def _pump(self, channel_id: ChannelId, running: _Running) -> None:
        while True:
            await running.changed.wait()
            running.changed.clear()
            if running.is_ending or not await self._update(channel_id, running):
                return
            await self._pause(running)

    async def _pause(self, running: _Running) -> None:
        """Wait until the next edit is due, or the end; changes made meanwhile are still shown."""
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

    async def _update(self, channel_id: ChannelId, running: _Running) -> bool:
        """Show the newest state; True if worth repeating."""
        progress, present = running.newest, self._redaction.present
        text = running_text(present(progress.text), present(progress.status))
        if text == running.text:
            return True
        try:
            await self._find_posted(channel_id, running)
            if running.message_id is None:
                await self._post(channel_id, running, text)
            elif asyncio.get_running_loop().time() - running.begun_at < self._timing.edit_limit_s:
                draft = Draft(text=text, view=stop_button(running.turn_id))
                await self._messages.edit_once(channel_id, running.message_id, draft)
        except (CallRefusedError, CallFailedError) as error:
            log.info("the progress of a turn in channel %s is not shown: %s", channel_id, error)
            return not isinstance(error, CallRefusedError)
        except TRANSIENT as error:
            log.info("the progress of a turn in channel %s is not shown: %s", channel_id, describe(error))
            return True
        running.text = text
        return True

    async def _post(self, channel_id: ChannelId, running: _Running, text: str) -> None:
        draft = Draft(
            text=text,
            nonce=live_nonce(running.turn_id),
            reference=self._messages.reference(channel_id, running.newest.answers_message_id),
            view=stop_button(running.turn_id),
        )
        # Persisted, unlike an edit: a message that may be there or not has to be looked for.
        what = f"posting progress of a turn in channel {channel_id}"
        try:
            running.message_id = await self._messages.send(what, channel_id, draft)
        except CallFailedError:
            running.may_be_posted = True
            raise
        running.begun_at = asyncio.get_running_loop().time()

    async def _find_posted(self, channel_id: ChannelId, running: _Running) -> None:
        """Look for a message of unknown id that shows a turn: Discord soon forgets the nonce.

        Raises:
            CallRefusedError, CallFailedError: the channel cannot be read.
        """
        if not running.may_be_posted:
            return
        posted = await self._find(channel_id, running.turn_id, running.newest.answers_message_id, is_anew=True)
        running.may_be_posted = False
        if posted is not None:
            self._left.pop((channel_id, running.turn_id), None)
            running.message_id, running.begun_at = posted.id, asyncio.get_running_loop().time()

    async def _find(
        self, channel_id: ChannelId, turn_id: str, answers_message_id: str, *, is_anew: bool = False
    ) -> discord.Message | None:
        """Message that shows a turn; None without a message, or if no message is known to be older."""
        if answers_message_id.isdecimal():
            async for own in self._messages.own.read(channel_id, int(answers_message_id), is_anew=is_anew):
                for message in own:
                    if running_turn(message) == turn_id:
                        return message
        return None


def stop_button(turn_id: str) -> discord.ui.View:
    """Button to stop the turn of the given id.

    The view counts as finished, so discord.py doesn't keep it: presses are recognized by their custom id, even for
    messages of an earlier life.
    """
    view = discord.ui.View(timeout=None)
    view.add_item(discord.ui.Button(label="Stop", style=discord.ButtonStyle.secondary, custom_id=STOP_PREFIX + turn_id))
    view.stop()
    return view
