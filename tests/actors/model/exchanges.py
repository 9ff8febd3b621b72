"""Exchanges with servers of models: what is asked, and byte for byte what comes back, in the forms that servers have."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from domain.turn.bash_tool import BASH_TOOL
from lab.loopback_model.server import Behaviour, Raw, Refusal
from messages.model import ChatMessage, Role, ToolCall, ToolSpec

EVENTS = "text/event-stream"


@dataclass(frozen=True)
class Exchange:
    """One request with the answer."""

    name: str
    messages: tuple[ChatMessage, ...]
    tools: tuple[ToolSpec, ...]
    answer: Behaviour


def _user(text: str) -> ChatMessage:
    return ChatMessage(role=Role.USER, text=text)


def _agent(text: str, *calls: ToolCall) -> ChatMessage:
    return ChatMessage(role=Role.ASSISTANT, text=text, tool_calls=calls)


def _result(text: str, call_id: str) -> ChatMessage:
    return ChatMessage(role=Role.TOOL, text=text, tool_call_id=call_id)


_LS = ToolCall(id="call_a", name="bash", arguments_json='{"command": "ls"}')
_SIGNED = ToolCall(id=f"call_c__thought__{'CiQB+/z=' * 20}", name="bash", arguments_json='{"command": "ls"}')
_BAD = ToolCall(id="call_b", name="fly me", arguments_json="{not json")
ASKED: dict[str, tuple[tuple[ChatMessage, ...], tuple[ToolSpec, ...]]] = {
    "hello": ((_user("hello"),), (BASH_TOOL,)),
    "no tools": ((_user("hello"),), ()),
    "unicode": ((_user("Grüße 👋🏽 \u2028 שלום"),), (BASH_TOOL,)),
    "history": ((_user("a"), _agent("b"), _user("c"), _agent("d"), _user("e")), (BASH_TOOL,)),
    "results": ((_user("list"), _agent("", _LS), _result("a.txt", "call_a")), (BASH_TOOL,)),
    "two results": (
        (_user("x"), _agent("I look.", _LS, _BAD), _result("", "call_a"), _result("no", "call_b"), _user("and?")),
        (BASH_TOOL,),
    ),
    "signed results": ((_user("list"), _agent("", _SIGNED), _result("a.txt", _SIGNED.id)), (BASH_TOOL,)),
    "told results": ((_user("list"), _agent("", _LS), _result("a.txt", "call_a"), _user("so?")), ()),
    "long": ((_user("word " * 5000),), (BASH_TOOL,)),
    "empty": ((_user(""),), (BASH_TOOL,)),
    "surrogates": ((_user("a\ud800b"),), (BASH_TOOL,)),
}
USAGE = {"prompt_tokens": 1200, "completion_tokens": 34, "total_tokens": 1234}
DIALECTS: dict[str, dict[str, Any]] = {
    "openai": {
        "head": {
            "id": "chatcmpl-1",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "gpt-4o-2024-08-06",
            "service_tier": "default",
            "system_fingerprint": "fp_1",
            "obfuscation": "x8",
        },
        "choice": {"logprobs": None},
        "first": {"role": "assistant", "content": "", "refusal": None},
        "usage": USAGE | {"prompt_tokens_details": {"cached_tokens": 1024, "audio_tokens": 0}},
        "null usage": True,
    },
    "vllm": {
        "head": {"id": "chatcmpl-2", "object": "chat.completion.chunk", "created": 2, "model": "qwen"},
        "choice": {"logprobs": None, "stop_reason": None, "token_ids": None},
        "first": {"role": "assistant", "content": ""},
        "usage": USAGE,
    },
    "llama.cpp": {
        "head": {"created": 3, "id": "chatcmpl-3", "model": "gguf", "object": "chat.completion.chunk"},
        "first": {"role": "assistant", "content": None},
        "usage": USAGE,
        "tail": {"timings": {"prompt_n": 12, "prompt_ms": 4.2, "predicted_n": 3}},
    },
    "ollama": {
        "head": {
            "id": "chatcmpl-4",
            "object": "chat.completion.chunk",
            "created": 4,
            "model": "llama3",
            "system_fingerprint": "fp_ollama",
        },
        "each": {"role": "assistant"},
        "usage": USAGE,
    },
    "comments": {  # as OpenRouter keeps a connection awake
        "head": {"id": "gen-5", "object": "chat.completion.chunk", "created": 5, "model": "x/y", "provider": "Z"},
        "choice": {"native_finish_reason": None},
        "each": {"role": "assistant"},
        "usage": USAGE | {"cost": 0.0012, "is_byok": False},
        "before": b": OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n",
    },
    "crlf": {
        "head": {"id": "6", "object": "chat.completion.chunk", "created": 6, "model": "m"},
        "usage": USAGE,
        "end": b"\r\n",
        "names": b"event: message\r\n",
    },
    "filters": {  # as Azure begins, with a chunk that has no choice
        "head": {"id": "8", "object": "chat.completion.chunk", "created": 8, "model": "gpt-4o"},
        "choice": {"content_filter_results": {"hate": {"filtered": False, "severity": "safe"}}, "logprobs": None},
        "before": b'data: {"choices": [], "created": 0, "id": "", "model": "", "object": "", '
        b'"prompt_filter_results": [{"prompt_index": 0, "content_filter_results": {}}]}\n\n',
        "first": {"role": "assistant", "content": "", "refusal": None},
        "usage": USAGE,
    },
    "groq": {
        "head": {"id": "9", "object": "chat.completion.chunk", "created": 9, "model": "llama", "x_groq": {"id": "r"}},
        "first": {"role": "assistant", "content": ""},
        "choice": {"logprobs": None},
        "tail": {"x_groq": {"id": "r", "usage": USAGE | {"queue_time": 0.01}}},
        "usage": USAGE,
    },
    "usage in each": {  # as vLLM and others do when they are told to go on telling
        "head": {"id": "10", "object": "chat.completion.chunk", "created": 10, "model": "m", "usage": USAGE},
        "usage": USAGE,
    },
    "tight": {  # no space after the colon, no [DONE], usage with the end
        "head": {"id": "7", "object": "chat.completion.chunk", "created": 7, "model": "m"},
        "data": b"data:",
        "usage": None,
        "no done": True,
    },
}


def _event(dialect: dict[str, Any], body: dict[str, Any]) -> bytes:
    end = dialect.get("end", b"\n")
    data = dialect.get("data", b"data: ") + json.dumps(body).encode() + end + end
    return bytes(dialect.get("names", b"") + data)


def stream(name: str, deltas: list[dict[str, Any]], finish: str | None = "stop") -> bytes:
    """The bytes of an answer in a dialect."""
    dialect = DIALECTS[name]
    head = dialect["head"] | ({"usage": None} if dialect.get("null usage") else {})
    first = [dialect["first"]] if "first" in dialect else []
    events = [dialect.get("before", b"")]
    for delta in [*first, *deltas]:
        choice = {"index": 0, "delta": dialect.get("each", {}) | delta, "finish_reason": None}
        events.append(_event(dialect, head | {"choices": [choice | dialect.get("choice", {})]}))
    if finish is not None:
        choice = {"index": 0, "delta": {}, "finish_reason": finish}
        events.append(_event(dialect, head | {"choices": [choice]} | dialect.get("tail", {})))
    if dialect["usage"] is not None:
        events.append(_event(dialect, head | {"choices": [], "usage": dialect["usage"]}))
    if not dialect.get("no done"):
        events.append(b"data: [DONE]" + dialect.get("end", b"\n") * 2)
    return b"".join(events)


def _call(index: int | None, arguments: str, name: str | None = None, call_id: str | None = None) -> dict[str, Any]:
    call: dict[str, Any] = {"function": {"arguments": arguments}}
    if index is not None:
        call["index"] = index
    if name is not None:
        call["function"]["name"] = name
    if call_id is not None:
        call |= {"id": call_id, "type": "function"}
    return call


ANSWERS: dict[str, tuple[list[dict[str, Any]], str | None]] = {
    "a word": ([{"content": "Hello"}], "stop"),
    "pieces": ([{"content": piece} for piece in ("Grü", "ße ", "👋", " and ", "\n\n", "more")], "stop"),
    "spaces": ([{"content": " "}, {"content": ""}, {"content": "\n"}], "stop"),
    "nothing": ([], "stop"),
    "at its limit": ([{"content": "and so on"}], "length"),
    "filtered": ([{"content": "I"}], "content_filter"),
    "one call": (
        [
            {"content": "I look. "},
            {"tool_calls": [_call(0, "", "bash", "call_1")]},
            {"tool_calls": [_call(0, '{"comm')]},
            {"tool_calls": [_call(0, 'and": "ls"}')]},
        ],
        "tool_calls",
    ),
    "three calls": (
        [{"tool_calls": [_call(n, f'{{"command": "c{n}"}}', "bash", f"call_{n}")]} for n in range(3)],
        "tool_calls",
    ),
    "calls at once": (
        [{"tool_calls": [_call(0, "{}", "bash", "a"), _call(1, '{"command": "x"}', "bash", "b")]}],
        "tool_calls",
    ),
    "a call that is called a stop": ([{"tool_calls": [_call(0, '{"command": "x"}', "bash", "a")]}], "stop"),
    "a call cut off": ([{"tool_calls": [_call(0, '{"command": "x', "bash", "a")]}], "length"),
    "thoughts": ([{"reasoning_content": "hm"}, {"content": "yes"}], "stop"),
    "broken off": ([{"content": "half an ans"}], None),
}
REFUSALS: dict[str, Behaviour] = {
    "400": Refusal(400, "bad"),
    "401": Refusal(401, "Incorrect API key provided: sk-***", code="invalid_api_key"),
    "402": Refusal(402, "Insufficient credits"),
    "403": Refusal(403, "not allowed"),
    "404": Refusal(404, "The model `x` does not exist", code="model_not_found"),
    "405": Refusal(405, "method"),
    "408": Refusal(408, "timeout"),
    "409": Refusal(409, "conflict"),
    "413": Refusal(413, "too large"),
    "415": Refusal(415, "type"),
    "422": Refusal(422, "messages.0.content: field required"),
    "context": Refusal(400, "This model's maximum context length is 8192 tokens.", code="context_length_exceeded"),
    "context of vLLM": Refusal(400, "The input (9000 tokens) is longer than the maximum context length"),
    "429": Refusal(429, "Rate limit reached"),
    "429 with seconds": Refusal(429, "Rate limit reached", (("Retry-After", "7"),)),
    "429 with milliseconds": Refusal(429, "Rate limit reached", (("retry-after-ms", "1500"),)),
    "429 with a page": Raw(b"<html>Slow down</html>", status=429),
    "quota": Refusal(429, "You exceeded your current quota", code="insufficient_quota"),
    "500": Refusal(500, "The server had an error"),
    "500 with a page": Raw(b"<html>oops</html>", status=500),
    "501": Refusal(501, "no"),
    "502": Raw(b"<html>Bad gateway</html>", status=502),
    "503": Refusal(503, "overloaded", (("Retry-After", "20"),)),
    "504": Raw(b"", status=504),
    "520": Raw(b"error code: 520", "text/plain", status=520),
    "529": Refusal(529, "overloaded"),
    "a page": Raw(b"<html>Welcome to the hotel's network</html>"),
    "no bytes": Raw(b"", EVENTS),
    "broken JSON": Raw(b'data: {"choices": [\n\n', EVENTS),
    "only comments": Raw(b": a\n\n: b\n\n", EVENTS),
    "only the end": Raw(b"data: [DONE]\n\n", EVENTS),
    "an error in an answer": Raw(b'data: {"error": {"message": "out of memory", "code": 500}}\n\n', EVENTS),
    "a refusal in an answer": Raw(b'data: {"error": {"message": "bad request", "code": 400}}\n\n', EVENTS),
    "a limit in an answer": Raw(b'data: {"error": {"message": "slow down", "code": 429}}\n\n', EVENTS),
    "a nameless error": Raw(b'data: {"error": "it broke"}\n\n', EVENTS),
    "an error after text": Raw(
        b'data: {"choices": [{"index": 0, "delta": {"content": "hal"}}]}\n\n'
        b'data: {"error": {"message": "gone", "code": 503}}\n\n',
        EVENTS,
    ),
}
USAGES: dict[str, object] = {
    "none": None,
    "no numbers": {"prompt_tokens": None, "completion_tokens": None, "total_tokens": None},
    "zero": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
    "large": {"prompt_tokens": 1_000_000, "completion_tokens": 100_000, "total_tokens": 1_100_000},
    "with thoughts": USAGE | {"completion_tokens_details": {"reasoning_tokens": 30}},
    "from a cache": USAGE | {"prompt_tokens_details": {"cached_tokens": 1100}},
}
REASONS = ("eos", "stop_sequence", "max_tokens", "function_call", "tool_use", "COMPLETE", "end_turn", "whatever")


def exchanges() -> Iterator[Exchange]:
    """All of them, the same each time."""
    asked = itertools.cycle(ASKED.items())

    def exchange(name: str, answer: Behaviour) -> Exchange:
        question, (messages, tools) = next(asked)
        return Exchange(f"{name}, asked {question}", messages, tools, answer)

    for dialect, (name, (deltas, finish)) in itertools.product(DIALECTS, ANSWERS.items()):
        yield exchange(f"{dialect}: {name}", Raw(stream(dialect, deltas, finish), EVENTS))
    for name, refusal in REFUSALS.items():
        yield exchange(f"refusal: {name}", refusal)
    for name, usage in USAGES.items():
        last = {"choices": [], "usage": usage}
        body = stream("tight", [{"content": "x"}]) + b"data: " + json.dumps(last).encode() + b"\n\n"
        yield exchange(f"usage: {name}", Raw(body, EVENTS))
    for reason in REASONS:
        yield exchange(f"finish: {reason}", Raw(stream("vllm", [{"content": "x"}], reason), EVENTS))
    for size in (1, 10, 100, 1000, 3000, 10_000, 30_000, 100_000):
        pieces = [{"content": "word " * 10}] * (size // 10 + 1)
        yield exchange(f"text of {size}", Raw(stream("openai", pieces), EVENTS))
    for count in (5, 20, 50):
        calls = [{"tool_calls": [_call(n, f'{{"command": "{n}"}}', "bash", f"c{n}")]} for n in range(count)]
        yield exchange(f"{count} calls", Raw(stream("vllm", calls, "tool_calls"), EVENTS))
    for question in ASKED:
        messages, tools = ASKED[question]
        answer = Raw(stream("ollama", [{"content": "ok"}]), EVENTS)
        yield Exchange(f"asked {question}", messages, tools, answer)
    for odd in ODD_CALLS:
        yield exchange(f"call: {odd}", Raw(stream("vllm", ODD_CALLS[odd], "tool_calls"), EVENTS))


ODD_CALLS: dict[str, list[dict[str, Any]]] = {
    "no id": [{"tool_calls": [_call(0, "{}", "bash")]}],
    "no name": [{"tool_calls": [_call(0, "{}", None, "a")]}],
    "one id twice": [{"tool_calls": [_call(0, "{}", "bash", "a")]}, {"tool_calls": [_call(1, "{}", "bash", "a")]}],
    "not JSON": [{"tool_calls": [_call(0, "{not json", "bash", "a")]}],
    "a list": [{"tool_calls": [_call(0, "[1, 2]", "bash", "a")]}],
    "empty": [{"tool_calls": [_call(0, "", "bash", "a")]}],
    "no list": [{"content": "x", "tool_calls": []}],
}
