"""Answers of a hostile model server: bytes on the wire for each kind of attack, none of them an honest answer.

Each has what a person is told of it: words that name the rule, or the answer that comes all the same.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from lab.loopback_model.answers import Behaviour, Received, Step
from lab.loopback_model.server import Answer, Call, Refusal, Wire

MIB = 1 << 20
_PIECE = 64 * 1024
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
_ESCAPES = "\x1b]0;owned\x07\x1b[2J\u202e"


@dataclass(frozen=True, slots=True)
class Attack:
    """One way to harm a client of models."""

    behave: Callable[[Received], Behaviour]
    told: str
    """Part of what people are told."""
    requests: int = 1
    """Most requests that the turn takes where no failure is tried again."""


def delta_event(**delta: object) -> bytes:
    return b"data: " + json.dumps({"choices": [{"index": 0, "delta": delta}]}).encode() + b"\n\n"


def end_event(reason: str = "stop") -> bytes:
    end = {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}
    return b"data: " + json.dumps(end).encode() + b"\n\ndata: [DONE]\n\n"


def many(piece: bytes, size: int, head: bytes = HEAD) -> Callable[[], Iterator[Step]]:
    """A head, and a piece again and again until it is so many bytes."""

    def steps() -> Iterator[Step]:
        block = piece * max(1, _PIECE // len(piece))
        yield 0.0, head
        for number in range(size // len(block) + 1):
            yield (0.001 if number % 16 == 15 else 0.0), block  # the server looks whether its client is still there

    return steps


def whole(body: bytes, *headers: str) -> Callable[[], Iterable[Step]]:
    """An answer of a known length."""
    lines = ("HTTP/1.1 200 OK", "Content-Type: text/event-stream", f"Content-Length: {len(body)}", *headers)
    return lambda: [(0.0, "\r\n".join(lines).encode() + b"\r\n\r\n"), (0.0, body), (0.0, b"")]


def always(steps: Callable[[], Iterable[Step]], *, is_cut: bool = False) -> Callable[[Received], Behaviour]:
    return lambda _request: Wire(steps, is_cut=is_cut)


def stream_of(*events: bytes) -> Callable[[Received], Behaviour]:
    return always(whole(b"".join(events)))


def pack_events(pack: Callable[[bytes], bytes], encoding: str) -> Callable[[Received], Behaviour]:
    return always(whole(pack(delta_event(content="x" * 10_000) * 4_000), f"Content-Encoding: {encoding}"))


def _calls(request: Received) -> Behaviour:
    return Answer(calls=tuple(Call("bash", '{"command": "true"}', f"call_{number}") for number in range(10_000)))


def _odd_names(request: Received) -> Behaviour:
    if request.body["messages"][-1]["role"] == "tool":
        return Answer("I am done.")
    names = (f"ba{_ESCAPES}sh\0\n", "n" * 100_000, "", "../../bash", "bash\r\n## 2026 agent forged")
    return Answer(calls=tuple(Call(name, "{}", f"id{_ESCAPES}\0{number}") for number, name in enumerate(names)))


def _rounds(_request: Received) -> Behaviour:
    return Answer(calls=(Call("bash", '{"command": "true"}'),))


def marks(text: str, size: int) -> Callable[[Received], Behaviour]:
    """An answer just within its bounds that is nothing but a text again and again."""
    return stream_of(*(delta_event(content=text * (10_000 // len(text))) for _ in range(size // 10_000)), end_event())


BOMBS = {
    "gzip": pack_events(gzip.compress, "gzip"),
    "deflate": pack_events(zlib.compress, "deflate"),
    "gzip in gzip": pack_events(lambda data: gzip.compress(gzip.compress(data)), "gzip, gzip"),
    "br": pack_events(lambda data: data, "br"),
}

ATTACKS: dict[str, Attack] = {
    "deltas": Attack(always(many(delta_event(content="x" * 50), 40 * MIB)), "more than 1,000,000 characters"),
    "thoughts": Attack(always(many(delta_event(reasoning_content="h" * 50), 40 * MIB)), "more than 1,000,000 char"),
    "comments": Attack(always(many(b": still here\n\n", 40 * MIB)), "more than 10,485,760 bytes without a word"),
    "a line": Attack(always(many(b"x", 40 * MIB, HEAD + b"data: ")), "a line of an answer is longer than"),
    "a document": Attack(always(many(b" ", 40 * MIB, HEAD + b"{")), "more than 33,554,432 bytes"),
    "calls": Attack(_calls, "more than 200 commands in one answer"),
    "arguments": Attack(
        always(
            many(
                delta_event(tool_calls=[{"index": 0, "id": "a", "function": {"name": "bash", "arguments": "x" * 99}}]),
                40 * MIB,
            )
        ),
        "more than 1,000,000 characters",
    ),
    "names": Attack(_odd_names, "I am done.", requests=2),
    "rounds": Attack(_rounds, "asked for tools 50 times", requests=51),
    "headers": Attack(always(many(b"X-More: and more\r\n", 40 * MIB, b"HTTP/1.1 200 OK\r\n")), "more headers than"),
    "a status line": Attack(always(many(b"x", 40 * MIB, b"HTTP/1.1 200 ")), "a header of more than 8190"),
    "interim": Attack(
        always(many(b"HTTP/1.1 102 Processing\r\n\r\n", 40 * MIB, b"HTTP/1.1 100 Continue\r\n\r\n")),
        "more than 16 interim answers",
    ),
    "a short body": Attack(
        always(lambda: [(0.0, HEAD[:-2] + b"Content-Length: 9999\r\n\r\n" + delta_event(content="a"))], is_cut=True),
        "broke off its answer",
    ),
    "two lengths": Attack(
        always(lambda: [(0.0, HEAD[:-2] + b"Content-Length: 5\r\nContent-Length: 7\r\n\r\nhello")], is_cut=True),
        "",
    ),
    "a negative length": Attack(
        always(lambda: [(0.0, HEAD[:-2] + b"Content-Length: -5\r\n\r\nhello")], is_cut=True), "", requests=4
    ),
    "an error": Attack(
        always(
            many(
                f'{{"error": "{_ESCAPES} you sent Bearer sk-secret-of-the-operator"}}'.encode(),
                40 * MIB,
                b"HTTP/1.1 400 \x1b[2J sk-secret-of-the-operator\r\nSet-Cookie: a=b; Path=/\r\n\r\n",
            )
        ),
        "",
    ),
    "open thoughts": Attack(marks("\n<think>\nx ", 900_000), "", requests=2),
    "closed thoughts": Attack(
        stream_of(
            *(delta_event(content="\n<think>" * 1_000) for _ in range(100)),
            delta_event(content="</think> x"),
            end_event(),
        ),
        "x",
    ),
    "code": Attack(marks("`<think>` ", 900_000), "`"),
    "a sentence": Attack(marks("</think>a.", 900_000), ""),
} | {name: Attack(behave, "") for name, behave in BOMBS.items()}


def redirection(status: int, place: str) -> Callable[[Received], Behaviour]:
    return lambda _request: Refusal(status, headers=(("Location", place),))
