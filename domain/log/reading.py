"""Reading of one channel: messages logged, on the way to the log, or still to be found in the history."""

from __future__ import annotations

from domain.log.watermark import ENDLESS, Gap, Watermark
from messages.base import Surface


class Reading:
    """Set of a channel's messages not known to be logged, as intervals and single ids.

    A message up to `reached` is in a gap, or `pending` (known and on the way to the log), or logged, or without need of
    a
    log, or Discord never sent the event. Only a page of history rules out missing messages, so a kept watermark goes no
    further than `confirmed`. A caller that takes a message out of a gap or a page notices the message in the same step.
    """

    __slots__ = ("_pending", "confirmed", "first", "gaps", "joins", "reached", "session", "surface")

    def __init__(self, watermark: Watermark) -> None:
        """Start from the state of an earlier life; in no session yet."""
        self.surface: Surface = watermark.surface
        self.first = watermark.first
        self.reached = watermark.upto
        """Newest known message, or the end of the last gap."""
        self.confirmed = watermark.upto
        """Up to here only the gaps are missing, by pages of history; never above `reached`."""
        self.gaps = watermark.gaps
        """Gaps still to be read, in order."""
        self.session = 0
        """Session since which only messages in the gaps can be missing."""
        self.joins = 0
        """Number of joined sessions: a page read before a join proves nothing about messages missed since."""
        self._pending: set[int] | None = None  # One set for each of a hundred thousand channels would take 20 MB.

    @property
    def may_be_forgotten(self) -> bool:
        """True if no message is pending or missing, and no thread of the channel needs `first`."""
        return not self.gaps and not self._pending and not self.first and not self.is_in_doubt

    @property
    def is_in_doubt(self) -> bool:
        """True if events came since history was read, so a message may be missing among the events."""
        return self.confirmed < self.reached

    def join(self, session: int, newest: int) -> None:
        """Join a session from now on: messages up to `newest`, unless confirmed by a page, may have been missed.

        Args:
            session: The new session.
            newest: Newest message when the session began; `ENDLESS` if unknown.
        """
        upto = ENDLESS if self.gaps and self.gaps[-1].upto == ENDLESS else max(newest, self.reached)
        if upto > self.confirmed:
            self.gaps = (*(gap for gap in self.gaps if gap.upto <= self.confirmed), Gap(self.confirmed, upto))
        if newest != ENDLESS:
            self.reached = max(self.reached, newest)
        self.session = session
        self.joins += 1

    def doubt(self, after: int) -> None:
        """Withdraw the confirmation of everything after `after`, without opening a gap."""
        self.confirmed = min(self.confirmed, after)

    def leave(self) -> None:
        """Leave the session until the next `join`: messages from now on may be missed."""
        self.session = 0

    def notice(self, message_id: int, session: int) -> None:
        """Note a message as known, and on the way to the log.

        Args:
            message_id: Id of the message.
            session: Session of the message; in a session not joined by the channel, earlier messages may be missing.
        """
        if self._pending is None:
            self._pending = set()
        self._pending.add(message_id)
        self.pass_by(message_id, session)

    def pass_by(self, message_id: int, session: int) -> None:
        """Note a message without need of a log; messages before stay unknown.

        Args:
            message_id: Id of the message.
            session: Session of the message.
        """
        if self.session == session:
            self.reached = max(self.reached, message_id)

    def settle(self, message_id: int) -> None:
        """A message is logged, or needs not be."""
        if self._pending is not None:
            self._pending.discard(message_id)
            self._pending = self._pending or None

    def release(self, message_id: int) -> None:
        """Note a message that failed to reach the log: pages of history are to show the message again."""
        if self._pending is not None and message_id in self._pending:
            self.settle(message_id)
            self.doubt(message_id - 1)

    def lacks(self, message_id: int) -> bool:
        """True if a message may be neither logged nor on its way; may hold for a message logged in this life, too."""
        if self.is_on_way(message_id):
            return False
        return message_id > self.confirmed or any(gap.after < message_id <= gap.upto for gap in self.gaps)

    def is_on_way(self, message_id: int) -> bool:
        """True if a message is known, and not known to be logged."""
        return self._pending is not None and message_id in self._pending

    def fill_page(self, after: int, newest: int, *, joins: int, reached: int, is_last: bool) -> None:
        """Note a page of history as read, with every relevant message noticed.

        Args:
            after: Message before the page.
            newest: Newest message of the page; 0 for an empty page.
            joins: Value of `joins` at the request of the page.
            reached: Value of `reached` at the request of the page.
            is_last: True if no newer message existed then.
        """
        self.fill(after, ENDLESS if is_last and joins == self.joins else newest)
        if after <= self.confirmed:  # Never further: what is said while the page is on its way is in no page yet.
            self.confirmed = max(self.confirmed, newest, reached if is_last else 0)
            self.reached = max(self.reached, self.confirmed)

    def give_up(self) -> None:
        """Give up all gaps: missing messages will never be known."""
        self.gaps = ()
        self.confirmed = self.reached

    def put_off(self) -> None:
        """Leave all gaps to later looks: the history is closed for now, and people may open it again."""
        if self.gaps:
            self.doubt(self.gaps[0].after)
            self.gaps = ()

    def fill(self, after: int, upto: int) -> None:
        """Note all messages after `after`, up to and including `upto`, as known, and noticed where relevant."""
        gaps: list[Gap] = []
        for gap in self.gaps:
            if upto <= gap.after or gap.upto <= after:
                gaps.append(gap)
                continue
            if gap.after < after:
                gaps.append(Gap(gap.after, after))
            if upto < gap.upto:
                gaps.append(Gap(upto, gap.upto))
        self.gaps = tuple(gaps)

    def watermark(self) -> Watermark:
        """The part to be kept: unconfirmed and pending messages, and an endless gap, stand above the watermark."""
        ceilings = [gap.after for gap in self.gaps if gap.upto == ENDLESS]
        if self._pending:
            ceilings.append(min(self._pending) - 1)
        upto = min((self.confirmed, *ceilings))
        gaps = tuple(Gap(gap.after, min(gap.upto, upto)) for gap in self.gaps if gap.after < upto)
        return Watermark(surface=self.surface, first=self.first, upto=upto, gaps=gaps)
