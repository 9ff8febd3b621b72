"""Chat completions with memories: memories about the question go in front, the words are kept afterwards."""

from __future__ import annotations

import asyncio
import logging
import re
from dataclasses import dataclass
from functools import partial

import aiohttp
from aiohttp import web

from actors.gateway.access import Caller
from actors.gateway.body import Body, BodyBudget, BodyBytes
from actors.gateway.config import GatewayConfig
from actors.gateway.delivery import Delivery
from actors.gateway.errors import GatewayError
from actors.gateway.metrics import Metrics
from actors.gateway.naming import named_conversation
from actors.gateway.passing import BrokenAnswerError, Upstream, beginning_of, pieces_of, relay
from actors.gateway.reading import Reading, RefusedError
from actors.gateway.turn import Turn
from actors.http_server.exchange import Exchange
from domain.facts.block_place import SYSTEM_ROLES, BlockPlace, may_be_of_block
from domain.facts.chat_request import ChatRequest, RequestError, read_request, upstream_body
from domain.policy.spending import Attempt, estimated_tokens, has_counts, stated_usage
from messages.facts import EntriesRecalled, FactHit, RecallEntries
from messages.model import SPENT, CallOutcome, Usage
from messages.socket import Refused

log = logging.getLogger(__name__)

MOST_HEADER_CHARS = 2_000
_LONGEST_MODEL = 200
_MOST_MODELS = 1_000
_NOT_IN_HEADERS = re.compile(r"[^ -~]")


