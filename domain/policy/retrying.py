"""Retry policy of model calls: failures worth another try, the time of the try, and words for a person."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import StrEnum

from domain.policy.refusal import is_about_cache, is_about_content, is_about_length, is_beyond_rate


class FaultKind(StrEnum):
    """Class of a fault, as far as relevant for the next step."""

    RATE_LIMIT = "rate limit"
    QUOTA = "quota"
    SERVER = "server error"
    SLOW = "slow"
    IDLE_STREAM = "idle stream"
    UNREACHABLE = "unreachable"
    CUT_OFF = "cut off"
    UNREADABLE = "unreadable"
    BEYOND_BOUND = "beyond a bound"
    KEY = "key"
    NOT_FOUND = "not found"
    TOO_LONG = "too long"
    REJECTED = "rejected"
    UNKNOWN = "unknown"


RETRYABLE = frozenset(
    {
        FaultKind.RATE_LIMIT,
        FaultKind.SERVER,
        FaultKind.SLOW,
        FaultKind.IDLE_STREAM,
        FaultKind.UNREACHABLE,
        FaultKind.CUT_OFF,
        FaultKind.UNREADABLE,
    }
)

_MOST_RETRIES = {FaultKind.IDLE_STREAM: 1}
"""Most retries after faults that take too long for a waiting person."""

REFUSED = frozenset({FaultKind.REJECTED, FaultKind.TOO_LONG})
"""Refusals of a request's content."""
PERMANENT = REFUSED | {FaultKind.KEY, FaultKind.NOT_FOUND}
"""Refusals of a request until a setting changes."""

_WORDS = {
    FaultKind.RATE_LIMIT: "the model's server answered {status} (rate limit)",
    FaultKind.QUOTA: "the account at the model's provider has no quota or credit left",
    FaultKind.SERVER: "the model's server answered {status} (server error)",
    FaultKind.SLOW: "the model's server did not answer in time",
    FaultKind.IDLE_STREAM: "the model's server kept the connection open and sent no word of an answer",
    FaultKind.UNREACHABLE: "the model's server could not be reached",
    FaultKind.CUT_OFF: "the model's server broke off its answer",
    FaultKind.UNREADABLE: "the model's server sent a reply that is not a model's answer",
    FaultKind.BEYOND_BOUND: "the model's server sent an answer longer than the limit",
    FaultKind.KEY: "the key for the model's server is missing or was refused ({status})",
    FaultKind.NOT_FOUND: "the model or the address of its server is unknown ({status})",
    FaultKind.TOO_LONG: "the conversation is longer than the model accepts",
    FaultKind.REJECTED: "the model's server refused the request ({status})",
    FaultKind.UNKNOWN: "the call of the model failed for an unknown reason",
}
_UNNUMBERED = re.compile(r" \(\?\)|answered \? \((.*)\)")
_DETAIL = re.compile(r"[A-Za-z][A-Za-z0-9]{0,59}")

_MOST_WORDS = 4000
_MOST_SEARCHED = 64 * 1024
"""Most characters of a server's words to search."""
_REFUSALS = {
    401: FaultKind.KEY,
    403: FaultKind.KEY,
    408: FaultKind.SLOW,
    429: FaultKind.RATE_LIMIT,
}
_NO_PROVIDER = re.compile("LLM Provider NOT provided")
"""litellm's words for a model with an unrecognised name."""
_NO_KEY = re.compile("API_KEY_INVALID")
"""Google's reason in a 400."""
_NO_QUOTA = re.compile(
    r"insufficient.?quota|exceeded your current quota|credit balance|billing"
    r"|enforced_spend_limit|specified API usage limits",
    re.IGNORECASE,
)
_RETRY_DELAY = re.compile(r"retryDelay[^0-9A-Za-z]{1,16}([0-9]{1,6}(?:\.[0-9]{1,9})?)s")
"""Google's requested wait in the body of a 429; the words around are the same for a minute's limit, a day's, and
an account without money."""
_NOT_SOON = re.compile(r"quotaId[^,}]{0,200}PerDay|\blimit: 0\b")
"""Google's name of a limit that ends at midnight, and of a limit of 0; the requested wait is then of no use."""
_PASSING = re.compile(r"overloaded|too many requests|rate.?limit|service.?unavailable|try again", re.IGNORECASE)

_SLOW_TYPES = frozenset({"Timeout", "TimeoutError", "TimeoutException", "APITimeoutError"})
_CUT_OFF_TYPES = frozenset(
    {"ReadError", "RemoteProtocolError", "ClientPayloadError", "ServerDisconnectedError", "IncompleteReadError"}
)
_UNREACHABLE_TYPES = frozenset(
    {"NetworkError", "ProtocolError", "ProxyError", "ClientConnectionError", "ConnectionError"}
)
_UNREADABLE_TYPES = frozenset({"JSONDecodeError", "UnicodeDecodeError", "APIResponseValidationError"})


@dataclass(frozen=True, slots=True)
class Fault:
    """One failed attempt."""

    kind: FaultKind
    status: int | None = None
    """HTTP status; None if there was no response."""
    asked_wait_s: float | None = None
    """Wait requested by the server."""
    type_name: str = ""
    """Name of the exception's type; said only of unknown faults."""
    text: str = ""
    """Reason in words of the agent's own, instead of the kind's; empty for the kind's."""
    words: str = field(default="", compare=False, repr=False)
    """Beginning of the server's own words; read by rules, never repeated to a person."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Number of tries of a call, and the waits between the tries.

    Source:
        The pi framework's agent session: 3 retries after 2, 4 and 8 s; asked to wait more than 60 s, a call fails at
        once.
    """

    max_retries: int = 3
    base_s: float = 2.0
    factor: float = 2.0
    cap_s: float = 60.0
    """Longest wait of the policy's own, and the longest wait allowed to a server."""
    jitter_s: float = 0.5
    """Most seconds added by chance, so many windows do not come back in step."""

    def __post_init__(self) -> None:
        """Refuse impossible values."""
        if self.max_retries < 0:
            raise ValueError(f"max_retries {self.max_retries} must be >= 0")
        if min(self.base_s, self.jitter_s) < 0 or self.factor < 1 or self.cap_s < self.base_s:
            raise ValueError(f"{self}: waits must be >= 0, factor >= 1 and cap_s >= base_s")


