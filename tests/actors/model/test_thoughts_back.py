"""Thoughts before a call go back to the model that had them, with the call's result, in the provider's own fields."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from typing import Any
from zlib import crc32

import msgspec
import pytest

from lab.loopback_model.messages_form import messages_address
from lab.loopback_model.server import Answer, Behaviour, LoopbackModel, Raw, Received, Refusal
from messages.model import ChatMessage, ModelFailed, ModelReply, OwnThoughts, Role
from tests.actors.model.bench import Bench, user

CALL = {"index": 0, "id": "call_1", "type": "function", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}
SIGNATURE = "EqQBCkYIBxgCKkA="


def stream(*deltas: dict[str, Any], **beside_call: object) -> Raw:
    """An answer in OpenAI's form: the deltas, then a call."""
    parts = [*deltas, {"tool_calls": [CALL | beside_call]}]
    chunks: list[object] = [{"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in parts]
    chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
    lines = [f"data: {msgspec.json.encode(chunk).decode()}\n\n" for chunk in chunks]
    return Raw("".join([*lines, "data: [DONE]\n\n"]).encode(), "text/event-stream")


def blocks(*parts: tuple[dict[str, Any], tuple[dict[str, Any], ...]]) -> Raw:
    """An answer in Anthropic's form: blocks with their deltas, then a call."""
    call = {"type": "tool_use", "id": "toolu_1", "name": "bash", "input": {}}
    whole = [*parts, (call, ({"type": "input_json_delta", "partial_json": '{"command": "ls"}'},))]

    def events() -> Iterator[tuple[str, dict[str, Any]]]:
        message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": []}
        yield "message_start", {"message": {**message, "usage": {"input_tokens": 1, "output_tokens": 1}}}
        for index, (block, deltas) in enumerate(whole):
            yield "content_block_start", {"index": index, "content_block": block}
            for delta in deltas:
                yield "content_block_delta", {"index": index, "delta": delta}
            yield "content_block_stop", {"index": index}
        yield "message_delta", {"delta": {"stop_reason": "tool_use", "stop_sequence": None}, "usage": {}}
        yield "message_stop", {}

    lines = [
        f"event: {kind}\ndata: {msgspec.json.encode({'type': kind, **fields}).decode()}\n\n"
        for kind, fields in events()
    ]
    return Raw("".join(lines).encode(), "text/event-stream")


def frame(kind: str, payload: dict[str, Any]) -> bytes:
    """A message of Amazon's event stream: lengths, their sum, headers, the payload, the sum of all."""
    names = {":event-type": kind, ":content-type": "application/json", ":message-type": "event"}
    headers = b"".join(
        bytes((len(name),)) + name.encode() + b"\x07" + struct.pack(">H", len(value)) + value.encode()
        for name, value in names.items()
    )
    body = msgspec.json.encode(payload)
    lengths = struct.pack(">II", 16 + len(headers) + len(body), len(headers))
    message = lengths + struct.pack(">I", crc32(lengths)) + headers + body
    return message + struct.pack(">I", crc32(message))


def converse_stream(*parts: tuple[dict[str, Any], ...]) -> Raw:
    """An answer in the form of Bedrock's ConverseStream: blocks as their deltas, then a call."""
    frames = [frame("messageStart", {"role": "assistant"})]
    for index, deltas in enumerate(parts):
        frames += [frame("contentBlockDelta", {"contentBlockIndex": index, "delta": delta}) for delta in deltas]
        frames.append(frame("contentBlockStop", {"contentBlockIndex": index}))
    place = {"contentBlockIndex": len(parts)}
    call = {"toolUse": {"toolUseId": "tooluse_1", "name": "bash"}}
    frames += [
        frame("contentBlockStart", place | {"start": call}),
        frame("contentBlockDelta", place | {"delta": {"toolUse": {"input": '{"command": "ls"}'}}}),
        frame("contentBlockStop", place),
        frame("messageStop", {"stopReason": "tool_use"}),
        frame("metadata", {"usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}}),
    ]
    return Raw(b"".join(frames), "application/vnd.amazon.eventstream")


def converse_whole(*parts: dict[str, Any]) -> Raw:
    """An answer in the form of Bedrock's Converse: blocks, then a call."""
    call = {"toolUse": {"toolUseId": "tooluse_1", "name": "bash", "input": {"command": "ls"}}}
    message = {"role": "assistant", "content": [*({"reasoningContent": part} for part in parts), call]}
    usage = {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}
    body = {"output": {"message": message}, "stopReason": "tool_use", "usage": usage, "metrics": {"latencyMs": 1}}
    return Raw(msgspec.json.encode(body), "application/json")


def read_message(server: LoopbackModel) -> dict[str, Any]:
    """The assistant's message in the last request."""
    messages = server.requests()[-1].body["messages"]
    return next(message for message in messages if message["role"] == "assistant")


def converse(
    server: LoopbackModel, first: Behaviour, answer: Callable[[Received], Behaviour], **settings: Any
) -> tuple[ModelReply, ModelReply | ModelFailed]:
    """The reply with the call, and the one to its result; another model may be asked for the second."""
    second = settings.pop("second", "")
    server.behave = lambda received: answer(received) if "a.txt" in str(received.body) else first
    bench = Bench(server, **settings)
    try:
        request = bench.request(user("list the files"))
        bench.tell(request)
        reply = bench.reply(request.request_id)
        own = OwnThoughts(model=reply.model, fields_json=reply.thoughts_json) if reply.thoughts_json else None
        told = [
            user("list the files"),
            ChatMessage(role=Role.ASSISTANT, text=reply.text, tool_calls=reply.tool_calls, thoughts=own),
            ChatMessage(role=Role.TOOL, text="a.txt", tool_call_id=reply.tool_calls[0].id),
        ]
        request = bench.request(*told, model=second)
        bench.tell(request)
        return reply, bench.end(request.request_id)
    finally:
        bench.system.stop()


def fine(_received: Received) -> Behaviour:
    return Answer("one file")


OPENAI_FORM: tuple[tuple[str, Raw, dict[str, Any]], ...] = (
    (
        "pi#3636: DeepSeek misses reasoning_content in the turn",
        stream({"reasoning_content": "I list "}, {"reasoning_content": "files."}),
        {"reasoning_content": "I list files."},
    ),
    (
        "deer-flow#3043: the field that came goes back, under its own name",
        stream({"reasoning": "I list."}),
        {"reasoning": "I list."},
    ),
    (
        "agents#37 of LibreChat-AI, agent-framework#2947: OpenRouter wants its details for Gemini, signature and all",
        stream(
            {"reasoning_details": [{"type": "reasoning.text", "index": 0, "text": "I "}]},
            {"reasoning_details": [{"type": "reasoning.text", "index": 0, "text": "list.", "signature": SIGNATURE}]},
            {"reasoning_details": [{"type": "reasoning.encrypted", "index": 1, "id": "call_1", "data": "c2ln"}]},
        ),
        {
            "reasoning_details": [
                {"type": "reasoning.text", "index": 0, "text": "I list.", "signature": SIGNATURE},
                {"type": "reasoning.encrypted", "index": 1, "id": "call_1", "data": "c2ln"},
            ]
        },
    ),
)


def thoughts_in(message: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in message.items() if name not in ("role", "content", "tool_calls")}


@pytest.mark.req("X-221")
def test_fields_of_thoughts_go_back_as_they_came(server: LoopbackModel) -> None:
    failures = []
    for case, first, wanted in OPENAI_FORM:
        reply, second = converse(server, first, fine)
        given = thoughts_in(read_message(server))
        if given != wanted or "list" in reply.text or not isinstance(second, ModelReply):
            failures.append((case, given, reply.text, second))
    assert not failures


@pytest.mark.req("X-221")
def test_a_signature_beside_a_call_goes_back_beside_the_call(server: LoopbackModel) -> None:
    """openhuman#3548 and ruby_llm#591: Google's address in OpenAI's form puts the signature beside the call."""
    beside = {"google": {"thought_signature": SIGNATURE}}
    converse(server, stream({"content": "I look."}, extra_content=beside), fine)
    assert read_message(server)["tool_calls"][0]["extra_content"] == beside


ANTHROPICS: tuple[tuple[str, Raw, list[dict[str, Any]]], ...] = (
    (
        "Roo-Code#10351, hermes-agent#4626: a signed block stands before its call",
        blocks(
            (
                {"type": "thinking", "thinking": "", "signature": ""},
                (
                    {"type": "thinking_delta", "thinking": "I list "},
                    {"type": "thinking_delta", "thinking": "files."},
                    {"type": "signature_delta", "signature": SIGNATURE},
                ),
            )
        ),
        [{"type": "thinking", "thinking": "I list files.", "signature": SIGNATURE}],
    ),
    (
        "dify#41092: a redacted block goes back as well, and in its order",
        blocks(
            (
                {"type": "thinking", "thinking": "", "signature": ""},
                (
                    {"type": "thinking_delta", "thinking": "I list."},
                    {"type": "signature_delta", "signature": SIGNATURE},
                ),
            ),
            ({"type": "redacted_thinking", "data": "b3BhcXVl"}, ()),
        ),
        [
            {"type": "thinking", "thinking": "I list.", "signature": SIGNATURE},
            {"type": "redacted_thinking", "data": "b3BhcXVl"},
        ],
    ),
    (
        "openclaw#84430: a block without its signature is refused, so it does not go back",
        blocks(({"type": "thinking", "thinking": "", "signature": ""}, ({"type": "thinking_delta", "thinking": "I"},))),
        [],
    ),
)


@pytest.mark.req("X-221")
def test_signed_blocks_go_back_to_anthropic_before_the_call(server: LoopbackModel) -> None:
    failures = []
    answer = blocks()
    for case, first, wanted in ANTHROPICS:
        settings = {"name": "anthropic/claude-sonnet-4-5", "api_base": messages_address(server.api_base)}
        reply, _ = converse(server, first, lambda _received: answer, api_keys={"ANTHROPIC_API_KEY": "k"}, **settings)
        content = read_message(server)["content"]
        given = [part for part in content if "thinking" in part["type"]]
        if given != wanted or content[-1]["type"] != "tool_use" or reply.text:
            failures.append((case, content, reply.text))
    assert not failures


SIGNED = {"reasoningText": {"text": "I list files.", "signature": SIGNATURE}}
HIDDEN = {"redactedContent": "b3BhcXVl"}


def reason(**piece: str) -> dict[str, Any]:
    return {"reasoningContent": piece}


THOUGHT = (reason(text="I list "), reason(text="files."), reason(signature=SIGNATURE))
BEDROCKS: tuple[tuple[str, Raw, list[dict[str, Any]]], ...] = (
    (
        "Roo-Code#11238, spring-ai#6845: a streamed block stands signed before its call",
        converse_stream(THOUGHT),
        [SIGNED],
    ),
    ("spring-ai#6413, hermes-agent#36260: the same of a whole answer", converse_whole(SIGNED), [SIGNED]),
    (
        "strands-agents/harness-sdk#2704: a block of a signature alone goes back with an empty text",
        converse_stream((reason(signature=SIGNATURE),)),
        [{"reasoningText": {"text": "", "signature": SIGNATURE}}],
    ),
    (
        "req_llm#997: a block without its signature does not go back",
        converse_stream((reason(text="I list "), reason(text="files."))),
        [],
    ),
    (
        "opencode#38623, openfang#1187: where a redacted block would be lost on the way, nothing goes back in part",
        converse_stream(THOUGHT, (reason(redactedContent="b3BhcXVl"),)),
        [],
    ),
    (
        "pi#8314, inspect_ai#5217: the same of redacted blocks alone, which a server takes as it takes none",
        converse_whole(HIDDEN),
        [],
    ),
)


@pytest.mark.req("X-221")
def test_signed_blocks_go_back_to_bedrock_before_the_call(server: LoopbackModel) -> None:
    failures = []
    for case, first, wanted in BEDROCKS:
        reply, second = converse(
            server,
            first,
            lambda _received, first=first: first,  # type: ignore[misc]
            name="bedrock/converse/us.anthropic.claude-sonnet-4-20250514-v1:0",
            streams=first.content_type != "application/json",
        )
        content = read_message(server)["content"]
        given = [part["reasoningContent"] for part in content if "reasoningContent" in part]
        if given != wanted or "toolUse" not in content[-1] or reply.text or not isinstance(second, ModelReply):
            failures.append((case, content, reply, second))
    assert not failures


@pytest.mark.req("X-221")
def test_another_model_gets_no_thoughts_of_the_first(server: LoopbackModel) -> None:
    """llxprt-code#2335 and openclaw#107221: other models refuse a model's signatures."""
    converse(server, stream({"reasoning_content": "I list."}), fine, second="hosted_vllm/other")
    assert server.requests()[-1].body["model"] == "other"
    assert thoughts_in(read_message(server)) == {}


def refuse_field(received: Received) -> Behaviour:
    if "reasoning_content" in str(received.body["messages"]):
        words = "'messages.2' : for 'role:assistant' the following must be satisfied[('messages.2' : property "
        return Refusal(400, f"{words}'reasoning_content' is unsupported)]")
    return Answer("one file")


def miss_field(received: Received) -> Behaviour:
    calling = [message for message in received.body["messages"] if message.get("tool_calls")]
    if any("reasoning_content" not in message for message in calling):
        return Refusal(400, "The `reasoning_content` in the thinking mode must be passed back to the API.")
    return Answer("one file")


def refuse_signature(received: Received) -> Behaviour:
    if "reasoning_details" in str(received.body["messages"]):
        return Refusal(400, "messages.1.content.0: Invalid `signature` in `thinking` block")
    return Answer("one file")


DETAILS = {"reasoning_details": [{"type": "reasoning.text", "index": 0, "text": "I", "signature": "c"}]}
REFUSALS: tuple[tuple[str, Raw, Callable[[Received], Behaviour], dict[str, Any]], ...] = (
    (
        "janhq/jan#8136, AstrBot#5946: a strict server takes no such field",
        stream({"reasoning_content": "I list."}),
        refuse_field,
        {},
    ),
    (
        "eko#281, obsidian-yolo#243: a server wants the field though the thoughts are gone, and takes an empty one",
        stream({"content": "I look."}),
        miss_field,
        {"reasoning_content": ""},
    ),
    (
        "openclaw#88020: a signature that does not hold is left out",
        stream(DETAILS),
        refuse_signature,
        {},
    ),
)


@pytest.mark.req("X-221")
def test_a_request_refused_for_thoughts_is_mended_and_the_model_remembered(server: LoopbackModel) -> None:
    failures = []
    for case, first, answer, wanted in REFUSALS:
        before = len(server.requests())
        _, second = converse(server, first, answer)
        if thoughts_in(read_message(server)) != wanted or not isinstance(second, ModelReply) or second.left_out:
            failures.append((case, thoughts_in(read_message(server)), second))
        if len(server.requests()) - before != 3:
            failures.append((case, {"requests": len(server.requests()) - before}, second))
    assert not failures


@pytest.mark.req("X-221")
def test_answers_without_a_call_keep_no_thoughts(server: LoopbackModel) -> None:
    delta = {"choices": [{"index": 0, "delta": {"reasoning_content": "I greet.", "content": "Hi"}}]}
    end = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    lines = "".join(f"data: {msgspec.json.encode(chunk).decode()}\n\n" for chunk in (delta, end))
    server.behave = lambda _received: Raw(f"{lines}data: [DONE]\n\n".encode(), "text/event-stream")
    bench = Bench(server)
    try:
        reply = bench.reply(bench.ask())
    finally:
        bench.system.stop()
    assert (reply.text, reply.thoughts, reply.thoughts_json) == ("Hi", "I greet.", "")
