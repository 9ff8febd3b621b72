"""Hub of the playground: all parts, and every act on messages and channels with the resulting events."""

from __future__ import annotations

import mimetypes
from collections import Counter
from collections.abc import Sequence

from lab.playground.config import PlaygroundConfig
from lab.playground.gateway import events
from lab.playground.gateway.events import Event
from lab.playground.gateway.feed import Feed
from lab.playground.gateway.protocol import Gateway
from lab.playground.keys import Keys
from lab.playground.world import defaults
from lab.playground.world.commands import CommandBook
from lab.playground.world.companion import Companion
from lab.playground.world.errors import ApiError, too_large
from lab.playground.world.faults import FaultQueue
from lab.playground.world.files import FileStore
from lab.playground.world.interactions import InteractionBook
from lab.playground.world.limits import RateLimiter
from lab.playground.world.objects import Json, emoji_payload, member_payload, role_payload, thread_member_payload
from lab.playground.world.payloads import Payloads
from lab.playground.world.records import (
    Attachment,
    Channel,
    ChannelKind,
    Draft,
    Message,
    MessageKind,
    Overwrite,
    Role,
    Upload,
    User,
)
from lab.playground.world.request_log import RequestLog
from lab.playground.world.rules import FILE_LIMIT_BYTES, FILES_LIMIT
from lab.playground.world.state import World, thread_state
from lab.playground.world.traffic import Tap


