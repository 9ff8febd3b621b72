"""Outcome: an answer as recorded, and its comparison with the agent's. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from domain.policy.retrying import Fault
from lab.bench.recorded.talk import canonical
from messages.model import Completion

_TAGS = re.compile(r"^\s*<(think|thinking|reasoning)>.*?(?:</\1>\s*|\Z)|^(?:(?!<think>).)*</think>\s*", re.DOTALL)
"""Thoughts in tags before an answer.

With an unclosed tag, all of the answer; with only a closing tag, everything before it."""


@dataclass(slots=True)
class Outcome:
    """Answer of a model as recorded."""

    texts: list[str] = field(default_factory=list)
    calls: list[tuple[str, str, str]] = field(default_factory=list)
    """Id, name, arguments."""
    refusals: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    ended: str = "stop"
    """`stop`, `length`, `filter`, `refusal` or `malformed`; calls aside."""
    prompt: int = 0
    completion: int = 0
    cached: int = 0
    has_ids: bool = True
    fault: str = ""
    """Kind of the fault behind a response of status 200; empty for an answer."""

    @property
    def text(self) -> str:
        """Words for people."""
        return _TAGS.sub("", "".join(self.texts))

    @property
    def stop_reason(self) -> str:
        """The reason by the agent's names."""
        if self.refusals and self.ended == "stop":
            return "refusal"
        return "tool_calls" if self.calls and self.ended == "stop" else self.ended


def events_of(body: bytes) -> Iterator[dict[str, Any]]:
    """JSON objects in a stream of server-sent events."""
    for line in body.replace(b"\r\n", b"\n").split(b"\n"):
        if line.startswith(b"data:") and line[5:].strip().startswith(b"{"):
            yield json.loads(line[5:])


def outcome_differences(wanted: Outcome, completion: Completion) -> Iterator[str]:
    """Each difference of the agent's answer from the recording's."""
    if completion.text.strip() != wanted.text.strip():
        yield f"text: {completion.text[:300]!r} for {wanted.text[:300]!r}"
    ours = [(call.name, canonical(call.arguments_json or "{}")) for call in completion.tool_calls]
    is_read = wanted.ended in ("stop", "length")  # else the provider itself has ended the answer, or cannot read it
    expected = wanted.calls if is_read else []
    theirs = [(name, canonical(arguments or "{}")) for _, name, arguments in expected]
    if ours != theirs:
        yield f"calls: {ours!r:.300} for {theirs!r:.300}"
    elif wanted.has_ids:
        pairs = [(call.id, each[0]) for call, each in zip(completion.tool_calls, expected, strict=True)]
        if any(theirs and ours != theirs for ours, theirs in pairs):
            yield f"ids of calls (ours, recorded): {pairs}"
    if completion.stop_reason != wanted.stop_reason:
        yield f"reason: {completion.stop_reason} for {wanted.stop_reason}"
    if completion.refusal.strip() != "".join(wanted.refusals).strip():
        yield f"refusal: {completion.refusal!r} for {wanted.refusals!r}"
    if not completion.thoughts and any(thought.strip() for thought in wanted.thoughts):
        yield f"thoughts: none for {wanted.thoughts!r:.200}"
    used = (completion.usage.prompt_tokens, completion.usage.completion_tokens, completion.usage.cached_tokens)
    if used != (counted := (wanted.prompt, wanted.completion, wanted.cached)):
        yield f"tokens (prompt, completion, cached): {used} for {counted}"


_KINDS = {
    400: "rejected",
    401: "key",
    402: "quota",
    403: "key",
    404: "not found",
    429: "rate limit",
    408: "slow",
    504: "slow",
    413: "too long",
    422: "rejected",
}
_TOO_LONG = re.compile(rb"context.{0,20}(length|window)|too (long|large)|maximum.{0,30}tokens", re.IGNORECASE)
_OF_THE_DAY = re.compile(rb"PerDay|limit: 0\b")
_NO_QUOTA = re.compile(rb"insufficient.?quota|credit balance|billing", re.IGNORECASE)


def fault_differences(status: int, body: bytes, result: Completion | Fault, wanted: str = "") -> Iterator[str]:
    """The difference of the agent's fault from the recorded error, or of a fault where the recording has an answer."""
    if isinstance(result, Completion):
        yield f"an answer for status {status}: {result!r:.300}"
    elif wanted:
        if result.kind.value != wanted:
            yield f"fault: {result.kind.value} for {wanted}"
    elif status == 200:
        yield f"a fault for an answer: {result!r} {result.words[:600]}"
    elif result.kind.value != (kind := kind_of_status(status, body)) or (result.status or 0) // 100 != status // 100:
        yield f"fault: {result.kind.value} ({result.status}) for {kind} ({status})"


def kind_of_status(status: int, body: bytes) -> str:
    """Kind of the fault behind a response; empty for an answer."""
    if status == 200:
        return ""
    if status == 400 and b"API_KEY_INVALID" in body:
        return "key"
    if status == 429 and b"RetryInfo" in body:
        return "quota" if _OF_THE_DAY.search(body) else "rate limit"
    if status in (400, 422) and _TOO_LONG.search(body):
        return "too long"
    if status in (400, 403, 429) and _NO_QUOTA.search(body):
        return "quota"
    return _KINDS.get(status, "server error" if status >= 500 else "rejected")


def kind_of_error(error: object) -> str:
    """Kind of the fault behind an error within an answer, by the error's status or type."""
    fields = error if isinstance(error, dict) else {}
    status = next((fields[name] for name in ("status_code", "code") if isinstance(fields.get(name), int)), 0)
    words = f"{fields.get('type')} {fields.get('code')} {fields.get('status')}".lower()
    if not status:
        status = 429 if "rate_limit" in words else 400 if "invalid" in words else 500
    return kind_of_status(status, json.dumps(error).encode())
