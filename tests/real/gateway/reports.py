"""Answers, files and clients of public reports, each with what becomes of it at the gateway."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class StreamReport:
    """One streamed answer, and its text that is kept; empty where only the user's words are."""

    source: str
    """Reports, as owner/repository#number."""
    case: str
    """Sentence of our own on what was lost."""
    events: bytes
    """Body of the answer."""
    kept: str
    headers: Mapping[str, str] = field(default_factory=lambda: {"Content-Type": "text/event-stream"})
    asks_for_stream: bool = True


def chunk(text: str | None = None, reason: str | None = None, **more: Any) -> bytes:
    """One event with a piece of choice 0."""
    choice = {"index": 0, "delta": {} if text is None else {"content": text}, "finish_reason": reason}
    return b"data: " + json.dumps({"choices": [choice], **more}).encode() + b"\n\n"


DONE = b"data: [DONE]\n\n"
ERROR = b'data: {"error": {"message": "overloaded", "code": 529}}\n\n'

EVENTS = {"Content-Type": "text/event-stream"}
JSON = {"Content-Type": "application/json"}
WHOLE = chunk("All of ") + chunk("it") + chunk(None, "stop") + DONE
DOCUMENT = json.dumps({"choices": [{"message": {"content": "All of it"}, "finish_reason": "stop"}]}).encode()
LINES = (
    b'{"message": {"role": "assistant", "content": "All of "}, "done": false}\n'
    b'{"message": {"content": "it"}, "done": false}\n'
    b'{"message": {"content": ""}, "done": true}\n'
)


def raw_chunk(text: str) -> bytes:
    """One event with letters outside of ASCII as bytes."""
    return (
        json.dumps({"choices": [{"delta": {"content": text}}]}, ensure_ascii=False).encode().join((b"data: ", b"\n\n"))
    )


def deflate(data: bytes) -> bytes:
    """Data packed without a frame."""
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


