"""Calls of models in OpenAI's form, by litellm's routes and over our own connections; all others through litellm.

Measured, CPU of one streamed call: docs/performance.md.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

import aiohttp
import msgspec

from actors.http_client.connections import (
    MOST_ANSWER_BYTES,
    BodyTooLargeError,
    Connections,
    headers_of,
    read_whole,
)
from actors.model.assembly import Assembly
from actors.model.backend import AttemptError, Completion, Heard
from actors.model.config import ModelConfig
from actors.model.conversation import Conversations
from actors.model.direct import completion_of, reported, usage_in
from actors.model.provider import LitellmBackend
from actors.model.route import Route
from actors.model.routes import Way, Ways
from actors.model.silence import Silence
from actors.model.sse import Chunk, EventStream, LineTooLongError
from actors.model.wire import tools_json, unsigned
from domain.policy.retrying import Fault, FaultKind, classify
from messages.model import ModelRequest, Usage

_REDIRECTIONS = frozenset({307, 308})
"""Those that ask for the same request elsewhere."""
_NO_ANSWERS = frozenset(range(300, 400)) - _REDIRECTIONS
LINGER_S = 0.2
"""After the last word of an answer."""
_BOM = b"\xef\xbb\xbf"


class RoutedBackend:
    """Backend that asks litellm once how a model is called, and then makes the calls itself.

    What litellm would send in another form than OpenAI's, or somewhere else than where it is told, litellm sends.
    """

    def __init__(self, config: ModelConfig, now: Callable[[], datetime]) -> None:
        """Nothing is asked or opened yet.

        Args:
            config: Which model, where it is, and the keys.
            now: Wall clock, aware UTC.
        """
        self._name = config.name
        self._idle_timeout_s = config.idle_timeout_s
        self._now = now
        self._ways = Ways(config)
        self._litellm = LitellmBackend(config, now)
        self._conversations = Conversations()
        self._connections = Connections()

    async def warm_up(self) -> None:
        """Ask for the way to the configured model; where there is none, import litellm. Either takes seconds."""
        if await self._ways.to(self._name) is None:
            await self._litellm.warm_up()

    async def close(self) -> None:
        """Close the connections."""
        await self._connections.close()
        await self._litellm.close()

    async def complete(self, model: str, request: ModelRequest, say: Heard) -> Completion:
        """Answer of the model.

        Raises:
            AttemptError: there is no answer; the error's fault has the reason.
        """
        way = await self._ways.to(model)
        completion = None if way is None else await self._call(way, request, say)
        return await self._litellm.complete(model, request, say) if completion is None else completion

    async def _call(self, way: Way, request: ModelRequest, say: Heard) -> Completion | None:
        """The answer; None where the server sends us elsewhere, whereto litellm follows without the key."""
        try:
            async with Silence(self._idle_timeout_s) as silence:
                silence.heard()
                messages = await self._conversations.messages(request, sees_images=way.route.sees_images)
                body = _body(way.route, request, messages)
                post = self._connections.post(way.route.address, body, way.headers, proxy=way.proxy)
                async with post as response:
                    if response.status in _REDIRECTIONS:
                        return None
                    if response.status in _NO_ANSWERS:  # of a network that wants to show its own page, say
                        raise AttemptError(Fault(FaultKind.UNREADABLE))
                    return await self._read(way.route, request, response, say, silence)
        except AttemptError:
            raise
        except TimeoutError as error:
            raise AttemptError(Fault(FaultKind.SLOW)) from error
        except Exception as error:
            raise AttemptError(self._fault(error)) from error

    async def _read(
        self,
        route: Route,
        request: ModelRequest,
        response: aiohttp.ClientResponse,
        say: Heard,
        silence: Silence,
    ) -> Completion:
        if response.status != 200:
            words = (await read_whole(response)).decode("utf-8", "replace")
            raise AttemptError(classify(("APIStatusError",), response.status, words, headers_of(response), self._now()))
        say.has_begun = True
        reading = _Reading(self._now, say)
        try:
            async for data in response.content.iter_any():
                silence.heard()
                reading.feed(data)
                if reading.is_done:
                    await _linger(response, reading)
                    break
            return reading.completion(route, request)
        finally:
            say.usage = reading.usage(route)

    def _fault(self, error: Exception) -> Fault:
        if isinstance(error, LineTooLongError | BodyTooLargeError):
            return Fault(FaultKind.UNREADABLE)
        names = [kind.__name__ for kind in type(error).__mro__]
        return classify(names, None, str(error), {}, self._now())


class _Reading:
    """Answer in the making: events, or the JSON of a server that streams nothing, whatever it calls either."""

    def __init__(self, now: Callable[[], datetime], say: Heard) -> None:
        self._now = now
        self._say = say
        self._events = EventStream()
        self._size = 0
        self._body = bytearray()
        """All that came, as long as it may be JSON."""
        self._is_stream = False
        self._assembly = Assembly()
        self._usage: object = None
        self._choices = 0

    @property
    def is_done(self) -> bool:
        """True if the server has announced the end."""
        return self._events.is_done

    def feed(self, data: bytes) -> None:
        """Take in bytes of a stream.

        Raises:
            AttemptError: there are too many, or among them is the server's report of an error.
        """
        self._size += len(data)
        if self._size > MOST_ANSWER_BYTES:
            raise AttemptError(Fault(FaultKind.UNREADABLE))
        if self._is_stream:
            self._take(self._events.feed(data))
            return
        is_begun = bool(self._body)
        self._body += data
        if not is_begun:
            self._body = self._body.lstrip()
        if self._body.startswith((b"{", _BOM + b"{")) or _BOM.startswith(self._body):
            return
        self._is_stream = True
        self._take(self._events.feed(bytes(self._body.removeprefix(_BOM))))
        self._body.clear()

    def _take(self, chunks: list[Chunk]) -> None:
        assembly = self._assembly
        for chunk in chunks:
            if (error := chunk.reported()) and not (self.is_done and assembly.finish_reason):
                raise AttemptError(reported(error, self._now()))
            self._usage = chunk.usage or self._usage
            for choice in chunk.choices or ():
                self._choices += 1
                if choice.finish_reason:
                    assembly.finish_reason = str(choice.finish_reason)
                delta = choice.delta or choice.message
                if delta is None:
                    continue
                if piece := assembly.add_text(delta.content):
                    self._say(piece)
                for call in delta.tool_calls if isinstance(delta.tool_calls, list) else ():
                    assembly.add_call(call)

    def usage(self, route: Route) -> Usage | None:
        """Usage reported by the server so far; None if not reported."""
        if self._usage is None and not self._is_stream:
            return usage_in(bytes(self._body.removeprefix(_BOM)), route.usage)
        return route.usage(self._usage) if isinstance(self._usage, dict) else None

    def completion(self, route: Route, request: ModelRequest) -> Completion:
        """The whole answer.

        Raises:
            AttemptError: it has no end, or is the server's report of an error.
        """
        if not self._is_stream:
            body = bytes(self._body.removeprefix(_BOM))
            try:
                return completion_of(body, request, route.usage, self._now())
            except AttemptError as error:
                if error.fault.kind is not FaultKind.UNREADABLE:
                    raise
            self._take(self._events.feed(body))  # chunks in lines of their own
        self._take(self._events.end())
        assembly = self._assembly
        if not assembly.finish_reason:
            raise AttemptError(Fault(FaultKind.CUT_OFF if self._choices else FaultKind.UNREADABLE))
        return Completion(
            assembly.text,
            assembly.tool_calls(request.request_id),
            assembly.stop_reason(),
            route.usage(self._usage),
        )


async def _linger(response: aiohttp.ClientResponse, reading: _Reading) -> None:
    """Wait a little for the end of a response that is complete, for a connection can be used again only then."""
    with contextlib.suppress(TimeoutError, aiohttp.ClientError, OSError, AttemptError, LineTooLongError):
        async with asyncio.timeout(LINGER_S):
            while not response.content.at_eof():
                reading.feed(await response.content.readany())


def _body(route: Route, request: ModelRequest, messages: list[dict[str, Any]]) -> bytes:
    """A request as litellm would send it: without what is null."""
    told = messages if "gemini" in route.model.lower() else unsigned(messages)
    said = [
        message if message["content"] is not None else {name: message[name] for name in message if name != "content"}
        for message in told
    ]
    body: Mapping[str, object] = {"model": route.model, "messages": said, **route.fields_without_tools}
    if request.tools:
        body = {"model": route.model, "messages": said, "tools": tools_json(request.tools), **route.fields}
    return msgspec.json.encode(body)
