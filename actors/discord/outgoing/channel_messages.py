"""The bot's own messages in channels: sent, edited, deleted and read back, each call retried until Discord decides."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import discord
from discord.http import handle_message_parameters
from discord.utils import DEFAULT_FILE_SIZE_LIMIT_BYTES, MISSING

from actors.discord.calls.discord_clock import DiscordClock
from actors.discord.calls.history import Page, read_page
from actors.discord.calls.parsing import UnreadableAnswerError, number_of, read_message
from actors.discord.calls.refusals import Part
from actors.discord.calls.rest_calls import CallRefusedError, RestCalls
from actors.discord.calls.text_ids import reference_payload
from actors.discord.incoming.places.channel_policy import ChannelPolicy
from actors.discord.incoming.places.window_map import AnyChannel
from actors.discord.incoming.seen import SeenMessages
from actors.discord.outgoing.own_history import OwnHistory
from actors.kernel import Host
from messages.base import ChannelId, Surface, Window

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A message to be sent, or the result of an edit."""

    text: str | None
    """Text of at most one message; None for a file without words."""
    nonce: str = ""
    """Discord sends only one message of a nonce within some minutes; not used by edits."""
    files: Callable[[], Sequence[discord.File]] = tuple
    """Maker of new files for each call, since a call uses files up."""
    reference: discord.MessageReference | None = None
    mentions: discord.AllowedMentions | None = None
    """Mentions that may notify; None for no notification."""
    view: discord.ui.View | None = None
    needs_view: bool = False
    """True if a reader needs the buttons."""

    def without(self, parts: frozenset[Part]) -> Draft:
        """Draft without `parts`, as far as readers can do without the parts."""
        return replace(
            self,
            reference=None if Part.REFERENCE in parts else self.reference,
            view=None if Part.BUTTONS in parts and not self.needs_view else self.view,
        )


