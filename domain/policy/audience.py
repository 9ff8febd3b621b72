"""Audience of a window: who reads it, and what may be shown there without giving it a new reader.

An audience travels as a label, `<guild id>:<channel id>:<reach>`, so that it can stand in the log's metadata. A
thread's channel id is its parent's. An empty label means: nothing is known, so only the window itself may see it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from messages.base import Window


class Reach(StrEnum):
    """Readership of a window within its guild."""

    EVERYONE = "everyone"
    """Every member: a channel that `@everyone` may see, or a public thread in it."""
    CHANNEL = "channel"
    """Those who may see the channel: the channel itself, or a public thread in it."""
    PRIVATE = "private"
    """Those who were invited: a private thread, or a direct message (its guild id is 0)."""


@dataclass(frozen=True, slots=True)
class Audience:
    """The readers of one window, as far as its place tells."""

    guild_id: str
    channel_id: str
    reach: Reach

    def __str__(self) -> str:
        """The label."""
        return f"{self.guild_id}:{self.channel_id}:{self.reach.value}"

    @classmethod
    def parse(cls, label: str) -> Audience | None:
        """The audience that a label names; None for an empty one.

        Raises:
            ValueError: `label` is neither empty nor `<guild id>:<channel id>:<reach>`.
        """
        if not label:
            return None
        guild_id, _, rest = label.partition(":")
        channel_id, _, reach = rest.partition(":")
        reaches = [each.value for each in Reach]
        if not guild_id.isdecimal() or not channel_id.isdecimal() or reach not in reaches:
            raise ValueError(f"audience {label!r}: must be <guild id>:<channel id>:<reach>, reach one of {reaches}")
        return cls(guild_id, channel_id, Reach(reach))


def may_show(source: Window, source_audience: Audience | None, target: Window, audience: Audience | None) -> bool:
    """Whether words of `source` may be shown in `target`: whether all readers of `target` may read `source` anyway."""
    if source == target:
        return True
    if source_audience is None or audience is None or source_audience.guild_id != audience.guild_id:
        return False
    if source_audience.reach is Reach.EVERYONE:
        return True
    return source_audience.reach is Reach.CHANNEL and source_audience.channel_id == audience.channel_id


NO_VIEW = "nobody"
"""Key of the view that holds no log: what may be shown where the readers are not known."""


def view_key(window: Window, audience_label: str) -> str:  # noqa: ARG001 - who asks says for whom
    """Name of the folder with the logs that may be read in `window`, its own apart.

    Windows in which the same may be read share a view.

    Raises:
        ValueError: as `Audience.parse`.
    """
    audience = Audience.parse(audience_label)
    return NO_VIEW if audience is None else f"{audience.guild_id}-{audience.channel_id}"


def in_view(source_audience: Audience | None, key: str) -> bool:
    """Whether a log of a window with that audience belongs into the view `key`: exactly what `may_show` says of it."""
    if source_audience is None or key == NO_VIEW:
        return False
    guild_id, _, channel_id = key.partition("-")
    if source_audience.guild_id != guild_id:
        return False
    if source_audience.reach is Reach.EVERYONE:
        return True
    return source_audience.reach is Reach.CHANNEL and source_audience.channel_id == channel_id
