"""Visibility of reminders in windows, by the present readers of the windows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType

from actors.kernel import Host
from domain.policy.audience import may_show
from messages.base import Address, Surface, Window
from messages.discord import DescribeReaders, Readers, ReadersDescribed

PATIENCE_S = 5.0
"""Seconds to wait for an answer; after the wait readers are unknown, so each window sees only its own reminders."""
NOBODY: Mapping[Window, Readers | None] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Sight:
    """Reminders visible in a window."""

    window: Window
    channel: Window | None
    """Window of the reminders without a window of their own; None for no window."""
    readers: Mapping[Window, Readers | None] = field(default_factory=lambda: NOBODY)
    """Readers by window; None for unknown readers."""

    @property
    def is_whole(self) -> bool:
        """True for the operator's window, with a view of all reminders."""
        return self.window.surface is Surface.CLI

    def sees(self, source: Window | None) -> bool:
        """True if words from `source`, or from the reminders' channel for None, may be shown in the window."""
        source = source or self.channel
        return self.is_whole or (source is not None and is_admitted(source, self.window, self.readers))

    def may_tell(self, source: Window | None) -> bool:
        """True if words from the window may be shown in `source`, or in the reminders' channel for None."""
        source = source or self.channel
        return self.is_whole or (source is not None and is_admitted(self.window, source, self.readers))


def is_admitted(source: Window, target: Window, readers: Mapping[Window, Readers | None]) -> bool:
    """True if words from `source` may be shown in `target`; the only application of the audience's rule."""
    return may_show(source, readers.get(source), target, readers.get(target))


class Readership:
    """Client of the readership service: asks for the readers of windows each time and keeps no answer."""

    def __init__(self, host: Host, surface: Address, channel: Window | None) -> None:
        """Begin without a question.

        Args:
            host: The asking actor.
            surface: Address of the service.
            channel: Window of the reminders without a window of their own; None for no window.
        """
        self._host = host
        self._surface = surface
        self._channel = channel

    def query(self, window: Window, sources: Iterable[Window | None], then: Callable[[Sight], None]) -> None:
        """Call `then` with the reminders of `sources` visible to `window`; at once for the window's own reminders."""
        others = tuple({source for each in sources if (source := each or self._channel) is not None} - {window})
        if not others or window.surface is Surface.CLI:
            then(Sight(window, self._channel))
            return
        make = partial(DescribeReaders, windows=(window, *others))

        def go_on(reply: ReadersDescribed | None) -> None:
            described = NOBODY if reply is None else {each.window: each.readers for each in reply.windows}
            then(Sight(window, self._channel, described))

        self._host.ask(self._surface, make, PATIENCE_S, go_on)
