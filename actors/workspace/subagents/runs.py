"""Runs of a window's sub-agents: start, wait, stop and list; the outcome of each run is kept."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NoReturn, assert_never

import msgspec

from actors.kernel import Host
from actors.workspace.bookkeeping import Bookkeeping
from actors.workspace.subagents.child import FAILED, STOPPED
from actors.workspace.subagents.definitions import Definitions
from actors.workspace.subagents.record import RUNNING, Record, kept_records, seconds_between
from domain.workspace.subagents.definition import CONTEXTUAL, MODES, NONE, RELEVANT, SubagentDefinition
from domain.workspace.subagents.prompt import task_prompt
from domain.workspace.subagents.report import note_text, report_text
from messages.base import Address, RequestId, TurnId, Window
from messages.model import Usage
from messages.shell import SharedFolder
from messages.socket import Refused
from messages.turn import CountUsage
from messages.workspace import (
    BeginRun,
    ChildEnded,
    EndRun,
    ListSubagents,
    RunAwoke,
    RunSubagent,
    StopSubagent,
    SubagentOffered,
    SubagentReport,
    SubagentRun,
    SubagentsListed,
    SubagentTold,
    WaitSubagent,
    subagent_of,
)

log = logging.getLogger(__name__)

MOST_RUNNING = 4
KEPT_RUNS = 20
"""Number of ended runs to keep, the newest."""
GRACE_S = 30.0
"""Extra seconds to wait after a run's time limit; then the run's actor is lost."""
STOP_S = 10.0
"""Seconds for a stop to wait for the run's actor."""
INTERRUPTED = "interrupted: the agent was restarted"
LOST = "interrupted: its actor was restarted"
NO_ANSWER = "its actor did not answer"
TAKEN_FOR_LOST = (INTERRUPTED, LOST, NO_ANSWER)
NO_TURN = TurnId("")
ASKED_TO_STOP = "it was stopped by its parent"


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrentTurn:
    """Facts of the present turn, passed on to new runs."""

    turn_id: TurnId = NO_TURN
    audience: str = ""
    folders: tuple[SharedFolder, ...] = ()
    may_run: bool = True
    """True if commands may be run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextWish:
    """Request for context before a task: the window's own state and memory, for a question."""

    task: str
    description: str
    paths: tuple[str, ...]
    wants_recall: bool
    """True if recalled entries are wanted besides the working state."""


@dataclass(frozen=True, slots=True)
class RunsConfig:
    """Dependencies of runs on the rest of the workspace."""

    definitions: Definitions
    books: Bookkeeping
    """Store for the outcomes of runs."""
    context: Callable[[ContextWish], str]
    """Returns the text before the task of a contextual run; may read the disk."""
    on_ended: Callable[[str, str, str], None]
    """Called for each run at the end: run id, name of the sub-agent, state."""


@dataclass(slots=True)
class _Waiter:
    """Caller waiting for a run's end."""

    run: str
    reply_to: Address
    deadline: RequestId
    """Id of the wait after which the caller gets an answer in any case."""


class _RefusalError(Exception):
    """A request is refused; the text says why."""