def next_wait_s(fault: Fault, attempt: int, backoff_s: float, policy: RetryPolicy) -> float | None:
    """Seconds until the next try; None to give up.

    Args:
        fault: Fault of attempt number `attempt` (from 1).
        attempt: Number of tries so far.
        backoff_s: Wait by the policy's own schedule, with the random part.
        policy: The limits.

    Returns:
        Never less than the server asked for.
    """
    asked_s = fault.asked_wait_s or 0.0
    most = min(policy.max_retries, _MOST_RETRIES.get(fault.kind, policy.max_retries))
    if fault.kind not in RETRYABLE or attempt > most or asked_s > policy.cap_s:
        return None
    return max(asked_s, backoff_s)


def reason(fault: Fault, attempts: int) -> str:
    """Reason for a missing answer, for a person; made of fixed words and numbers, so it can hold no secret."""
    text = fault.text or _WORDS[fault.kind].format(status=fault.status if fault.status is not None else "?")
    text = _UNNUMBERED.sub(lambda m: f"reported a {m[1]}" if m[1] else "", text)
    if fault.kind is FaultKind.UNKNOWN and _DETAIL.fullmatch(fault.type_name):
        text += f" ({fault.type_name})"
    if attempts > 1:
        text += f" {attempts} times"
    if fault.asked_wait_s and fault.kind in RETRYABLE:
        text += f"; it asks to wait {fault.asked_wait_s:.0f} s"
    return text


def classify(
    type_names: Iterable[str], status: int | None, message: str, headers: Mapping[str, str], now: datetime
) -> Fault:
    """Fault behind an exception.

    Args:
        type_names: The exception's class and base classes, then the classes of the causes.
        status: HTTP status of the response; None without a response.
        message: The exception's text; only searched, never repeated, but for a number of seconds.
        headers: Headers of the response, names in lower case.
        now: Aware; start of the wait until a `Retry-After` date.
    """
    names, message = tuple(type_names), message[:_MOST_SEARCHED]
    kind = _kind(frozenset(names), status, message)
    asked_wait_s = None
    if kind in RETRYABLE:
        asked_wait_s = retry_after_s(headers, now)
        if asked_wait_s is None and status == 429 and (delay := _RETRY_DELAY.search(message)):
            asked_wait_s = float(delay[1])
    name = names[0] if names else ""
    return Fault(kind, status, asked_wait_s, name, words=message[:_MOST_WORDS])


def retry_after_s(headers: Mapping[str, str], now: datetime) -> float | None:
    """Wait requested by the server: `retry-after-ms`, or `Retry-After` as seconds or a date; None without a wait.

    Source:
        RFC 9110, 10.2.3; the header in milliseconds comes from OpenAI and Azure.
    """
    for name, unit_s in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            wait_s = float(headers.get(name, "")) * unit_s
        except ValueError:
            continue
        if 0 <= wait_s < 1e9:
            return wait_s
    try:
        until = parsedate_to_datetime(headers.get("retry-after", ""))
    except ValueError:
        return None
    until = until if until.tzinfo else until.replace(tzinfo=UTC)
    return max(0.0, (until - now).total_seconds())


def _kind(names: frozenset[str], status: int | None, message: str) -> FaultKind:
    if status is not None and status < 500:
        return _kind_of_refusal(status, message)
    if names & _UNREADABLE_TYPES or (status is None and "ClientResponseError" in names):  # no HTTP at all
        return FaultKind.UNREADABLE
    if names & _SLOW_TYPES or status == 504:
        return FaultKind.SLOW
    if names & _CUT_OFF_TYPES or ("ClientOSError" in names and "ClientConnectorError" not in names):
        return FaultKind.CUT_OFF
    if names & _UNREACHABLE_TYPES:
        return FaultKind.UNREACHABLE
    if is_about_length(message):
        return FaultKind.TOO_LONG
    if is_about_content(message):  # a chat template's own error is a 500 at some servers
        return FaultKind.REJECTED
    if status is not None or _PASSING.search(message):
        return FaultKind.SERVER
    return FaultKind.UNKNOWN


def _kind_of_refusal(status: int, message: str) -> FaultKind:
    if status == 429 and is_beyond_rate(message):
        return FaultKind.TOO_LONG
    if status == 429 and _RETRY_DELAY.search(message):
        return FaultKind.QUOTA if _NOT_SOON.search(message) else FaultKind.RATE_LIMIT
    if status == 402 or (status in (400, 403, 429) and _NO_QUOTA.search(message)):
        return FaultKind.QUOTA
    if status == 400 and _NO_KEY.search(message):
        return FaultKind.KEY
    if status in (400, 403, 404, 422) and is_about_cache(message):
        return FaultKind.REJECTED
    if status == 413 or (status in (400, 422) and is_about_length(message)):
        return FaultKind.TOO_LONG
    if status == 404 and is_about_content(message):
        return FaultKind.REJECTED
    if status == 404 or _NO_PROVIDER.search(message):
        return FaultKind.NOT_FOUND
    return _REFUSALS.get(status, FaultKind.REJECTED)
