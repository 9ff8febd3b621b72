"""Chat completions that are remembered: what belongs to the question goes in front, what is said is kept behind."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass

import aiohttp
from aiohttp import web
from yarl import URL

from actors.gateway.access import Caller
from actors.gateway.body import Body, BodyBudget, Held
from actors.gateway.config import GatewayConfig
from actors.gateway.errors import GatewayError
from actors.gateway.metrics import Metrics
from actors.gateway.passing import BrokenAnswerError, PassedAnswer, Upstream, pieces_of, relay, response_headers
from actors.gateway.turn import Turn
from actors.http_server.exchange import Exchange
from domain.facts.answer import StreamText, text_of_answer, usage_of_answer
from domain.facts.chat_request import RequestError, read_request, upstream_body, with_hits
from domain.policy.spending import Attempt, estimated_tokens, has_counts, stated_usage
from messages.facts import EntriesRecalled, FactHit, RecallEntries
from messages.model import SPENT, CallOutcome, Usage
from messages.socket import Refused

MOST_HEADER_CHARS = 2_000
_LONGEST_MODEL = 200
_NOT_IN_HEADERS = re.compile(r"[^ -~]")


@dataclass(slots=True)
class _Heard:
    """Answer so far, for its entry in the ledger."""

    has_begun: bool = False
    """True if the server took the request."""
    is_whole: bool = False
    chars: int = 0
    usage: object = None
    """As stated by the server."""


class Chat:
    """Handler of `POST /v1/chat/completions`."""

    def __init__(
        self,
        config: GatewayConfig,
        upstream: Upstream,
        exchange: Exchange,
        metrics: Metrics,
        bodies: BodyBudget,
    ) -> None:
        """Nothing is served yet.

        Args:
            config: The bounds.
            upstream: The model's server.
            exchange: Asks the memory.
            metrics: Are counted.
            bodies: Gives room to the bodies of requests.
        """
        self._config = config
        self._upstream = upstream
        self._exchange = exchange
        self._metrics = metrics
        self._bodies = bodies

    async def serve(self, request: web.Request, caller: Caller) -> web.StreamResponse:
        """The answer of the model's server, to a request that has in it what belongs to it.

        Raises:
            GatewayError: it is not served.
            BrokenAnswerError: the server broke off its answer.
            ConnectionError: the client is gone.
        """
        if request.headers.get("Content-Encoding", "identity").strip().lower() != "identity":
            raise GatewayError(415, "a packed body (Content-Encoding) is not taken: send it as it is")
        with self._bodies.hold(caller.prefix) as held:
            return await self._serve(request, caller, held)

    async def _serve(self, request: web.Request, caller: Caller, held: Held) -> web.StreamResponse:
        body = await Body(request, self._bodies.bounds).read(held)
        try:
            chat = read_request(body)
        except RequestError as error:
            raise GatewayError(400, str(error), error.param) from error
        turn = Turn(chat, caller, self._exchange, self._config.facts)
        if chat.stream:
            turn.begin()
        text = StreamText()
        try:
            return await self._answer(request, turn, text)
        finally:
            # A client may go as soon as it has all, which is before the end of what is sent.
            turn.leave(text.text if text.is_done else "")

    async def _answer(self, request: web.Request, turn: Turn, text: StreamText) -> web.StreamResponse:
        recalled, headers = await self._recall(turn)
        body = upstream_body(turn.chat, recalled.block if recalled is not None else "")
        address = self._upstream.chat_address(request.raw_path)
        heard = _Heard()
        spending = Attempt(
            owner=f"gateway/{turn.conversation}",
            purpose="gateway",
            call_id=turn.id,
            model=turn.chat.model[:_LONGEST_MODEL],
            sent_tokens=estimated_tokens(len(body)),
            began_s=self._exchange.monotonic(),
        )
        is_left = False
        try:
            return await self._pass_on(request, turn, text, (body, address, recalled, headers), heard)
        except (asyncio.CancelledError, ConnectionError):
            is_left = True
            raise
        finally:
            left = CallOutcome.CANCELLED if is_left else CallOutcome.FAILED
            outcome = CallOutcome.ANSWERED if heard.is_whole or text.is_done else left
            stated = stated_usage(heard.usage or text.usage)
            usage = stated if has_counts(stated) else None if heard.has_begun else Usage()
            tokens = estimated_tokens(heard.chars or len(text.text))
            self._exchange.publish(
                SPENT, lambda at, now_s: spending.entry(outcome, usage, at, now_s, written_tokens=tokens)
            )

    async def _pass_on(
        self,
        request: web.Request,
        turn: Turn,
        text: StreamText,
        call: tuple[bytes, URL, EntriesRecalled | None, dict[str, str]],
        heard: _Heard,
    ) -> web.StreamResponse:
        body, address, recalled, headers = call
        async with self._upstream.call(request, address, body, is_read=True) as response:
            if not 200 <= response.status < 300:
                return await relay(request, response, headers)
            heard.has_begun = True
            if response.content_type != "text/event-stream":
                return await self._whole(request, response, turn, recalled, headers, heard)

            async def take(piece: bytes) -> None:
                """Have an answer kept before the client is given the piece that makes it whole."""
                text.feed(piece)
                if text.is_done and not turn.has_ended:
                    await self._end(turn, text.text)

            answer = await relay(request, response, headers, take)
            if not turn.has_ended and _has_known_end(response):
                await self._end(turn, text.text)
            return answer

    async def _whole(
        self,
        request: web.Request,
        response: aiohttp.ClientResponse,
        turn: Turn,
        recalled: EntriesRecalled | None,
        headers: dict[str, str],
        heard: _Heard,
    ) -> web.StreamResponse:
        """An answer that comes in one piece, kept before it goes on."""
        answer = await _read(response, self._config.most_answer_bytes)
        said = text_of_answer(answer)
        heard.is_whole, heard.chars, heard.usage = True, len(said), usage_of_answer(answer)
        await self._end(turn, said)
        if turn.chat.wants_hits:
            answer = with_hits(answer, recalled.hits if recalled is not None else ())
        passed = response_headers(response)
        passed.update(headers)
        passed["Content-Length"] = str(len(answer))
        told = PassedAnswer(response, passed)
        await told.prepare(request)
        await told.write(answer)
        return told

    async def _recall(self, turn: Turn) -> tuple[EntriesRecalled | None, dict[str, str]]:
        """Entries for the question, and the headers that name them; None and a note if they come too late."""
        if turn.chat.memory_top_k == 0:
            return None, {}
        began = self._exchange.monotonic()
        answer = await self._exchange.answer_to(
            self._config.recall,
            lambda request_id, reply_to: RecallEntries(
                request_id=request_id,
                reply_to=reply_to,
                conversation=turn.conversation,
                shared=turn.shared,
                question=turn.chat.question,
                seen=turn.chat.texts,
                turn_id=turn.id,
                top_k=turn.chat.memory_top_k,
            ),
            self._config.read_deadline_s,
        )
        self._metrics.recall_s += self._exchange.monotonic() - began
        if isinstance(answer, EntriesRecalled):
            self._metrics.recalls["note" if answer.note else "ok"] += 1
            self._metrics.injected += len(answer.hits)
            return answer, _headers(answer.hits, answer.note)
        self._metrics.recalls["late" if answer is None else "failed"] += 1
        late = f"the memory did not answer within {self._config.read_deadline_s:g} s"
        return None, _headers((), answer.reason if isinstance(answer, Refused) else late)

    async def _end(self, turn: Turn, answer: str) -> None:
        self._metrics.unstored += not await turn.end(answer)


async def _read(response: aiohttp.ClientResponse, most_bytes: int) -> bytes:
    """All of an answer.

    Raises:
        GatewayError: it is broken off, or too long.
    """
    data = bytearray()
    try:
        async for piece in pieces_of(response):
            data += piece
            if len(data) > most_bytes:
                raise GatewayError(502, f"the model's server answered more than {most_bytes} bytes")
    except BrokenAnswerError as error:
        if isinstance(error.__cause__, TimeoutError):
            raise GatewayError(504, "the model's server fell silent within its answer") from error
        raise GatewayError(502, "the model's server broke off its answer") from error
    return bytes(data)


def _has_known_end(response: aiohttp.ClientResponse) -> bool:
    """True if a response that was cut off raises an error; other responses end with their connection."""
    return "Content-Length" in response.headers or "Transfer-Encoding" in response.headers


def _headers(hits: tuple[FactHit, ...], note: str) -> dict[str, str]:
    ids = ",".join(hit.id for hit in hits)
    if len(ids) > MOST_HEADER_CHARS:
        ids = ids[:MOST_HEADER_CHARS].rpartition(",")[0]
    told = {"X-Memory-Injected": str(len(hits)), "X-Memory-Ids": ids, "X-Memory-Note": note}
    return {name: _NOT_IN_HEADERS.sub("?", value)[:MOST_HEADER_CHARS] for name, value in told.items() if value}
