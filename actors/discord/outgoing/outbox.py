"""Outbox: texts on their way into Discord, each channel's in order, each text once."""

from __future__ import annotations

import io
import logging
from collections import deque
from collections.abc import Callable, Sequence
from datetime import timedelta

import discord

from actors.discord.calls.background import BackgroundTasks
from actors.discord.calls.button_view import view_of
from actors.discord.calls.forgetting import forget_oldest
from actors.discord.calls.rest_calls import CallFailedError, CallForbiddenError, CallRefusedError
from actors.discord.calls.text_ids import AttachedFile
from actors.discord.outgoing.channel_messages import ChannelMessages, Draft
from actors.discord.outgoing.live import LiveMessages
from actors.discord.outgoing.questions import PostedQuestions
from actors.discord.outgoing.recognition import Part, running_turn, shown_already
from actors.discord.outgoing.redaction import Redaction
from actors.discord.outgoing.typing_indicator import TypingIndicator
from actors.discord.timing import Timing
from actors.kernel import Host
from domain.text.long_answer import FILE_NAME, AnswerMessages, in_messages
from domain.text.splitting import sendable, split
from messages.base import CONTEXT_KIND, Address, ChannelId, MessageId, RequestId
from messages.context import RuntimePosted
from messages.discord import Delivered, DeliveryFailed, DeliveryRefused, DiscordReply, EndProgress, PostMessage

log = logging.getLogger(__name__)

EXACT_NAME = "exact.txt"
_REMEMBERED = 10_000


