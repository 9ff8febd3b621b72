"""Fair queue for a scarce resource: one request per asker, a bound in all, the askers in turn."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable
from typing import Generic, Protocol, TypeVar

from messages.base import RequestId, Window


class Request(Protocol):
    """Item of the queue."""

    @property
    def request_id(self) -> RequestId:
        """Id of the request, unique in the queue."""
        ...

    @property
    def window(self) -> Window:
        """Window on whose behalf the request is made."""
        ...


R = TypeVar("R", bound=Request)


class FairQueue(Generic[R]):
    """Queue in which askers take turns, by default windows. An asker's own requests keep their order.

    Every operation takes time independent of the number of requests or askers.
    """

    def __init__(self, limit: int, key: Callable[[R], Hashable] | None = None) -> None:
        """An empty queue.

        Args:
            limit: How many requests may be served at once, >= 1.
            key: Asker of a request; None for the request's window.
        """
        if limit < 1:
            raise ValueError(f"limit {limit} must be >= 1")
        self._limit = limit
        self._key = key or _window
        self._requests: dict[RequestId, R] = {}
        self._queues: dict[Hashable, dict[RequestId, R]] = {}
        """Waiting requests of each asker with any, in order."""
        self._served: dict[Hashable, RequestId] = {}
        self._next: deque[Hashable] = deque()
        """Askers with a waiting request and no served request, longest wait first; some entries may be outdated."""

    def __bool__(self) -> bool:
        """True if any request waits or is being served."""
        return bool(self._requests)

    def __len__(self) -> int:
        """Number of requests that wait or are being served."""
        return len(self._requests)

    def __contains__(self, request_id: RequestId) -> bool:
        """True if the request waits or is being served."""
        return request_id in self._requests

    def get(self, request_id: RequestId) -> R | None:
        """Request with an id, if waiting or being served."""
        return self._requests.get(request_id)

    def enter(self, request: R) -> None:
        """Put a request at the end of the asker's queue; a request with a present id changes nothing."""
        if request.request_id in self._requests:
            return
        self._requests[request.request_id] = request
        key = self._key(request)
        queue = self._queues.get(key)
        if queue is None:
            queue = self._queues[key] = {}
            if key not in self._served:
                self._next.append(key)
        queue[request.request_id] = request

    def admit(self) -> R | None:
        """Next request to serve, counted as being served from here on; None without an admissible request."""
        while self._next and len(self._served) < self._limit:
            key = self._next.popleft()
            queue = self._queues.get(key)
            if queue is None or key in self._served:
                continue
            request_id = next(iter(queue))
            self._served[key] = request_id
            return self._take_out(queue, key, request_id)
        return None

    def leave(self, request_id: RequestId) -> R | None:
        """Remove a request, being served or not; None for an unknown request."""
        request = self._requests.pop(request_id, None)
        if request is None:
            return None
        key = self._key(request)
        if self._served.get(key) == request_id:
            del self._served[key]
            if key in self._queues:
                self._next.append(key)
        else:
            self._take_out(self._queues[key], key, request_id)
        return request

    def withdraw(self, request_id: RequestId) -> R | None:
        """Remove a waiting request; None for an unknown request, or a request being served."""
        request = self._requests.get(request_id)
        if request is None or self._served.get(self._key(request)) == request_id:
            return None
        return self.leave(request_id)

    def waiting(self) -> tuple[R, ...]:
        """Waiting requests, in the order of arrival."""
        served = set(self._served.values())
        return tuple(request for request_id, request in self._requests.items() if request_id not in served)

    def served_requests(self) -> tuple[R, ...]:
        """Requests being served."""
        return tuple(self._requests[request_id] for request_id in self._served.values())

    def waiting_of(self, key: Hashable) -> int:
        """Number of waiting requests of an asker, a window."""
        return len(self._queues.get(key, ()))

    def is_awaited(self) -> bool:
        """True if an asker without a served request waits only because the limit is reached."""
        while self._next and (self._next[0] in self._served or self._next[0] not in self._queues):
            self._next.popleft()
        return bool(self._next) and len(self._served) >= self._limit

    def clear(self) -> tuple[R, ...]:
        """Take out all requests, in the order of their coming."""
        requests = tuple(self._requests.values())
        self._requests.clear()
        self._queues.clear()
        self._served.clear()
        self._next.clear()
        return requests

    def _take_out(self, queue: dict[RequestId, R], key: Hashable, request_id: RequestId) -> R:
        request = queue.pop(request_id)
        if not queue:
            del self._queues[key]
        return request


def _window(request: Request) -> Hashable:
    return request.window
