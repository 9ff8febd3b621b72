"""Faults of the gateway, waiting for their occasion."""

from __future__ import annotations

from dataclasses import dataclass, field

from lab.playground.gateway.events import Event


@dataclass(slots=True)
class GatewayFaults:
    """Faults of the gateway from now on; numbers count down."""

    refuse_resumes: int = 0
    """RESUMEs answered by op 9 false."""
    ignore_resumes: int = 0
    """RESUMEs without any answer."""
    duplicate_after_resume: int = 0
    """RESUMEs followed by a second copy of the newest MESSAGE_CREATE."""
    ignore_heartbeats: bool = False
    lose_messages: int = 0
    """Messages of people without a MESSAGE_CREATE."""
    lose_threads: int = 0
    """Threads without a THREAD_CREATE."""
    delay_messages: int = 0
    """Messages after the lost messages, with a MESSAGE_CREATE that waits in `delayed`."""
    double_messages: int = 0
    """Messages after the delayed messages, with a MESSAGE_CREATE sent twice."""
    delayed: list[Event] = field(default_factory=list)

    def times(self, event: Event) -> int:
        """Number of copies of an event to send now."""
        if event.name == "THREAD_CREATE" and self.lose_threads:
            self.lose_threads -= 1
            return 0
        if event.name != "MESSAGE_CREATE" or event.payload["author"].get("bot"):
            return 1
        if self.lose_messages:
            self.lose_messages -= 1
            return 0
        if self.delay_messages:
            self.delay_messages -= 1
            self.delayed.append(event)
            return 0
        if self.double_messages:
            self.double_messages -= 1
            return 2
        return 1
