"""Protocol of audiences: who may read which window, as Discord says it now.

Owner: DiscordActor; whoever shows one window's words in another listens.
"""

from __future__ import annotations

from messages.base import Address, Message, RequestId, Value, Window


class Grant(Value, frozen=True, kw_only=True, gc=False):
    """One permission in one channel: who has it, with all overwrites counted in; owner and administrators apart."""

    is_default: bool
    """Whether somebody has it whom nothing below names."""
    giving_roles: frozenset[str] = frozenset()
    """Roles that give it in the whole server, where it is not the default and no overwrite of `@everyone` decides."""
    denied_roles: frozenset[str] = frozenset()
    allowed_roles: frozenset[str] = frozenset()
    """These count more than denied ones."""
    denied_members: frozenset[str] = frozenset()
    allowed_members: frozenset[str] = frozenset()
    """What is said of a member counts more than what is said of roles."""


class Readers(Value, frozen=True, kw_only=True, gc=False):
    """Readers of a window: its channel's, by permission; a thread's channel is its parent."""

    guild_id: str
    channel_id: str
    sees: Grant
    """Who sees what is said there from now on."""
    reads: tuple[Grant, ...]
    """Permissions that it takes, all of them, to read what was said there before."""
    is_private: bool = False
    """Whether only those of them read it who were invited."""


class WindowReaders(Value, frozen=True, kw_only=True, gc=False):
    """Readers of one window."""

    window: Window
    readers: Readers | None
    """None when the window is gone, or nobody knows who reads it: then its words are shown in no other."""


class TellReaders(Message, frozen=True, kw_only=True, gc=False):
    """Say who reads which window; answered by `ReadersListed` to `reply_to` as soon as that is known."""

    reply_to: Address


class DescribeReaders(Message, frozen=True, kw_only=True, gc=False):
    """Say who reads these windows now; answered by `ReadersDescribed`."""

    request_id: RequestId
    reply_to: Address
    windows: tuple[Window, ...]


class ReadersDescribed(Message, frozen=True, kw_only=True, gc=False):
    """Readers of the windows that were asked for, in that order."""

    request_id: RequestId
    windows: tuple[WindowReaders, ...]


class ReadersListed(Message, frozen=True, kw_only=True, gc=False):
    """Every window whose readers are known; those of all others are known no more."""

    windows: tuple[WindowReaders, ...]


class ReadersChanged(Message, frozen=True, kw_only=True, gc=False):
    """Windows that have other readers than were told before."""

    windows: tuple[WindowReaders, ...]


AudienceCommand = TellReaders | DescribeReaders
AudienceReply = ReadersDescribed
AudienceEvent = ReadersListed | ReadersChanged
