"""Messages of this life: which were passed on, and the newest of each channel."""

from __future__ import annotations

from collections import OrderedDict

_CHANNELS = 50_000
_MESSAGES = 20_000


class SeenMessages:
    """Ids of what was passed on, and of what anybody said last where; in memory and bounded.

    A message that is older than those remembered here would be passed on again: its window knows it by its log.
    """

    def __init__(self) -> None:
        """Nothing was heard yet."""
        self._messages: OrderedDict[int, None] = OrderedDict()
        self._newest_in: OrderedDict[str, int] = OrderedDict()

    def notice(self, channel_id: str, message_id: int) -> None:
        """Somebody, perhaps the bot, wrote something anywhere; 0 for a channel in which nobody ever did."""
        self._newest_in[channel_id] = max(message_id, self._newest_in.pop(channel_id, 0))
        if len(self._newest_in) > _CHANNELS:
            self._newest_in.popitem(last=False)

    def newest_in(self, channel_id: str) -> str:
        """The newest message of a channel; empty when none was noticed."""
        return str(self._newest_in.get(channel_id, ""))

    def is_new(self, message_id: int) -> bool:
        """Whether this message is passed on for the first time, which counts as done with the question."""
        if message_id in self._messages:
            return False
        self._messages[message_id] = None
        if len(self._messages) > _MESSAGES:
            self._messages.popitem(last=False)
        return True

    def has(self, message_id: int) -> bool:
        """Whether this message was passed on."""
        return message_id in self._messages
