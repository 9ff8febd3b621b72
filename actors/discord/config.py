"""How the bot behaves among people, in one value that the operator decides."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscordConfig:
    """What `[discord]` of the settings says beyond where and whom; the defaults are the same."""

    viewer_roles: frozenset[str] = frozenset()
    """Roles that are answered by a model without bash."""
    answers_all: bool = True
    """Whether every message is answered, not only those that mention the bot or reply to it."""
    dms: bool = False
    """Whether direct messages are answered."""
    streams: bool = True
    """Whether an answer is shown while it is being written."""
    reacts: bool = True
    """Whether a message shows by a reaction that it is worked on, and how that ended."""
    catchup_hours: float = 24.0
    """Messages missed for longer are only noted."""
    turns_per_user: int = 20
    """Most messages of one person that are answered within ten minutes."""
    attachment_bytes: int = 8 << 20
    """Larger files are not read."""
    paste_tokens: int = 8_000
    """Most of attached text files that goes into a prompt."""
    shards: int = 1
    """Connections that share the servers; 0 for as many as Discord recommends."""
