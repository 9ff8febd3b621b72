"""Acts of people: messages, channels and threads."""

from __future__ import annotations

from collections.abc import Sequence

from lab.playground.driver.calls import ThreadCalls
from lab.playground.world import defaults
from lab.playground.world.records import ChannelKind, Overwrite, Upload


class PeopleDriver(ThreadCalls):
    """Users, messages, channels and threads."""

    # people

    def add_user(self, name: str, *, bot: bool = False) -> int:
        """Id of a new member, or of another bot."""
        return self.run(lambda: self._hub.add_user(name, bot=bot).id)

    def add_role(self, name: str, *user_ids: int, permissions: int = 0) -> int:
        """Id of a new role, given to those users."""

        def act() -> int:
            role = self._hub.world.add_role(name, permissions)
            for user_id in user_ids:
                self._hub.world.user(user_id).roles.append(role.id)
            self._hub.tell_role("GUILD_ROLE_CREATE", role)
            return role.id

        return self.run(act)

    def change_role(self, role_id: int, permissions: int) -> None:
        """Let a role, or a guild's `@everyone`, permit something else."""

        def act() -> None:
            role = self._hub.world.role(role_id)
            role.permissions = permissions
            self._hub.tell_role("GUILD_ROLE_UPDATE", role)

        self.run(act)

    def remove_role(self, role_id: int) -> None:
        """Delete a role."""
        self.run(lambda: self._hub.remove_role(self._hub.world.role(role_id)))

    def say(
        self,
        channel_id: int,
        text: str,
        *,
        user: int = defaults.YOU_ID,
        attachments: Sequence[tuple[str, bytes]] = (),
        reply_to: int | None = None,
    ) -> int:
        """Id of the new message; `attachments` are (file name, bytes)."""
        uploads = [Upload(name, data) for name, data in attachments]
        return self.run(lambda: self._acts.say(channel_id, text, user, attachments=uploads, reply_to=reply_to).id)

    def edit(self, channel_id: int, message_id: int, text: str) -> None:
        """Change a message's text."""
        self.run(lambda: self._acts.edit(channel_id, message_id, text))

    def delete(self, channel_id: int, message_id: int) -> None:
        """Delete a message."""
        self.run(lambda: self._hub.delete(self._hub.world.channel(channel_id), message_id))

    def delete_many(self, channel_id: int, message_ids: Sequence[int]) -> None:
        """Delete messages at one go."""
        self.run(lambda: self._hub.delete_many(self._hub.world.channel(channel_id), message_ids))

    def react(
        self, channel_id: int, message_id: int, emoji: str, *, user: int = defaults.YOU_ID, remove: bool = False
    ) -> None:
        """Add or remove a reaction."""
        self.run(
            lambda: self._hub.react(
                self._acts.message(channel_id, message_id), self._hub.world.user(user), emoji, remove=remove
            )
        )

    def type_in(self, channel_id: int, *, user: int = defaults.YOU_ID) -> None:
        """Show a user as typing."""
        self.run(lambda: self._hub.type_in(*self._acts.place(channel_id, user)))

    # channels and threads

    def create_guild(self, name: str, guild_id: int) -> None:
        """A second guild, which the bot learns of at its next IDENTIFY; it has everybody and no channel."""
        self.run(lambda: self._hub.create_guild(name, guild_id))

    def create_channel(self, name: str, *, forum: bool = False, guild_id: int = defaults.GUILD_ID) -> int:
        """Id of a new channel."""
        kind = ChannelKind.FORUM if forum else ChannelKind.TEXT
        return self.run(lambda: self._hub.create_channel(name, kind, guild_id).id)

    def create_thread(
        self,
        channel_id: int,
        name: str,
        *,
        user: int = defaults.YOU_ID,
        message_id: int | None = None,
        private: bool = False,
        with_bot: bool = True,
    ) -> int:
        """Id of a new thread, from a message if given; a private one takes the bot in unless told otherwise."""
        how = {"private": private, "with_bot": with_bot}
        return self.run(lambda: self._acts.start_thread(channel_id, name, user, message_id=message_id, **how).id)

    def open_dm(self, *, user: int = defaults.YOU_ID) -> int:
        """Id of the DM channel between a user and the bot."""
        return self.run(lambda: self._hub.world.dm_with(self._hub.world.user(user)).id)

    def change_thread(self, thread_id: int, *, archived: bool | None = None, locked: bool | None = None) -> None:
        """Archive, un-archive, lock or unlock a thread; None leaves as is."""
        self.run(lambda: self._acts.change_thread(thread_id, archived, locked))

    def overwrite(
        self, channel_id: int, target_id: int, *, allow: int = 0, deny: int = 0, is_member: bool = False
    ) -> None:
        """Have a channel permit or deny a role or a member something; nothing at all takes that back."""
        overwrite = Overwrite(target_id, is_member, allow, deny)
        self.run(lambda: self._hub.overwrite(self._hub.world.channel(channel_id), overwrite))

    def delete_channel(self, channel_id: int) -> None:
        """Delete a channel with its threads, or a thread."""
        self.run(lambda: self._hub.delete_channel(self._hub.world.channel(channel_id)))