class Outbox:
    """Queue of texts to post, a pump per channel so channels don't wait for each other; lives on the loop.

    A text posted twice is shown once: Discord knows the nonce of each part for some minutes, this life remembers its
    sent texts, and for texts perhaps sent in an earlier life the channel's history is read.
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
        """Make an empty outbox.

        Args:
            host: Sends the result of a text to its sender.
            messages: Writes into channels.
            live: Shows turns that this outbox's texts will end.
            typing: Ends when a text comes.
            redaction: Makes texts fit to be shown.
            timing: `look_back_s` bounds the search for texts of an earlier life.
        """
        self._host = host
        self._messages = messages
        self._live = live
        self._typing = typing
        self._redaction = redaction
        self._timing = timing
        self.questions = PostedQuestions(host=host, messages=messages, redaction=redaction)
        """Texts with buttons."""
        self.settled = 0
        """Commands completed, with success or failure."""
        self._queues: dict[ChannelId, deque[PostMessage]] = {}
        self._tasks = BackgroundTasks()
        self._waiting: dict[tuple[Address, RequestId], PostMessage] = {}
        self._sent: dict[tuple[ChannelId, str], MessageId] = {}
        """(channel, nonce of a part) -> message."""
        self._tried: dict[tuple[ChannelId, str], None] = {}
        """(channel, nonce of a text) tried in this life: the message may exist without a known id."""
        self._answered: dict[ChannelId, int] = {}
        """Channel -> newest message in which this life has shown an answer."""
        self._closed: set[str] = set()
        """Channels in which the bot may not speak, after a log entry about each."""

    def post(self, message: PostMessage) -> None:
        """Post a text after earlier texts for the channel; a request still under way is not begun again."""
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
        """End the running message of a turn without an answer."""
        self._tasks.spawn(self._live.end(ended), f"ending a running message in channel {ended.window.id}")

    def close(self) -> None:
        """Give up texts under way; their results stay unknown."""
        self._live.close()
        self.questions.close()
        self._tasks.cancel()
        self._queues.clear()
        self.abandon()

    def abandon(self) -> None:
        """Report texts under way as not known to be shown; in any thread, once the loop has ended."""
        for message in list(self._waiting.values()):
            self._answer(
                message, DeliveryFailed(request_id=message.request_id, reason="the bot is closing its connection")
            )

    async def _pump(self, channel_id: ChannelId) -> None:
        queue = self._queues[channel_id]
        self._typing.hold(channel_id)
        while queue:
            message = queue.popleft()
            self._answer(message, await self._outcome(message))
        del self._queues[channel_id]
        self._typing.release(channel_id)

    def _answer(self, message: PostMessage, reply: DiscordReply) -> None:
        del self._waiting[message.reply_to, message.request_id]
        if isinstance(reply, Delivered) and message.buttons:
            self.questions.note(message, reply.message_ids[-1])
        if isinstance(reply, Delivered) and message.reply_to.kind != CONTEXT_KIND:
            # First: a sender that counts the text as shown never asks again, so the window would never hear of it.
            posted = RuntimePosted(
                window=message.window,
                by=message.reply_to.kind,
                text=message.text,
                message_ids=reply.message_ids,
                is_late=message.look_first,
                answers_message_id=message.answers_message_id,
                is_off_record=self._messages.is_off_record(ChannelId(message.window.id)),
            )
            self._host.tell(message.window.address, posted)
        self._host.tell(message.reply_to, reply)
        self.settled += 1

    async def _outcome(self, message: PostMessage) -> DiscordReply:
        request_id, channel_id = message.request_id, message.window.id
        try:
            message_ids = tuple(await self._deliver(message))
            if channel_id in self._closed:
                self._closed.discard(channel_id)
                log.warning("channel %s is open to the bot again", channel_id)
            return Delivered(request_id=request_id, message_ids=message_ids)
        except CallForbiddenError as error:
            if channel_id not in self._closed:
                self._closed.add(channel_id)
                log.warning("channel %s is closed to the bot, and its messages wait: %s", channel_id, error)
            return DeliveryRefused(request_id=request_id, reason=str(error), for_now=True)
        except CallRefusedError as error:
            return DeliveryRefused(request_id=request_id, reason=str(error))
        except CallFailedError as error:
            return DeliveryFailed(request_id=request_id, reason=str(error))
        except Exception as error:
            log.exception("posting in channel %s failed", message.window.id)
            return DeliveryFailed(request_id=request_id, reason=f"posting failed with {type(error).__name__}")

    async def _deliver(self, message: PostMessage) -> list[MessageId]:
        """Ids of the messages that show the text, in order."""
        text = self._redaction.present(sendable(message.text))
        fitted = in_messages(text)
        if not fitted.parts:
            raise CallRefusedError("the text has nothing to show")
        if not message.window.id.isdecimal():
            raise CallRefusedError("the window is no Discord channel")
        if message.reply_to.kind != CONTEXT_KIND:  # The window logs the words, unless memory is off there.
            await self._messages.meet(message.window)
        channel_id = ChannelId(message.window.id)
        running = await self._live.take(channel_id, message.turn_id) if message.turn_id else None
        exact = self._redaction.scrub(message.exact)
        try:
            return await self._show_lighter(message, text, fitted, exact, running)
        except (CallRefusedError, CallFailedError) as error:
            if running is not None and MessageId(str(running)) not in self._sent.values():
                self._live.keep(channel_id, running, message.turn_id)
                if isinstance(error, CallRefusedError):  # Nothing of an answer that has to wait is to be seen.
                    await self._live.remove(channel_id, running, message.turn_id)
            raise

    async def _show_lighter(
        self, message: PostMessage, text: str, fitted: AnswerMessages, exact: str, running: int | None
    ) -> list[MessageId]:
        """Ids of the messages that show the text; without refused files, the text takes as many messages as needed."""
        lighter = _parts(message, AnswerMessages(split(text)), after_file=True)
        if fitted.attached and not message.buttons and await self._has_begun(message, lighter, running):
            return await self._show(message, lighter, running)
        try:
            return await self._show(message, _parts(message, fitted, exact), running)
        except CallRefusedError as error:
            if message.buttons or (not fitted.attached and not exact):
                raise
            log.info("an answer in channel %s cannot be a file: %s", message.window.id, error)
        return await self._show(message, lighter, running)

    async def _has_begun(self, message: PostMessage, parts: Sequence[Part], running: int | None) -> bool:
        """True if any of the parts is shown already: Discord may accept now the file that it refused before."""
        if self._must_look(message, running):
            await self._look(message, parts)
        return any((ChannelId(message.window.id), part.nonce) in self._sent for part in parts)

    async def _show(self, message: PostMessage, parts: Sequence[Part], running: int | None) -> list[MessageId]:
        """Ids of the messages that show the parts, some perhaps sent by an earlier life."""
        left = await self._look(message, parts) if self._must_look(message, running) else []
        channel_id = ChannelId(message.window.id)
        left = [each for each in left if not self._live.is_ending(each)]
        running_ids = list(dict.fromkeys([*([running] if running is not None else []), *left]))
        if running_ids and running_ids[0] > self._answered.get(channel_id, 0):
            await self._replace(message, running_ids[0], parts[0])
        sent_ids = [await self._send(message, part) for part in parts]
        for message_id in running_ids:
            if MessageId(str(message_id)) not in sent_ids:
                await self._live.remove(channel_id, message_id, message.turn_id)
        if message.turn_id:
            self._note_answer(channel_id, int(sent_ids[-1]))
        return sent_ids

    def _must_look(self, message: PostMessage, running: int | None) -> bool:
        """True if the text may be shown already, and the channel's history has to be read."""
        return message.look_first or (running is None and self._messages.is_of_earlier_life(message.answers_message_id))

    def _note_answer(self, channel_id: ChannelId, message_id: int) -> None:
        """Keep later answers from replacing a message above this message, for example an older running message."""
        self._answered[channel_id] = max(message_id, self._answered.get(channel_id, 0))
        if len(self._answered) > _REMEMBERED:
            forget_oldest(self._answered)

    def _note_try(self, channel_id: ChannelId, nonce: str) -> None:
        self._tried[channel_id, nonce] = None
        if len(self._tried) > _REMEMBERED:
            forget_oldest(self._tried)

    async def _send(self, message: PostMessage, part: Part) -> MessageId:
        channel_id = ChannelId(message.window.id)
        sent = self._sent.get((channel_id, part.nonce))
        if part.is_last:
            await self._typing.end(channel_id)
        if sent is not None:
            return sent
        self._note_try(channel_id, message.nonce)
        draft = Draft(
            text=part.text,
            nonce=part.nonce,
            files=_files(part),
            reference=self._messages.reference(channel_id, message.answers_message_id) if part.is_first else None,
            mentions=_allowed_mentions(message),
            view=view_of(message.buttons) if part.is_last else None,
            needs_view=part.is_last and bool(message.buttons),
        )
        message_id = MessageId(str(await self._messages.send(f"posting in channel {channel_id}", channel_id, draft)))
        self._remember(channel_id, part.nonce, message_id)
        return message_id

    async def _replace(self, message: PostMessage, running: int, part: Part) -> None:
        """Edit a turn's running message into the first part of the answer; on failure the part is left to be sent."""
        channel_id = ChannelId(message.window.id)
        if (channel_id, part.nonce) in self._sent:
            return
        if part.is_last:
            await self._typing.end(channel_id)
        draft = Draft(text=part.text, files=_files(part), mentions=_allowed_mentions(message))
        self._live.note_replaced(running)
        try:
            await self._messages.edit(f"completing an answer in channel {channel_id}", channel_id, running, draft)
        except CallRefusedError as error:
            log.info("a running message in channel %s cannot become the answer: %s", channel_id, error)
        else:
            self._remember(channel_id, part.nonce, MessageId(str(running)))

    async def _look(self, message: PostMessage, parts: Sequence[Part]) -> list[int]:
        """Remember the parts already shown in the channel; return leftover running messages of the same turn.

        Parts with known messages are not looked for. Reads from the newest message back to the oldest possible
        candidate, or until all are found.
        """
        channel_id = ChannelId(message.window.id)
        missing = [part for part in parts if (channel_id, part.nonce) not in self._sent]
        sent_ids: list[MessageId] = []
        left: list[int] = []
        is_anew = (channel_id, message.nonce) in self._tried
        async for own in self._messages.own.read(channel_id, await self._look_from(message), is_anew=is_anew):
            sent_ids = shown_already(message, missing, own, self._is_taken_in(channel_id))
            left = [each.id for each in own if message.turn_id and running_turn(each) == message.turn_id]
            if len(sent_ids) == len(missing) and (bool(left) or not message.turn_id):
                break
        for part, message_id in zip(missing, sent_ids, strict=False):
            self._remember(channel_id, part.nonce, message_id)
        return left

    async def _look_from(self, message: PostMessage) -> int:
        """The id after which an earlier sending may stand: as late as may be, since all since then is read."""
        if message.answers_message_id.isdecimal():
            return int(message.answers_message_id)
        now, since = self._host.now(), message.look_since
        if since is None or since > now:  # A time to come is of a clock that was set back since.
            since = now - timedelta(seconds=self._timing.look_back_s)
        return await self._messages.id_at(since) - 1

    def _is_taken_in(self, channel_id: ChannelId) -> Callable[[MessageId, str], bool]:
        """Predicate (message id, nonce): True if the message shows a part with another nonce."""
        nonces = {message: nonce for (channel, nonce), message in self._sent.items() if channel == channel_id}
        return lambda message_id, nonce: nonces.get(message_id, nonce) != nonce

    def _remember(self, channel_id: ChannelId, nonce: str, message_id: MessageId) -> None:
        self._sent[channel_id, nonce] = message_id
        if len(self._sent) > _REMEMBERED:
            forget_oldest(self._sent)


