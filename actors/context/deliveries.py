"""Texts on their way to people: which are out, and when to try again."""

from __future__ import annotations

from dataclasses import dataclass

from domain.conversation import Debt
from messages.base import RequestId

FIRST_RETRY_S = 5.0
LAST_RETRY_S = 300.0


@dataclass(slots=True)
class _Attempt:
    debt: Debt
    failures: int = 0


class Deliveries:
    """The posts that have not been confirmed; each text is out under at most one request."""

    def __init__(self) -> None:
        self._attempts: dict[RequestId, _Attempt] = {}

    def __bool__(self) -> bool:
        """Whether anything is on its way."""
        return bool(self._attempts)

    def begin(self, debt: Debt) -> RequestId | None:
        """The request under which to post `debt`; None when it is out already."""
        request_id = RequestId(f"post-{debt.event_id}")
        if request_id in self._attempts:
            return None
        self._attempts[request_id] = _Attempt(debt)
        return request_id

    def finish(self, request_id: RequestId) -> Debt | None:
        """What `request_id` was to deliver, now done with; None for one that is unknown."""
        attempt = self._attempts.pop(request_id, None)
        return attempt.debt if attempt else None

    def retry_in_s(self, request_id: RequestId) -> float | None:
        """Seconds to wait after a failure before posting again; None for an unknown request."""
        attempt = self._attempts.get(request_id)
        if attempt is None:
            return None
        attempt.failures += 1
        return min(LAST_RETRY_S, FIRST_RETRY_S * 2.0 ** (attempt.failures - 1))

    def debt(self, request_id: RequestId) -> Debt | None:
        """What `request_id` is to deliver."""
        attempt = self._attempts.get(request_id)
        return attempt.debt if attempt else None
