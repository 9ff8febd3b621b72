"""Acts of people from plain values: say, edit, start a thread."""

from __future__ import annotations

from collections.abc import Sequence

from lab.playground.acts.interactions import InteractionActs
from lab.playground.acts.waits import Waits
from lab.playground.hub import Hub
from lab.playground.world import rules
from lab.playground.world.records import Channel, Draft, Message, MessageKind, Upload, User
from lab.playground.world.state import check_reference, thread_state


class UserActs:
    """Acts of people on one playground; used on the server's loop only."""

    def __init__(self, hub: Hub) -> None:
        """Nothing was done yet.

        Args:
            hub: The playground.
        """
        self.hub = hub
        self.interactions = InteractionActs(hub)
        self.waits = Waits(hub)

    def say(
        self,
        channel_id: int,
        text: str,
        user_id: int,
        *,
        attachments: Sequence[Upload] = (),
        reply_to: int | None = None,
        nonce: str | None = None,
    ) -> Message:
        """The new message; Discord's own rules apply to people too, a bad text is refused with `ApiError`."""
        channel, user = self.place(channel_id, user_id)
        content = rules.clean_content(text)
        rules.check_not_empty(content, attachments)
        draft = Draft(author=user, content=content, nonce=nonce, enforce_nonce=nonce is not None)
        if reply_to is not None:
            check_reference(channel, reply_to, must_exist=True)
            draft.kind, draft.reference = MessageKind.REPLY, (channel.id, reply_to)
        draft.attachments = self.hub.attach(channel, attachments)
        return self.hub.post(channel, draft)

    def place(self, channel_id: int, user_id: int) -> tuple[Channel, User]:
        """The channel and a user who may see the channel; a private thread takes in a speaking user."""
        channel, user = self.hub.world.channel(channel_id), self.hub.world.user(user_id)
        if channel.thread is not None:
            self.hub.add_to_thread(channel, user)
        return channel, user

    def edit(self, channel_id: int, message_id: int, text: str) -> None:
        """Change the message of a user."""
        message = self.message(channel_id, message_id)
        content = rules.clean_content(text)
        rules.check_not_empty(content, message.attachments)
        self.hub.edit(message, content)

    def message(self, channel_id: int, message_id: int) -> Message:
        """The message, else `ApiError`."""
        return self.hub.world.message(self.hub.world.channel(channel_id), message_id)

    def pressable(self, channel_id: int, message_id: int) -> Message:
        """The message or ephemeral answer whose components a user uses, else `ApiError`."""
        return self.hub.interactions.hidden(message_id) or self.message(channel_id, message_id)

    def start_thread(
        self,
        channel_id: int,
        name: str,
        user_id: int,
        *,
        message_id: int | None = None,
        private: bool = False,
        with_bot: bool = True,
    ) -> Channel:
        """A new thread; a private one without the bot is invisible to it."""
        parent, owner = self.place(channel_id, user_id)
        starter = self.hub.world.message(parent, message_id) if message_id is not None else None
        thread = self.hub.create_thread(parent, rules.clean_channel_name(name), owner, starter=starter, private=private)
        if private and with_bot:
            self.hub.add_to_thread(thread, self.hub.world.bot)
        return thread

    def change_thread(self, thread_id: int, archived: bool | None = None, locked: bool | None = None) -> None:
        """Archive, un-archive, lock or unlock a thread; None leaves as is."""
        thread = self.hub.world.channel(thread_id)
        state = thread_state(thread)
        state.locked = state.locked if locked is None else locked
        self.hub.world.set_archived(thread, state.archived if archived is None else archived)
        self.hub.update_channel(thread)
