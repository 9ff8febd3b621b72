"""Calls of models in OpenAI's form over own connections; all other calls through litellm."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import datetime
from typing import Any
from urllib.parse import urljoin, urlsplit

import aiohttp
import msgspec

from actors.http_client.bounded_answers import shown_host
from actors.http_client.connections import MOST_ANSWER_BYTES, Connections, headers_of, read_whole
from actors.http_client.pacing import Pace
from actors.model.answer import MOST_CHARS, beyond_bound, bound_fault, completion_of, reported_fault, require_room
from actors.model.backend import AttemptError, AttemptProgress
from actors.model.config import ModelConfig
from actors.model.conversation import Conversations
from actors.model.provider import LitellmBackend
from actors.model.route import Route, named_route
from actors.model.routes import Routes
from actors.model.silence import Silence
from actors.model.wire import fit_ids, tools_json, without_signatures
from domain.policy.model_call.caching import cache_key, is_repeated
from domain.policy.model_call.fallbacks import Abilities
from domain.policy.model_call.thoughts_back import give_back
from domain.policy.retrying import Fault, FaultKind, classify
from domain.text.answer.events import LineTooLongError
from domain.text.answer.stream import AnswerStream
from messages.model import Completion, ModelRequest, Usage, is_local

_REDIRECTIONS = frozenset({307, 308})
"""Redirections to the same request elsewhere."""
MOST_REDIRECTIONS = 3
_NO_ANSWERS = frozenset(range(300, 400)) - _REDIRECTIONS
MOST_BARREN_BYTES = 10 * 1024 * 1024
"""Bytes of a stream without a word, thought or call: more than the longest line of an answer."""
LINGER_S = 0.2
"""After the last word of an answer."""


class RoutedBackend:
    """Backend that asks litellm once for the route of a model, and then makes the calls itself.

    litellm makes the calls of models in another form than OpenAI's. A redirection is followed on the same server alone,
    since key and conversation go along. A request that names its server goes there and to no other server.
    """

    def __init__(
        self,
        config: ModelConfig,
        now: Callable[[], datetime],
        routes: Routes | None = None,
        local: Callable[[str], Awaitable[Route]] | None = None,
    ) -> None:
        """Begin without routes and connections.

        Args:
            config: Model, its address, and the keys.
            now: Wall clock, aware UTC.
            routes: Routes to models; None for the routes of the configuration.
            local: Gives the route to a model on this machine, `local/...`; None without local models.
        """
        self._config = config
        self._now = now
        self._routes = routes or Routes(config)
        self._local = local
        self._litellm = LitellmBackend(config, now)
        self._conversations = Conversations()
        self._connections = Connections()
        self._pace = Pace()

    async def warm_up(self) -> None:
        """Find the route to the configured model, or start the model; without a route, import litellm.

        Takes seconds.
        """
        if await self._find(self._config.name) is None:
            await self._litellm.warm_up()

    async def close(self) -> None:
        """Close the connections."""
        await self._connections.close()
        await self._litellm.close()

    async def complete(self, model: str, request: ModelRequest, say: AttemptProgress) -> Completion:
        """Answer of the model.

        Raises:
            AttemptError: there is no answer; the error's fault has the reason.
        """
        if request.api_base:
            key = self._config.api_keys.get(request.key_name, "")
            route: Route | None = named_route(model, request.api_base, key)
        else:
            route = await self._find(model)
        if route is None:
            return await self._litellm.complete(model, request, say)
        return await self._call(route, request, say)

    async def abilities(self, model: str) -> Abilities:
        """Abilities of a model by its listing."""
        listing = None if is_local(model) else await self._routes.listing(model)
        return Abilities() if listing is None else Abilities(listing.calls_tools, listing.sees_images)

    async def _find(self, model: str) -> Route | None:
        if self._local is not None and is_local(model):
            return await self._local(model)
        return await self._routes.find(model)

    async def _call(self, route: Route, request: ModelRequest, say: AttemptProgress) -> Completion:
        silence = Silence(self._config.idle_timeout_s, self._config.longest_without_content_s)
        try:
            async with silence:
                silence.hear()
                messages = await self._conversations.messages(request, sees_images=route.sees_images)
                body = _body(route, request, messages)
                address = route.address
                for _ in range(MOST_REDIRECTIONS + 1):
                    async with self._connections.post(address, body, route.headers) as response:
                        if response.status in _REDIRECTIONS and not request.api_base:
                            address = _moved_to(address, response)
                            continue
                        if response.status in _NO_ANSWERS:  # of a network that wants to show its own page, say
                            raise AttemptError(Fault(FaultKind.UNREADABLE))
                        # A whole answer has one deadline, however many signs of life come.
                        on_read = None if request.api_base else silence
                        return await self._read(route, request, response, say, on_read)
                reason = f"the model's server redirects more than {MOST_REDIRECTIONS} times, the most that are followed"
                raise AttemptError(beyond_bound(reason))
        except AttemptError:
            raise
        except TimeoutError as error:
            raise AttemptError(Fault(FaultKind.IDLE_STREAM if silence.lacks_content else FaultKind.SLOW)) from error
        except Exception as error:
            raise AttemptError(self._fault(error)) from error

    async def _read(
        self,
        route: Route,
        request: ModelRequest,
        response: aiohttp.ClientResponse,
        say: AttemptProgress,
        silence: Silence | None,
    ) -> Completion:
        if response.status != 200:
            words = (await read_whole(response)).decode("utf-8", "replace")
            raise AttemptError(classify(("APIStatusError",), response.status, words, headers_of(response), self._now()))
        say.has_begun = True
        reading, pieces = _Reading(self._now, say), self._pace.pieces(response.content.iter_any())
        try:
            async with contextlib.aclosing(pieces):
                async for data in pieces:
                    had = reading.size
                    reading.feed(data)
                    if silence is not None:
                        silence.hear(has_content=reading.size > had)
                    if reading.is_done:
                        await _linger(pieces, reading)
                        break
            return reading.completion(route, request)
        finally:
            say.usage = reading.usage(route)

    def _fault(self, error: Exception) -> Fault:
        if (fault := bound_fault(error)) is not None:
            return fault
        names = [kind.__name__ for kind in type(error).__mro__]
        return classify(names, None, str(error), {}, self._now())


class _Reading:
    """Answer in the making, with bounds and faults."""

    def __init__(self, now: Callable[[], datetime], say: AttemptProgress) -> None:
        self._now = now
        self._answer = AnswerStream(say, most_chars=MOST_CHARS)
        self._bytes = 0
        self._barren_bytes = 0
        """Since the last word, thought or call."""

    @property
    def is_done(self) -> bool:
        """True if the server has announced the end."""
        return self._answer.is_done

    @property
    def size(self) -> int:
        """Number of pieces with content."""
        return self._answer.assembly.size

    def feed(self, data: bytes) -> None:
        """Take in bytes of a stream.

        Raises:
            AttemptError: there are too many, or among them is the server's report of an error.
        """
        self._bytes += len(data)
        if self._bytes > MOST_ANSWER_BYTES:
            reason = (
                f"the model's server sent an answer of more than {MOST_ANSWER_BYTES:,} bytes, the most that are read"
            )
            raise AttemptError(beyond_bound(reason))
        had = self.size
        self._answer.feed(data)
        self._barren_bytes = self._barren_bytes + len(data) if self.size == had else 0
        if self._answer.is_stream and self._barren_bytes > MOST_BARREN_BYTES:
            reason = (
                f"the model's server sent more than {MOST_BARREN_BYTES:,} bytes without a word, the most that are read"
            )
            raise AttemptError(beyond_bound(reason))
        require_room(self._answer.assembly)
        self._check()

    def _check(self) -> None:
        if self._answer.error:
            raise AttemptError(reported_fault(self._answer.error, self._now()))

    def usage(self, route: Route) -> Usage | None:
        """Usage reported by the server so far; None if not reported."""
        return route.usage(self._answer.usage) if isinstance(self._answer.usage, dict) else None

    def completion(self, route: Route, request: ModelRequest) -> Completion:
        """The whole answer.

        Raises:
            AttemptError: the answer has no end, or is the server's report of an error.
        """
        answer = self._answer
        answer.end()
        self._check()
        assembly = answer.assembly
        if not answer.tells_reasons and answer.is_done and answer.choices and answer.usage:
            assembly.finish_reason = "stop"  # of a server that tells no reasons: it has counted and announced the end
        if not assembly.has_ended:
            raise AttemptError(Fault(FaultKind.CUT_OFF if answer.choices else FaultKind.UNREADABLE))
        return completion_of(assembly, request, route.usage(answer.usage))


async def _linger(pieces: AsyncIterator[bytes], reading: _Reading) -> None:
    """Wait a little for the end of a response that is complete, for a connection can be used again only then."""
    with contextlib.suppress(TimeoutError, aiohttp.ClientError, OSError, AttemptError, LineTooLongError):
        async with asyncio.timeout(LINGER_S):
            async for data in pieces:
                reading.feed(data)


def _moved_to(address: str, response: aiohttp.ClientResponse) -> str:
    """The redirection address of a response, on the same server; also on the same host over TLS.

    Raises:
        AttemptError: another server would get the key and the conversation.
    """
    location = response.headers.get("Location", "")
    try:
        target = urljoin(address, location)
        here, there = urlsplit(address), urlsplit(target)
        is_same = (here.scheme, here.netloc) == (there.scheme, there.netloc)
        is_secured = (here.scheme, there.scheme) == ("http", "https") and here.hostname == there.hostname
        is_secured = is_secured and there.port in (None, 443) and there.username is None
    except ValueError:
        target, is_same, is_secured = "", False, False
    if location and target.isprintable() and (is_same or is_secured):
        return target
    reason = (
        f"the model's server redirects to {shown_host(location)}, where neither key nor conversation is sent "
        "(model.api_base names the server)"
    )
    raise AttemptError(beyond_bound(reason))


def _body(route: Route, request: ModelRequest, messages: list[dict[str, Any]]) -> bytes:
    """A request; without null where litellm would leave it out.

    Raises:
        AttemptError: a part of the request cannot be said in JSON.
    """
    if not request.api_base:
        messages = messages if "gemini" in route.model.lower() else fit_ids(without_signatures(messages), route.model)
        messages = [
            {name: value for name, value in message.items() if name != "content" or value is not None}
            for message in messages
        ]
        messages = give_back(messages, request, route.provider, route.model)
    try:
        tools = {"tools": tools_json(request.tools)} if request.tools else {}
        cache = cache_key(route.provider, request.window) if is_repeated(request) else ""
        fields = {**route.fields, **({"prompt_cache_key": cache} if cache else {})}
        return msgspec.json.encode({"model": route.model, "messages": messages, **tools, **fields})
    except ValueError as error:
        raise AttemptError(Fault(FaultKind.UNKNOWN, type_name=type(error).__name__)) from error
