"""Program that asks litellm where it would send requests to a model, and in which form; nothing is sent.

The program runs in a process of its own, so that the caller need not load litellm (140 MB). The input has names of keys
but no key: a placeholder marks the place of a key in the answer.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
import math
import os
import re
import signal
import socket
import sys
import warnings
from typing import Any, NoReturn

import msgspec

from actors.linux import syscall
from actors.model.provider import ENVIRONMENT, fixed_arguments, key_for
from actors.model.question import Question
from actors.model.route import Route, Tier, cost_usd, has_placeholder, placeholder

SHAPED = frozenset(
    {
        "openai",
        "hosted_vllm",
        "azure",
        "cerebras",
        "deepseek",
        "groq",
        "litellm_proxy",
        "llamafile",
        "lm_studio",
        "openrouter",
        "together_ai",
        "xai",
    }
)
"""Providers that answer in OpenAI's chunks, so that nothing is lost where litellm does not read them."""
_TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "bash",
            "description": "Runs it.",
            "parameters": {
                "type": "object",
                "properties": {"command": {"type": "string", "description": "What."}},
                "required": ["command"],
            },
        },
    }
]
_CALL = {"id": "call_1", "type": "function", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}
_WITH_TOOLS: list[dict[str, Any]] = [
    {"role": "system", "content": "s"},
    {"role": "user", "content": "u"},
    {"role": "assistant", "content": None, "tool_calls": [_CALL]},
    {"role": "tool", "content": "t", "tool_call_id": "call_1"},
    {"role": "assistant", "content": "a", "tool_calls": [_CALL | {"id": "call_2"}]},
    {"role": "tool", "content": "", "tool_call_id": "call_2"},
    {"role": "assistant", "content": "a"},
    {"role": "user", "content": "u"},
    {"role": "user", "content": "v"},
]
_WITHOUT: list[dict[str, Any]] = [
    {"role": "system", "content": "s"},
    {"role": "user", "content": "u"},
    {"role": "assistant", "content": "a"},
    {"role": "user", "content": ""},
]
_IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
_LOOK = {"role": "user", "content": [{"type": "text", "text": "u"}, _IMAGE]}
"""Conversations in every form that `wire` gives to one."""
_HOP = frozenset({"host", "accept", "accept-encoding", "connection", "content-length", "content-type"})
_ABOVE = re.compile(r"_above_([0-9]+)k_tokens$")
_SCALE = 1000


class _SentError(Exception):
    """The request that litellm was about to send; nothing waits for its answer."""

    def __init__(self, request: Any) -> None:
        super().__init__("a request was recorded")
        self.request = request


class _NotShapedError(Exception):
    """Requests to the model are not simply OpenAI's; the text says why."""


def main() -> None:
    """Read a question from stdin and write the route, or null, to stdout."""
    _end_with(int(sys.argv[2]))
    question = msgspec.json.decode(sys.stdin.buffer.read(), type=Question)
    os.environ.clear()
    os.environ.update(question.environment)
    os.environ.update(ENVIRONMENT)
    answer, sys.stdout = sys.stdout, sys.stderr
    _cut_off()
    try:
        route = asyncio.run(_route(question))
    except _NotShapedError as reason:
        sys.stderr.write(f"{reason}\n")
        route = None
    answer.buffer.write(msgspec.json.encode(route))
    answer.flush()
    os._exit(0)  # litellm leaves threads behind that a normal end would wait for


def _end_with(parent: int) -> None:
    """Be killed with the process that asks, which may itself be killed at any moment."""
    if sys.platform == "linux":
        syscall.prctl(syscall.PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)


def _cut_off() -> None:
    """Let no code of this process reach the network: some of litellm's providers would ask theirs at once."""

    def refuse(*_: object, **__: object) -> NoReturn:
        raise OSError("this process has no network")

    socket.getaddrinfo = refuse
    socket.create_connection = refuse
    socket.socket.connect = refuse  # type: ignore[method-assign]
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)


