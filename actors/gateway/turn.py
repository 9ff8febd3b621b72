"""Turn of a conversation while its request is under way: parts to keep, and their times."""

from __future__ import annotations

import asyncio
from functools import partial

from actors.gateway.access import Caller
from actors.http_server.exchange import Exchange
from actors.kernel import MakeQuestion
from domain.facts.chat_request import ChatRequest
from messages.base import Address
from messages.facts import StoreTurn, TurnStored

STORE_S = 1.0
"""Longest wait for the confirmation of a kept turn; afterwards the answer goes on all the same."""
MODEL_CHARS = 200


class Turn:
    """One turn, told to the memory as a whole, or in two halves."""

    def __init__(
        self, chat: ChatRequest, caller: Caller, exchange: Exchange, facts: Address, memory_id: str | None = None
    ) -> None:
        """Begin without kept parts.

        Args:
            chat: The request.
            caller: Client that asks.
            exchange: Tells the memory.
            facts: The memory.
            memory_id: Conversation by the path or a header; the body's own name counts more.

        Raises:
            GatewayError: the conversation is another caller's.
        """
        self.chat = chat
        self.conversation = caller.conversation(chat.memory_id if chat.memory_id is not None else memory_id)
        self.shared = caller.shared
        self.id = exchange.turn_id()
        self._exchange = exchange
        self._facts = facts
        self._words = chat.question if chat.ends_with_user and chat.keeps else ""
        """Words of the person; empty in a turn after a tool's result."""
        self._is_begun = False
        self.has_ended = False
        """True if the turn was given an answer."""

    def begin(self) -> None:
        """Have the person's words kept, if any; `end` or `leave` ends the turn."""
        if self._words:
            self._is_begun = True
            self._exchange.tell(self._facts, self._store(is_over=False))

    async def end(self, answer: str) -> bool:
        """Have the turn kept with its answer, and wait a moment; True if known to be kept."""
        self._is_begun, self.has_ended = False, True
        if not self.chat.keeps or not (self._words or answer):
            return True
        storing = self._exchange.answer_to(self._facts, self._store(answer), STORE_S)
        return isinstance(await asyncio.shield(storing), TurnStored)

    def leave(self, answer: str = "") -> None:
        """Have a turn that was begun, and has not ended, be over with as much of an answer as there is."""
        if self._is_begun:
            self._is_begun = False
            self._exchange.tell(self._facts, self._store(answer))

    def _store(self, answer: str = "", *, is_over: bool = True) -> MakeQuestion:
        return partial(
            StoreTurn,
            conversation=self.conversation,
            turn_id=self.id,
            model=self.chat.model[:MODEL_CHARS],
            user_text=self._words,
            answer_text=answer,
            answer_before=self.chat.answer_before,
            is_over=is_over,
        )
