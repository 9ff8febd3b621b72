"""State of the guilds: people, channels, threads, messages. No sockets, no event loop, no clock of its own."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

from lab.playground.world import defaults
from lab.playground.world.errors import ApiError, invalid_form, unknown_channel, unknown_id, unknown_message
from lab.playground.world.history import History
from lab.playground.world.mentions import find_mentions
from lab.playground.world.records import (
    Channel,
    ChannelKind,
    Draft,
    Message,
    MessageFlag,
    MessageKind,
    Role,
    ThreadState,
    User,
)
from lab.playground.world.snowflake import SnowflakeSource, iso, snowflake_at

NONCE_TTL_S = 300.0
"""Seconds for which Discord remembers a nonce: "a few minutes"."""
TYPING_S = 10.0
READ_MESSAGE_HISTORY = 1 << 16
EVERYONE_PERMISSIONS = sum(1 << bit for bit in (6, 10, 11, 14, 15, 16, 18, 31, 35, 36, 38))
"""React, view, send, embed, attach, read history, outside emoji, commands, threads of both kinds, send in threads."""


class World:
    """All objects in the guilds; methods return the changed objects or raise `ApiError`."""

    def __init__(
        self, clock: Callable[[], float], *, history_limit: int = 10_000, bot_name: str = defaults.BOT_NAME
    ) -> None:
        """The world everyone starts in.

        Args:
            clock: Seconds since 1970; the time of every id and stamp.
            history_limit: Most messages kept per channel.
            bot_name: Name of the bot's user.
        """
        self.clock = clock
        self.new_id = SnowflakeSource(clock).next
        self.first_id = SnowflakeSource(clock).next()
        """Lower bound of all message ids, apart from messages of the past."""
        self.users: dict[int, User] = {}
        self.guilds: dict[int, str] = {}
        """Id -> name; every user is in all guilds."""
        self.roles: dict[int, Role] = {}
        self.add_guild(defaults.GUILD_NAME, defaults.GUILD_ID)
        self.channels: dict[int, Channel] = {}
        self.threads: dict[int, Channel] = {}
        """Threads among `channels`, archived threads included."""
        self._dms: dict[int, Channel] = {}
        self._nonces: OrderedDict[tuple[int, int, str], tuple[float, int]] = OrderedDict()
        self._history_limit = history_limit
        self.bot = self.add_user(bot_name, bot=True, user_id=defaults.BOT_ID)
        self.add_user("You", user_id=defaults.YOU_ID)
        self.add_user("Guest", user_id=defaults.GUEST_ID)
        self.create_channel("general", channel_id=defaults.GENERAL_ID)
        self.create_channel("elsewhere", channel_id=defaults.ELSEWHERE_ID)

    def now_iso(self) -> str:
        """Present time in Discord's form."""
        return iso(self.clock())

    # guilds and people

    def add_guild(self, name: str, guild_id: int) -> None:
        """A new guild without channels."""
        self.guilds[guild_id] = name
        self.roles[guild_id] = Role(guild_id, "@everyone", EVERYONE_PERMISSIONS)

    def known_guild(self, guild_id: int) -> int:
        """Guild's id if the guild exists; else 10004."""
        if guild_id not in self.guilds:
            raise unknown_id("Guild", 10004)
        return guild_id

    def add_user(self, name: str, *, bot: bool = False, user_id: int | None = None) -> User:
        """A new member of the guild."""
        user = User(id=user_id or self.new_id(), name=name, bot=bot, joined_at=self.now_iso())
        self.users[user.id] = user
        return user

    def add_role(self, name: str, permissions: int = 0) -> Role:
        """A new role."""
        role = Role(self.new_id(), name, permissions)
        self.roles[role.id] = role
        return role

    def role(self, role_id: int) -> Role:
        """Role by id, else 10011."""
        role = self.roles.get(role_id)
        if role is None:
            raise unknown_id("Role", 10011)
        return role

    def remove_role(self, role: Role) -> None:
        """Delete a role, and remove the role from all users and channels."""
        del self.roles[role.id]
        for user in self.users.values():
            user.roles = [each for each in user.roles if each != role.id]
        for channel in self.channels.values():
            channel.overwrites.pop(role.id, None)

    def user(self, user_id: int) -> User:
        """User by id, else 10013."""
        user = self.users.get(user_id)
        if user is None:
            raise unknown_id("User", 10013)
        return user

    # channels and threads

    def create_channel(
        self,
        name: str,
        kind: ChannelKind = ChannelKind.TEXT,
        *,
        channel_id: int | None = None,
        guild_id: int = defaults.GUILD_ID,
        parent_id: int | None = None,
    ) -> Channel:
        """A new channel at the end of the list, in a category if given."""
        channel = self._new_channel(channel_id or self.new_id(), kind, name)
        channel.guild_id, channel.parent_id = guild_id, parent_id
        channel.position = len(self.channels) - len(self.threads) - len(self._dms)
        return channel

    def channel(self, channel_id: int) -> Channel:
        """Channel, thread or DM by id, else 10003."""
        channel = self.channels.get(channel_id)
        if channel is None:
            raise unknown_channel()
        return channel

    def channel_of_bot(self, channel_id: int) -> Channel:
        """Channel by id, readable by the bot; else 10003 or 50001."""
        channel = self.channel(channel_id)
        if not self.may_see(self.bot, channel):
            raise ApiError(403, 50001, "Missing Access")
        return channel

    def delete_channel(self, channel: Channel) -> list[Channel]:
        """Delete a channel with its threads; return the deleted channels, threads first."""
        channels = [t for t in self.threads.values() if t.parent_id == channel.id] if channel.thread is None else []
        channels.append(channel)
        for each in channels:
            self.channels.pop(each.id, None)
            self.threads.pop(each.id, None)
        return channels

    def dm_with(self, user: User) -> Channel:
        """DM between `user` and the bot, opened if missing."""
        channel = self._dms.get(user.id)
        if channel is None:
            channel = self._new_channel(self.new_id(), ChannelKind.DM, "")
            channel.recipient_id = user.id
            self._dms[user.id] = channel
        return channel

    def dms(self) -> list[Channel]:
        """Opened DMs."""
        return list(self._dms.values())

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
        """Create a thread; a thread from a message has the message's id."""
        if parent.thread is not None or not parent.kind.may_have_threads:
            raise ApiError(400, 50024, "Cannot execute action on this channel type")
        if starter is not None and (starter.flags & MessageFlag.HAS_THREAD or starter.id in self.channels):
            raise ApiError(400, 160004, "A thread has already been created for this message")
        kind = ChannelKind.PRIVATE_THREAD if private else ChannelKind.PUBLIC_THREAD
        thread = self._new_channel(starter.id if starter else self.new_id(), kind, name)
        now = self.now_iso()
        thread.parent_id, thread.guild_id = parent.id, parent.guild_id
        thread.thread = ThreadState(owner.id, now, auto_archive_minutes, archive_changed_at=now)
        thread.thread.members[owner.id] = now
        self.threads[thread.id] = thread
        if starter is not None:
            starter.flags |= MessageFlag.HAS_THREAD
        return thread

    def set_archived(self, thread: Channel, archived: bool) -> bool:
        """Set the thread's archived state; True if the state changed."""
        state = thread_state(thread)
        if state.archived == archived:
            return False
        state.archived = archived
        state.archive_changed_at = self.now_iso()
        return True

    def join_thread(self, thread: Channel, user: User) -> bool:
        """Add `user` to a thread; True if `user` was not a member before."""
        members = thread_state(thread).members
        if user.id in members:
            return False
        members[user.id] = self.now_iso()
        return True

    def may_see(self, user: User, channel: Channel) -> bool:
        """True if `user` can read `channel`."""
        if channel.kind == ChannelKind.DM:
            return user.bot or user.id == channel.recipient_id
        if channel.kind == ChannelKind.PRIVATE_THREAD:
            return user.id in thread_state(channel).members
        return True

    def may_read_history(self, user: User, channel: Channel) -> bool:
        """True if `user` is permitted to read earlier messages."""
        return self.is_permitted(user, channel, READ_MESSAGE_HISTORY)

    def is_permitted(self, user: User, channel: Channel, permission: int) -> bool:
        """True if `user` has a permission, by roles and the channel's overwrites."""
        return channel.kind == ChannelKind.DM or bool(self.permissions(user, channel) & permission)

    def permissions(self, user: User, channel: Channel) -> int:
        """Permissions of `user` in a guild's channel, as bits."""
        place = self.channel(channel.parent_id) if channel.thread is not None and channel.parent_id else channel
        role_ids = [role_id for role_id in user.roles if role_id in self.roles]
        permissions = self.role(channel.guild_id).permissions
        for role_id in role_ids:
            permissions |= self.role(role_id).permissions
        for targets in ((channel.guild_id,), role_ids, (user.id,)):
            overwrites = [place.overwrites[target] for target in targets if target in place.overwrites]
            for each in overwrites:
                permissions &= ~each.deny
            for each in overwrites:
                permissions |= each.allow
        return permissions

    # messages

    def message(self, channel: Channel, message_id: int) -> Message:
        """Message by id, else 10008."""
        message = channel.history.get(message_id)
        if message is None:
            raise unknown_message()
        return message

    def posted_with(self, channel: Channel, author: User, nonce: str | int | None) -> Message | None:
        """Message posted by `author` in `channel` with the nonce a moment ago, if any."""
        if nonce is None:
            return None
        self._forget_nonces()
        entry = self._nonces.get((channel.id, author.id, str(nonce)))
        return channel.history.get(entry[1]) if entry else None

    def post_past(self, channel: Channel, author: User, content: str, time_s: float) -> Message:
        """Post and return a message dated `time_s`; a channel's past messages come oldest first, before all others."""
        draft = Draft(author=author, content=content, message_id=snowflake_at(time_s), created_at=iso(time_s))
        return self.post(channel, draft)

    def post(self, channel: Channel, draft: Draft) -> Message:
        """The new message. The caller has checked threads for archive and lock."""
        if not channel.kind.has_text:
            raise ApiError(400, 50008, "Cannot send messages in a non-text channel")
        message = self.compose(channel, draft)
        channel.history.add(message)
        channel.last_message_id = message.id
        channel.typing_until.pop(draft.author.id, None)
        if channel.thread is not None:
            channel.thread.message_count += 1
            message.position = channel.thread.message_count
        if draft.nonce is not None:
            self._nonces[channel.id, draft.author.id, str(draft.nonce)] = (self.clock(), message.id)
        return message

    def compose(self, channel: Channel, draft: Draft) -> Message:
        """The message `draft` would be, kept nowhere (ephemeral answers live only with their interaction)."""
        message = Message(
            id=draft.message_id or self.new_id(),
            channel_id=channel.id,
            author=draft.author,
            content=draft.content,
            created_at=draft.created_at or self.now_iso(),
            kind=draft.kind,
            flags=draft.flags,
            nonce=draft.nonce,
            embeds=draft.embeds,
            components=draft.components,
            attachments=draft.attachments,
            reference=draft.reference,
            interaction=draft.interaction,
            parts=draft.parts,
        )
        self._note_mentions(message, draft, channel)
        return message

    def revise(self, message: Message, content: str | None, allowed: dict[str, object] | None = None) -> None:
        """Edit `message`, with a new text if given; filling a deferred answer is no visible edit."""
        if message.flags & MessageFlag.LOADING:
            message.flags &= ~MessageFlag.LOADING
        else:
            message.edited_at = self.now_iso()
        if content is not None:
            message.content = content
            mentions = find_mentions(content, allowed, self.users, self.roles)
            message.mentions = list(mentions.users)
            message.mention_roles, message.mention_everyone = list(mentions.roles), mentions.everyone

    def remove(self, channel: Channel, message_id: int) -> Message:
        """Remove and return the message, else 10008."""
        message = channel.history.remove(message_id)
        if message is None:
            raise unknown_message()
        if channel.thread is not None:
            channel.thread.message_count = max(0, channel.thread.message_count - 1)
        return message

    def react(self, message: Message, user: User, emoji: str) -> bool:
        """Add a reaction; True if `user` had not reacted so before."""
        users = message.reactions.setdefault(emoji, [])
        if user.id in users:
            return False
        users.append(user.id)
        return True

    def unreact(self, message: Message, user: User, emoji: str) -> bool:
        """Remove a reaction; True if the reaction existed."""
        users = message.reactions.get(emoji, [])
        if user.id not in users:
            return False
        users.remove(user.id)
        if not users:
            del message.reactions[emoji]
        return True

    def start_typing(self, channel: Channel, user: User) -> None:
        """Show `user` as typing for ten seconds or until they post."""
        channel.typing_until[user.id] = self.clock() + TYPING_S

    def is_typing(self, channel: Channel, user: User) -> bool:
        """True if the indicator of `user` shows in `channel` now."""
        return channel.typing_until.get(user.id, 0.0) > self.clock()

    # inside

    def _new_channel(self, channel_id: int, kind: ChannelKind, name: str) -> Channel:
        channel = Channel(channel_id, kind, name, History(self._history_limit))
        self.channels[channel_id] = channel
        return channel

    def _note_mentions(self, message: Message, draft: Draft, channel: Channel) -> None:
        mentions = find_mentions(draft.content, draft.allowed_mentions, self.users, self.roles)
        message.mentions = list(mentions.users)
        message.mention_roles, message.mention_everyone = list(mentions.roles), mentions.everyone
        if draft.kind != MessageKind.REPLY or draft.reference is None or draft.reference[1] is None:
            return
        target = channel.history.get(draft.reference[1])
        pings = draft.allowed_mentions is None or bool(draft.allowed_mentions.get("replied_user"))
        if target is not None and pings and target.author.id not in message.mentions:
            message.mentions.append(target.author.id)

    def _forget_nonces(self) -> None:
        oldest_kept = self.clock() - NONCE_TTL_S
        while self._nonces:
            key, (posted_at, _) = next(iter(self._nonces.items()))
            if posted_at >= oldest_kept:
                return
            del self._nonces[key]


def thread_state(channel: Channel) -> ThreadState:
    """Thread state of `channel`; refuses other channels."""
    if channel.thread is None:
        raise ApiError(400, 50024, "Cannot execute action on this channel type")
    return channel.thread


def check_reference(channel: Channel, message_id: int, must_exist: bool) -> bool:
    """True if the message to reply to exists; refuses an unknown message if `must_exist`."""
    if channel.history.get(message_id) is not None:
        return True
    if must_exist:
        raise invalid_form("message_reference", "REPLIES_UNKNOWN_MESSAGE", "Unknown message")
    return False
