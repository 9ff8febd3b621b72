"""What the agent says on its way into Discord: each channel's texts in order, each text once."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Final

import discord

from actors.discord.courier import CallFailedError, CallRefusedError, Courier
from actors.discord.seen import Seen
from actors.discord.timing import Timing
from actors.discord.typing_indicator import TypingIndicator
from domain.splitting import sendable, split
from messages.base import Address, Message, RequestId
from messages.discord import Delivered, DeliveryFailed, DeliveryRefused, DiscordReply, PostMessage

log = logging.getLogger(__name__)

_REMEMBERED: Final = 10_000
_LOOK_BACK_MESSAGES: Final = 200


class Outbox:
    """Posts texts, one pump per channel so that channels don't wait for each other; lives on the loop.

    A text that is posted twice is shown once: each part has a nonce that Discord knows for some minutes, what was sent
    in this life is remembered here, and for what may have been sent in an earlier one the channel's history is read.
    """

    def __init__(
        self,
        *,
        courier: Courier,
        typing: TypingIndicator,
        seen: Seen,
        timing: Timing,
        tell: Callable[[Address, Message], None],
        now: Callable[[], datetime],
    ) -> None:
        self._courier = courier
        self._typing = typing
        self._seen = seen
        self._timing = timing
        self._tell = tell
        self._now = now
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

    def close(self) -> None:
        """Give up what is under way; whether it is shown is not known then."""
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
        parts = split(sendable(message.text))
        if not parts:
            raise CallRefusedError("the text has nothing to show")
        if not message.window.id.isdecimal():
            raise CallRefusedError("the window is no Discord channel")
        if message.look_first:
            await self._look(message, parts)
        return [
            await self._send(message, index, part, is_last=index == len(parts) - 1) for index, part in enumerate(parts)
        ]

    async def _send(self, message: PostMessage, index: int, part: str, *, is_last: bool) -> str:
        channel_id, nonce = message.window.id, part_nonce(message, index)
        sent = self._sent.get((channel_id, nonce))
        if is_last:
            await self._typing.hidden(channel_id)
        if sent is not None:
            return sent
        reference = self._reference(message) if index == 0 else None

        async def call(client: discord.Client) -> discord.Message:
            return await client.get_partial_messageable(int(channel_id)).send(
                part,
                nonce=nonce,
                reference=reference,  # type: ignore[arg-type]  # the overloads know no "reference or none"
                mention_author=False,
                allowed_mentions=discord.AllowedMentions.none(),
                suppress_embeds=True,
            )

        shown = await self._courier.persist(f"posting in channel {channel_id}", call)
        self._seen.notice(channel_id, shown.id)
        self._remember(channel_id, nonce, str(shown.id))
        return str(shown.id)

    def _reference(self, message: PostMessage) -> discord.MessageReference | None:
        """Says what is answered, where the reader couldn't tell: something else is the newest in the channel."""
        answered, channel_id = message.answers_message_id, message.window.id
        if not answered.isdecimal() or self._seen.newest_in(channel_id) == answered:
            return None
        return discord.MessageReference(message_id=int(answered), channel_id=int(channel_id), fail_if_not_exists=False)

    async def _look(self, message: PostMessage, parts: Sequence[str]) -> None:
        """Remember the parts that the channel shows already."""

        async def read(client: discord.Client) -> list[discord.Message]:
            channel = client.get_partial_messageable(int(message.window.id))
            if message.answers_message_id.isdecimal():
                after = discord.Object(int(message.answers_message_id))
                history = channel.history(limit=_LOOK_BACK_MESSAGES, after=after, oldest_first=True)
            else:
                since = self._now() - timedelta(seconds=self._timing.look_back_s)
                history = channel.history(limit=_LOOK_BACK_MESSAGES, after=since, oldest_first=True)
            return [shown async for shown in history if client.user and shown.author.id == client.user.id]

        shown = await self._courier.persist(f"looking into channel {message.window.id}", read)
        for index, message_id in enumerate(shown_already(message, parts, shown)):
            self._remember(message.window.id, part_nonce(message, index), message_id)

    def _remember(self, channel_id: str, nonce: str, message_id: str) -> None:
        self._sent[channel_id, nonce] = message_id
        if len(self._sent) > _REMEMBERED:
            self._sent.popitem(last=False)


def part_nonce(message: PostMessage, index: int) -> str:
    """What Discord knows the part by; at most 25 characters for fewer than 10,000 parts."""
    return f"{message.nonce}.{index}"


def shown_already(message: PostMessage, parts: Sequence[str], shown: Sequence[discord.Message]) -> list[str]:
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
        if _shows(message, len(found), parts[len(found)], candidate):
            found.append(str(candidate.id))
    return found


def _shows(message: PostMessage, index: int, part: str, candidate: discord.Message) -> bool:
    """Whether `candidate` is that part: by its nonce, or by the same words where those can't be another text's."""
    nonce = candidate.nonce
    if nonce is not None and str(nonce) == part_nonce(message, index):
        return True
    if candidate.content.strip() != part:
        return False
    if not message.answers_message_id:
        return nonce is None
    reference = candidate.reference
    return reference is None or str(reference.message_id) == message.answers_message_id
