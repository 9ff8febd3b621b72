"""Paired queue: two fair queues with separate places, so a full queue delays nothing in the other queue."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic

from domain.policy.fair_queue import FairQueue, R
from messages.base import RequestId


class PairedQueue(Generic[R]):
    """Two fair queues served as one queue; each request belongs to one of the two."""

    def __init__(self, front: FairQueue[R], aside: FairQueue[R], is_aside: Callable[[R], bool]) -> None:
        """Both queues.

        Args:
            front: Of what people wait for.
            aside: Of the rest.
            is_aside: Whether a request belongs to the rest.
        """
        self.front = front
        self.aside = aside
        self._is_aside = is_aside

    def __bool__(self) -> bool:
        """True if any request waits or is being served."""
        return bool(self.front) or bool(self.aside)

    def __contains__(self, request_id: RequestId) -> bool:
        """True if the request waits or is being served."""
        return request_id in self.front or request_id in self.aside

    def get(self, request_id: RequestId) -> R | None:
        """Request with an id, if waiting or being served."""
        return self.front.get(request_id) or self.aside.get(request_id)

    def enter(self, request: R) -> None:
        """Put a request into the request's queue."""
        (self.aside if self._is_aside(request) else self.front).enter(request)

    def admit(self) -> R | None:
        """Next request to serve, of either queue; None without an admissible request."""
        return self.front.admit() or self.aside.admit()

    def leave(self, request_id: RequestId) -> R | None:
        """Remove a request, being served or not; None for an unknown request."""
        return self.front.leave(request_id) or self.aside.leave(request_id)

    def withdraw(self, request_id: RequestId) -> R | None:
        """Remove a waiting request; None for an unknown request, or a request being served."""
        return self.front.withdraw(request_id) or self.aside.withdraw(request_id)

    def waiting(self) -> tuple[R, ...]:
        """Waiting requests of both queues."""
        return (*self.front.waiting(), *self.aside.waiting())

    def clear(self) -> tuple[R, ...]:
        """Take out all requests."""
        return (*self.front.clear(), *self.aside.clear())
