"""Embedding inputs and faults: texts to embed, and the meaning of an embedding provider's refusals."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime

from domain.policy.retrying import Fault, FaultKind, classify

MAX_CHARS = 8_000
"""Most characters to embed of a text; about as many as the providers' models read."""

PERMANENT = frozenset({FaultKind.KEY, FaultKind.QUOTA, FaultKind.NOT_FOUND})
"""Faults to be fixed by an operator before another call can work."""

_WORDS = {
    FaultKind.RATE_LIMIT: "the embedding provider asks for fewer calls ({status})",
    FaultKind.QUOTA: "the account at the embedding provider has no quota or credit left",
    FaultKind.SERVER: "the embedding provider answered {status} (server error)",
    FaultKind.SLOW: "the embedding provider did not answer in time",
    FaultKind.IDLE_STREAM: "the embedding provider stopped in the middle of an answer",
    FaultKind.UNREACHABLE: "the embedding provider could not be reached",
    FaultKind.CUT_OFF: "the embedding provider broke off its answer",
    FaultKind.UNREADABLE: "the embedding provider answered without usable vectors",
    FaultKind.BEYOND_BOUND: "the embedding provider's answer is longer than the limit",
    FaultKind.KEY: "the key for the embedding provider is missing or was refused",
    FaultKind.NOT_FOUND: "the embedding model or the address of its server is unknown",
    FaultKind.TOO_LONG: "a text is longer than the embedding provider accepts",
    FaultKind.REJECTED: "the embedding provider refused the request ({status})",
    FaultKind.UNKNOWN: "the embedding call failed for an unknown reason",
}
_TYPE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]{0,59}")
_BAD_KEY = re.compile(r"api.?key", re.IGNORECASE)
_NO_QUOTA_AT_ALL = re.compile(r"limit: 0\b")
_DURATION = re.compile(r"(\d{1,9}(?:\.\d{1,9})?)s")


def cut(text: str, max_chars: int = MAX_CHARS) -> str:
    """`text` without space around, cut after the last whole word within `max_chars`.

    Lone surrogates, unacceptable to JSON and tokenizers, become question marks.
    """
    text = text.encode("utf-8", "replace").decode("utf-8").strip()
    if len(text) <= max_chars:
        return text
    if text[max_chars].isspace() or text[max_chars - 1].isspace():
        return text[:max_chars].rstrip()
    head = text[:max_chars].rsplit(None, 1)[0].rstrip()
    return head if len(head) >= max_chars // 2 else text[:max_chars].rstrip()


def reason(fault: Fault) -> str:
    """Reason for missing vectors, for a person; made of fixed words and numbers, so free of secrets."""
    text = fault.text or _WORDS[fault.kind].format(status=fault.status if fault.status is not None else "no status")
    if fault.kind is FaultKind.UNKNOWN and _TYPE_NAME.fullmatch(fault.type_name):
        text += f" ({fault.type_name})"
    return text


def google_fault(
    type_names: Iterable[str],
    status: int | None,
    message: str,
    details: object,
    headers: Mapping[str, str],
    now: datetime,
) -> Fault:
    """Fault behind an exception of Google's client.

    Args:
        type_names: The exception's class and base classes, then the classes of the causes.
        status: HTTP status of the response; None without a response.
        message: The exception's text; only searched, never repeated.
        details: The response's JSON as received.
        headers: Headers of the response, names in lower case.
        now: Aware.

    Source:
        google.rpc.RetryInfo and QuotaFailure. A limit for each minute and a limit for each day are refused with the
        same status and the same words; only the violated quota's id tells the two apart.
    """
    fault = classify(type_names, status, message, headers, now)
    if status == 400 and _BAD_KEY.search(message):
        return replace(fault, kind=FaultKind.KEY)
    if status != 429:
        return fault
    asked_s = next((wait_s for part in _parts(details) if (wait_s := _delay_s(part)) is not None), fault.asked_wait_s)
    quotas = [str(part.get("quotaId", "")) for part in _parts(details)]
    if any("PerDay" in quota for quota in quotas) or _NO_QUOTA_AT_ALL.search(message):
        return replace(fault, kind=FaultKind.QUOTA, asked_wait_s=None)
    if asked_s is not None or any("PerMinute" in quota for quota in quotas):
        return replace(fault, kind=FaultKind.RATE_LIMIT, asked_wait_s=asked_s)
    return fault


def _parts(details: object) -> Iterator[Mapping[object, object]]:
    """Every JSON object inside `details`, the outermost first; objects nested deeper than Google's are left out."""
    level = [details]
    for _ in range(8):
        objects = [part for part in level if isinstance(part, Mapping)]
        yield from objects
        lists = [part for part in level if isinstance(part, list | tuple)]
        level = [value for part in objects for value in part.values()] + [value for part in lists for value in part]


def _delay_s(part: Mapping[object, object]) -> float | None:
    delay = part.get("retryDelay")
    match = _DURATION.fullmatch(delay) if isinstance(delay, str) else None
    return float(match[1]) if match else None