def part_nonce(message: PostMessage, index: int) -> str:
    """Nonce of a part; at most 25 characters for fewer than 10,000 parts."""
    return f"{message.nonce}.{index}"


def _parts(
    message: PostMessage, fitted: AnswerMessages, exact: str = "", *, after_file: bool = False
) -> tuple[Part, ...]:
    """The messages that show a text.

    Args:
        message: Text to post.
        fitted: Its text, cut into messages.
        exact: Content of a second file; empty for no file.
        after_file: True if a file had the first nonce, but was refused.
    """
    count = len(fitted.parts)
    files = ((FILE_NAME, fitted.attached), (EXACT_NAME, exact))
    return tuple(
        Part(
            text=text,
            nonce=part_nonce(message, index + after_file),
            is_first=index == 0,
            is_last=index == count - 1,
            files=tuple((name, content) for name, content in files if content) if index == 0 else (),
        )
        for index, text in enumerate(fitted.parts)
    )


def _files(part: Part) -> Callable[[], list[discord.File]]:
    """Maker of a part's files for each call, since a call uses files up."""
    return lambda: [AttachedFile(io.BytesIO(text.encode()), filename=name) for name, text in part.files]


def _allowed_mentions(message: PostMessage) -> discord.AllowedMentions:
    """Mentions of the text that may notify: the addressee's only, if any."""
    if not message.mention_user_id.isdecimal():
        return discord.AllowedMentions.none()
    person = discord.Object(int(message.mention_user_id))
    return discord.AllowedMentions(everyone=False, users=[person], roles=False, replied_user=False)
