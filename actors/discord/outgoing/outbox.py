"""Outbox: texts on their way into Discord, each channel's in order, each text once."""

from __future__ import annotations

import io
import logging
from collections import OrderedDict, deque
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import discord

from actors.discord.calls.background import BackgroundTasks
from actors.discord.calls.rest_calls import CallFailedError, CallRefusedError
from actors.discord.outgoing.channel_messages import ChannelMessages, Draft
from actors.discord.outgoing.live import LiveMessages
from actors.discord.outgoing.redaction import Redaction
from actors.discord.outgoing.typing_indicator import TypingIndicator
from actors.discord.timing import Timing
from actors.kernel import Host
from domain.text.long_answer import FILE_NAME, Shown, in_messages
from domain.text.running_text import is_running
from domain.text.splitting import sendable, split
from messages.base import Address, ChannelId, MessageId, RequestId
from messages.discord import Delivered, DeliveryFailed, DeliveryRefused, DiscordReply, EndProgress, PostMessage

log = logging.getLogger(__name__)

_REMEMBERED = 10_000


@dataclass(frozen=True, slots=True)
class _Part:
    """One message of a text."""

    text: str
    nonce: str
    is_first: bool
    is_last: bool
    attached: str
    """What its file holds; empty for no file."""

    def files(self) -> list[discord.File]:
        """Made anew for each call, since a call uses them up."""
        return [discord.File(io.BytesIO(self.attached.encode()), filename=FILE_NAME)] if self.attached else []


class Outbox:
    """Queue of texts to post, a pump per channel so that channels don't wait for each other; lives on the loop.

    A text that is posted twice is shown once: each part has a nonce that Discord knows for some minutes, what was sent
    in this life is remembered here, and for what may have been sent in an earlier one the channel's history is read.
    """

    def __init__(
        self,
        *,
        host: Host,
        messages: ChannelMessages,
        live: LiveMessages,
        typing: TypingIndicator,
        redaction: Redaction,
        timing: Timing,
    ) -> None:
        """An empty outbox.

        Args:
            host: Tells whoever asked what became of their text.
            messages: Writes into channels.
            live: Shows turns that this outbox's texts will end.
            typing: Ends when a text comes.
            redaction: Makes texts fit to be shown.
            timing: `look_back_s` bounds the search for what an earlier life sent.
        """
        self._host = host
        self._messages = messages
        self._live = live
        self._typing = typing
        self._redaction = redaction
        self._timing = timing
        self.settled = 0
        """Commands that are done with, for good or ill."""
        self._queues: dict[ChannelId, deque[PostMessage]] = {}
        self._tasks = BackgroundTasks()
        self._waiting: dict[tuple[Address, RequestId], PostMessage] = {}
        self._sent: OrderedDict[tuple[ChannelId, str], MessageId] = OrderedDict()
        """(channel, nonce of a part) -> message."""

    def post(self, message: PostMessage) -> None:
        """Post a text after those told before for its channel; a request that is still under way is not begun again."""
        key = (message.reply_to, message.request_id)
        if key in self._waiting:
            self.settled += 1
            return
        self._waiting[key] = message
        channel_id = ChannelId(message.window.id)
        queue = self._queues.get(channel_id)
        if queue is not None:
            queue.append(message)
            return
        self._queues[channel_id] = deque([message])
        self._tasks.spawn(self._pump(channel_id), f"posting in channel {channel_id}")

    def end_progress(self, ended: EndProgress) -> None:
        """End the running message of a turn that has no answer."""
        self._tasks.spawn(self._live.end(ended), f"ending a running message in channel {ended.window.id}")

    def close(self) -> None:
        """Give up what is under way; whether it is shown is not known then."""
        self._live.close()
        self._tasks.cancel()
        self._queues.clear()
        for message in list(self._waiting.values()):
            self._answer(
                message, DeliveryFailed(request_id=message.request_id, reason="the bot is closing its connection")
            )

    async def _pump(self, channel_id: ChannelId) -> None:
        queue = self._queues[channel_id]
        while queue:
            message = queue.popleft()
            self._answer(message, await self._outcome(message))
        del self._queues[channel_id]

    def _answer(self, message: PostMessage, reply: DiscordReply) -> None:
        del self._waiting[message.reply_to, message.request_id]
        self._host.tell(message.reply_to, reply)
        self.settled += 1

    async def _outcome(self, message: PostMessage) -> DiscordReply:
        request_id = message.request_id
        try:
            return Delivered(request_id=request_id, message_ids=tuple(await self._deliver(message)))
        except CallRefusedError as error:
            return DeliveryRefused(request_id=request_id, reason=str(error))
        except CallFailedError as error:
            return DeliveryFailed(request_id=request_id, reason=str(error))
        except Exception as error:
            log.exception("posting in channel %s went wrong", message.window.id)
            return DeliveryFailed(request_id=request_id, reason=f"posting went wrong with {type(error).__name__}")

    async def _deliver(self, message: PostMessage) -> list[MessageId]:
        """Ids of the messages that show the text, in order."""
        text = self._redaction.present(sendable(message.text))
        fitted = in_messages(text)
        if not fitted.parts:
            raise CallRefusedError("the text has nothing to show")
        if not message.window.id.isdecimal():
            raise CallRefusedError("the window is no Discord channel")
        channel_id = ChannelId(message.window.id)
        running = await self._live.take(channel_id, message.turn_id) if message.turn_id else None
        try:
            return await self._show(message, _parts(message, fitted), running)
        except CallRefusedError as error:
            if not fitted.attached:
                raise
            log.info("an answer in channel %s cannot be a file: %s", message.window.id, error)
        return await self._show(message, _parts(message, Shown(split(text)), after_file=True), running)

    async def _show(self, message: PostMessage, parts: Sequence[_Part], running: int | None) -> list[MessageId]:
        """Ids of the messages that show the parts, of which an earlier life may have sent some."""
        if message.look_first:
            running = await self._look(message, parts) or running
        if running is not None:
            await self._replace(message, running, parts[0])
        return [await self._send(message, part) for part in parts]

    async def _send(self, message: PostMessage, part: _Part) -> MessageId:
        channel_id = ChannelId(message.window.id)
        sent = self._sent.get((channel_id, part.nonce))
        if part.is_last:
            await self._typing.hidden(channel_id)
        if sent is not None:
            return sent
        draft = Draft(
            text=part.text,
            nonce=part.nonce,
            files=part.files,
            reference=self._messages.reference(channel_id, message.answers_message_id) if part.is_first else None,
            mentions=_allowed_mentions(message),
        )
        message_id = MessageId(str(await self._messages.send(f"posting in channel {channel_id}", channel_id, draft)))
        self._remember(channel_id, part.nonce, message_id)
        return message_id

    async def _replace(self, message: PostMessage, running: int, part: _Part) -> None:
        """Make the running message of a turn the first part of its answer; if it can't be, it is left to be sent."""
        channel_id = ChannelId(message.window.id)
        if (channel_id, part.nonce) in self._sent:
            await self._live.remove(channel_id, running)
            return
        if part.is_last:
            await self._typing.hidden(channel_id)
        draft = Draft(text=part.text, files=part.files, mentions=_allowed_mentions(message))
        try:
            await self._messages.edit(f"completing an answer in channel {channel_id}", channel_id, running, draft)
        except CallRefusedError as error:
            log.info("a running message in channel %s cannot become the answer: %s", channel_id, error)
        else:
            self._remember(channel_id, part.nonce, MessageId(str(running)))

    async def _look(self, message: PostMessage, parts: Sequence[_Part]) -> int | None:
        """Remember the parts that the channel shows already; gives a running message that an earlier life left."""
        channel_id = ChannelId(message.window.id)
        after: discord.Object | datetime = message.look_since or (
            discord.Object(int(message.answers_message_id))
            if message.answers_message_id.isdecimal()
            else self._host.now() - timedelta(seconds=self._timing.look_back_s)
        )
        # What was due long ago was perhaps late then, too, and stands among the newest.
        own = await self._messages.own_since(channel_id, after, also_newest=message.look_since is not None)
        for part, message_id in zip(parts, shown_already(message, parts, own), strict=False):
            self._remember(channel_id, part.nonce, message_id)
        if not message.turn_id:
            return None
        return next((left.id for left in reversed(own) if is_running(left.content)), None)

    def _remember(self, channel_id: ChannelId, nonce: str, message_id: MessageId) -> None:
        self._sent[channel_id, nonce] = message_id
        if len(self._sent) > _REMEMBERED:
            self._sent.popitem(last=False)