STREAMS = (
    StreamReport(
        "BerriAI/litellm#2195, su-kaka/gcli2api#403, songquanpeng/one-api#1477",
        "every piece has a reason of the end",
        chunk("Alpha ", "stop") + chunk("Beta ", "stop") + chunk("Gamma", "stop") + DONE,
        "Alpha Beta Gamma",
    ),
    StreamReport(
        "BerriAI/litellm#39748, Kubedoll-Heavy-Industries/mistral.rs#57",
        "an error stands between the words and the mark of the end",
        chunk("The capital of Aus") + ERROR + DONE,
        "",
    ),
    StreamReport(
        "bircex/llmr#11",
        "the stream ends with an error",
        chunk("Half of ") + ERROR,
        "",
    ),
    StreamReport(
        "Growth-Circle/cadis#2547, openclaw/openclaw#108989",
        "the stream ends without a reason and without a mark",
        chunk("Half of ") + chunk("it"),
        "",
    ),
    StreamReport(
        "CommandCodeAI/command-code#785",
        "the last piece names an error as its reason",
        chunk("Half of ") + chunk(None, "error"),
        "",
    ),
    StreamReport(
        "agentjido/req_llm#462",
        "there is a reason and no mark of the end",
        chunk("All of it", "stop"),
        "All of it",
    ),
    StreamReport(
        "Sunnyender-org/cursor-sdk2api#25",
        "a reason of the end comes before the error",
        chunk("Half of it") + chunk(None, "stop").replace(b'"choices"', b'"error": {"code": 1}, "choices"') + DONE,
        "",
    ),
    StreamReport(
        "can1357/oh-my-pi#9433, openai/openai-python#558, open-learning-exchange/planet#10281",
        "the end is announced and no piece has a reason",
        chunk("All of ") + chunk("it") + DONE,
        "All of it",
    ),
    StreamReport(
        "danny-avila/LibreChat#5563, BerriAI/liteLLM-proxy#19",
        "the place of the reason is absent until the last piece",
        chunk("All of ").replace(b', "finish_reason": null', b"") + chunk("it", "stop") + DONE,
        "All of it",
    ),
    StreamReport(
        "use-agent-os/agent-os#2214",
        "an error stands beside an empty piece with a reason of its own",
        chunk("Half of ")
        + chunk("", "error", error={"code": "server_error", "message": "Provider disconnected"})
        + DONE,
        "",
    ),
    StreamReport(
        "yoloyash/overtchat#40",
        "an error comes behind thoughts alone",
        chunk("Hm").replace(b'"content"', b'"reasoning_content"') + ERROR,
        "",
    ),
    StreamReport(
        "bigduu/Bamboo-agent#383",
        "an event is named an error, and its data is words",
        chunk("Half of ") + b"event: error\ndata: upstream closed\n\n" + DONE,
        "",
    ),
    StreamReport(
        "miruamel/xuan#194, Continuum-AI-Corp/OrcaRouter-Lite#98",
        "lines end in CR and LF",
        WHOLE.replace(b"\n", b"\r\n"),
        "All of it",
    ),
    StreamReport(
        "a2aproject/a2a-js#714, withastro/flue#215, hey-api/hey-api#3055",
        "lines end in CR alone",
        WHOLE.replace(b"\n", b"\r"),
        "All of it",
    ),
    StreamReport(
        "openai/openai-node#2309",
        "ends of lines are mixed",
        b"\r\n\r".join(WHOLE.split(b"\n\n")),
        "All of it",
    ),
    StreamReport(
        "elizaOS/eliza#19260, openai/openai-python#3819, vm0-ai/vm0#24687",
        "a byte order mark stands before the first event",
        b"\xef\xbb\xbf" + WHOLE,
        "All of it",
    ),
    StreamReport(
        "BerriAI/litellm#18842, farion1231/cc-switch#1923, astrid-runtime/astrid#171",
        "letters of several bytes are cut by pieces",
        chunk("무엇을 ") + raw_chunk("도와드릴까요? 😀") + chunk(None, "stop") + DONE,
        "무엇을 도와드릴까요? 😀",
    ),
    StreamReport(
        "SamSaffron/term-llm#454, profullstack/sh1pt#705",
        "one event stands on several lines of data",
        chunk("All of ").replace(b'"choices": [', b'"choices":\ndata: [') + chunk("it", "stop") + DONE,
        "All of it",
    ),
    StreamReport(
        "dataelement/Clawith#106",
        "no blank follows the field's name",
        WHOLE.replace(b"data: ", b"data:"),
        "All of it",
    ),
    StreamReport(
        "mnfst/llm-gateway#2053, anomalyco/opencode#50871, brainlid/langchain#568",
        "signs of life come as comments and as data",
        b": OPENROUTER PROCESSING\n\n" + chunk("All of ") + b"data: : keepalive\n\n\n\n" + chunk("it", "stop") + DONE,
        "All of it",
    ),
    StreamReport(
        "Routstr/routstr-core#543, tensorzero/tensorzero#2078",
        "usage comes within the last words, and behind the reason",
        chunk("All of it", "stop", usage={"total_tokens": 3}) + b'data: {"choices": [], "usage": {}}\n\n' + DONE,
        "All of it",
    ),
    StreamReport(
        "brave/brave-browser#52830, vllm-project/aibrix#2653",
        "a piece of JSON is lost between two others",
        chunk("Half of ") + b'data: {"choices": [{"delta": {"conte\n\n' + chunk(" it", "stop") + DONE,
        "",
    ),
    StreamReport(
        "epam/ai-dial-core#1646, Kong/kong#14893, Wei-Shaw/claude-relay-service#1027",
        "the stream is packed by gzip",
        gzip.compress(WHOLE),
        "All of it",
        EVENTS | {"Content-Encoding": "gzip"},
    ),
    StreamReport(
        "Wei-Shaw/claude-relay-service#1039",
        "the stream is packed, and no header says so",
        gzip.compress(WHOLE),
        "All of it",
    ),
    StreamReport(
        "open-webui/open-webui#23920, diegosouzapw/OmniRoute#2291",
        "a header says packed of a stream that is plain",
        WHOLE,
        "All of it",
        EVENTS | {"Content-Encoding": "gzip"},
    ),
    StreamReport(
        "praxis-proxy/ai#668",
        "the stream is packed by deflate, without zlib's frame",
        deflate(WHOLE),
        "All of it",
        EVENTS | {"Content-Encoding": "deflate"},
    ),
    StreamReport(
        "ChatGPTNextWeb/NextChat#3215",
        "the answer is packed in a way that cannot be read",
        b"\x1b\x2f\x00\xf8\x05",
        "",
        {"Content-Type": "application/json", "Content-Encoding": "br"},
        asks_for_stream=False,
    ),
    StreamReport(
        "vllm-project/vllm-ascend#6985, microsoft/foundry-dev-tools#195",
        "the stream is called JSON",
        WHOLE,
        "All of it",
        JSON,
    ),
    StreamReport(
        "containers/ramalama#2902",
        "the stream is called text",
        WHOLE,
        "All of it",
        {"Content-Type": "text/plain"},
    ),
    StreamReport(
        "headroomlabs-ai/headroom#3130, mxyhi/token_proxy#238",
        "a stream answers a request that asked for none",
        WHOLE,
        "All of it",
        asks_for_stream=False,
    ),
    StreamReport(
        "decolua/9router#3492",
        "a stream's mark of the end stands behind a document",
        DOCUMENT + b"data: [DONE]\n\n",
        "All of it",
        asks_for_stream=False,
    ),
    StreamReport(
        "SillyTavern/SillyTavern#4351",
        "blank lines come until the document does",
        b"\n\n\n" + DOCUMENT,
        "All of it",
        JSON,
        asks_for_stream=False,
    ),
    StreamReport(
        "0xPlaygrounds/rig#825, ollama/ollama#1728, code-yeongyu/oh-my-openagent#1122",
        "the answer is in Ollama's lines",
        LINES,
        "All of it",
        {"Content-Type": "application/x-ndjson"},
    ),
    StreamReport(
        "pepperoni21/ollama-rs#357",
        "an error ends Ollama's lines",
        LINES.splitlines(keepends=True)[0] + b'{"error": "an error was met"}\n',
        "",
        {"Content-Type": "application/x-ndjson"},
    ),
    StreamReport(
        "ollama/ollama-vscode#61",
        "Ollama's last line has a reason and no mark",
        LINES.replace(b'"done": true', b'"done_reason": "stop"'),
        "All of it",
        {"Content-Type": "application/x-ndjson"},
    ),
    StreamReport(
        "NousResearch/hermes-agent#12361, langgenius/dify#19289",
        "thoughts stand in tags before the answer",
        chunk("<think>Where") + chunk("?</think>\n\nAll of it", "stop") + DONE,
        "All of it",
    ),
    StreamReport(
        "langgenius/dify-official-plugins#1114, QwenLM/Qwen-Agent#640",
        "a document has thoughts in tags",
        DOCUMENT.replace(b"All", b"<think>Where?</think>All"),
        "All of it",
        JSON,
        asks_for_stream=False,
    ),
    StreamReport(
        "openclaw/openclaw#102334, anomalyco/opencode#43343",
        "the words stand in the field of a refusal",
        WHOLE.replace(b'"content"', b'"refusal"'),
        "All of it",
    ),
)
