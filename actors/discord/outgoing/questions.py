"""Posted questions with buttons: ended on request, and reported when deleted."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from actors.discord.calls.background import BackgroundTasks
from actors.discord.calls.forgetting import forget_oldest
from actors.discord.calls.rest_calls import CallFailedError, CallRefusedError
from actors.discord.outgoing.channel_messages import ChannelMessages
from actors.discord.outgoing.redaction import Redaction
from actors.kernel import Host
from domain.text.splitting import sendable
from messages.base import Address, ChannelId, MessageId
from messages.discord import EndButtons, PostMessage
from messages.shell import QuestionDeleted

log = logging.getLogger(__name__)

_REMEMBERED = 1_000


class PostedQuestions:
    """Questions posted in channels; lives on the loop."""

    def __init__(self, *, host: Host, messages: ChannelMessages, redaction: Redaction) -> None:
        """Begin without questions.

        Args:
            host: Tells askers of deleted questions.
            messages: Changes messages.
            redaction: Makes texts fit to be shown.
        """
        self._host = host
        self._messages = messages
        self._redaction = redaction
        self._tasks = BackgroundTasks()
        self._askers: dict[str, Address] = {}
        """Message -> actor that asked."""

    def note(self, post: PostMessage, message_id: MessageId) -> None:
        """Note a posted question."""
        self._askers[message_id] = post.reply_to
        if len(self._askers) > _REMEMBERED:
            forget_oldest(self._askers)

    def note_deleted(self, message_ids: Iterable[int]) -> None:
        """Tell askers of the deletion of their questions."""
        for message_id in map(str, message_ids):
            if (asker := self._askers.pop(message_id, None)) is not None:
                self._host.tell(asker, QuestionDeleted(message_id=MessageId(message_id)))

    def end(self, command: EndButtons) -> None:
        """Take a question's buttons away, soon."""
        self._askers.pop(command.message_id, None)
        self._tasks.spawn(self._end(command), f"ending a question in channel {command.window.id}")

    def close(self) -> None:
        """Stop all changes."""
        self._tasks.cancel()

    async def _end(self, command: EndButtons) -> None:
        channel_id, text = ChannelId(command.window.id), self._redaction.present(sendable(command.text))
        what = f"ending a question in channel {channel_id}"
        try:
            await self._messages.reword(what, channel_id, int(command.message_id), text)
        except (CallRefusedError, CallFailedError) as error:
            log.info("a question in channel %s keeps its buttons: %s", channel_id, error)
