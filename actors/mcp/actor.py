"""McpActor: calls the tools of other servers, over the Model Context Protocol."""

from __future__ import annotations

import json
from collections.abc import Collection
from functools import partial
from pathlib import Path
from typing import Any

from actors.kernel import Actor, LoopThread, not_understood
from actors.linux.private_folder import TemporaryFolder
from actors.mcp.config import McpConfig
from actors.mcp.desk import Desk
from actors.part.approvals import Act, Approvals
from actors.part.spending import publish_spent
from domain.policy.fair_queue import FairQueue
from domain.policy.spending import Attempt
from domain.turn.tools.catalogue import nearest_names
from messages.base import RequestId
from messages.model import CallKind, CallOutcome, Usage
from messages.shell import (
    SHELL,
    ApprovalGranted,
    ApprovalKind,
    ApprovalRefused,
    ApprovalReply,
    HoldCommands,
    ServerEnded,
)
from messages.socket import Refused
from messages.status import DescribeYourself, SelfDescription
from messages.turn import AskerTold, TellAsker
from messages.web import (
    CallTool,
    GetPrompt,
    ListTools,
    McpMessage,
    McpReply,
    McpRequest,
    ReadResource,
    ServerAnswered,
    ServerDescribed,
    ServerListed,
    ToolsListed,
)

AT_ONCE = 8
"""Simultaneous requests to a server, each from a different window."""
MOST_OF_WINDOW = 16
"""A window's waiting requests for a server, at most."""
PLACES_S = 5.0
"""Longest wait for a window's answer about its place."""
CLOSE_S = 4.0
RESTARTED = "The service of MCP servers restarted; a call that was under way may or may not have had an effect."
NO_PLACE = "The conversation could not say in which channel it is; try again."
_ALL = ""
"""Queue of requests that concern every server."""


