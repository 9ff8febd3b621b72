"""What the agent says on its way into Discord: each channel's texts in order, each text once."""

from __future__ import annotations

import asyncio
import io
import logging
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import discord

from actors.discord.calls.rest_calls import CallFailedError, CallRefusedError, RestCalls
from actors.discord.outgoing.live import LiveMessages
from actors.discord.outgoing.typing_indicator import TypingIndicator
from actors.discord.seen import Seen
from actors.discord.timing import Timing
from domain.text.long_answer import FILE_NAME, Shown, in_messages
from domain.text.running_text import is_running
from domain.text.splitting import sendable, split
from messages.base import Address, Message, RequestId
from messages.discord import Delivered, DeliveryFailed, DeliveryRefused, DiscordReply, EndProgress, PostMessage

log = logging.getLogger(__name__)

_REMEMBERED = 10_000
_LOOK_BACK_MESSAGES = 200
_LOOK_BACK_NEWEST = 1_000


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
    """Posts texts, one pump per channel so that channels don't wait for each other; lives on the loop.

    A text that is posted twice is shown once: each part has a nonce that Discord knows for some minutes, what was sent
    in this life is remembered here, and for what may have been sent in an earlier one the channel's history is read.
    """

    def __init__(
        self,
        *,
        rest: RestCalls,
        typing: TypingIndicator,
        seen: Seen,
        timing: Timing,
        present: Callable[[str], str],
        tell: Callable[[Address, Message], None],
        now: Callable[[], datetime],
    ) -> None:
        self._rest = rest
        self._typing = typing
        self._seen = seen
        self._timing = timing
        self._tell = tell
        self._now = now
        self._present = present
        self.live = LiveMessages(
            rest=rest, timing=timing, reference=self._reference, present=present, posted=self._note_posted
        )
        """What is shown of turns that this outbox's texts will end."""
        self.settled = 0
        """Commands that are done with, for good or ill."""
        self._queues: dict[str, deque[PostMessage]] = {}
        self._pumps: set[asyncio.Task[None]] = set()
        self._waiting: dict[tuple[Address, RequestId], PostMessage] = {}
        self._sent: OrderedDict[tuple[str, str], str] = OrderedDict()
        """(channel, nonce of a part) -> message."""

    def post(self, message: PostMessage) -> None:
        """Post a text after those told before for its channel; a request that is still under way is not begun again."""
        key = (message.reply_to, message.request_id)
        if key in self._waiting:
            self.settled += 1
            return
        self._waiting[key] = message
        channel_id = message.window.id
        queue = self._queues.get(channel_id)
        if queue is not None:
            queue.append(message)
            return
        self._queues[channel_id] = deque([message])
        pump = asyncio.get_running_loop().create_task(self._pump(channel_id))
        self._pumps.add(pump)
        pump.add_done_callback(self._pumps.discard)

    def end_progress(self, ended: EndProgress) -> None:
        """End the running message of a turn that has no answer."""
        ending = asyncio.get_running_loop().create_task(self.live.end(ended))
        self._pumps.add(ending)
        ending.add_done_callback(self._pumps.discard)

    def close(self) -> None:
        """Give up what is under way; whether it is shown is not known then."""
        self.live.close()
        for pump in self._pumps:
            pump.cancel()
        self._queues.clear()
        for message in list(self._waiting.values()):
            self._answer(
                message, DeliveryFailed(request_id=message.request_id, reason="the bot is closing its connection")
            )

    async def _pump(self, channel_id: str) -> None:
        queue = self._queues[channel_id]
        while queue:
            message = queue.popleft()
            self._answer(message, await self._outcome(message))
        del self._queues[channel_id]

    def _answer(self, message: PostMessage, reply: DiscordReply) -> None:
        del self._waiting[message.reply_to, message.request_id]
        self._tell(message.reply_to, reply)
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

    async def _deliver(self, message: PostMessage) -> list[str]:
        """Ids of the messages that show the text, in order."""
        text = self._present(sendable(message.text))
        fitted = in_messages(text)
        if not fitted.parts:
            raise CallRefusedError("the text has nothing to show")
        if not message.window.id.isdecimal():
            raise CallRefusedError("the window is no Discord channel")
        running = await self.live.take(message.window.id, message.turn_id) if message.turn_id else None
        try:
            return await self._show(message, _parts(message, fitted), running)
        except CallRefusedError as error:
            if not fitted.attached:
                raise
            log.info("an answer in channel %s cannot be a file: %s", message.window.id, error)
        return await self._show(message, _parts(message, Shown(split(text)), after_file=True), running)

    async def _show(self, message: PostMessage, parts: Sequence[_Part], running: int | None) -> list[str]:
        """Ids of the messages that show the parts, of which an earlier life may have sent some."""
        if message.look_first:
            running = await self._look(message, parts) or running
        if running is not None:
            await self._replace(message, running, parts[0])
        return [await self._send(message, part) for part in parts]

    async def _send(self, message: PostMessage, part: _Part) -> str:
        channel_id = message.window.id
        sent = self._sent.get((channel_id, part.nonce))
        if part.is_last:
            await self._typing.hidden(channel_id)
        if sent is not None:
            return sent
        reference = self._reference(channel_id, message.answers_message_id) if part.is_first else None

        async def call(client: discord.Client) -> discord.Message:
            return await client.get_partial_messageable(int(channel_id)).send(
                part.text,
                files=part.files(),
                nonce=part.nonce,
                reference=reference,  # type: ignore[arg-type]  # the overloads know no "reference or none"
                mention_author=False,
                allowed_mentions=_allowed_mentions(message),
                suppress_embeds=True,
            )

        shown = await self._rest.persist(f"posting in channel {channel_id}", call)
        self._seen.notice(channel_id, shown.id)
        self._remember(channel_id, part.nonce, str(shown.id))
        return str(shown.id)

    async def _replace(self, message: PostMessage, running: int, part: _Part) -> None:
        """Make the running message of a turn the first part of its answer; if it can't be, it is left to be sent."""
        channel_id = message.window.id
        if (channel_id, part.nonce) in self._sent:
            await self.live.remove(channel_id, running)
            return
        if part.is_last:
            await self._typing.hidden(channel_id)

        async def call(client: discord.Client) -> None:
            shown = client.get_partial_messageable(int(channel_id)).get_partial_message(running)
            await shown.edit(
                content=part.text,
                attachments=part.files(),
                view=None,
                allowed_mentions=_allowed_mentions(message),
            )

        try:
            await self._rest.persist(f"completing an answer in channel {channel_id}", call)
        except CallRefusedError as error:
            log.info("a running message in channel %s cannot become the answer: %s", channel_id, error)
        else:
            self._remember(channel_id, part.nonce, str(running))

    def _note_posted(self, channel_id: str, message_id: int) -> None:
        self._seen.notice(channel_id, message_id)

    def _reference(self, channel_id: str, answered: str) -> discord.MessageReference | None:
        """Says what is answered, where the reader couldn't tell: something else is the newest in the channel."""
        if not answered.isdecimal() or self._seen.newest_in(channel_id) == answered:
            return None
        return discord.MessageReference(message_id=int(answered), channel_id=int(channel_id), fail_if_not_exists=False)

    async def _look(self, message: PostMessage, parts: Sequence[_Part]) -> int | None:
        """Remember the parts that the channel shows already; gives a running message that an earlier life left."""

        async def read(client: discord.Client) -> list[discord.Message]:
            channel = client.get_partial_messageable(int(message.window.id))
            after: discord.Object | datetime = message.look_since or (
                discord.Object(int(message.answers_message_id))
                if message.answers_message_id.isdecimal()
                else self._now() - timedelta(seconds=self._timing.look_back_s)
            )
            history = channel.history(limit=_LOOK_BACK_MESSAGES, after=after, oldest_first=True)
            found = {shown.id: shown async for shown in history}
            if len(found) == _LOOK_BACK_MESSAGES and message.look_since:  # long ago: perhaps it was late then, too
                newest = channel.history(limit=_LOOK_BACK_NEWEST, after=after, oldest_first=False)
                found |= {shown.id: shown async for shown in newest}
            return [found[i] for i in sorted(found) if client.user and found[i].author.id == client.user.id]

        shown = await self._rest.persist(f"looking into channel {message.window.id}", read)
        for part, message_id in zip(parts, shown_already(message, parts, shown), strict=False):
            self._remember(message.window.id, part.nonce, message_id)
        if not message.turn_id:
            return None
        return next((left.id for left in reversed(shown) if is_running(left.content)), None)

    def _remember(self, channel_id: str, nonce: str, message_id: str) -> None:
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


def shown_already(message: PostMessage, parts: Sequence[_Part], shown: Sequence[discord.Message]) -> list[str]:
    """Ids of the messages that show the first parts of a text, as many as there are.

    Args:
        message: What is to be posted.
        parts: Its parts.
        shown: The bot's own messages after the answered one, oldest first.
    """
    found: list[str] = []
    for candidate in shown:
        if len(found) == len(parts):
            break
        if _shows(message, parts[len(found)], candidate):
            found.append(str(candidate.id))
    return found


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
