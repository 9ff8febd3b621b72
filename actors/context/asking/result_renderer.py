"""Renderings of command results by another part, asked for before each model call."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from functools import partial
from typing import TypeVar

from actors.context.config import ContextConfig
from actors.context.host import WindowHost
from actors.context.turn_run import Phase, TurnRun
from domain.turn.call_result import complete_wording
from domain.turn.prompt import is_block
from domain.turn.worded import AS_LOGGED, Worded
from messages.base import RequestId, TurnId, flaw_of
from messages.socket import Refused
from messages.turn import RequestWorded, TurnShown, WordRequest

log = logging.getLogger(__name__)

N = TypeVar("N", bound=str)
PATIENCE = 3
"""Model calls in a row that wait in vain; from then on the part is asked, and not waited for."""


class ResultRenderer:
    """Client of a window's result wording. Whatever the answer, the model call follows, in bounded time.

    A wording is used until a newer wording comes: the next request repeats its texts, so the requests begin alike.
    Results without a wording are shown as in the log, as far as a request has room.
    """

    def __init__(self, host: WindowHost, config: ContextConfig) -> None:
        """Begin without a wording.

        Args:
            host: The actor of the window.
            config: Whom to ask, and how long to wait.
        """
        self._host = host
        self._config = config
        self._last: Worded | None = None
        """Newest sound wording."""
        self._turns: tuple[TurnShown, ...] = ()
        """Turns in the last question."""
        self._open_questions: tuple[RequestId, ...] = ()
        """Ids of the last two questions, without answered questions and questions before an answered one."""
        self._waits_for: RequestId | None = None
        """Question awaited by a model call."""
        self._asked_s = 0.0
        """Time of the last question, by the monotonic clock."""
        self._patience_s = config.wording_deadline_s
        """Seconds allowed for the last question."""
        self._has_asked = False
        self._missed = 0
        self._withdrawals = 0
        """Withdrawals of the conversation at the time of the kept wordings."""
        self._last_request: tuple[TurnId, str, int] = (TurnId(""), "", 0)
        """State of the last request: turn, block, and number of steps before the block."""

    def ask_wording(self, run: TurnRun, block: str, then: Callable[[], None]) -> None:
        """Ask for the wording of a request with `block`; `then` goes on with the model call."""
        if self._config.wording is None or run.is_off_record:
            then()
            return
        self._forget_retracted()
        conversation, breaks_from = self._host.conversation, self._breaks_from(run, block)
        self._turns = conversation.calls(run.turn_id)
        self._asked_s = self._host.monotonic()
        make = partial(
            WordRequest,
            window=self._host.window,
            log=self._host.log_path,
            turn_id=run.turn_id,
            turns=self._turns,
            audience=run.audience,
            withdrawals=conversation.withdrawals,
            breaks_from=breaks_from,
        )
        worder = self._config.wording(self._host.window)
        is_resumed = not self._has_asked and len(self._turns) > 1
        self._patience_s = self._config.first_deadline_s if is_resumed else self._config.wording_deadline_s
        self._has_asked = True
        if self._missed < PATIENCE:
            run.phase = Phase.WORDING
            take = partial(self._take_in_time, then)
            request_id = self._host.ask(worder, make, self._patience_s, take)
            run.request_id = self._waits_for = request_id
            self._open_questions = (*self._open_questions[-1:], request_id)
            return
        request_id = RequestId(self._host.new_id())
        self._host.tell(worder, make(request_id=request_id, reply_to=self._host.address))
        self._open_questions = (*self._open_questions[-1:], request_id)
        then()

    def _take_in_time(self, then: Callable[[], None], reply: RequestWorded | Refused | None) -> None:
        if reply is not None:
            self.take_reply(reply)
        elif self._waits_for is not None:
            self._miss(self._waits_for, "no answer came in time")
        then()

    def take_reply(self, reply: RequestWorded | Refused) -> None:
        """Take in an answer to one of the last two questions, in time or not, unless a newer answer came.

        Even a late answer is of use to the next request. Any other answer is dropped.
        """
        self._forget_retracted()
        if reply.request_id not in self._open_questions:
            return
        is_last = reply.request_id == self._open_questions[-1]
        self._open_questions = self._open_questions[self._open_questions.index(reply.request_id) + 1 :]
        if isinstance(reply, Refused):
            self._miss(reply.request_id, flaw_of(reply) or reply.reason)
            return
        worded = self._check_reply(reply)
        if worded is None:
            return
        self._last = worded
        if is_last and self._host.monotonic() - self._asked_s <= self._patience_s:
            self._missed = 0  # What is late each time is not waited for each time.

    def _miss(self, request_id: RequestId, reason: str) -> None:
        """Count a question without a usable answer; a waiting model call goes on without the answer."""
        if request_id == self._waits_for:
            self._waits_for = None
            self._missed += 1
        elif self._missed >= PATIENCE:
            return
        last = "; model calls no longer wait for it" if self._missed == PATIENCE else ""
        log.warning("%s: results are not worded: %s%s", self._host.address, reason, last)

    def wording(self, run: TurnRun) -> Worded:
        """Current wording of a turn's request, including the model's thoughts."""
        worded = self._wording_of_results(run)
        return replace(worded, thoughts=run.thoughts) if run.thoughts else worded

    def _wording_of_results(self, run: TurnRun) -> Worded:
        if self._config.wording is None:
            return AS_LOGGED
        self._forget_retracted()
        last = self._last or AS_LOGGED
        limit_chars = self._host.conversation.limit_chars
        return complete_wording(self._turns, run.turn_id, last, limit_chars, is_first=self._last is None)

    def _forget_retracted(self) -> None:
        """Discard wordings from before a retraction: their texts may come from retracted words."""
        withdrawals = self._host.conversation.withdrawals
        if withdrawals != self._withdrawals:
            self._withdrawals, self._last, self._open_questions = withdrawals, None, ()

    def _breaks_from(self, run: TurnRun, block: str) -> TurnId:
        """The oldest turn whose messages differ from the last request's because its block has moved."""
        before = self._last_request
        newest = self._host.conversation.turn(run.turn_id).newest
        self._last_request = now = run.turn_id, block, newest.step if newest is not None else 0
        return before[0] if before[1] and before != now else TurnId("")

    def _check_reply(self, reply: RequestWorded) -> Worded | None:
        """Reply in usable form; None if unsound."""
        flaw = flaw_of(reply)
        if not flaw and not all(is_block(note) for _, note in reply.notes):
            flaw = "a note is not the line INJECTED_CONTEXT_<NAME> and one line of JSON"
        if flaw:
            self._miss(reply.request_id, flaw)
            return None
        events = {call.event for turn in self._turns for call in turn.calls}
        turns = {turn.turn_id for turn in self._turns}
        results = _select_known(reply.results, events)
        notes = _select_known(reply.notes, turns)
        if len(results) + len(notes) < len(reply.results) + len(reply.notes):
            log.warning("%s: a wording names what was not asked about, or twice: left out", self._host.address)
        return Worded(results, notes)


def _select_known(pairs: Iterable[tuple[N, str]], subjects: Collection[N]) -> dict[N, str]:
    """Pairs of a reply with requested names; of several pairs with the same name the first."""
    known: dict[N, str] = {}
    for name, text in pairs:
        if name in subjects:
            known.setdefault(name, text)
    return known
