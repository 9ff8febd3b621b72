"""Ledger of one host, kept by the head: unsettled messages to the host's windows, and windows with work. Pure.

When the host dies, the messages in the ledger are sent again to the windows' next hosts. A window's actor tolerates
repeated messages, as after a crash while handling a message.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import NamedTuple

from domain.log.revision import later_edit
from messages.base import Message, MessageId, Window
from messages.context import RetractMessages, ReviseMessage, RuntimePosted, UserMessage
from messages.discord import UserMessageLogged

UNLOGGED_S = 60.0
"""Seconds to keep a person's handled message without a report that the message is logged."""
MOST_DEFERRED = 1_000
"""Limit of handled messages that windows may hold in memory; beyond the limit the oldest are forgotten."""


class WindowMessage(NamedTuple):
    """Message to a window."""

    key: str
    """Of the window's address."""
    message: Message
    data: bytes
    """The message in its encoded form."""


class Ledger:
    """Account of one life of a host; the owner ensures use by one thread at a time."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        """An empty account.

        Args:
            monotonic: Seconds that never go back.
        """
        self._monotonic = monotonic
        self._open: dict[int, WindowMessage] = {}
        self._unlogged: OrderedDict[tuple[Window, MessageId], tuple[float, WindowMessage]] = OrderedDict()
        """Oldest first; after many removals a plain dict takes longer and longer to find its first entry."""
        self._logged: set[tuple[Window, MessageId]] = set()
        self._deferred: dict[int, WindowMessage] = {}
        """Handled messages that a window with work may hold in memory: new words until the end of an answer, and all
        that an unwritable log does not take."""
        self.busy: set[str] = set()
        """Keys of windows with work in progress."""
        self.unfinished: set[str] = set()
        """Keys of windows that would go on by themselves at a later time."""

    @property
    def is_settled(self) -> bool:
        """True if no message is open and no window is busy."""
        return not self._open and not self.busy

    @property
    def open_count(self) -> int:
        """Number of messages without a report of their handling."""
        return len(self._open)

    def tell(self, number: int, message: WindowMessage) -> None:
        """Add a message to a window; `number` is greater than all before."""
        self._open[number] = message

    def hear(self, logged: UserMessageLogged) -> None:
        """Note that a message is in its window's log and need not be sent again."""
        name = (logged.window, logged.message_id)
        if self._unlogged.pop(name, None) is None:
            self._logged.add(name)

    def settle(
        self, numbers: Iterable[int], busy: Collection[str], quiet: Collection[str], unfinished: Collection[str] = ()
    ) -> None:
        """Remove handled messages, and note the windows that are busy, quiet or unfinished since."""
        for number in numbers:
            if (entry := self._open.pop(number, None)) is None:
                continue
            match entry.message:
                case UserMessage():
                    self._note_handled(entry, entry.message)
                case ReviseMessage() as edit:
                    for before in self._take_edits(entry.key, (edit.message_id,)):
                        edit = later_edit(before, edit)
                    self._deferred[number] = entry._replace(message=edit)
                case RetractMessages(message_ids=message_ids):
                    self._take_edits(entry.key, message_ids)
                    self._deferred[number] = entry
                case RuntimePosted():
                    self._deferred[number] = entry
                case _:
                    continue
        self.busy.update(busy)
        self.busy.difference_update(quiet, unfinished)
        self.unfinished.update(unfinished)
        self.unfinished.difference_update(busy, quiet)
        at_work = self.busy | self.unfinished if self._deferred else frozenset[str]()
        left = [number for number, entry in self._deferred.items() if entry.key in at_work]
        self._deferred = {number: self._deferred[number] for number in left[-MOST_DEFERRED:]}

    def _take_edits(self, key: str, message_ids: Collection[MessageId]) -> list[ReviseMessage]:
        """Remove and return edits of messages that were edited again or deleted since."""
        edits: list[ReviseMessage] = []
        for number, (of, message, _) in tuple(self._deferred.items()):
            if of == key and isinstance(message, ReviseMessage) and message.message_id in message_ids:
                del self._deferred[number]
                edits.append(message)
        return edits

    def _note_handled(self, entry: WindowMessage, message: UserMessage) -> None:
        now, name = self._monotonic(), (message.window, message.message_id)
        if name in self._logged:
            self._logged.remove(name)
        else:
            self._unlogged[name] = (now, entry)
        while self._unlogged:
            oldest = next(iter(self._unlogged))
            if now - self._unlogged[oldest][0] < UNLOGGED_S:
                break
            del self._unlogged[oldest]

    def owed(self) -> Iterator[WindowMessage]:
        """Messages to send again, in their original order; of several edits the newest, which data may not show."""
        for _at, message in self._unlogged.values():
            yield message
        yield from self._deferred.values()
        yield from self._open.values()
