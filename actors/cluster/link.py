"""Sliding-window protocol of one direction pair between the head and a host: in order, and each item once.

Pure: no thread, no network, no clock but the one that is handed in. Each side has a `Link`; the carrier of batches may
lose, double, reorder or delay batches. An item is sent again until acknowledged, and a repeated item is dropped. So an
item is on the wire at least once and handed out at most once, in the order of `put`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

BATCH_ITEMS = 1024
BATCH_BYTES = 96 * 1000
"""Bytes of a batch, except for a longer item: below 100 KiB, from where Ray puts values into shared memory."""
WINDOW_ITEMS = 4096
"""Limit of items sent and not acknowledged; further items wait on their own side."""
RESEND_S = 2.0
GATHER_S = 0.01
"""Between two calls of one direction under load, for a call costs as much as some twenty messages."""
MANY = 128
"""So many items are worth a call of their own."""


class Link:
    """One end of a link; the owner ensures use by one thread at a time."""

    def __init__(
        self,
        monotonic: Callable[[], float],
        *,
        batch_items: int = BATCH_ITEMS,
        window_items: int = WINDOW_ITEMS,
        resend_s: float = RESEND_S,
    ) -> None:
        """Create a link without items.

        Args:
            monotonic: Seconds that never go back.
            batch_items: Most items of a batch.
            window_items: Most items sent and not acknowledged; also the limit of early items to keep.
            resend_s: Seconds without an acknowledgement before sent items are sent again.
        """
        self._monotonic = monotonic
        self._batch_items, self._window_items, self._resend_s = batch_items, window_items, resend_s
        self._waiting: deque[bytes] = deque()
        self._sent: deque[bytes] = deque()
        self._acknowledged = 0
        """Number of the oldest item not known to be on the other side."""
        self._sent_at = 0.0
        self._carried_at = 0.0
        self._put = 0
        self._expected = 0
        self._early: dict[int, bytes] = {}

    @property
    def ack(self) -> int:
        """Number of the next item wanted from the other side; all earlier items have arrived."""
        return self._expected

    @property
    def unacknowledged(self) -> int:
        """Items put and not yet acknowledged."""
        return len(self._waiting) + len(self._sent)

    def put(self, item: bytes) -> int:
        """Queue an item until the window has room; return the item's number, from 0. Never waits."""
        number = self._put
        self._put += 1
        self._waiting.append(item)
        return number

    def has_batch(self) -> bool:
        """True if `batch` would give an item now."""
        if self._sent and self._monotonic() - self._sent_at >= self._resend_s:
            return True
        return bool(self._waiting) and len(self._sent) < self._window_items

    def gather_s(self) -> float:
        """Seconds to wait for more items before `batch` is carried; 0 after a pause, or if many items wait."""
        if len(self._waiting) >= MANY:
            return 0.0
        return max(0.0, self._carried_at + GATHER_S - self._monotonic())

    def batch(self) -> tuple[int, list[bytes]]:
        """The next items to send, and the number of the first; no items if there is nothing to send."""
        now = self._monotonic()
        if self._sent and now - self._sent_at >= self._resend_s:
            self.rewind()
        first, items, length = self._acknowledged + len(self._sent), list[bytes](), 0
        room = min(self._batch_items, self._window_items - len(self._sent))
        while self._waiting and len(items) < room and (not items or length + len(self._waiting[0]) <= BATCH_BYTES):
            item = self._waiting.popleft()
            length += len(item)
            items.append(item)
        if items:
            self._carried_at = now
            if not self._sent:
                self._sent_at = now
            self._sent.extend(items)
        return first, items

    def rewind(self) -> None:
        """Queue all unacknowledged items again."""
        self._waiting.extendleft(reversed(self._sent))
        self._sent.clear()

    def acknowledge(self, ack: int) -> None:
        """Drop items before number `ack`, known to be on the other side; an older number than before has no effect.

        Raises:
            ValueError: `ack` covers items that were never put.
        """
        if ack > self._put:
            raise ValueError(f"ack {ack}: only {self._put} items were ever put")
        while self._acknowledged < ack:
            (self._sent or self._waiting).popleft()  # it may have come though it is to be sent again
            self._acknowledged += 1
            self._sent_at = self._monotonic()

    def receive(self, first: int, items: Iterable[bytes]) -> list[tuple[int, bytes]]:
        """New items of a batch and early items of earlier batches, in order, with numbers."""
        for number, item in enumerate(items, first):
            if self._expected <= number < self._expected + self._window_items:
                self._early[number] = item
        new = []
        while self._expected in self._early:
            new.append((self._expected, self._early.pop(self._expected)))
            self._expected += 1
        return new
