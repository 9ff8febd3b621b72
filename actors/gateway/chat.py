"""Chat completions that are remembered: what belongs to the question goes in front, what is said is kept behind."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass

import aiohttp
from aiohttp import web

from actors.gateway.access import Caller
from actors.gateway.config import GatewayConfig
from actors.gateway.errors import GatewayError
from actors.gateway.exchange import Exchange
from actors.gateway.metrics import Metrics
from actors.gateway.passing import BrokenAnswerError, Upstream, body_of, break_off, relay, response_headers
from domain.facts.answer import StreamText, text_of_answer
from domain.facts.chat_request import ChatRequest, RequestError, read_request, upstream_body, with_hits
from messages.facts import EntriesRecalled, FactHit, RecallEntries, StoreTurn, TurnStored
from messages.socket import Refused

STORE_S = 0.25
"""Longest wait for the word that a turn is kept; the answer then goes on all the same."""
MOST_ANSWER_BYTES = 64 * 1024 * 1024
MOST_IDS = 50
"""Of memories, in a header."""
_NOT_IN_HEADERS = re.compile(r"[^ -~]|[\r\n]")


@dataclass(frozen=True, slots=True)
class _Turn:
    """One request under way."""

    request: web.Request
    chat: ChatRequest
    conversation: str
    shared: str
    id: str

    @property
    def words(self) -> str:
        """What the person says in it; empty where it goes on with a tool's result."""
        return self.chat.question if self.chat.ends_with_user else ""


class Chat:
    """Handler of `POST /v1/chat/completions`."""

    def __init__(self, config: GatewayConfig, upstream: Upstream, exchange: Exchange, metrics: Metrics) -> None:
        """Nothing is served yet.

        Args:
            config: The bounds.
            upstream: The model's server.
            exchange: Asks the memory.
            metrics: Are counted.
        """
        self._config = config
        self._upstream = upstream
        self._exchange = exchange
        self._metrics = metrics

    async def serve(self, request: web.Request, caller: Caller) -> web.StreamResponse:
        """The answer of the model's server, to a request that has in it what belongs to it.

        Raises:
            GatewayError: it is not served.
        """
        if request.headers.get("Content-Encoding", "identity").lower() != "identity":
            raise GatewayError(415, "a packed body (Content-Encoding) is not taken: send it as it is")
        body = await body_of(request, self._config.max_body_bytes)
        try:
            chat = read_request(body)
        except RequestError as error:
            raise GatewayError(400, str(error), error.param) from error
        conversation = caller.conversation(chat.memory_id)
        turn = _Turn(request, chat, conversation, caller.shared, self._exchange.turn_id())
        if chat.stream:
            return await self._streamed(turn)
        return await self._answered(turn)

    async def _answered(self, turn: _Turn) -> web.StreamResponse:
        recalled, headers = await self._recall(turn)
        body = upstream_body(turn.chat, recalled.block if recalled is not None else "")
        async with self._upstream.call(turn.request, body, is_read=True) as response:
            if not _is_success(response):
                return await self._relayed(turn, response, headers)
            return await self._whole(turn, response, recalled, headers)

    async def _streamed(self, turn: _Turn) -> web.StreamResponse:
        """Keep the person's words at once and the answer at its end, whatever becomes of the request between."""
        if turn.words:
            self._exchange.tell(self._config.facts, lambda rid, to: _store(turn, rid, to, is_over=False))
        is_over = False
        try:
            recalled, headers = await self._recall(turn)
            body = upstream_body(turn.chat, recalled.block if recalled is not None else "")
            async with self._upstream.call(turn.request, body, is_read=True) as response:
                if _is_success(response) and response.content_type == "text/event-stream":
                    text = StreamText()
                    answer = await self._relayed(turn, response, headers, text)
                    is_over = True
                    await self._store(turn, text.text)
                elif _is_success(response):
                    is_over = True
                    answer = await self._whole(turn, response, recalled, headers)
                else:
                    answer = await self._relayed(turn, response, headers)
            return answer
        finally:
            if not is_over:
                self._exchange.tell(self._config.facts, lambda rid, to: _store(turn, rid, to, is_over=True))

    async def _whole(
        self,
        turn: _Turn,
        response: aiohttp.ClientResponse,
        recalled: EntriesRecalled | None,
        headers: dict[str, str],
    ) -> web.StreamResponse:
        """An answer that comes in one piece, kept before it goes on."""
        data = bytearray()
        try:
            async for piece in response.content.iter_any():
                data += piece
                if len(data) > MOST_ANSWER_BYTES:
                    raise GatewayError(502, f"the model's server answered more than {MOST_ANSWER_BYTES} bytes")
        except TimeoutError as error:
            raise GatewayError(504, "the model's server fell silent within its answer") from error
        except (aiohttp.ClientError, OSError) as error:
            raise GatewayError(502, "the model's server broke off its answer") from error
        answer = bytes(data)
        await self._store(turn, text_of_answer(answer))
        if turn.chat.wants_hits:
            answer = with_hits(answer, recalled.hits if recalled is not None else ())
        passed = response_headers(response)
        passed.popall("Content-Length", None)
        passed.update(headers)
        return web.Response(status=response.status, reason=response.reason, body=answer, headers=passed)

    async def _relayed(
        self, turn: _Turn, response: aiohttp.ClientResponse, headers: dict[str, str], text: StreamText | None = None
    ) -> web.StreamResponse:
        try:
            return await relay(turn.request, response, headers, text.feed if text is not None else None)
        except BrokenAnswerError:
            break_off(turn.request)
            raise

    async def _recall(self, turn: _Turn) -> tuple[EntriesRecalled | None, dict[str, str]]:
        """What belongs to the question, and the headers that say what that was; nothing if it does not come in time."""
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

    async def _store(self, turn: _Turn, text: str) -> None:
        """Have the turn kept, and wait a moment for the word that it is."""
        stored = await asyncio.shield(
            self._exchange.answer_to(
                self._config.facts,
                lambda rid, to: _store(turn, rid, to, is_over=True, answer_text=text),
                STORE_S,
            )
        )
        if not isinstance(stored, TurnStored):
            self._metrics.unstored += 1


def _store(turn: _Turn, request_id: object, reply_to: object, *, is_over: bool, answer_text: str = "") -> StoreTurn:
    return StoreTurn(
        request_id=request_id,  # type: ignore[arg-type]
        reply_to=reply_to,  # type: ignore[arg-type]
        conversation=turn.conversation,
        turn_id=turn.id,
        model=turn.chat.model[:200],
        user_text=turn.words,
        answer_text=answer_text,
        is_over=is_over,
    )


def _is_success(response: aiohttp.ClientResponse) -> bool:
    return 200 <= response.status < 300


def _headers(hits: tuple[FactHit, ...], note: str) -> dict[str, str]:
    ids = ",".join(_NOT_IN_HEADERS.sub("?", hit.id) for hit in hits[:MOST_IDS])
    told = {"X-Memory-Injected": str(len(hits)), "X-Memory-Ids": ids, "X-Memory-Note": note}
    return {name: _NOT_IN_HEADERS.sub("?", value)[:2_000] for name, value in told.items() if value}
