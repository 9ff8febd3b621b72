"""Answers of a loopback model, well-formed or not, and their bytes on the wire."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from domain.offline.model import commands, prompt_of

_REASONS = {
    200: "OK",
    400: "Bad Request",
    401: "Unauthorized",
    404: "Not Found",
    429: "Too Many Requests",
    500: "Internal Server Error",
}


@dataclass(frozen=True, slots=True)
class Call:
    """Tool call as sent by the server; None leaves the field out."""

    name: str | None
    arguments: str
    id: str | None = "call_1"


@dataclass(frozen=True, slots=True)
class Answer:
    """A well-formed answer."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    finish: str | None = None
    """Finish reason; None for the content's usual reason."""
    pieces: int = 1
    """Into how many deltas the text is cut."""
    piece_delay_s: float = 0.0
    usage: tuple[int, int] | None = None
    """Prompt and completion tokens; None for a quarter of the characters."""
    cached: int = 0
    """Tokens of the prompt from the server's cache."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A status other than 200."""

    status: int
    message: str = "no"
    headers: tuple[tuple[str, str], ...] = ()
    code: str | None = None


@dataclass(frozen=True, slots=True)
class Stall:
    """Answer that stops after `text`, keeping the connection; without text not even the headers are sent."""

    text: str = ""


@dataclass(frozen=True, slots=True)
class CutOff:
    """Answer that is reset after `text`; without text before any header."""

    text: str = ""
    calls: tuple[Call, ...] = ()


@dataclass(frozen=True, slots=True)
class Raw:
    """Any body with any type, e.g. a proxy's HTML page or broken server-sent events."""

    body: bytes
    content_type: str = "text/html"
    status: int = 200


@dataclass(frozen=True, slots=True)
class Wire:
    """Bytes of a rule-breaking server: straight on the connection, which stays open or is reset afterwards."""

    steps: Callable[[], Iterable[Step]]
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class Delayed:
    """Answer held until `LoopbackModel.release`; for a cut-off answer, only the reset is held."""

    answer: Answer | CutOff


Behaviour = Answer | Refusal | Stall | CutOff | Raw | Wire | Delayed


@dataclass(frozen=True, slots=True)
class Received:
    """Request of a client."""

    path: str
    headers: dict[str, str]
    """Names in lower case."""
    body: dict[str, Any]
    raw: bytes

    @property
    def last_text(self) -> str:
        """The text of the last message."""
        return _text(self.body["messages"][-1])


def _text(message: dict[str, Any]) -> str:
    """Words of a message, without images."""
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(str(part["text"]) for part in content if part.get("type") == "text")


def echo(request: Received) -> Behaviour:
    """Repeat the last prompt; a line `run: COMMAND` becomes a bash call, a tool's result is quoted."""
    last = request.body["messages"][-1]
    text = _text(last)
    if last["role"] == "tool":
        return Answer(text=f"it printed: {text}")
    lines = commands(prompt_of(text)) if request.body.get("tools") else ()
    if lines:
        return Answer(
            calls=tuple(
                Call("bash", msgspec.json.encode({"command": c}).decode(), f"call_{i}") for i, c in enumerate(lines)
            )
        )
    return Answer(text=f"echo: {prompt_of(text)}")


ABORT = object()
"""Step to reset the connection."""
Step = tuple[float, bytes | object]
"""Seconds to wait, then the bytes or the abort to send."""

END: Step = (0.0, b"")
_FLUSH_S = 0.03
"""Seconds between the last bytes and a reset, for the client to read: a reset may overtake unread bytes."""


def steps_of(behaviour: Behaviour, request: Received, latency_s: float) -> Iterator[Step]:
    """Pieces of the answer meant by `behaviour`, each with the wait before."""
    match behaviour:
        case Answer():
            yield from (
                _stream(behaviour, request, latency_s)
                if request.body.get("stream")
                else _whole(behaviour, request, latency_s)
            )
            yield END
        case Refusal():
            error = {"message": behaviour.message, "type": "error", "param": None, "code": behaviour.code}
            yield (
                latency_s,
                _plain(behaviour.status, "application/json", msgspec.json.encode({"error": error}), behaviour.headers),
            )
            yield END
        case Raw():
            yield latency_s, _plain(behaviour.status, behaviour.content_type, behaviour.body)
            yield END
        case Stall():
            if behaviour.text:
                yield latency_s, _HEAD + _event(request, {"role": "assistant", "content": behaviour.text})
        case CutOff():
            if behaviour.text or behaviour.calls:
                yield latency_s, _HEAD + b"".join(_deltas(Answer(behaviour.text, behaviour.calls), request))
            yield _FLUSH_S, ABORT
        case Wire():
            yield from behaviour.steps()
            if behaviour.is_cut:
                yield _FLUSH_S, ABORT
        case Delayed():
            raise TypeError("a held answer is not played before its release")


