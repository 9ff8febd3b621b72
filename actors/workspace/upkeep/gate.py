"""Gate before a cut: files are brought up to date first, then it is said what stands at the head of what is left."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Sequence

from actors.kernel import Host, Timer
from actors.workspace.bookkeeping import file_name
from actors.workspace.channel import MEMORY, SESSION, Channel
from actors.workspace.config import WorkspaceConfig
from actors.workspace.upkeep.state import Stretch, WorkspaceState
from actors.workspace.upkeep.told import ToldWords
from actors.workspace.upkeep.updates import Updates
from domain.workspace.directives import found_lines
from domain.workspace.handover import handover
from domain.workspace.session_state import is_active, parsed_session
from messages.base import RequestId
from messages.turn import BeforeTrim, SpokenTurn, TrimReady
from messages.workspace import WorkerOverdue

log = logging.getLogger(__name__)

NOTHING_KEPT = "what is to be cut could not be written down, and there is no state of the work"


class Gate:
    """Answerer of `BeforeTrim`, one after the other.

    With a model, the order is: refresh SESSION.md, then MEMORY.md and HISTORY.md, then the handover, then the cut. What
    fails of that is made up for later, and the cut is put off only where nothing would be kept of it. After a time-out
    no cut waits for workers until one of them has answered.
    """

    def __init__(
        self,
        host: Host,
        config: WorkspaceConfig,
        *,
        channel: Channel,
        state: WorkspaceState,
        updates: Updates,
        told: ToldWords,
    ) -> None:
        self._host = host
        self._config = config
        self._channel = channel
        self._books = state.books
        self._state = state
        self._updates = updates
        self._told = told
        self._waiting: deque[BeforeTrim] = deque()
        self._current: BeforeTrim | None = None
        self._timer: tuple[RequestId, Timer] | None = None
        self._is_open_late = False
        """Whether workers did not answer in time the last time."""
        self._is_held = False
        """Whether something is to be taken over from an earlier log first."""

    @property
    def is_busy(self) -> bool:
        """Whether a cut is being readied."""
        return self._current is not None or bool(self._waiting)

    def begin(self, message: BeforeTrim) -> None:
        """Answer when those before are answered."""
        self._waiting.append(message)
        self._next()

    def hold(self) -> None:
        """Answer nothing until `take_over`."""
        self._is_held = True

    def take_over(self, spoken: Sequence[SpokenTurn]) -> None:
        """Keep in mind what was said in an earlier log that is to hold, and go on."""
        self._state.add_found(found_lines(spoken))
        self._state.keep()
        self._is_held = False
        self._next()

    def answered(self) -> None:
        """A worker has answered: the next cut waits for workers again."""
        self._is_open_late = False

    def overdue(self, request_id: RequestId) -> bool:
        """Whether this was the deadline of the cut in hand, which goes on now without what is late."""
        if self._timer is None or self._timer[0] != request_id or self._current is None:
            return False
        self._is_open_late = True
        self._finish(self._current, "workers did not answer in time")
        return True

    def taken_back(self, turn_id: str) -> None:
        """A turn's words were taken back: no handover shows them any more."""
        if self._state.forget_turn(turn_id):
            self._state.keep()
        for name in self._books.names("handover-"):
            document = self._books.document(name)
            if turn_id in document.get("turns", ()):
                self._store(name, self._state.found)

    # the parts of the above

    def _next(self) -> None:
        if self._current is not None or self._is_held or not self._waiting:
            return
        self._current = message = self._waiting.popleft()
        if not message.first_kept or self._was_readied(message):
            self._answer_from_disk(message)
        elif not self._config.llm or self._is_open_late:
            self._finish(message, "" if not self._config.llm else "workers did not answer the last time")
        else:
            self._bring_up_to_date(message)

    def _bring_up_to_date(self, message: BeforeTrim) -> None:
        request_id = RequestId(self._host.new_id())
        self._timer = request_id, self._host.after(self._config.gate_s, WorkerOverdue(request_id=request_id))

        def consolidated(reason: str) -> None:
            if self._current is message:
                self._finish(message, reason)
            elif not reason:
                self._pay(message)

        def refreshed(reason: str) -> None:
            if reason:
                log.warning("%s: SESSION.md is as it was: %s", self._host.address, reason)
            else:
                self._state.dirty_from = ""
                self._state.keep()
            if self._current is not message:
                return
            if message.spoken:
                self._updates.consolidate(message.spoken, consolidated, message.words)
            else:
                consolidated("")

        if self._config.session and message.spoken:
            self._told.since(message, lambda spoken: self._updates.refresh(spoken, refreshed, message.words))
        else:
            refreshed("")

    def _finish(self, message: BeforeTrim, trouble: str) -> None:
        """Answer a question about a cut; `trouble` says why not all of it is in the files."""
        if self._timer is not None:
            self._timer[1].cancel()
            self._timer = None
        self._state.add_found(found_lines(message.spoken))
        if trouble and message.spoken:
            log.warning("%s: what is cut is written down later: %s", self._host.address, trouble)
            self._state.owe(_stretch(message))
        self._state.keep()
        session = parsed_session(self._channel.read(SESSION))
        if trouble and not is_active(session):
            self._reply(message, TrimReady(request_id=message.request_id, cut=False, trouble=NOTHING_KEPT))
            return
        name = file_name("handover", message.first_kept, ".json")
        block = self._store(name, self._state.found if trouble or not self._config.llm else ())
        self._reply(message, TrimReady(request_id=message.request_id, handover=block))

    def _answer_from_disk(self, message: BeforeTrim) -> None:
        """Say what stands at the head since the last cut, or since the log began."""
        name = file_name("handover", message.first_kept or message.kept_from or message.log, ".json")
        document = self._books.document(name)
        if isinstance(document.get("block"), str):
            self._reply(message, TrimReady(request_id=message.request_id, handover=document["block"]))
            return

        def told(spoken: Sequence[SpokenTurn]) -> None:
            self._state.add_found(found_lines(spoken))
            self._state.keep()
            block = self._store(name, () if self._config.llm else self._state.found)
            self._reply(message, TrimReady(request_id=message.request_id, handover=block))

        if message.kept_from and self._state.is_fresh:
            self._told.before(message, told)
        else:
            told(())

    def _was_readied(self, message: BeforeTrim) -> bool:
        """Whether all was done for this very cut before, which then came to nothing: nothing is written twice."""
        document = self._books.document(file_name("handover", message.first_kept, ".json"))
        return isinstance(document.get("block"), str) and _stretch(message) not in self._state.owed

    def _store(self, name: str, found: Sequence[object]) -> str:
        """Make a handover of what the files say now, and keep it under a name; the block."""
        lines = [line for line in self._state.found if line in found]
        session, memory = parsed_session(self._channel.read(SESSION)), self._channel.read(MEMORY)
        block = handover(session, memory, lines, self._config.handover_chars)
        self._books.put_document(name, {"block": block, "turns": [line.turn_id for line in lines]})
        self._books.prune("handover-")
        return block

    def _pay(self, message: BeforeTrim) -> None:
        self._state.pay(_stretch(message))
        self._state.keep()

    def _reply(self, message: BeforeTrim, reply: TrimReady) -> None:
        self._current = None
        self._host.tell(message.reply_to, reply)
        self._next()


def _stretch(message: BeforeTrim) -> Stretch:
    spoken = message.spoken
    return Stretch(message.log, spoken[0].turn_id if spoken else "", spoken[-1].turn_id if spoken else "")
