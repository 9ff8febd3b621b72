"""Configuration of the Discord actor, in one value: connection, behaviour, waits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from actors.discord.timing import Timing
from actors.part import DiscordConnection
from domain.policy.channel_rules import ChannelRule, ChannelRules
from domain.policy.settings_faults import DiscordWish


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscordConfig:
    """Configuration of the Discord actor; the defaults are those of `[discord]` in the settings."""

    connection: DiscordConnection
    """Discord's address, the bot's token, and the people to answer; channels are ids."""
    operators: frozenset[str] = frozenset()
    """Accounts of operators, who may switch memory everywhere."""
    viewer_roles: frozenset[str] = frozenset()
    """Roles that are answered by a model without bash."""
    answers_all: bool = True
    """True to answer every message; False to answer only those that mention the bot or reply to it."""
    opens_threads: bool = False
    """True to answer each message of a channel in a thread of its own."""
    tables: Mapping[str, ChannelRule] = field(default_factory=dict)
    """Channel, thread or category id -> rules that differ there."""
    wish: DiscordWish = field(default_factory=DiscordWish)
    """Ids of the settings, for a check at the start of a session."""
    dms: bool = False
    """True to answer direct messages."""
    reacts: bool = True
    """True to mark a message with a reaction while it is worked on, and with another at the end."""
    catchup_hours: float = 24.0
    """Messages missed for longer are only noted."""
    turns_per_user: int = 120
    """Most messages of one person that are answered within ten minutes."""
    attachment_bytes: int = 8 << 20
    """Larger files are not read."""
    paste_tokens: int = 8_000
    """Most of attached text files that goes into a prompt."""
    shards: int = 1
    """Connections that share the servers; 0 for as many as Discord recommends."""
    secrets: tuple[str, ...] = field(default=(), repr=False)
    """Secrets to redact in any encoding; the token is always redacted."""
    timing: Timing = field(default_factory=Timing)
    """Every wait."""

    @property
    def rules(self) -> ChannelRules:
        """Rules of all channels."""
        answer, threads = "all" if self.answers_all else "mentions", "auto" if self.opens_threads else "off"
        return ChannelRules(self.tables, ChannelRule(answer=answer, threads=threads))

    def __post_init__(self) -> None:
        """Refuse a channel that is no id.

        Raises:
            ValueError: one of the channels is not decimal.
        """
        for channel_id in self.connection.channels:
            if not channel_id.isdecimal():
                raise ValueError(f"channel {channel_id!r}: must be a Discord id, digits only")