@dataclass(slots=True)
class Runs:
    """Runs of one window, looked up at first need."""

    host: Host
    window: Window
    config: RunsConfig
    _records: dict[str, Record] | None = field(default=None, init=False)
    """Runs by id, the oldest first; None before the look-up."""
    _waiters: dict[RequestId, _Waiter] = field(default_factory=dict, init=False)

    @property
    def is_busy(self) -> bool:
        """True if any run has not ended."""
        return any(record.is_running for record in (self._records or {}).values())

    def serve(self, request: RunSubagent | WaitSubagent | StopSubagent | ListSubagents, turn: CurrentTurn) -> None:
        """Do a script's request, and answer the script now or later.

        Args:
            request: Request of a script.
            turn: The turn in progress.
        """
        try:
            match request:
                case RunSubagent():
                    self._run(request, turn)
                case WaitSubagent():
                    self._wait(request)
                case StopSubagent():
                    self._stop(request)
                case ListSubagents():
                    self._list(request)
                case _:
                    assert_never(request)
        except _RefusalError as refusal:
            self.host.tell(request.reply_to, Refused(request_id=request.request_id, reason=str(refusal)))

    def take_report(self, report: SubagentReport) -> None:
        """Act on a report of a run's actor."""
        match report:
            case RunAwoke():
                self._note_awake(report)
            case ChildEnded():
                self._take_end(report)
            case _:
                assert_never(report)

    def stop_all(self, reason: str) -> None:
        """End every run, because its turn was stopped or its session is over."""
        for record in self._known.values():
            if record.is_running:
                self._tell_end(record, reason)

    def forget(self, reason: str) -> None:
        """End and drop every run: a task may repeat any words of the window."""
        self.stop_all(reason)
        for record in list(self._known.values()):
            if record.is_running:
                self._close(record, ChildEnded(run=record.run.run, state=STOPPED, text="", note=reason))
        self._known.clear()
        self.config.books.prune("r", 0)

    # what scripts ask

    def _run(self, request: RunSubagent, turn: CurrentTurn) -> None:
        if not request.task.strip():
            _refuse("task: must say what is to be done, and is empty")
        running = [record.run.run for record in self._known.values() if record.is_running]
        if len(running) >= MOST_RUNNING:
            _refuse(f"{len(running)} sub-agents run already ({', '.join(running)}): at most {MOST_RUNNING} may")
        definition = self._definition(request.name)
        mode = request.mode or definition.mode
        if mode not in MODES:
            _refuse(f"mode {request.mode!r}: must be one of {', '.join(MODES)}")
        prompt = task_prompt(request.task, self._context(definition, request.task) if mode == CONTEXTUAL else "")
        role = definition.role
        if not turn.may_run:
            role = msgspec.structs.replace(role, can_run=False)
        record = Record(SubagentRun(run=self._new_run(), name=definition.name, state=RUNNING, began_at=self.host.now()))
        run = record.run.run
        self._known[run] = record
        record.deadline = self.host.wait(role.max_wall_s + GRACE_S, lambda: self._give_up(record, FAILED))
        with self.host.blocking():
            record.keep(self.config.books)
        begin = BeginRun(
            run=run,
            reply_to=self.host.address,
            window=self.window,
            role=role,
            prompt=prompt,
            turn_id=turn.turn_id,
            audience=turn.audience,
            folders=turn.folders,
        )
        self.host.tell(subagent_of(self.window, run), begin)
        self._tell(record, request.request_id, request.reply_to)

    def _wait(self, request: WaitSubagent) -> None:
        record = self._record(request.run)
        if record.is_running and request.seconds:
            self._let_wait(record, request, float(request.seconds))
        else:
            self._tell(record, request.request_id, request.reply_to)

    def _stop(self, request: StopSubagent) -> None:
        record = self._record(request.run)
        if record.is_running:
            self._let_wait(record, request, STOP_S)
            self._tell_end(record, ASKED_TO_STOP)
        else:
            self._tell(record, request.request_id, request.reply_to)

    def _list(self, request: ListSubagents) -> None:
        with self.host.blocking():
            offer = self.config.definitions.scan()
        listed = SubagentsListed(
            request_id=request.request_id,
            offered=tuple(
                SubagentOffered(name=each.name, description=each.description, mode=each.mode)
                for each in offer.definitions.values()
            ),
            runs=tuple(record.as_of(self.host.now()) for record in reversed(self._known.values())),
            faults=offer.faults,
        )
        self.host.tell(request.reply_to, listed)

    def _definition(self, name: str) -> SubagentDefinition:
        with self.host.blocking():
            offer = self.config.definitions.scan()
        if (definition := offer.definitions.get(name)) is None:
            there = f"must be one of {', '.join(offer.definitions)}" if offer.definitions else "there is none"
            _refuse(f"sub-agent {name!r}: {there}")
        return definition

    def _context(self, definition: SubagentDefinition, task: str) -> str:
        if definition.memory == NONE:
            return ""
        wish = ContextWish(
            task=task,
            description=definition.description,
            paths=definition.paths,
            wants_recall=definition.memory == RELEVANT,
        )
        return self.config.context(wish)

    def _record(self, run: str) -> Record:
        record = self._known.get(run)
        if record is None:
            _refuse(f"run {run!r}: is none of the last runs here, which `list` names")
        return record

    def _let_wait(self, record: Record, request: WaitSubagent | StopSubagent, seconds: float) -> None:
        """Answer a caller when the run ends, or after some seconds; a stop then ends the wait in any case."""

        def answer() -> None:
            if isinstance(request, StopSubagent):
                self._give_up(record, STOPPED)
            elif self._waiters.pop(request.request_id, None) is not None:
                self._tell(record, request.request_id, request.reply_to)

        deadline = self.host.wait(seconds, answer)
        self._waiters[request.request_id] = _Waiter(request.run, request.reply_to, deadline)

    def _tell(self, record: Record, request_id: RequestId, to: Address) -> None:
        text = "" if record.is_running else record.text
        self.host.tell(to, SubagentTold(request_id=request_id, run=record.as_of(self.host.now()), text=text))

    # what runs say

    def _note_awake(self, report: RunAwoke) -> None:
        record = self._known.get(report.run)
        if record is None or not record.is_running:
            return
        if record.is_awake:
            self._tell_end(record, LOST)
            self._close(record, ChildEnded(run=report.run, state=FAILED, text="", note=LOST))
        record.is_awake = True

    def _take_end(self, report: ChildEnded) -> None:
        record = self._known.get(report.run)
        if record is None:
            return
        if not record.is_counted and report.usage != Usage():
            record.is_counted = True
            self.host.tell(self.window.address, CountUsage(window=self.window, usage=report.usage))
        if record.is_running:
            self._close(record, report)
        elif record.run.note in TAKEN_FOR_LOST and not record.text:
            self._take_in(record, report)

    def _take_in(self, record: Record, report: ChildEnded) -> None:
        """Record the result of a run taken for lost; a stopped run stays stopped, with the findings of the run."""
        record.text = report_text(report.text)
        changes: dict[str, object] = {"turns": report.turns, "calls": report.calls}
        if report.state != STOPPED:
            changes |= {"state": report.state, "note": note_text(report.note)}
        record.run = msgspec.structs.replace(record.run, **changes)
        with self.host.blocking():
            record.keep(self.config.books)

    def _give_up(self, record: Record, state: str) -> None:
        """End a run with a silent actor."""
        self._tell_end(record, NO_ANSWER)
        self._close(record, ChildEnded(run=record.run.run, state=state, text="", note=NO_ANSWER))

    def _tell_end(self, record: Record, reason: str) -> None:
        run = record.run.run
        self.host.tell(subagent_of(self.window, run), EndRun(run=run, reason=reason))

    def _close(self, record: Record, report: ChildEnded) -> None:
        """A run has ended: keep the result, and tell all waiting callers."""
        if record.deadline is not None:
            self.host.withdraw(record.deadline)
        record.text = report_text(report.text)
        record.run = msgspec.structs.replace(
            record.run,
            state=report.state,
            turns=report.turns,
            calls=report.calls,
            seconds=seconds_between(record.run.began_at, self.host.now()),
            note=note_text(report.note),
        )
        with self.host.blocking():
            record.keep(self.config.books)
            self._forget_old()
        for request_id, waiter in list(self._waiters.items()):
            if waiter.run == report.run:
                self.host.withdraw(waiter.deadline)
                del self._waiters[request_id]
                self._tell(record, request_id, waiter.reply_to)
        self.config.on_ended(record.run.run, record.run.name, record.run.state)

    # what is kept

    @property
    def _known(self) -> dict[str, Record]:
        """All runs; unfinished runs of an earlier life count as lost, and any remains are ended."""
        if self._records is None:
            with self.host.blocking():
                records = sorted(kept_records(self.config.books), key=lambda record: record.run.began_at)
            self._records = {record.run.run: record for record in records}
            for record in records:
                if record.is_running:
                    self._tell_end(record, INTERRUPTED)
                    self._close(record, ChildEnded(run=record.run.run, state=FAILED, text="", note=INTERRUPTED))
        return self._records

    def _forget_old(self) -> None:
        """Keep the newest ended runs."""
        records = self._records or {}
        ended = [run for run, record in records.items() if not record.is_running]
        for run in ended[:-KEPT_RUNS]:
            del records[run]
            self.config.books.prune(f"{run}.json", 0)

    def _new_run(self) -> str:
        """A name without a run, earlier lives included."""
        run = f"r{self.host.new_id()}"
        while run in self._known:
            run = f"r{self.host.new_id()}"
        return run


def _refuse(reason: str) -> NoReturn:
    raise _RefusalError(reason)
