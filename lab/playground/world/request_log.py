"""Log of the bot's newest REST calls, for assertions."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class RequestRecord:
    """REST call as seen by the server.

    Attributes:
        path: Without the API prefix and the query.
        payload: Decoded JSON body (for multipart the field `payload_json`); {} without a body.
        query: The query's last value per name.
        status: Status of the answer; 0 when the connection was cut instead.
        fault: The injected fault of the call, if any.
        user_agent: From the header.
    """

    method: str
    path: str
    payload: Any
    query: dict[str, str]
    status: int
    fault: str | None = None
    user_agent: str = ""


class RequestLog:
    """Newest calls, and counts of all calls."""

    def __init__(self, limit: int) -> None:
        """Empty.

        Args:
            limit: Most calls kept.
        """
        self._records: deque[RequestRecord] = deque(maxlen=limit)
        self.by_status: Counter[int] = Counter()

    def add(self, record: RequestRecord) -> None:
        """Keep a call."""
        self._records.append(record)
        self.by_status[record.status] += 1

    def matching(self, method: str = "", path_part: str = "") -> list[RequestRecord]:
        """Kept calls with the given method (any if empty) and text in their path, oldest first."""
        return [r for r in self._records if (not method or r.method == method) and path_part in r.path]

    def clear(self) -> None:
        """Forget the kept calls and the counts."""
        self._records.clear()
        self.by_status.clear()
