"""Calls of models in OpenAI's form over own connections; all others through litellm.

Measured, CPU of one streamed call: docs/performance.md.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
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
from actors.model.answer import completion_of, reported_fault, usage_in
from actors.model.assembly import Assembly
from actors.model.backend import AttemptError, Completion, Heard
from actors.model.config import ModelConfig
from actors.model.conversation import Conversations
from actors.model.provider import LitellmBackend
from actors.model.route import Route, named_route
from actors.model.routes import Routes
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

    litellm makes the calls of models in another form than OpenAI's, and follows redirections. A request that names its
    server goes there and nowhere else.
    """

    def __init__(self, config: ModelConfig, now: Callable[[], datetime], routes: Routes | None = None) -> None:
        """Nothing is asked or opened yet.

        Args:
            config: Which model, where it is, and the keys.
            now: Wall clock, aware UTC.
            routes: Routes to models; None for those of the configuration.
        """
        self._config = config
        self._now = now
        self._routes = routes or Routes(config)
        self._litellm = LitellmBackend(config, now)
        self._conversations = Conversations()
        self._connections = Connections()

    async def warm_up(self) -> None:
        """Find the route to the configured model; where there is none, import litellm. Either takes seconds."""
        if await self._routes.find(self._config.name) is None:
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
        if request.api_base:
            key = self._config.api_keys.get(request.key_name, "")
            route: Route | None = named_route(model, request.api_base, key)
        else:
            route = await self._routes.find(model)
        completion = None if route is None else await self._call(route, request, say)
        return await self._litellm.complete(model, request, say) if completion is None else completion

    async def _call(self, route: Route, request: ModelRequest, say: Heard) -> Completion | None:
        """The answer; None for a redirection, which litellm follows without the key."""
        try:
            async with Silence(self._config.idle_timeout_s) as silence:
                silence.heard()
                messages = await self._conversations.messages(request, sees_images=route.sees_images)
                body = _body(route, request, messages)
                async with self._connections.post(route.address, body, route.headers, proxy=route.proxy) as response:
                    if response.status in _REDIRECTIONS and not request.api_base:
                        return None
                    if response.status in _NO_ANSWERS:  # of a network that wants to show its own page, say
                        raise AttemptError(Fault(FaultKind.UNREADABLE))
                    # A whole answer has one deadline, however many signs of life come.
                    heard = (lambda: None) if request.api_base else silence.heard
                    return await self._read(route, request, response, say, heard)
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
        heard: Callable[[], None],
    ) -> Completion:
        if response.status != 200:
            words = (await read_whole(response)).decode("utf-8", "replace")
            raise AttemptError(classify(("APIStatusError",), response.status, words, headers_of(response), self._now()))
        say.has_begun = True
        reading = _Reading(self._now, say)
        try:
            async for data in response.content.iter_any():
                heard()
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
            if (error := chunk.reported_error()) and not (self.is_done and assembly.finish_reason):
                raise AttemptError(reported_fault(error, self._now()))
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
                if error.fault.kind is not FaultKind.UNREADABLE or request.api_base:
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
    """A request; without null where litellm would leave it out.

    Raises:
        AttemptError: a part of the request cannot be said in JSON.
    """
    if not request.api_base:
        messages = messages if "gemini" in route.model.lower() else unsigned(messages)
        messages = [
            {name: value for name, value in message.items() if name != "content" or value is not None}
            for message in messages
        ]
    try:
        tools = {"tools": tools_json(request.tools)} if request.tools else {}
        return msgspec.json.encode({"model": route.model, "messages": messages, **tools, **route.fields})
    except ValueError as error:
        raise AttemptError(Fault(FaultKind.UNKNOWN, type_name=type(error).__name__)) from error
