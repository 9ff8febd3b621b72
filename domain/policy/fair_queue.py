"""Fair queue for a scarce resource: one request per window, so many in all, the windows in turn."""

from __future__ import annotations

from collections import deque
from typing import Generic, Protocol, TypeVar

from messages.base import RequestId, Window


class Request(Protocol):
    """Item of the queue."""

    @property
    def request_id(self) -> RequestId:
        """Its name, not used by another that is here."""
        ...

    @property
    def window(self) -> Window:
        """On whose behalf it is made."""
        ...


R = TypeVar("R", bound=Request)


class FairQueue(Generic[R]):
    """Queue in which windows take turns. A window's own requests keep their order.

    Every operation takes time that does not grow with the number of requests or windows.
    """

    def __init__(self, limit: int) -> None:
        """`limit` is the number of requests that may be served at once, >= 1."""
        if limit < 1:
            raise ValueError(f"limit {limit} must be >= 1")
        self._limit = limit
        self._requests: dict[RequestId, R] = {}
        self._queues: dict[Window, dict[RequestId, R]] = {}
        """The waiting requests of each window that has any, in order."""
        self._served: dict[Window, RequestId] = {}
        self._next: deque[Window] = deque()
        """Windows that had a request waiting and none served, the longest waiting first; some may have changed."""

    def __bool__(self) -> bool:
        """Whether any request waits or is being served."""
        return bool(self._requests)

    def __len__(self) -> int:
        """How many requests wait or are being served."""
        return len(self._requests)

    def __contains__(self, request_id: RequestId) -> bool:
        """Whether that request waits or is being served."""
        return request_id in self._requests

    def get(self, request_id: RequestId) -> R | None:
        """The request of that id, if it waits or is being served."""
        return self._requests.get(request_id)

    def enter(self, request: R) -> None:
        """Put a request at the end of its window's queue; one whose id is here already changes nothing."""
        if request.request_id in self._requests:
            return
        self._requests[request.request_id] = request
        queue = self._queues.get(request.window)
        if queue is None:
            queue = self._queues[request.window] = {}
            if request.window not in self._served:
                self._next.append(request.window)
        queue[request.request_id] = request

    def admit(self) -> R | None:
        """The next request to serve, which counts as being served from here on; None if none may."""
        while self._next and len(self._served) < self._limit:
            window = self._next.popleft()
            queue = self._queues.get(window)
            if queue is None or window in self._served:
                continue
            request_id = next(iter(queue))
            self._served[window] = request_id
            return self._take_out(queue, window, request_id)
        return None

    def leave(self, request_id: RequestId) -> R | None:
        """Take out a request, being served or not; None if there is no such."""
        request = self._requests.pop(request_id, None)
        if request is None:
            return None
        if self._served.get(request.window) == request_id:
            del self._served[request.window]
            if request.window in self._queues:
                self._next.append(request.window)
        else:
            self._take_out(self._queues[request.window], request.window, request_id)
        return request

    def withdraw(self, request_id: RequestId) -> R | None:
        """Take out a request that waits; None if there is no such, or if it is being served."""
        request = self._requests.get(request_id)
        if request is None or self._served.get(request.window) == request_id:
            return None
        return self.leave(request_id)

    def waiting(self) -> tuple[R, ...]:
        """The requests that are not being served yet, in the order of their coming."""
        served = set(self._served.values())
        return tuple(request for request_id, request in self._requests.items() if request_id not in served)

    def waiting_of(self, window: Window) -> int:
        """How many requests of that window are not being served yet."""
        return len(self._queues.get(window, ()))

    def is_awaited(self) -> bool:
        """Whether a window that has none served waits only because as many are served as may be."""
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

    def _take_out(self, queue: dict[RequestId, R], window: Window, request_id: RequestId) -> R:
        request = queue.pop(request_id)
        if not queue:
            del self._queues[window]
        return request