@dataclass(frozen=True, slots=True)
class _UpstreamRequest:
    """Request as the server gets it."""

    body: bytes
    hits: tuple[FactHit, ...]
    """Memories in the request."""
    has_block: bool = False


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
        self._place = BlockPlace(config.block_place)
        self._without_system: set[str] = set()
        """Models whose server refused memories in a system message when the client had sent no system message."""

    async def serve(self, request: web.Request, caller: Caller) -> web.StreamResponse:
        """Answer of the model's server to a request with its memories.

        Raises:
            GatewayError: the request is not served.
            BrokenAnswerError: the server broke off its answer.
            ConnectionError: the client is gone.
        """
        if request.headers.get("Content-Encoding", "identity").strip().lower() != "identity":
            raise GatewayError(415, "a packed body (Content-Encoding) is not taken: send it as it is")
        with self._bodies.hold(caller.prefix) as share:
            return await self._serve(request, caller, share)

    async def _serve(self, request: web.Request, caller: Caller, share: BodyBytes) -> web.StreamResponse:
        body = await Body(request, self._bodies.bounds).read(share)
        try:
            chat = read_request(body)
        except RequestError as error:
            raise GatewayError(400, str(error), error.param) from error
        turn = Turn(chat, caller, self._exchange, self._config.facts, named_conversation(request))
        reading = Reading(self._config.most_answer_bytes)
        try:
            return await self._answer(request, turn, reading)
        finally:
            # A client may go as soon as it has all, which is before the end of what is sent.
            turn.leave(reading.words(chat.texts))

    async def _answer(self, request: web.Request, turn: Turn, reading: Reading) -> web.StreamResponse:
        try:
            recalled, headers = await self._recall(turn)
        finally:
            if turn.chat.stream:
                turn.begin()  # Behind the recall, which the client waits for: its disk is not waited for, too.
        sent = self._make_request(turn, recalled)
        spending = Attempt(
            owner=f"gateway/{turn.conversation}",
            purpose="gateway",
            call_id=turn.id,
            model=turn.chat.model[:_LONGEST_MODEL],
            sent_tokens=estimated_tokens(len(sent.body)),
            began_s=self._exchange.monotonic(),
        )
        is_left = False
        try:
            return await self._ask(request, turn, reading, sent, headers)
        except (asyncio.CancelledError, ConnectionError):
            is_left = True
            raise
        finally:
            left = CallOutcome.CANCELLED if is_left else CallOutcome.FAILED
            is_whole = reading.is_whole or (reading.is_over and reading.is_document)
            outcome = CallOutcome.ANSWERED if is_whole else left
            stated = stated_usage(reading.usage)
            usage = stated if has_counts(stated) else None if reading.has_begun else Usage()
            tokens = estimated_tokens(reading.chars)
            self._exchange.publish(
                SPENT, lambda at, now_s: spending.entry(outcome, usage, at, now_s, written_tokens=tokens)
            )

    def _make_request(self, turn: Turn, recalled: EntriesRecalled | None) -> _UpstreamRequest:
        """Request with its memories, at a place known to suit the model."""
        chat = turn.chat
        if recalled is None or not recalled.block:
            return _UpstreamRequest(upstream_body(chat, ""), ())
        place = BlockPlace.QUESTION if chat.model in self._without_system else self._place
        return _UpstreamRequest(upstream_body(chat, recalled.block, place), recalled.hits, has_block=True)

    async def _ask(
        self, request: web.Request, turn: Turn, reading: Reading, sent: _UpstreamRequest, headers: dict[str, str]
    ) -> web.StreamResponse:
        """Answer of the server; a request with refused memories is asked once more without memories."""
        address = self._upstream.chat_address(request.raw_path)
        hits = sent.hits if turn.chat.wants_hits else None
        async with self._upstream.call(request, address, sent.body, is_read=True) as response:
            delivery = Delivery(request, response, headers, hits)
            if 200 <= response.status < 300:
                try:
                    return await self._pass_on(response, turn, reading, delivery, may_be_refused=sent.has_block)
                except RefusedError as error:
                    status, last_piece = response.status, error.piece
            else:
                words = await beginning_of(response) if sent.has_block else b""
                if not sent.has_block or not may_be_of_block(response.status, words.decode("utf-8", "replace")):
                    return await relay(request, response, headers, read=words, hidden=self._upstream.key)
                status, last_piece = response.status, b""
        note = f"the model's server answered {status} to the request with memories: it was asked without them"
        headers = _headers((), note)
        async with self._upstream.call(request, address, upstream_body(turn.chat, ""), is_read=True) as response:
            if 200 <= response.status < 300:
                delivery = delivery.go_on(response, headers)
                answer = await self._pass_on(response, turn, reading, delivery, may_be_refused=False)
                if not reading.has_error:
                    self._note_refused(turn.chat, status, sent)
                return answer
            if delivery.has_begun:
                return await delivery.end(last_piece)
            return await relay(request, response, headers, hidden=self._upstream.key)

    async def _pass_on(
        self,
        response: aiohttp.ClientResponse,
        turn: Turn,
        reading: Reading,
        delivery: Delivery,
        *,
        may_be_refused: bool,
    ) -> web.StreamResponse:
        """Pass on an answer as it comes: a stream in pieces, a document once kept, whatever the declared type.

        Raises:
            RefusedError: the answer is an error alone; only where `may_be_refused`.
        """
        reading.begin(response.headers.get("Content-Encoding", ""))
        await delivery.begin_early(is_asked_for_stream=turn.chat.stream, may_be_refused=may_be_refused)
        piece = b""
        try:
            async for piece in pieces_of(response):
                reading.feed(piece)
                if may_be_refused and reading.is_refusal:
                    raise RefusedError(piece)
                if reading.has_ended and not turn.has_ended:  # before the client can know that it is whole
                    await self._end(turn, reading)
                await delivery.give(piece, reading, is_held=may_be_refused and reading.may_become_refusal)
        except BrokenAnswerError as error:
            if not delivery.has_begun and isinstance(error.__cause__, TimeoutError):
                raise GatewayError(504, "the model's server fell silent within its answer") from error
            if not delivery.has_begun:
                raise GatewayError(502, "the model's server broke off its answer") from error
            if not turn.has_ended:
                self._note_unread("the model's server broke it off")
            raise
        reading.end()
        if may_be_refused and reading.is_refusal:
            raise RefusedError(piece)
        if not turn.has_ended:
            if not reading.is_whole:
                self._note_unread(reading.problem)
            await self._end(turn, reading)
        return await delivery.end()

    async def _recall(self, turn: Turn) -> tuple[EntriesRecalled | None, dict[str, str]]:
        """Entries for the question, and headers with their names; None and a note if the entries come too late."""
        if turn.chat.memory_top_k == 0 or not turn.chat.keeps:
            return None, {}
        began = self._exchange.monotonic()
        answer = await self._exchange.answer_to(
            self._config.recall,
            partial(
                RecallEntries,
                conversation=turn.conversation,
                shared=turn.shared,
                question=turn.chat.question,
                seen=turn.chat.texts,
                turn_id=turn.id,
                top_k=turn.chat.memory_top_k,
                recency_weight=turn.chat.recency_weight,
                score_threshold=turn.chat.score_threshold,
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

    def _note_unread(self, why: str) -> None:
        """Count an answer that could not be kept; only the first is logged."""
        if not self._metrics.unread:
            log.warning("an answer passed and is not kept, for %s; /metrics counts further ones", why)
        self._metrics.unread += 1

    def _note_refused(self, chat: ChatRequest, status: int, sent: _UpstreamRequest) -> None:
        """Count memories refused by a server, and remember a model that may not accept system messages."""
        if not self._metrics.refused_blocks:
            log.warning(
                "the model's server answered %d to a request with memories, and answered it without them; /metrics "
                "counts further ones (facts.block_place says where memories stand)",
                status,
            )
        self._metrics.refused_blocks += 1
        self._metrics.injected -= len(sent.hits)
        if not set(SYSTEM_ROLES) & set(chat.roles) and len(self._without_system) < _MOST_MODELS:
            self._without_system.add(chat.model)

    async def _end(self, turn: Turn, reading: Reading) -> None:
        self._metrics.unstored += not await turn.end(reading.words(turn.chat.texts))


def _headers(hits: tuple[FactHit, ...], note: str) -> dict[str, str]:
    ids = ",".join(hit.id for hit in hits)
    if len(ids) > MOST_HEADER_CHARS:
        ids = ids[:MOST_HEADER_CHARS].rpartition(",")[0]
    headers = {"X-Memory-Injected": str(len(hits)), "X-Memory-Ids": ids, "X-Memory-Note": note}
    return {name: _NOT_IN_HEADERS.sub("?", value)[:MOST_HEADER_CHARS] for name, value in headers.items() if value}
