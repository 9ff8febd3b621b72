"""The bot's own messages in channels: sent, edited, deleted and read back, each call retried until Discord decides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

import discord

from actors.discord.calls.rest_calls import RestCalls
from actors.discord.incoming.seen import SeenMessages
from messages.base import ChannelId

_LOOK_BACK_MESSAGES = 200
_LOOK_BACK_NEWEST = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A message as it will be sent, or what an edit makes of one."""

    text: str | None
    """At most one message's worth; None for a file without words."""
    nonce: str = ""
    """Discord sends only one message of a nonce within some minutes; not used by edits."""
    files: Callable[[], Sequence[discord.File]] = tuple
    """Makes them anew for each call, since a call uses them up."""
    reference: discord.MessageReference | None = None
    mentions: discord.AllowedMentions | None = None
    """Whom it may notify; None for nobody."""
    view: discord.ui.View | None = None


class ChannelMessages:
    """Writer and reader of the bot's messages; lives on the loop.

    Every method but `edit_once` is tried anew with backoff, as `RestCalls.persist` does.

    Raises:
        CallRefusedError: Discord will never do it.
        CallFailedError: it failed as often as it may be tried.
    """

    def __init__(self, *, rest: RestCalls, seen: SeenMessages) -> None:
        self._rest = rest
        self._seen = seen

    async def send(self, what: str, channel_id: ChannelId, draft: Draft) -> int:
        """Id of the message that now stands in the channel.

        Args:
            what: For the log; nothing that people wrote.
            channel_id: Where.
            draft: What.
        """

        async def call(client: discord.Client) -> discord.Message:
            return await client.get_partial_messageable(int(channel_id)).send(
                draft.text,
                files=draft.files(),
                nonce=draft.nonce,
                reference=draft.reference,  # type: ignore[arg-type]  # the overloads know no "reference or none"
                mention_author=False,
                allowed_mentions=draft.mentions or discord.AllowedMentions.none(),
                suppress_embeds=True,
                view=draft.view,  # type: ignore[arg-type]  # nor any "view or none"
            )

        sent = await self._rest.persist(what, call)
        self._seen.notice(channel_id, sent.id)
        return sent.id

    async def edit(self, what: str, channel_id: ChannelId, message_id: int, draft: Draft) -> None:
        """Make a message what `draft` says, its files and buttons included."""

        async def call(client: discord.Client) -> None:
            await _partial(client, channel_id, message_id).edit(
                content=draft.text,
                attachments=draft.files(),
                view=draft.view,
                allowed_mentions=draft.mentions or discord.AllowedMentions.none(),
            )

        await self._rest.persist(what, call)

    async def edit_once(self, channel_id: ChannelId, message_id: int, draft: Draft) -> None:
        """Change a message's words and buttons, if that can be done at the first attempt.

        Raises:
            TRANSIENT: it cannot.
        """

        async def call(client: discord.Client) -> None:
            await _partial(client, channel_id, message_id).edit(
                content=draft.text, view=draft.view, allowed_mentions=draft.mentions or discord.AllowedMentions.none()
            )

        await self._rest.once(call)

    async def delete(self, what: str, channel_id: ChannelId, message_id: int) -> None:
        """Take a message away."""

        async def call(client: discord.Client) -> None:
            await _partial(client, channel_id, message_id).delete()

        await self._rest.persist(what, call)

    async def own_since(
        self, channel_id: ChannelId, after: discord.Object | datetime, *, also_newest: bool
    ) -> list[discord.Message]:
        """The bot's messages in a channel, oldest first.

        Args:
            channel_id: Where.
            after: Messages from then on; of many, the oldest 200 are read.
            also_newest: Whether of many the newest 1,000 are read as well.
        """

        async def call(client: discord.Client) -> list[discord.Message]:
            channel = client.get_partial_messageable(int(channel_id))
            history = channel.history(limit=_LOOK_BACK_MESSAGES, after=after, oldest_first=True)
            messages = {message.id: message async for message in history}
            if len(messages) == _LOOK_BACK_MESSAGES and also_newest:
                newest = channel.history(limit=_LOOK_BACK_NEWEST, after=after, oldest_first=False)
                messages |= {message.id: message async for message in newest}
            own = client.user.id if client.user else None
            return [messages[i] for i in sorted(messages) if messages[i].author.id == own]

        return await self._rest.persist(f"looking into channel {channel_id}", call)

    def reference(self, channel_id: ChannelId, answered: str) -> discord.MessageReference | None:
        """Says what is answered, where the reader couldn't tell: something else is the newest in the channel."""
        if not answered.isdecimal() or self._seen.newest_in(channel_id) == answered:
            return None
        return discord.MessageReference(message_id=int(answered), channel_id=int(channel_id), fail_if_not_exists=False)


def _partial(client: discord.Client, channel_id: ChannelId, message_id: int) -> discord.PartialMessage:
    return client.get_partial_messageable(int(channel_id)).get_partial_message(message_id)
