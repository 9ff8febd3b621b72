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
    """Configuration of the Discord actor; the defaults are the defaults of `[discord]` in the settings."""

    connection: DiscordConnection
    """Discord's address, the bot's token, and the people to answer; channels are ids."""
    operators: frozenset[str] = frozenset()
    """Accounts of operators; operators may switch memory everywhere."""
    viewer_roles: frozenset[str] = frozenset()
    """Roles answered by a model without bash."""
    answers_all: bool = True
    """True to answer every message; False to answer only mentions of the bot and replies to the bot."""
    opens_threads: bool = False
    """True to answer each message of a channel in a new thread."""
    tables: Mapping[str, ChannelRule] = field(default_factory=dict)
    """Channel, thread or category id -> rules that differ there."""
    wish: DiscordWish = field(default_factory=DiscordWish)
    """Ids of the settings, for a check at the start of a session."""
    dms: bool = False
    """True to answer direct messages."""
    reacts: bool = True
    """True to mark a message with a reaction during the work, and with another at the end."""
    catchup_hours: float = 24.0
    """Messages missed for longer are only noted."""
    turns_per_user: int = 120
    """Most answered messages of a person within ten minutes."""
    attachment_bytes: int = 8 << 20
    """Larger files are not read."""
    paste_tokens: int = 8_000
    """Most tokens of attached text files in a prompt."""
    shards: int = 1
    """Connections that share the servers; 0 for Discord's recommended number."""
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
            ValueError: a channel is not decimal.
        """
        for channel_id in self.connection.channels:
            if not channel_id.isdecimal():
                raise ValueError(f"channel {channel_id!r}: must be a Discord id, digits only")