class McpActor(Actor):
    """Client of all servers: a queue for each, shared by windows in turn; no server's trouble reaches another queue.

    Owns: the sessions, the loop of the sessions, a folder of sockets.
    Asks: windows, for their channel tables; the approval actor; the shell actor, to start programs.
    Crashes on: a loop thread that cannot be started, and its own faults; never on a server's behaviour. Requests open
    at a crash or a stop are refused, with a warning about possible effects; no call is made twice.
    """

    def __init__(self, config: McpConfig) -> None:
        super().__init__()
        self._config = config
        self._loop = LoopThread("mcp", self)
        self._queues: dict[str, FairQueue[McpRequest]] = {name: FairQueue(AT_ONCE) for name in (_ALL, *config.servers)}
        self._places: dict[RequestId, tuple[str, ...]] = {}
        """Channel tables in force for each request judged already."""
        self._judged: dict[RequestId, McpRequest] = {}
        self._approvals: Approvals[Any] = Approvals(
            self,
            _act_of,
            enter=self._enter,
            refuse=lambda request, refused: self._refuse(request, refused.reason),
            on_change=lambda request, waits: self.tell(SHELL, HoldCommands(window=request.window, holds=waits)),
        )
        self._attempts: dict[RequestId, Attempt] = {}
        """Acts under way, for the ledger."""
        self._desk: Desk | None = None
        self._folder: TemporaryFolder | None = None
        self._calls = self._failures = 0

    def on_start(self) -> None:
        """Start the loop; a server starts at its first request."""
        with self.blocking():
            self._folder = TemporaryFolder("agent-mcp-")
        self._loop.start()
        self._desk = Desk(self, self._config, Path(self._folder.name))

    def handle(self, message: McpMessage | McpReply | ApprovalReply) -> None:
        """Take a request, or pass on an answer and let the next request start."""
        match message:
            case AskerTold() | ApprovalGranted() | ApprovalRefused() | ServerEnded():
                pass  # An answer behind its deadline, or the end of a server that nobody waits for.
            case DescribeYourself():
                self.tell(message.reply_to, self._description(message.request_id))
            case ToolsListed() | ServerDescribed() | ServerListed() | ServerAnswered() | Refused():
                self._end(message)
            case _ if isinstance(message, McpRequest):
                self._take(message)
            case _:
                not_understood(message)
        self._note_work()

    def go_on(self, then: Any, answer: Any) -> None:
        """Go on with a window's answer, or a person's."""
        then(answer)
        self._note_work()

    def on_stop(self) -> None:
        """End every session and tell waiting callers."""
        waiting = [*self._judged.values(), *self._approvals.clear()]
        for queue in self._queues.values():
            waiting += queue.clear()
        for request in {each.request_id: each for each in waiting}.values():
            self._enter_end(request.request_id, CallOutcome.CANCELLED)
            self.tell(request.reply_to, Refused(request_id=request.request_id, reason=RESTARTED))
        desk, self._desk = self._desk, None
        with self.blocking():
            last = None if desk is None else desk.close()
            try:
                self._loop.end(last, CLOSE_S, "some sessions of MCP servers were not closed")
            finally:
                if self._folder is not None:
                    self._folder.cleanup()

    # requests

    def _take(self, request: McpRequest) -> None:
        request_id, name = request.request_id, _server_of(request)
        if request_id in self._judged or request_id in self._approvals or request_id in self._queues.get(name, ()):
            return
        if self._config.is_restricted:
            self._judged[request_id] = request
            make = partial(TellAsker, window=request.window)
            self.ask(request.window.address, make, PLACES_S, partial(self._judge, request))
        else:
            self._admit_to(request, ())

    def _judge(self, request: McpRequest, asker: AskerTold | None) -> None:
        self._judged.pop(request.request_id, None)
        if asker is None:
            self._refuse(request, NO_PLACE)
        else:
            self._admit_to(request, asker.tables)

    def _admit_to(self, request: McpRequest, places: Collection[str]) -> None:
        """Queue a request, after a person's approval if needed; refuse a request for a missing server."""
        usable = {name: each for name, each in self._config.servers.items() if each.may_be_used(request.window, places)}
        name = _server_of(request)
        if name != _ALL and name not in usable:
            self._refuse(request, f"server {name!r}: there is none of that name here; {nearest_names(name, usable)}")
        elif name != _ALL and usable[name].fault:
            self._refuse(request, f"server {name!r} cannot be used: {usable[name].fault}")
        elif fault := _fault_of(request):
            self._refuse(request, fault)
        else:
            self._places[request.request_id] = tuple(usable)
            if name != _ALL and _acts(request) and self._config.asks_first(usable[name]):
                self._approvals.add(request)
            else:
                self._enter(request)

    def _enter(self, request: McpRequest) -> None:
        queue = self._queues[_server_of(request)]
        if queue.waiting_of(request.window) >= MOST_OF_WINDOW:
            self._refuse(request, f"{MOST_OF_WINDOW} requests of this conversation wait for that server already.")
            return
        queue.enter(request)
        self._admit(queue)

    def _admit(self, queue: FairQueue[McpRequest]) -> None:
        while (request := queue.admit()) is not None:
            self._begin(request)

    def _begin(self, request: McpRequest) -> None:
        """Have exactly one answer sent to this actor, unless the actor stops before."""
        assert self._desk is not None
        if _acts(request):
            self._attempts[request.request_id] = Attempt(
                kind=CallKind.TOOL,
                owner=request.window.address.key,
                call_id=request.request_id,
                model=f"mcp/{_server_of(request)}",
                sent_tokens=0,
                began_s=self.monotonic(),
            )

        reason = "The request failed inside the service of MCP servers."
        failure = Refused(request_id=request.request_id, reason=reason)
        usable = self._places.pop(request.request_id, ())
        self._loop.submit_answer(self._desk.serve(request, usable), failure)

    def _end(self, answer: McpReply) -> None:
        for queue in self._queues.values():
            if (request := queue.leave(answer.request_id)) is not None:
                self._calls += isinstance(request, CallTool)
                self._failures += isinstance(request, CallTool) and isinstance(answer, Refused)
                self._enter_end(
                    answer.request_id, CallOutcome.FAILED if isinstance(answer, Refused) else CallOutcome.ANSWERED
                )
                self.tell(request.reply_to, answer)
                self._admit(queue)
                return

    def _enter_end(self, request_id: RequestId, outcome: CallOutcome) -> None:
        """Have the ledger enter the end of a request, if the request was an act."""
        if (attempt := self._attempts.pop(request_id, None)) is not None:
            publish_spent(self, attempt.entry(outcome, Usage(), self.now(), self.monotonic()))

    def _refuse(self, request: McpRequest, reason: str) -> None:
        self._places.pop(request.request_id, None)
        self.tell(request.reply_to, Refused(request_id=request.request_id, reason=reason))

    def _note_work(self) -> None:
        self.in_progress = bool(self._judged) or bool(self._approvals) or any(self._queues.values())

    def _description(self, request_id: RequestId) -> SelfDescription:
        states = () if self._desk is None else self._desk.states()
        figures = (
            ("servers", len(self._config.servers)),
            ("open", sum(state.startswith("open") for _, state in states)),
            ("calls", self._calls),
            ("failed", self._failures),
            ("waiting", sum(map(len, self._queues.values())) + len(self._approvals)),
        )
        return SelfDescription(request_id=request_id, about=self.address.kind, figures=figures, operator_figures=states)


def _server_of(request: McpRequest) -> str:
    return _ALL if isinstance(request, ListTools) else request.server


def _acts(request: McpRequest) -> bool:
    """True for a request that carries the model's words to a server."""
    return isinstance(request, CallTool | ReadResource | GetPrompt)


def _act_of(request: CallTool | ReadResource | GetPrompt) -> Act:
    match request:
        case ReadResource():
            words = f"{request.server}: read {request.uri}"
        case GetPrompt():
            words = f"{request.server}: prompt {request.name} {request.arguments}"
        case _:
            words = f"{request.server}: call {request.tool} {request.arguments}"
    return ApprovalKind.TOOL, words, False


def _fault_of(request: McpRequest) -> str:
    """Fault of a request's arguments, required to be a JSON object; empty without a fault."""
    if not isinstance(request, CallTool | GetPrompt):
        return ""
    try:
        value = json.loads(request.arguments or "{}")
        json.dumps(value, ensure_ascii=False).encode()  # half of a pair of surrogates cannot be sent
    except (ValueError, RecursionError) as error:
        return f"arguments {request.arguments[:60]!r}: must be JSON: {error}"
    return "" if isinstance(value, dict) else f"arguments {request.arguments[:60]!r}: must be a JSON object, {{…}}"
