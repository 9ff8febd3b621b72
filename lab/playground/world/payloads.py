"""JSON of guilds, channels and messages in Discord's form."""

from __future__ import annotations

from collections.abc import Callable

from lab import discord_json
from lab.discord_json import Json
from lab.playground.world import defaults
from lab.playground.world.objects import (
    ALL_PERMISSIONS,
    attachment_payload,
    emoji_payload,
    member_payload,
    overwrite_payload,
    role_payload,
    thread_member_payload,
    user_payload,
)
from lab.playground.world.records import Channel, ChannelKind, Message, MessageFlag, Role, User
from lab.playground.world.rules import FILE_LIMIT_BYTES
from lab.playground.world.state import World, thread_state


class Payloads:
    """Serialiser of the records of one world, in Discord's form."""

    def __init__(self, world: World) -> None:
        """No address yet.

        Args:
            world: Where referenced records are looked up.
        """
        self._world = world
        self.attachment_url: Callable[[int, int, str], str] = "/attachments/{}/{}/{}".format
        """Address of a channel's attachment by name; set when the server listens."""
        self.garbled: set[int] = set()
        """Messages unreadable for all clients, because of an attachment without a size."""

    # guild and channels

    def guild(self, guild_id: int = defaults.GUILD_ID, *, for_gateway: bool = False, all_members: bool = True) -> Json:
        """A guild; for the gateway with channels, threads and members."""
        world = self._world
        roles = [role_payload(role, of_everyone=role.id == guild_id) for role in self._roles(guild_id)]
        guild = discord_json.guild(guild_id, world.guilds[guild_id], defaults.YOU_ID, "loopback", roles)
        if for_gateway:
            guild.update(self._guild_extras(guild_id, all_members))
        return guild

    def permissions(self, user: User, channel: Channel) -> str:
        """Permissions of a user in a guild's channel; the guild's owner has all."""
        is_owner = user.id == defaults.YOU_ID
        return ALL_PERMISSIONS if is_owner else str(self._world.permissions(user, channel))

    def _roles(self, guild_id: int) -> list[Role]:
        """Everyone's role of the guild, and the added roles."""
        world = self._world
        return [role for role in world.roles.values() if role.id == guild_id or role.id not in world.guilds]

    def _guild_extras(self, guild_id: int, all_members: bool) -> Json:
        world = self._world
        members = world.users.values() if all_members else [world.bot]
        return discord_json.guild_extras(
            world.bot.joined_at,
            len(world.users),
            [member_payload(user) for user in members],
            channels=[self.channel(c) for c in self.guild_channels(guild_id)],
            threads=[self.channel(t) for t in self.active_threads(guild_id)],
        )

    def guild_channels(self, guild_id: int = defaults.GUILD_ID) -> list[Channel]:
        """Channels and categories of a guild in order of position."""
        every = (c for c in self._world.channels.values() if c.thread is None and c.kind != ChannelKind.DM)
        channels = (channel for channel in every if channel.guild_id == guild_id)
        return sorted(channels, key=lambda channel: channel.position)

    def active_threads(self, guild_id: int = defaults.GUILD_ID) -> list[Channel]:
        """Threads of a guild visible to the bot and not archived."""
        world = self._world
        threads = (t for t in world.threads.values() if t.guild_id == guild_id and world.may_see(world.bot, t))
        return [thread for thread in threads if not thread_state(thread).archived]

    def channel(self, channel: Channel, *, newly_created: bool = False) -> Json:
        """A channel, DM or thread object."""
        if channel.kind == ChannelKind.DM:
            return self._dm(channel)
        if channel.thread is not None:
            return self._thread(channel, newly_created)
        payload = discord_json.channel(
            channel.id,
            channel.guild_id,
            int(channel.kind),
            channel.name,
            position=channel.position,
            newest=channel.last_message_id,
        )
        overwrites = [overwrite_payload(each) for each in channel.overwrites.values()]
        payload |= {"permission_overwrites": overwrites, "topic": channel.topic}
        payload["parent_id"] = str(channel.parent_id) if channel.parent_id else None
        if channel.kind in (ChannelKind.VOICE, ChannelKind.STAGE):
            payload |= {"bitrate": 64_000, "user_limit": 0, "rtc_region": None}
        if channel.kind in (ChannelKind.FORUM, ChannelKind.MEDIA):
            payload |= {"available_tags": [], "default_reaction_emoji": None}
            payload |= {"default_forum_layout": 0, "default_sort_order": None}
        return payload

    def _dm(self, channel: Channel) -> Json:
        recipient = self._world.user(channel.recipient_id or 0)
        return discord_json.dm_channel(channel.id, user_payload(recipient), channel.last_message_id)

    def _thread(self, channel: Channel, newly_created: bool) -> Json:
        state = thread_state(channel)
        payload = discord_json.thread(
            channel.id,
            (channel.guild_id, channel.parent_id or 0),
            state.owner_id,
            int(channel.kind),
            channel.name,
            channel.last_message_id,
        )
        payload |= discord_json.thread_state(
            state.message_count,
            min(len(state.members), 50),
            state.archive_changed_at,
            state.created_at,
            archived=state.archived,
            auto_archive_duration=state.auto_archive_minutes,
            locked=state.locked,
        )
        bot_id = self._world.bot.id
        if bot_id in state.members:
            payload["member"] = thread_member_payload(channel, bot_id)
        if newly_created:
            payload["newly_created"] = True
        return payload

    # messages

    def message(self, message: Message, *, for_gateway: bool = False, nested: bool = False) -> Json:
        """Message object; for the gateway with guild and member; nested without the message replied to."""
        world = self._world
        payload: Json = {
            "id": str(message.id),
            "channel_id": str(message.channel_id),
            "type": int(message.kind),
            "author": user_payload(message.author),
            "content": message.content,
            "timestamp": message.created_at,
            "edited_timestamp": message.edited_at,
            "tts": False,
            "mention_everyone": message.mention_everyone,
            "mentions": [self._mention(world.users[i], for_gateway) for i in message.mentions if i in world.users],
            "mention_roles": [str(i) for i in message.mention_roles],
            "attachments": [attachment_payload(a, self.attachment_url) for a in message.attachments],
            "embeds": message.embeds,
            "components": message.components,
            "pinned": message.pinned,
            "flags": int(message.flags),
        }
        if message.id in self.garbled:
            del payload["type"]
        if message.nonce is not None:
            payload["nonce"] = message.nonce
        if message.position is not None:
            payload["position"] = message.position
        if message.interaction is not None:
            payload |= {"interaction_metadata": message.interaction, "application_id": str(defaults.APPLICATION_ID)}
            payload["webhook_id"] = str(defaults.APPLICATION_ID)
        if message.reactions:
            payload["reactions"] = self._reactions(message)
        if message.reference is not None:
            self._add_reference(payload, message, nested)
        if message.flags & MessageFlag.HAS_THREAD and message.id in world.threads:
            payload["thread"] = self.channel(world.threads[message.id])
        payload |= message.parts
        if for_gateway:
            self._add_place(payload, message)
        return payload

    def _mention(self, user: User, for_gateway: bool) -> Json:
        """A mentioned user; only the gateway tells the nickname."""
        payload = user_payload(user)
        return payload | {"member": member_payload(user, with_user=False)} if for_gateway and user.nick else payload

    def _reactions(self, message: Message) -> list[Json]:
        bot_id = self._world.bot.id
        return [
            {
                "emoji": emoji_payload(emoji),
                "count": len(users),
                "count_details": {"burst": 0, "normal": len(users)},
                "me": bot_id in users,
                "me_burst": False,
                "burst_colors": [],
            }
            for emoji, users in message.reactions.items()
        ]

    def _add_reference(self, payload: Json, message: Message, nested: bool) -> None:
        if message.reference is None:
            return
        channel_id, message_id = message.reference
        channel = self._world.channels.get(channel_id)
        guild_id = channel.guild_id if channel else defaults.GUILD_ID
        payload["message_reference"] = {"type": 0, "channel_id": str(channel_id), "guild_id": str(guild_id)}
        if message_id is None:
            return
        payload["message_reference"]["message_id"] = str(message_id)
        if nested:
            return
        target = channel.history.get(message_id) if channel else None
        payload["referenced_message"] = self.message(target, nested=True) if target else None

    def _add_place(self, payload: Json, message: Message) -> None:
        channel = self._world.channels.get(message.channel_id)
        if channel is None:
            return
        payload["channel_type"] = int(channel.kind)
        if channel.kind != ChannelKind.DM:
            payload["guild_id"] = str(channel.guild_id)
            if message.interaction is None:
                payload["member"] = member_payload(message.author, with_user=False)

    # application

    def application(self) -> Json:
        """Answer to `/oauth2/applications/@me`."""
        owner = user_payload(self._world.user(defaults.YOU_ID))
        name, description = self._world.bot.name, "The bot of the playground."
        described = discord_json.application(defaults.APPLICATION_ID, name, description, owner)
        return described | {"attachment_size_limit": FILE_LIMIT_BYTES}