class ChannelMessages:
    """Writer and reader of the bot's messages; lives on the loop.

    Every method but `edit_once` is tried anew with backoff, as `RestCalls.persist` does. Of Discord's replies, only the
    id of a sent message is read, and no part of a reply to an edit: discord.py need not be able to read the rest.

    Raises:
        CallRefusedError: Discord will never do it.
        CallFailedError: the call failed as often as allowed.
    """

    def __init__(
        self,
        *,
        host: Host,
        rest: RestCalls,
        seen: SeenMessages,
        clock: DiscordClock,
        policy: ChannelPolicy,
        nonce_s: float,
    ) -> None:
        """Begin without calls.

        Args:
            host: Tells our own time.
            rest: Makes the calls.
            seen: Hears of sent messages.
            clock: Tells the time in ids of messages.
            policy: Rules of channels.
            nonce_s: Seconds after the first attempt in which a post may be tried again.
        """
        self._host = host
        self._began = host.now()
        self._rest = rest
        self._nonce_s = nonce_s
        self._policy = policy
        self._seen = seen
        self._clock = clock
        self.own = OwnHistory(self._own_page)
        """The bot's messages in channels, read back."""

    def has_passed_on(self, message_id: int) -> bool:
        """True if this life told a window of a message."""
        return self._seen.has(message_id)

    def is_off_record(self, channel_id: ChannelId) -> bool:
        """True if memory is off in a channel."""
        return self._policy.is_off_record(discord.Object(int(channel_id)))

    async def meet(self, window: Window) -> None:
        """Find out where a channel or thread is, since the rules of wider places hold there; no call if known."""
        if window.surface not in (Surface.DISCORD_CHANNEL, Surface.DISCORD_THREAD):
            return
        await self._meet(window.id)
        ids = self._policy.window_map.place_of(discord.Object(int(window.id))).ids
        if window.surface is Surface.DISCORD_THREAD and len(ids) > 1:
            await self._meet(ids[1])  # Of a server still unknown, a thread does not name the category.

    async def _meet(self, channel_id: str) -> None:
        number, window_map = int(channel_id), self._policy.window_map
        if window_map.knows_place(channel_id):
            return

        async def call(client: discord.Client) -> AnyChannel:
            return client.get_channel(number) or await client.fetch_channel(number)

        window_map.learn(await self._rest.persist(f"looking up channel {number}", call))

    def is_of_earlier_life(self, question_id: str) -> bool:
        """True if a message came before this life, and its window may not know so: only this actor crashed."""
        if not question_id.isdecimal():
            return False
        said_at = discord.utils.snowflake_time(int(question_id))
        is_clock_behind = said_at > self._host.now()  # A wrong clock tells no earlier life from this one.
        return said_at < self._began or (is_clock_behind and not self.has_passed_on(int(question_id)))

    async def id_at(self, moment: datetime) -> int:
        """Least id of messages sent from a moment of our clock on, even if our clock is ahead of Discord's."""

        async def call(_: discord.Client) -> int:  # A client has logged in, so Discord's time is known.
            return discord.utils.time_snowflake(moment - self._clock.ahead())

        return await self._rest.persist("comparing our clock with Discord's", call)

    async def send(self, what: str, channel_id: ChannelId, draft: Draft) -> int:
        """Send a message; return the id. A refused part is left out if readers can do without it.

        Args:
            what: Label for the log, without people's words.
            channel_id: Channel or thread.
            draft: Content.
        """
        while True:
            try:
                return await self._send(what, channel_id, draft)
            except CallRefusedError as error:
                lighter = draft.without(error.parts)
                if lighter == draft:
                    raise
                log.info("%s: a part of the message is left out: %s", what, error)
                draft = lighter

    async def _send(self, what: str, channel_id: ChannelId, draft: Draft) -> int:
        async def call(client: discord.Client) -> int:
            with handle_message_parameters(
                content=draft.text,
                files=draft.files(),
                nonce=draft.nonce,
                message_reference=reference_payload(draft.reference) if draft.reference else MISSING,
                mention_author=False,
                allowed_mentions=draft.mentions or discord.AllowedMentions.none(),
                flags=discord.MessageFlags(suppress_embeds=True),
                view=draft.view or MISSING,
            ) as params:
                answer = await client.http.send_message(int(channel_id), params=params)
            if (message_id := number_of(answer)) is None:
                raise UnreadableAnswerError("a message was sent, and its answer names no id")
            return message_id

        message_id = await self._rest.persist(what, call, within_s=self._nonce_s)
        self._seen.notice(channel_id, message_id)
        return message_id

    async def edit(self, what: str, channel_id: ChannelId, message_id: int, draft: Draft) -> None:
        """Edit a message into the content of `draft`, files and buttons included."""

        async def call(client: discord.Client) -> None:
            await _edit(client, channel_id, message_id, draft, attachments=draft.files(), view=draft.view)

        await self._rest.persist(what, call)

    async def edit_once(self, channel_id: ChannelId, message_id: int, draft: Draft) -> None:
        """Change a message's words and buttons, if possible at the first attempt.

        Raises:
            TRANSIENT: the attempt failed.
        """

        async def call(client: discord.Client) -> None:
            await _edit(client, channel_id, message_id, draft, view=draft.view)

        await self._rest.once(call)

    async def reword(self, what: str, channel_id: ChannelId, message_id: int, text: str) -> None:
        """Replace the words of a message and remove the buttons; the files stay."""

        async def call(client: discord.Client) -> None:
            await _edit(client, channel_id, message_id, Draft(text=text), view=None)

        await self._rest.persist(what, call)

    async def delete(self, what: str, channel_id: ChannelId, message_id: int) -> None:
        """Take a message away."""

        async def call(client: discord.Client) -> None:
            await _partial(client, channel_id, message_id).delete()

        await self._rest.persist(what, call)

    async def _own_page(self, channel_id: ChannelId, after: int, before: int) -> Page:
        """Newest page of the bot's messages in a channel between `after` and `before`.

        Unreadable messages are left out: the bot could not change them anyway.
        """

        async def call(client: discord.Client) -> Page:
            return await read_page(client.get_partial_messageable(int(channel_id)), after=after, before=before)

        page = await self._rest.persist(f"looking into channel {channel_id}", call)
        own = self._rest.bot_id()
        return replace(page, messages=tuple(message for message in page.messages if message.author.id == own))

    async def read(self, what: str, channel_id: ChannelId, message_id: int) -> discord.Message | None:
        """A message in its present state; None if unreadable."""

        async def call(client: discord.Client) -> discord.Message | None:
            answer = await client.http.get_message(int(channel_id), message_id)
            return read_message(client.get_partial_messageable(int(channel_id)), answer)

        return await self._rest.persist(what, call)

    async def file_limit(self, channel_id: ChannelId) -> int:
        """Most bytes of a file for a channel, by the boosts of its server."""

        async def call(client: discord.Client) -> int:
            guild = getattr(client.get_channel(int(channel_id)), "guild", None)
            return guild.filesize_limit if isinstance(guild, discord.Guild) else DEFAULT_FILE_SIZE_LIMIT_BYTES

        return await self._rest.persist(f"looking up the size of files in channel {channel_id}", call)

    def reference(self, channel_id: ChannelId, answered: str) -> discord.MessageReference | None:
        """Reference to the answered message, if another message is the newest in the channel; else readers can tell."""
        if not answered.isdecimal() or answered == channel_id or self._seen.newest_in(channel_id) == answered:
            return None
        return discord.MessageReference(message_id=int(answered), channel_id=int(channel_id), fail_if_not_exists=False)


def _partial(client: discord.Client, channel_id: ChannelId, message_id: int) -> discord.PartialMessage:
    return client.get_partial_messageable(int(channel_id)).get_partial_message(message_id)


async def _edit(client: discord.Client, channel_id: ChannelId, message_id: int, draft: Draft, **what: Any) -> None:
    """Change a message by one call.

    Args:
        what: `view`, and `attachments` if they change.
    """
    mentions = draft.mentions or discord.AllowedMentions.none()
    with handle_message_parameters(content=draft.text, allowed_mentions=mentions, **what) as params:
        await client.http.edit_message(int(channel_id), message_id, params=params)
