"""Run teller: reports a turn's progress to the followers of the topic of runs; without followers no message is made."""

from __future__ import annotations

from actors.context.host import WindowHost
from domain.log.metadata import MetaValue
from domain.turn.turn import Joined, Turn
from messages.base import Address, TurnId
from messages.model import ModelReply, ToolCall
from messages.status import (
    RUNS,
    MessageBegan,
    MessageEnded,
    MessageGrew,
    Moment,
    RoundBegan,
    RoundEnded,
    RunBegan,
    RunEnded,
    RunEvent,
    ToolBegan,
    ToolEnded,
)

USER, ASSISTANT, RUNTIME = "user", "assistant", "runtime"


class RunTeller:
    """Teller of at most one run at a time: whatever began is told to have ended, inner things first.

    A run with no follower at its beginning is not told to later followers: half a story would not add up.
    """

    def __init__(self, host: WindowHost) -> None:
        self._host = host
        self._followers: tuple[Address, ...] = ()
        """Followers since the beginning of this run."""
        self._run_id = TurnId("")
        self._number = 0
        self._round = 0
        self._in_round = False
        self._written: str | None = None
        """Text so far of the message being written by the model; None between messages."""
        self._tool: ToolCall | None = None
        """The running call."""

    def begin(self, turn: Turn) -> None:
        """A run begins."""
        self._followers = () if turn.is_off_record else self._host.followers(RUNS)
        if self._followers:
            self._run_id, self._number, self._round = turn.id, 0, 0
            self._in_round, self._written, self._tool = False, None, None
            self._tell(RunBegan(moment=self._moment(), message_id=turn.message_id, resumed=turn.was_resumed))

    def hear(self, message: Turn | Joined) -> None:
        """A person's words are part of the run."""
        if self._tells:
            self._say_whole(USER, message.text, message.author)

    def look_up(self, text: str) -> None:
        """Report a record shown to the model on request."""
        if self._tells:
            self._say_whole(RUNTIME, text, "")

    def think(self) -> None:
        """Report the model at work, or a request in preparation."""
        if self._tells and not self._in_round:
            self._in_round, self._round = True, self._round + 1
            self._tell(RoundBegan(moment=self._moment(), round=self._round))

    def write(self, text: str) -> None:
        """The model has written so much."""
        if not self._tells:
            return
        before = self._begin_writing()
        offset = len(before) if text.startswith(before) else 0
        self._written = text
        if text[offset:] or offset < len(before):
            self._tell(MessageGrew(moment=self._moment(), offset=offset, text=text[offset:]))

    def reply(self, reply: ModelReply) -> None:
        """The model's message is whole."""
        if not self._tells:
            return
        self._begin_writing()
        self._written = None
        used = reply.usage
        self._tell(
            MessageEnded(
                moment=self._moment(),
                role=ASSISTANT,
                text=reply.words,
                model=reply.model,
                stop_reason=reply.stop_reason.value,
                prompt_tokens=used.prompt_tokens,
                completion_tokens=used.completion_tokens,
                cost_usd=used.cost_usd,
            )
        )

    def call(self, call: ToolCall) -> None:
        """A tool call is carried out."""
        if self._tells:
            self._tool = call
            self._tell(
                ToolBegan(moment=self._moment(), call_id=call.id, tool=call.name, arguments_json=call.arguments_json)
            )

    def result(self, call: ToolCall, text: str, outcome: MetaValue, *, is_error: bool) -> None:
        """Report the result of a tool call; a call without execution begins and ends with the result."""
        if not self._tells:
            return
        if self._tool is not call:
            self.call(call)
        self._tool = None
        ended = ToolEnded(
            moment=self._moment(),
            call_id=call.id,
            tool=call.name,
            text=text,
            is_error=is_error,
            outcome=str(outcome),
        )
        self._tell(ended)

    def rest(self) -> None:
        """Report the end of all calls of the model's message."""
        if self._tells and self._in_round:
            self._in_round = False
            self._tell(RoundEnded(moment=self._moment(), round=self._round))

    def end(self, outcome: str, notice: str = "") -> None:
        """Report the end of the run and of all unfinished steps."""
        if not self._tells:
            return
        if (written := self._written) is not None:
            self._written = None
            self._tell(MessageEnded(moment=self._moment(), role=ASSISTANT, text=written, stop_reason="aborted"))
        if self._tool is not None:
            self.result(self._tool, "", outcome, is_error=True)
        self.rest()
        self._tell(RunEnded(moment=self._moment(), outcome=outcome, notice=notice))
        self._followers = ()

    @property
    def _tells(self) -> bool:
        """True if a follower from the beginning of the run is left."""
        if self._followers:
            now = self._host.followers(RUNS)
            self._followers = tuple(each for each in self._followers if each in now)
        return bool(self._followers)

    def _begin_writing(self) -> str:
        """Return the model's text so far; begin a message if there is none."""
        if self._written is None:
            self._written = ""
            self._tell(MessageBegan(moment=self._moment(), role=ASSISTANT))
        return self._written

    def _say_whole(self, role: str, text: str, author: str) -> None:
        self.think()
        self._tell(MessageBegan(moment=self._moment(), role=role))
        self._tell(MessageEnded(moment=self._moment(), role=role, text=text, author=author))

    def _moment(self) -> Moment:
        self._number += 1
        return Moment(window=self._host.window, run_id=self._run_id, number=self._number, at=self._host.now())

    def _tell(self, event: RunEvent) -> None:
        for follower in self._followers:
            self._host.tell(follower, event)
