"""Calls of a server that speaks OpenAI's form, by its address: whole answers, without litellm."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import msgspec

from actors.http_client.connections import BodyTooLargeError, Connections, headers_of, read_whole
from actors.model.assembly import Assembly
from actors.model.backend import AttemptError, Completion, Heard
from actors.model.sse import Report
from actors.model.wire import messages_of, tools_json, without_tool_calls
from domain.policy.retrying import REFUSED, Fault, FaultKind, classify
from domain.policy.spending import stated_usage
from messages.base import make_ready
from messages.model import ModelRequest, Usage

_RULE = "must begin with http:// or https:// and name a host, without user, query, fragment or spaces"
_USER = re.compile(r"//.*@")
_MOST_USD = 10**12
_STATUS = re.compile("[45][0-9]{2}")
_REFUSAL = re.compile(r"invalid.?(request|argument|param)|bad.?request|validation", re.IGNORECASE)
"""Name of an error's type, where the server's status would have been 400."""
_STATUS_OF_ERRORS = 500
"""Of an error in an answer that names no status of its own."""


class _Message(msgspec.Struct):
    content: object = None
    tool_calls: object = None


class _Choice(msgspec.Struct):
    message: _Message
    finish_reason: object = None


class _Answer(Report):
    choices: list[_Choice] | None = None
    usage: object = None


_DECODER = msgspec.json.Decoder(_Answer)


def refusal_of(api_base: str) -> str:
    """Why no server can be called at an address; empty where one may be. Holds no password."""
    try:
        parts = urlsplit(api_base)
        fits = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        fits = False
    if fits and api_base.isprintable() and not re.search(r"[\s?#@\\]", api_base):
        return ""
    return f"api_base {_USER.sub('//…@', api_base)[:200]!r} {_RULE}"


class DirectBackend:
    """Backend of requests that name a server themselves (`ModelRequest.api_base`)."""

    def __init__(self, api_keys: Mapping[str, str], timeout_s: float, now: Callable[[], datetime]) -> None:
        """Nothing is opened yet.

        Args:
            api_keys: By the name that a request gives.
            timeout_s: Longest wait for one answer.
            now: Wall clock, aware UTC.
        """
        self._api_keys = api_keys
        self._timeout_s = timeout_s
        self._now = now
        self._connections = Connections()

    async def warm_up(self) -> None:
        """Nothing is slow here."""

    async def close(self) -> None:
        """Close the connections."""
        await self._connections.close()

    async def complete(self, model: str, request: ModelRequest, say: Heard) -> Completion:
        """The server's answer, all at once.

        Raises:
            AttemptError: there is none.
        """
        try:
            body = _body(model, request)
        except ValueError as error:
            raise AttemptError(Fault(FaultKind.UNKNOWN, type_name=type(error).__name__)) from error
        try:
            async with asyncio.timeout(self._timeout_s):
                status, headers, data = await self._post(request, body)
                say.has_begun = status == 200
        except BodyTooLargeError as error:
            raise AttemptError(Fault(FaultKind.UNREADABLE)) from error
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise AttemptError(self._fault(error)) from error
        if status != 200:
            words = data.decode("utf-8", "replace")
            raise AttemptError(classify(("APIStatusError",), status, words, headers, self._now()))
        say.usage = usage_in(data, _usage)
        return completion_of(data, request, _usage, self._now())

    async def _post(self, request: ModelRequest, body: bytes) -> tuple[int, dict[str, str], bytes]:
        key = self._api_keys.get(request.key_name, "")
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        address = f"{request.api_base.rstrip('/')}/chat/completions"
        async with self._connections.post(address, body, headers) as response:
            data = await read_whole(response)
            return response.status, headers_of(response), data

    def _fault(self, error: Exception) -> Fault:
        names = [kind.__name__ for kind in type(error).__mro__]
        return classify(names, None, str(error), {}, self._now())


def _body(model: str, request: ModelRequest) -> bytes:
    """A request in OpenAI's form.

    Raises:
        ValueError: something of it cannot be said in JSON.
    """
    plain = without_tool_calls(request)
    body: dict[str, Any] = {"model": model, "messages": messages_of(plain)}
    if plain.tools:
        body["tools"] = tools_json(plain.tools)
    return msgspec.json.encode(body)


def completion_of(data: bytes, request: ModelRequest, usage_of: Callable[[object], Usage], now: datetime) -> Completion:
    """An answer that came as a whole.

    Raises:
        AttemptError: it is none, or the server's report of an error, which is told if it names a status.
    """
    try:
        answer = _DECODER.decode(data)
        if not answer.choices and (error := answer.fields()):
            fault = reported(error, now)
            if _status_in(error) or fault.kind in REFUSED:
                raise AttemptError(fault)
        choice = (answer.choices or [])[0]
    except (msgspec.MsgspecError, UnicodeDecodeError, IndexError, RecursionError) as error:
        raise AttemptError(Fault(FaultKind.UNREADABLE)) from error
    assembly = Assembly()
    assembly.finish_reason = choice.finish_reason if isinstance(choice.finish_reason, str) else "stop"
    assembly.add_text(choice.message.content)
    calls = choice.message.tool_calls
    for place, call in enumerate(calls if isinstance(calls, list) else ()):
        if isinstance(call, dict):
            assembly.add_call(call | {"index": place})  # some servers number all of them 0
    tool_calls = assembly.tool_calls(request.request_id)
    return Completion(assembly.text, tool_calls, assembly.stop_reason(), usage_of(answer.usage))


def usage_in(data: bytes, usage_of: Callable[[object], Usage]) -> Usage | None:
    """Usage in a whole answer, whatever else the answer holds; None without usage."""
    try:
        counted = _DECODER.decode(data).usage
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    return usage_of(counted) if isinstance(counted, dict) else None


def reported(error: object, now: datetime) -> Fault:
    """The fault that a server reports in an answer whose status is well."""
    words = error if isinstance(error, str) else msgspec.json.encode(error).decode()
    return classify(("APIStatusError",), _status_in(error) or _STATUS_OF_ERRORS, words, {}, now)


def _status_in(error: object) -> int:
    """The HTTP status that a server's report of an error names as its code, or by its type; 0 for none."""
    said = error if isinstance(error, dict) else {}
    code = str(said.get("code"))
    if _STATUS.fullmatch(code):
        return int(code)
    return 400 if _REFUSAL.search(f"{code} {said.get('type')} {said.get('status')}") else 0


def _usage(counted: object) -> Usage:
    """Usage reported by the server, with the cost that some servers report."""
    cost = counted.get("cost") if isinstance(counted, dict) else None
    return msgspec.structs.replace(stated_usage(counted), cost_usd=_dollars(cost))


def _dollars(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0.0
    return float(value) if 0 <= value < _MOST_USD else 0.0


make_ready(__name__)
