"""Sight of windows: which reminders may be shown where, by who reads the windows at this moment."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from actors.kernel import Host
from domain.policy.audience import may_show
from messages.base import Address, RequestId, Surface, Window
from messages.discord import DescribeReaders, Readers, ReadersDescribed
from messages.scheduler import ReadersOverdue

PATIENCE_S = 5.0
"""After so long without an answer nobody's readers are known, so each window sees its own reminders only."""
INQUIRY = "readers-"
"""How the request ids of inquiries begin."""
NOBODY: Mapping[Window, Readers | None] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Sight:
    """Reminders that one window may see."""

    window: Window
    channel: Window | None
    """Where the reminders belong that name no window; None for nowhere."""
    readers: Mapping[Window, Readers | None] = field(default_factory=lambda: NOBODY)
    """Who reads which window, as far as is known."""

    @property
    def is_whole(self) -> bool:
        """Whether it is the operator's, who may see everything."""
        return self.window.surface is Surface.CLI

    def sees(self, source: Window | None) -> bool:
        """Whether what was said in `source`, or in the reminders' channel for None, may be shown in the window."""
        source = source or self.channel
        return self.is_whole or (source is not None and is_admitted(source, self.window, self.readers))

    def may_tell(self, source: Window | None) -> bool:
        """Whether what was said in the window may be shown in `source`, or in the reminders' channel for None."""
        source = source or self.channel
        return self.is_whole or (source is not None and is_admitted(self.window, source, self.readers))


def is_admitted(source: Window, target: Window, readers: Mapping[Window, Readers | None]) -> bool:
    """Whether words of `source` may be shown in `target`; only here the audience's rule is asked."""
    return may_show(source, readers.get(source), target, readers.get(target))


class Sights:
    """Inquiries into who reads windows, made when it matters and kept for nobody."""

    def __init__(self, host: Host, surface: Address, channel: Window | None) -> None:
        """Nothing has been asked.

        Args:
            host: The actor that it works for; `ReadersDescribed` comes to it for `take`, the other for `give_up`.
            surface: Who knows.
            channel: Where the reminders belong that name no window.
        """
        self._host = host
        self._surface = surface
        self._channel = channel
        self._waiting: dict[RequestId, Callable[[Mapping[Window, Readers | None]], None]] = {}

    def of(self, window: Window, sources: Iterable[Window | None], then: Callable[[Sight], None]) -> None:
        """Find out what `window` sees of `sources`; `then` is called with it, at once where nothing is to be asked."""
        others = tuple({source for each in sources if (source := each or self._channel) is not None} - {window})
        if not others or window.surface is Surface.CLI:
            then(Sight(window, self._channel))
            return
        inquiry = RequestId(f"{INQUIRY}{self._host.new_id()}")
        self._waiting[inquiry] = lambda readers: then(Sight(window, self._channel, readers))
        self._host.tell(
            self._surface,
            DescribeReaders(request_id=inquiry, reply_to=self._host.address, windows=(window, *others)),
        )
        self._host.after(PATIENCE_S, ReadersOverdue(inquiry=inquiry))

    def take(self, reply: ReadersDescribed) -> None:
        """Go on with what was waiting for this answer."""
        if (then := self._waiting.pop(reply.request_id, None)) is not None:
            then({each.window: each.readers for each in reply.windows})

    def give_up(self, inquiry: RequestId) -> None:
        """Go on as if nobody's readers were known, unless the answer came."""
        if (then := self._waiting.pop(inquiry, None)) is not None:
            then(NOBODY)
