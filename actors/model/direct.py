"""Calls of a server that speaks OpenAI's form, by its address: whole answers, without litellm."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import msgspec

from actors.model.assembly import Assembly
from actors.model.backend import AttemptError, Completion
from actors.model.wire import messages_of, tools_of, without_tool_calls
from domain.policy.retrying import Fault, FaultKind, classify
from messages.model import ModelRequest, Usage

MOST_ANSWER_BYTES = 8 * 1024 * 1024


class _Usage(msgspec.Struct):
    prompt_tokens: int | float | None = None
    completion_tokens: int | float | None = None


class _Message(msgspec.Struct):
    content: object = None
    tool_calls: list[dict[str, Any]] | None = None


class _Choice(msgspec.Struct):
    message: _Message
    finish_reason: str | None = None


class _Answer(msgspec.Struct):
    choices: list[_Choice]
    usage: _Usage | None = None


_DECODER = msgspec.json.Decoder(_Answer)


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
        self._session: aiohttp.ClientSession | None = None

    async def warm_up(self) -> None:
        """Nothing is slow here."""

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def complete(self, model: str, request: ModelRequest, say: Callable[[str], None]) -> Completion:  # noqa: ARG002
        """The server's answer, all at once.

        Raises:
            AttemptError: there is none.
        """
        try:
            async with asyncio.timeout(self._timeout_s):
                status, headers, data = await self._post(model, request)
        except AttemptError:
            raise
        except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
            names = [kind.__name__ for kind in type(error).__mro__]
            raise AttemptError(classify(names, None, str(error), {}, self._now())) from error
        if status != 200:
            words = data[:4_000].decode("utf-8", "replace")
            raise AttemptError(classify(("APIStatusError",), status, words, headers, self._now()))
        return self._completion(data, request)

    async def _post(self, model: str, request: ModelRequest) -> tuple[int, dict[str, str], bytes]:
        if urlsplit(request.api_base).scheme not in ("http", "https"):
            raise AttemptError(Fault(FaultKind.NOT_FOUND))
        plain = without_tool_calls(request)
        body: dict[str, Any] = {"model": model, "messages": messages_of(plain)}
        if plain.tools:
            body["tools"] = tools_of(plain.tools)
        headers = {"Content-Type": "application/json", "Accept-Encoding": "identity"}
        if key := self._api_keys.get(request.key_name, ""):
            headers["Authorization"] = f"Bearer {key}"
        address = f"{request.api_base.rstrip('/')}/chat/completions"
        async with self._open_session().post(
            address, data=msgspec.json.encode(body), headers=headers, allow_redirects=False
        ) as response:
            data = bytearray()
            async for chunk in response.content.iter_any():
                data += chunk
                if len(data) > MOST_ANSWER_BYTES:
                    raise AttemptError(Fault(FaultKind.UNREADABLE))
            return response.status, {name.lower(): value for name, value in response.headers.items()}, bytes(data)

    def _open_session(self) -> aiohttp.ClientSession:
        if self._session is None:
            connector = aiohttp.TCPConnector(limit=0)
            self._session = aiohttp.ClientSession(
                connector=connector, timeout=aiohttp.ClientTimeout(total=None), trust_env=True
            )
        return self._session

    @staticmethod
    def _completion(data: bytes, request: ModelRequest) -> Completion:
        try:
            answer = _DECODER.decode(data)
            choice = answer.choices[0]
        except (msgspec.MsgspecError, UnicodeDecodeError, IndexError, RecursionError) as error:
            raise AttemptError(Fault(FaultKind.UNREADABLE)) from error
        assembly = Assembly()
        assembly.finish_reason = choice.finish_reason or "stop"
        assembly.add_text(choice.message.content)
        for place, call in enumerate(choice.message.tool_calls or ()):
            assembly.add_call({"index": place} | call)
        counted = answer.usage or _Usage()
        usage = Usage(
            prompt_tokens=int(counted.prompt_tokens or 0), completion_tokens=int(counted.completion_tokens or 0)
        )
        calls = assembly.tool_calls(request.request_id)
        return Completion(assembly.text, calls, assembly.stop_reason(), usage)