def part_nonce(message: PostMessage, index: int) -> str:
    """What Discord knows the part by; at most 25 characters for fewer than 10,000 parts."""
    return f"{message.nonce}.{index}"


def _parts(message: PostMessage, fitted: Shown, *, after_file: bool = False) -> tuple[_Part, ...]:
    """The messages that show a text; `after_file` if a file had the first nonce, but was refused."""
    count = len(fitted.parts)
    return tuple(
        _Part(
            text=text,
            nonce=part_nonce(message, index + after_file),
            is_first=index == 0,
            is_last=index == count - 1,
            attached=fitted.attached if index == 0 else "",
        )
        for index, text in enumerate(fitted.parts)
    )


def shown_already(message: PostMessage, parts: Sequence[_Part], own: Sequence[discord.Message]) -> list[MessageId]:
    """Ids of the messages that show the first parts of a text, as many as there are.

    Args:
        message: What is to be posted.
        parts: Its parts.
        own: The bot's messages after the answered one, oldest first.
    """
    message_ids: list[MessageId] = []
    for candidate in own:
        if len(message_ids) == len(parts):
            break
        if _shows(message, parts[len(message_ids)], candidate):
            message_ids.append(MessageId(str(candidate.id)))
    return message_ids


def _allowed_mentions(message: PostMessage) -> discord.AllowedMentions:
    """Whom the text may notify: nobody, or the one person it is meant for."""
    if not message.mention_user_id.isdecimal():
        return discord.AllowedMentions.none()
    person = discord.Object(int(message.mention_user_id))
    return discord.AllowedMentions(everyone=False, users=[person], roles=False, replied_user=False)


def _shows(message: PostMessage, part: _Part, candidate: discord.Message) -> bool:
    """Whether `candidate` is that part: by its nonce, or by the same words where those can't be another text's."""
    nonce = candidate.nonce
    if nonce is not None and str(nonce) == part.nonce:
        return True
    if message.mark and (mark := sendable(message.mark)) in part.text and mark in candidate.content:
        return True
    if candidate.content.strip() != part.text:
        return False
    if not message.answers_message_id:
        return nonce is None
    reference = candidate.reference
    return reference is None or str(reference.message_id) == message.answers_message_id
