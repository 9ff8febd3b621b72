"""Watermarks: how far each window was read, so that a gap can be found and closed."""

from __future__ import annotations

import heapq
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass

_WINDOWS = 50_000
_MESSAGES = 20_000


@dataclass(frozen=True, slots=True)
class Gap:
    """Watermark at the loss of the connection: how far everything was read."""

    by_window: Mapping[str, int]
    """Window key -> newest message that was passed on."""
    by_guild: Mapping[int, int]
    """Server -> newest message that Discord sent of it; servers may be lost one without the other."""
    newest: int | None
    """The same for every other server, from an earlier life; None if there was none."""

    def newest_of(self, guild_id: int) -> int | None:
        """Newest message seen anywhere in a server; whatever is newer was not seen. None before its first session."""
        return self.by_guild.get(guild_id, self.newest)


class SeenMessages:
    """Watermark of each window and server, and the ids of what was passed on; in memory and bounded."""

    def __init__(self, last_seen: Mapping[str, str]) -> None:
        """What an earlier life had seen.

        Args:
            last_seen: Window key -> newest message of that window's log.
        """
        self._by_window = OrderedDict((key, int(message_id)) for key, message_id in last_seen.items())
        self._newest = max(self._by_window.values(), default=None)
        self._by_guild: dict[int, int] = {}
        self._messages: OrderedDict[int, None] = OrderedDict()
        self._newest_in: OrderedDict[str, int] = OrderedDict()

    def windows(self) -> list[str]:
        """Keys of the windows that were read, in this life or an earlier one."""
        return list(self._by_window)

    def newest_windows(self, most: int) -> list[str]:
        """Keys of the windows in which something was said last, that first."""
        used = (key for key, message_id in self._by_window.items() if message_id)
        return heapq.nlargest(most, used, key=self._by_window.__getitem__)

    def knows(self, window_key: str) -> bool:
        """Whether a window was read, in this life or an earlier one."""
        return window_key in self._by_window

    def notice(self, channel_id: str, message_id: int) -> None:
        """Somebody, perhaps the bot, wrote something anywhere; 0 for a channel in which nobody ever did."""
        self._newest_in[channel_id] = max(message_id, self._newest_in.pop(channel_id, 0))
        if len(self._newest_in) > _WINDOWS:
            self._newest_in.popitem(last=False)

    def witness(self, guild_id: int, message_id: int) -> None:
        """Discord sent this message of a server, and so every one before it; 0 for a server in which nobody ever wrote.

        What the bot posts by itself is no witness: it may do so while it hears nothing.
        """
        self._by_guild[guild_id] = max(message_id, self._by_guild.get(guild_id, 0))

    def newest_in(self, channel_id: str) -> str:
        """The newest message of a channel; empty when none was noticed."""
        return str(self._newest_in.get(channel_id, ""))

    def is_new(self, window_key: str, message_id: int) -> bool:
        """Whether this message is passed on for the first time, which counts as done with the question."""
        if message_id in self._messages:
            return False
        self._messages[message_id] = None
        if len(self._messages) > _MESSAGES:
            self._messages.popitem(last=False)
        self.reach(window_key, message_id)
        return True

    def has(self, message_id: int) -> bool:
        """Whether this message was passed on."""
        return message_id in self._messages

    def reach(self, window_key: str, message_id: int) -> None:
        """Count the window as read up to `message_id`."""
        self._by_window[window_key] = max(message_id, self._by_window.pop(window_key, 0))
        if len(self._by_window) > _WINDOWS:
            self._by_window.popitem(last=False)

    def gap(self) -> Gap:
        """How far everything is read now."""
        return Gap(dict(self._by_window), dict(self._by_guild), self._newest)
