"""Readers of windows as Discord would tell them, from the labels that messages carry."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from domain.log.event import Kind
from domain.log.parser import parse
from domain.log.window import parse_log_path
from domain.policy.audience import Audience, Reach
from messages.base import Window
from messages.discord import Grant, Readers, WindowReaders


def readers(label: str) -> Readers | None:
    """Everyone, those with the channel's own role, or those of a private thread."""
    audience = Audience.parse(label)
    if audience is None:
        return None
    is_open = audience.reach is not Reach.CHANNEL
    role = frozenset[str]() if is_open else frozenset({f"of-{audience.channel_id}"})
    grant = Grant(is_default=is_open, allowed_roles=role)
    return Readers(
        guild_id=audience.guild_id,
        channel_id=audience.channel_id,
        sees=grant,
        reads=(grant,),
        is_private=audience.reach is Reach.PRIVATE,
    )


def readers_of(window: Window, label: str) -> WindowReaders:
    """Readers of a window, as Discord has them."""
    return WindowReaders(window=window, readers=readers(label))


def in_logs(root: Path) -> Iterator[WindowReaders]:
    """The readers of every window, as its newest message says."""
    for path in sorted((root / "logs").rglob("*.md")):
        said = [logged.event for logged in parse(path.read_bytes()).events if logged.event.kind is Kind.USER]
        if said:
            window, _ = parse_log_path(PurePosixPath(path))
            yield readers_of(window, str(said[-1].meta_dict().get("audience", "")))