class Hub:
    """Mediator of the world and the feed; used on the server's loop only."""

    def __init__(self, config: PlaygroundConfig, keys: Keys) -> None:
        """Make every part.

        Args:
            config: Configuration of the playground's behaviour.
            keys: Keys required of callers.
        """
        self.config = config
        self.keys = keys
        self.companion: Companion | None = None
        """Companion, set by the starter of a bot."""
        self.world = World(config.clock, history_limit=config.history_limit, bot_name=config.bot_name)
        self.payloads = Payloads(self.world)
        self.feed = Feed()
        self.gateway = Gateway(
            self.world,
            self.payloads,
            self.feed,
            token=keys.bot,
            heartbeat_interval_ms=config.heartbeat_interval_ms,
            allowed_intents=config.allowed_intents,
        )
        self.faults = FaultQueue()
        self.limiter = RateLimiter(config.clock, enabled=config.rate_limits)
        self.files = FileStore()
        self.commands = CommandBook(self.world.new_id)
        self.interactions = InteractionBook(config.clock, self.world.new_id)
        self.requests = RequestLog(config.requests_kept)
        self.counters: Counter[str] = Counter()
        self.tap: Tap | None = None
        """Listener to the bot's calls and their answers."""

    # telling

    def tell(
        self, name: str, payload: Json, channel: Channel | None = None, intent: int = events.INTENT_GUILDS
    ) -> None:
        """Publish an event; the bot gets the event if `channel` is visible to the bot."""
        sees = channel is None or self.world.may_see(self.world.bot, channel)
        self.feed.publish(Event(name, payload, channel_id=channel.id if channel else None, intent=intent, to_bot=sees))

    def tell_page(self, name: str, payload: Json, channel: Channel | None = None) -> None:
        """Publish an event of the playground's own, never sent to the bot."""
        self.feed.publish(Event(name, payload, channel_id=channel.id if channel else None, to_bot=False))

    def tell_message(self, name: str, message: Message, channel: Channel) -> None:
        """Publish MESSAGE_CREATE or MESSAGE_UPDATE."""
        bot = self.world.bot
        is_dm = channel.kind == ChannelKind.DM
        event = Event(
            name,
            self.payloads.message(message, for_gateway=True),
            channel_id=channel.id,
            intent=events.INTENT_DM_MESSAGES if is_dm else events.INTENT_MESSAGES,
            to_bot=self.world.may_see(bot, channel),
            hide_content=not is_dm and message.author is not bot and bot.id not in message.mentions,
        )
        self.feed.publish(event)

    # messages

    def post(self, channel: Channel, draft: Draft) -> Message:
        """Post and return the new message; a nonce seen a moment ago gives the earlier message and changes nothing."""
        if draft.enforce_nonce:
            earlier = self.world.posted_with(channel, draft.author, draft.nonce)
            if earlier is not None:
                self.counters["nonces_repeated"] += 1
                return earlier
        self._open_for_post(channel)
        message = self.world.post(channel, draft)
        self.counters["messages_by_bot" if draft.author is self.world.bot else "messages_by_users"] += 1
        if channel.kind == ChannelKind.PRIVATE_THREAD and self.world.bot.id in message.mentions:
            self.add_to_thread(channel, self.world.bot)
        self.tell_message("MESSAGE_CREATE", message, channel)
        return message

    def edit(self, message: Message, content: str | None, allowed: Json | None = None) -> None:
        """Stamp and announce an edit; other fields were already changed by the caller."""
        channel = self.world.channel(message.channel_id)
        self.world.revise(message, content, allowed)
        self.counters["edits"] += 1
        self.tell_message("MESSAGE_UPDATE", message, channel)

    def delete(self, channel: Channel, message_id: int) -> None:
        """Delete a message, else 10008."""
        self.world.remove(channel, message_id)
        payload = _with_guild({"id": str(message_id), "channel_id": str(channel.id)}, channel)
        self.tell("MESSAGE_DELETE", payload, channel, _message_intent(channel))

    def delete_many(self, channel: Channel, message_ids: Sequence[int]) -> None:
        """Delete the existing messages among `message_ids`, in one event."""
        deleted_ids = [str(i) for i in message_ids if channel.history.remove(i) is not None]
        payload = _with_guild({"ids": deleted_ids, "channel_id": str(channel.id)}, channel)
        self.tell("MESSAGE_DELETE_BULK", payload, channel, _message_intent(channel))

    def pin(self, channel: Channel, message: Message, pinned: bool) -> None:
        """Pin or unpin a message and announce the change as Discord does."""
        if message.pinned == pinned:
            return
        message.pinned = pinned
        self.tell_message("MESSAGE_UPDATE", message, channel)
        last = self.world.now_iso() if pinned else None
        self.tell(
            "CHANNEL_PINS_UPDATE", _with_guild({"channel_id": str(channel.id), "last_pin_timestamp": last}, channel)
        )

    def react(self, message: Message, user: User, emoji: str, *, remove: bool = False) -> None:
        """Add or remove a reaction; without effect if already present, or gone."""
        changed = (self.world.unreact if remove else self.world.react)(message, user, emoji)
        if not changed:
            return
        channel = self.world.channel(message.channel_id)
        payload = _with_guild(
            {
                "user_id": str(user.id),
                "channel_id": str(channel.id),
                "message_id": str(message.id),
                "message_author_id": str(message.author.id),
                "emoji": emoji_payload(emoji),
                "type": 0,
                "burst": False,
            },
            channel,
        )
        if channel.kind != ChannelKind.DM and not remove:
            payload["member"] = member_payload(user)
        intent = events.INTENT_DM_REACTIONS if channel.kind == ChannelKind.DM else events.INTENT_REACTIONS
        self.tell(f"MESSAGE_REACTION_{'REMOVE' if remove else 'ADD'}", payload, channel, intent)

    def type_in(self, channel: Channel, user: User) -> None:
        """Show `user` as typing for ten seconds."""
        self.world.start_typing(channel, user)
        payload = _with_guild(
            {"channel_id": str(channel.id), "user_id": str(user.id), "timestamp": int(self.world.clock())}, channel
        )
        if channel.kind != ChannelKind.DM:
            payload["member"] = member_payload(user)
        intent = events.INTENT_DM_TYPING if channel.kind == ChannelKind.DM else events.INTENT_TYPING
        self.tell("TYPING_START", payload, channel, intent)

    def attach(self, channel: Channel, uploads: Sequence[Upload]) -> list[Attachment]:
        """The stored files; more than ten or larger than 10 MiB each is refused."""
        if len(uploads) > FILES_LIMIT:
            raise ApiError(400, 30015, f"Maximum number of attachments in a message reached ({FILES_LIMIT})")
        if any(len(upload.data) > FILE_LIMIT_BYTES for upload in uploads):
            raise too_large()
        attachments = []
        for upload in uploads:
            guessed = upload.content_type or mimetypes.guess_type(upload.filename)[0] or "application/octet-stream"
            entry = Attachment(
                self.world.new_id(),
                channel.id,
                upload.filename,
                guessed,
                len(upload.data),
                upload.description,
                upload.duration_s,
            )
            self.files.put(entry.id, upload.data)
            attachments.append(entry)
        return attachments

    # channels and threads

    def add_user(self, name: str, *, bot: bool = False) -> User:
        """A new member of the guild."""
        user = self.world.add_user(name, bot=bot)
        payload = {**member_payload(user), "guild_id": str(defaults.GUILD_ID)}
        self.tell("GUILD_MEMBER_ADD", payload, intent=events.INTENT_MEMBERS)
        return user

    def create_guild(self, name: str, guild_id: int) -> None:
        """Create a second guild; sessions learn of the guild when they begin."""
        self.world.add_guild(name, guild_id)
        self.commands.add_guild(guild_id)

    def create_channel(
        self,
        name: str,
        kind: ChannelKind = ChannelKind.TEXT,
        guild_id: int = defaults.GUILD_ID,
        parent_id: int | None = None,
    ) -> Channel:
        """A new channel of a guild, in a category if given."""
        channel = self.world.create_channel(name, kind, guild_id=guild_id, parent_id=parent_id)
        self.tell("CHANNEL_CREATE", self.payloads.channel(channel), channel)
        return channel

    def delete_channel(self, channel: Channel) -> None:
        """Delete a channel and its threads, or a single thread."""
        for deleted_channel in self.world.delete_channel(channel):
            name = "CHANNEL_DELETE" if deleted_channel.thread is None else "THREAD_DELETE"
            self.tell(name, self.payloads.channel(deleted_channel), deleted_channel)

    def create_thread(
        self,
        parent: Channel,
        name: str,
        owner: User,
        *,
        starter: Message | None = None,
        private: bool = False,
        auto_archive_minutes: int = 1440,
    ) -> Channel:
        """Create a thread, announced in its parent as Discord does."""
        thread = self.world.create_thread(
            parent, name, owner, starter=starter, private=private, auto_archive_minutes=auto_archive_minutes
        )
        self.tell("THREAD_CREATE", self.payloads.channel(thread, newly_created=True), thread)
        if parent.kind in (ChannelKind.FORUM, ChannelKind.MEDIA) or private:
            return thread
        if starter is None:
            notice = Draft(author=owner, content=name, kind=MessageKind.THREAD_CREATED, reference=(thread.id, None))
            self.post(parent, notice)
            return thread
        self.tell_message("MESSAGE_UPDATE", starter, parent)
        reference = (parent.id, starter.id)
        self.post(thread, Draft(author=owner, kind=MessageKind.THREAD_STARTER, reference=reference))
        return thread

    def add_to_thread(self, thread: Channel, user: User) -> None:
        """Make `user` a member; the bot learns of a private thread only then."""
        if not self.world.join_thread(thread, user):
            return
        if user is self.world.bot:
            self.tell("THREAD_CREATE", self.payloads.channel(thread), thread)
        self._tell_members(thread, [thread_member_payload(thread, user.id)], [])

    def remove_from_thread(self, thread: Channel, user: User) -> None:
        """End the membership of `user`, if any."""
        if thread_state(thread).members.pop(user.id, None) is not None:
            self._tell_members(thread, [], [str(user.id)])

    def update_channel(self, channel: Channel) -> None:
        """Announce changed fields of a channel or thread."""
        name = "CHANNEL_UPDATE" if channel.thread is None else "THREAD_UPDATE"
        self.tell(name, self.payloads.channel(channel), channel)

    def overwrite(self, channel: Channel, overwrite: Overwrite) -> None:
        """Have a channel permit or deny permissions; an empty overwrite is removed."""
        if overwrite.allow or overwrite.deny:
            channel.overwrites[overwrite.target_id] = overwrite
        else:
            channel.overwrites.pop(overwrite.target_id, None)
        self.update_channel(channel)

    def tell_role(self, name: str, role: Role, guild_id: int = defaults.GUILD_ID) -> None:
        """Announce a new or changed role."""
        payload = role_payload(role, of_everyone=role.id in self.world.guilds)
        self.tell(name, {"guild_id": str(guild_id), "role": payload})

    def remove_role(self, role: Role) -> None:
        """Delete a role."""
        self.world.remove_role(role)
        self.tell("GUILD_ROLE_DELETE", {"guild_id": str(defaults.GUILD_ID), "role_id": str(role.id)})

    # inside

    def _tell_members(self, thread: Channel, added: list[Json], removed: list[str]) -> None:
        payload = {
            "id": str(thread.id),
            "guild_id": str(thread.guild_id),
            "member_count": len(thread_state(thread).members),
            "added_members": added,
            "removed_member_ids": removed,
        }
        self.tell("THREAD_MEMBERS_UPDATE", payload, thread)

    def _open_for_post(self, channel: Channel) -> None:
        if channel.thread is None:
            return
        if channel.thread.locked:
            raise ApiError(400, 160005, "This thread is locked")
        if self.world.set_archived(channel, False):
            self.update_channel(channel)


def _with_guild(payload: Json, channel: Channel) -> Json:
    if channel.kind != ChannelKind.DM:
        payload["guild_id"] = str(channel.guild_id)
    return payload


def _message_intent(channel: Channel) -> int:
    return events.INTENT_DM_MESSAGES if channel.kind == ChannelKind.DM else events.INTENT_MESSAGES
