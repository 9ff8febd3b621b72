"""Messages of this life: the messages passed on or refused, and the newest of each channel."""

from __future__ import annotations

from actors.discord.calls.forgetting import forget_oldest

_CHANNELS = 20_000
_MESSAGES = 10_000


class SeenMessages:
    """Ids of messages passed on or refused, and of the newest message of each channel; in memory and bounded.

    A message older than the remembered messages would be passed on again: the window recognizes the message by its log.
    """

    def __init__(self) -> None:
        """Begin without messages."""
        self._messages: dict[int, None] = {}
        self._newest_in: dict[str, int] = {}
        self.newest = 0
        """Newest message of all channels; 0 without a noticed message."""

    def notice(self, channel_id: str, message_id: int) -> None:
        """Note a message of any author, the bot included."""
        self._newest_in[channel_id] = max(message_id, self._newest_in.pop(channel_id, 0))
        self.newest = max(message_id, self.newest)
        if len(self._newest_in) > _CHANNELS:
            forget_oldest(self._newest_in)

    def newest_in(self, channel_id: str) -> str:
        """Newest message of a channel; empty without a noticed message."""
        return str(self._newest_in.get(channel_id, ""))

    def is_new(self, message_id: int) -> bool:
        """True if this message is passed on or refused for the first time; the question itself records the message."""
        if message_id in self._messages:
            return False
        self._messages[message_id] = None
        if len(self._messages) > _MESSAGES:
            forget_oldest(self._messages)
        return True

    def release(self, message_id: int) -> None:
        """Have a message that could not be logged passed on once more when found."""
        self._messages.pop(message_id, None)

    def has(self, message_id: int) -> bool:
        """True if this message was passed on or refused."""
        return message_id in self._messages