def _plain(status: int, content_type: str, body: bytes, headers: tuple[tuple[str, str], ...] = ()) -> bytes:
    more = "".join(f"{name}: {value}\r\n" for name, value in headers)
    head = f"HTTP/1.1 {status} {_REASONS.get(status, 'Status')}\r\nContent-Type: {content_type}\r\n"
    return f"{head}Content-Length: {len(body)}\r\n{more}\r\n".encode("latin-1") + body


_HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
    b"Cache-Control: no-cache\r\nTransfer-Encoding: chunked\r\n\r\n"
)


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


def _event(
    request: Received, delta: dict[str, Any] | None, finish: str | None = None, usage: dict[str, Any] | None = None
) -> bytes:
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
    event = {
        "id": "chatcmpl-loopback",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": request.body.get("model"),
        "choices": choices,
    }
    if usage is not None:
        event["usage"] = usage
    return _chunk(b"data: " + msgspec.json.encode(event) + b"\n\n")


def _deltas(answer: Answer, request: Received) -> Iterator[bytes]:
    size = max(1, -(-len(answer.text) // max(1, answer.pieces)))
    for start in range(0, len(answer.text), size):
        yield _event(request, {"role": "assistant", "content": answer.text[start : start + size]})
    for index, call in enumerate(answer.calls):
        half = len(call.arguments) // 2
        yield _event(request, {"role": "assistant", "tool_calls": [_call(call, call.arguments[:half], index)]})
        yield _event(request, {"tool_calls": [{"index": index, "function": {"arguments": call.arguments[half:]}}]})


def _stream(answer: Answer, request: Received, latency_s: float) -> Iterator[Step]:
    wait_s, head = latency_s, _HEAD
    for delta in _deltas(answer, request):
        yield wait_s, head + delta
        wait_s, head = answer.piece_delay_s, b""
    tail = _event(request, {}, _finish(answer))
    if (request.body.get("stream_options") or {}).get("include_usage"):
        tail += _event(request, None, usage=_usage(answer, request))
    yield wait_s, head + tail + _chunk(b"data: [DONE]\n\n") + b"0\r\n\r\n"


def _whole(answer: Answer, request: Received, latency_s: float) -> Iterator[Step]:
    message: dict[str, Any] = {"role": "assistant", "content": answer.text or None}
    if answer.calls:
        message["tool_calls"] = [_call(call, call.arguments) for call in answer.calls]
    choice = {"index": 0, "message": message, "finish_reason": _finish(answer)}
    body = {"id": "chatcmpl-loopback", "object": "chat.completion", "created": 1, "model": request.body.get("model")}
    yield (
        latency_s,
        _plain(
            200,
            "application/json",
            msgspec.json.encode({**body, "choices": [choice], "usage": _usage(answer, request)}),
        ),
    )


def _call(call: Call, arguments: str, index: int | None = None) -> dict[str, Any]:
    function = {"arguments": arguments} if call.name is None else {"name": call.name, "arguments": arguments}
    call_json: dict[str, Any] = {"type": "function", "function": function}
    if index is not None:
        call_json["index"] = index
    if call.id is not None:
        call_json["id"] = call.id
    return call_json


def _finish(answer: Answer) -> str:
    return answer.finish or ("tool_calls" if answer.calls else "stop")


def _usage(answer: Answer, request: Received) -> dict[str, Any]:
    prompt, completion = answer.usage or (len(request.raw) // 4, len(answer.text) // 4)
    details = {"prompt_tokens_details": {"cached_tokens": answer.cached}} if answer.cached else {}
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion, **details}
