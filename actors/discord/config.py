"""Configuration of the Discord actor, in one value: where and whom, how it behaves, what it waits for."""

from __future__ import annotations

from dataclasses import dataclass, field

from actors.discord.timing import Timing
from actors.part import DiscordConnection


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscordConfig:
    """Configuration of the Discord actor; the defaults are those of `[discord]` in the settings."""

    connection: DiscordConnection
    """Which Discord, as whom, and whom to hear; its channels are ids."""
    viewer_roles: frozenset[str] = frozenset()
    """Roles that are answered by a model without bash."""
    answers_all: bool = True
    """Whether every message is answered, not only those that mention the bot or reply to it."""
    dms: bool = False
    """Whether direct messages are answered."""
    reacts: bool = True
    """Whether a message shows by a reaction that it is worked on, and how that ended."""
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
    """What must never be shown, in whatever disguise; the token is among them anyway."""
    timing: Timing = field(default_factory=Timing)
    """Every wait."""

    def __post_init__(self) -> None:
        """Refuse a channel that is no id.

        Raises:
            ValueError: one of the channels is not decimal.
        """
        for channel_id in self.connection.channels:
            if not channel_id.isdecimal():
                raise ValueError(f"channel {channel_id!r}: must be a Discord id, digits only")
