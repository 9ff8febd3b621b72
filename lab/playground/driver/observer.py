"""Observation of what the bot does: messages, events, REST calls, counts."""

from __future__ import annotations

from collections.abc import Callable

from lab.playground.acts.waits import is_answer
from lab.playground.driver.calls import WAIT_S, ThreadCalls
from lab.playground.gateway.events import Event
from lab.playground.world.objects import Json
from lab.playground.world.request_log import RequestRecord


class Observer(ThreadCalls):
    """Queries and waits; woken by events, never polling."""

    def messages(self, channel_id: int, *, after: int = 0, limit: int = 1000) -> list[Json]:
        """Messages of a channel or thread after that id, oldest first."""

        def act() -> list[Json]:
            newest_first = self._hub.world.channel(channel_id).history.after(after, limit)
            return [self._hub.payloads.message(message) for message in reversed(newest_first)]

        return self.run(act)

    def file(self, attachment_id: int) -> bytes:
        """The bytes of an attached file; none when it is unknown or was forgotten."""
        return self.run(lambda: self._hub.files.get(attachment_id)) or b""

    def wait_for_reply(
        self, channel_id: int, *, after: int, timeout_s: float = WAIT_S, until: Callable[[Json], bool] = is_answer
    ) -> Json:
        """The bot's first message newer than `after` that satisfies `until`, when posted or by a later edit."""
        return self.wait(self._acts.waits.message(channel_id, until, after, timeout_s), timeout_s)

    def settled_replies(
        self, channel_id: int, *, after: int, quiet_s: float = 1.0, timeout_s: float = WAIT_S
    ) -> list[Json]:
        """The bot's messages after `after`, once it has been quiet for `quiet_s` (no post, edit or typing)."""
        return self.wait(self._acts.waits.settled(channel_id, after, quiet_s, timeout_s), timeout_s)

    def wait_for(
        self, predicate: Callable[[Event], bool], *, after: int | None = None, timeout_s: float = WAIT_S
    ) -> Event:
        """The first event after number `after` (None: from now on) that satisfies `predicate`.

        Args:
            predicate: Runs on the server's thread.
            after: A number that `last_event` gave.
            timeout_s: Beyond it `TimeoutError`.
        """
        return self.wait(self._acts.waits.event(predicate, after, timeout_s), timeout_s)

    def wait_until_online(self, *, online: bool = True, timeout_s: float = WAIT_S) -> None:
        """Return once the bot has a gateway session with a socket (or none)."""
        self.wait(self._acts.waits.bot(online, timeout_s), timeout_s)

    def wait_for_typing(self, channel_id: int, *, timeout_s: float = WAIT_S) -> None:
        """Return once the bot shows as typing."""
        self.wait(self._acts.waits.typing(channel_id, timeout_s), timeout_s)

    def next_events(self, *, after: int, timeout_s: float = WAIT_S) -> list[Event]:
        """The events after number `after`, waiting for the first; [] when none comes."""
        return self.wait(self._acts.waits.events(after, timeout_s), timeout_s)

    def last_event(self) -> int:
        """Number of the newest event."""
        return self.run(lambda: self._hub.feed.seq)

    def subscribe(self, listener: Callable[[Event], None]) -> Callable[[], None]:
        """Call `listener` on the server's thread for every event; the result ends that. It must not block."""
        self.run(lambda: self._hub.feed.subscribe(listener))
        return lambda: self.run(lambda: self._hub.feed.unsubscribe(listener))

    def requests(self, method: str = "", path_part: str = "") -> list[RequestRecord]:
        """The bot's newest REST calls, oldest first."""
        return self.run(lambda: self._hub.requests.matching(method, path_part))

    def counters(self) -> dict[str, int]:
        """Counts since the start: messages, edits, interactions, sessions, faults, requests by status."""

        def act() -> dict[str, int]:
            by_status = {f"status_{status}": count for status, count in self._hub.requests.by_status.items()}
            faults = {"faults_fired": self._hub.faults.fired}
            return {**self._hub.counters, **self._hub.gateway.counters, **by_status, **faults}

        return self.run(act)

    def is_bot_typing(self, channel_id: int) -> bool:
        """True if the bot shows as typing now."""
        world = self._hub.world
        return self.run(lambda: world.is_typing(world.channel(channel_id), world.bot))
