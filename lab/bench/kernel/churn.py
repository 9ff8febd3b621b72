"""Churn: memory while windows come, handle messages and leave, wave after wave."""

from __future__ import annotations

from actors.kernel import Actor, ActorSpec, ActorSystem, ManualClock
from lab.bench.kernel.message import Ping
from lab.bench.measure import Figures, Finish, Stopwatch, rss_bytes, settle
from messages.base import Address

IDLE_S = 60.0


class Window(Actor):
    """A window with next to no state."""

    def __init__(self, windows: Windows) -> None:
        super().__init__()
        self._windows = windows
        self._messages = 0

    def handle(self, message: Ping) -> None:
        """Count the message."""
        self._messages += 1
        if message.n:
            self._windows.handled.arrive()

    def on_stop(self) -> None:
        """Close no resource; the last window to leave is waited for."""
        self._windows.left.arrive()


class Windows:
    """A system whose windows become idle on command."""

    def __init__(self) -> None:
        self._clock = ManualClock()
        self._system = ActorSystem(clock=self._clock)
        self.handled = Finish(0)
        self.left = Finish(0)
        self._system.register(ActorSpec("window", lambda _key: Window(self), idle_s=IDLE_S))
        self._system.start()
        settle()

    def visit(self, first: int, count: int, messages: int = 1) -> None:
        """Tell windows `first` and up `messages` each; return when all are handled."""
        self.handled = Finish(count)
        tell = self._system.tell
        addresses = [Address("window", str(number)) for number in range(first, first + count)]
        for last in (*[0] * (messages - 1), 1):
            message = Ping(n=last)
            for address in addresses:
                tell(address, message)
        self.handled.wait()
        self._system.drain(30)

    def passivate(self) -> None:
        """Advance the time until all windows leave; return afterwards."""
        self.left = Finish(self.living())
        self._clock.advance(2 * IDLE_S)
        self.left.wait()
        self._system.drain(30)

    def living(self) -> int:
        """Number of windows in memory."""
        return len(self._system.mailboxes())

    def stop(self) -> None:
        """End the system."""
        self._system.stop()


def churn(messages: int, windows: int, messages_each: int) -> Figures:
    """Resident memory after a tenth of the messages and after all, with windows coming and going in waves.

    Args:
        messages: Messages of the whole run.
        windows: Windows in memory at once; every wave has different windows.
        messages_each: Messages that a window handles before leaving.
    """
    known = Windows()
    waves = messages // (windows * messages_each)
    watch = Stopwatch()
    at_tenth = 0
    for wave in range(waves):
        known.visit(wave * windows, windows, messages_each)
        known.passivate()
        if wave + 1 == max(1, waves // 10):
            settle()
            at_tenth = rss_bytes()
    settle()
    at_end = rss_bytes()
    elapsed = watch.read()
    known.stop()
    return {
        **elapsed.per_message(waves * windows * messages_each),
        "windows": waves * windows,
        "rss_tenth_mb": at_tenth / 2**20,
        "rss_end_mb": at_end / 2**20,
        "growth": at_end / at_tenth - 1,
    }