async def _route(question: Question) -> Route:
    import httpx
    import litellm

    litellm.suppress_debug_info = True
    sent: list[httpx.Request] = []

    async def record(_client: object, request: httpx.Request, **_: object) -> NoReturn:
        sent.append(request)
        raise _SentError(request)

    httpx.AsyncClient.send = record  # type: ignore[assignment,method-assign]
    try:
        provider = litellm.get_llm_provider(question.model)[1]
        sees_images = bool(litellm.supports_vision(model=question.model))
    except Exception as error:  # noqa: BLE001 - whatever it is, litellm will say it again to a person
        raise _NotShapedError(f"litellm does not know it: {type(error).__name__}") from None
    if provider not in SHAPED:
        raise _NotShapedError(f"answers of {provider} are not OpenAI's")
    look = [_LOOK] if sees_images else []
    with_tools = await _recorded(litellm, question, sent, [*_WITH_TOOLS, *look], _TOOLS)
    without = await _recorded(litellm, question, sent, [*_WITHOUT, *look], None)
    if with_tools[:3] != without[:3]:
        raise _NotShapedError("tools change more than the request's fields")
    address, headers, model, fields = with_tools
    return Route(
        address=address,
        headers=headers,
        model=model,
        fields=fields,
        fields_without_tools=without[3],
        sees_images=sees_images,
        tiers=_tiers(litellm, question.model),
    )


async def _recorded(
    library: Any,
    question: Question,
    sent: list[Any],
    messages: list[dict[str, Any]],
    tools: list[dict[str, Any]] | None,
) -> tuple[str, dict[str, str], str, dict[str, object]]:
    """Address, headers, model and further fields of what litellm sends for a conversation.

    Raises:
        _NotShapedError: the conversation is not in it as it was given.
    """
    keys = {name: placeholder(name) for name in question.key_names}
    arguments = fixed_arguments(question.model, 300.0) | {"messages": json.loads(json.dumps(messages))}
    if tools is not None:
        arguments["tools"] = json.loads(json.dumps(tools))
    if question.api_base:
        arguments["api_base"] = question.api_base
    if key := key_for(library, question.model, keys, is_own_server=bool(question.api_base)):
        arguments["api_key"] = key
    sent.clear()
    try:
        await library.acompletion(**arguments)
    except Exception as error:  # noqa: BLE001 - the one of `record`, however litellm has wrapped it
        if not sent:
            raise _NotShapedError(f"litellm sends nothing: {type(error).__name__}") from None
    if len(sent) != 1:
        raise _NotShapedError(f"litellm sends {len(sent)} requests")
    return _read(sent[0], [_without_none(message) for message in messages], tools)


def _read(
    request: Any, messages: list[dict[str, Any]], tools: list[dict[str, Any]] | None
) -> tuple[str, dict[str, str], str, dict[str, object]]:
    address, text = str(request.url), request.read().decode()
    try:
        body = json.loads(text)
    except ValueError:
        raise _NotShapedError("the request is no JSON") from None
    if not isinstance(body, dict) or body.pop("messages", None) != messages or body.pop("tools", None) != tools:
        raise _NotShapedError("the conversation is changed")
    model = body.pop("model", None)
    if request.method != "POST" or not isinstance(model, str) or has_placeholder(address) or has_placeholder(text):
        raise _NotShapedError("the request has another form")
    headers = {name.lower(): value for name, value in request.headers.items() if name.lower() not in _HOP}
    return address, headers, model, body


def _without_none(message: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in message.items() if value is not None}


def _tiers(library: Any, model: str) -> tuple[Tier, ...]:
    """The prices, as far as tiers can say them.

    Raises:
        _NotShapedError: they can't.
    """
    prices = library.model_cost.get(model) or library.model_cost.get(model.partition("/")[2])
    if prices is None:
        return ()

    def cost_of(prompt: int, completion: int, cached: int = 0) -> tuple[float, float]:
        try:
            costs = library.cost_per_token(
                model=model, prompt_tokens=prompt, completion_tokens=completion, cache_read_input_tokens=cached
            )
        except Exception as error:  # noqa: BLE001 - litellm will say it again
            raise _NotShapedError(f"litellm cannot price it: {type(error).__name__}") from None
        return float(costs[0]), float(costs[1])

    limits = sorted({int(number[1]) * _SCALE for name in prices if (number := _ABOVE.search(name))})
    tiers = []
    for limit in (0, *limits):
        prompt = limit + _SCALE
        of_prompt, of_completion = cost_of(prompt, _SCALE)
        of_cached, _ = cost_of(prompt, 0, prompt)
        tiers.append(Tier(limit, of_prompt / prompt, of_completion / _SCALE, of_cached / prompt))
    found = tuple(tiers)
    for prompt in (0, 1, 999, *(limit + more for limit in limits for more in (-1, 0, 1, limit)), 3_000_000):
        for completion, cached in itertools.product((0, 1, 100_000), (0, prompt // 3, prompt)):
            theirs, ours = sum(cost_of(prompt, completion, cached)), cost_usd(found, prompt, completion, cached)
            if not math.isclose(theirs, ours, rel_tol=1e-9, abs_tol=1e-15):
                raise _NotShapedError("its price is none of so much a token")
    return found


if __name__ == "__main__":
    main()
