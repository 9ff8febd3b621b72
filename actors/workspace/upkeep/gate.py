"""Gate before a cut: bring the files up to date, then answer with the head of the remaining history."""

from __future__ import annotations

import functools
import logging
from collections import deque
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from actors.kernel import Host
from actors.workspace.bookkeeping import file_name
from actors.workspace.channel import MEMORY, SESSION, Channel
from actors.workspace.config import WorkspaceConfig
from actors.workspace.upkeep.state import Stretch, WorkspaceState
from actors.workspace.upkeep.told import TranscriptClient
from actors.workspace.upkeep.updates import Updates
from domain.log.redaction import Tombstone
from domain.policy.pacing import PATIENCE_S
from domain.turn.prompt import is_block
from domain.workspace.files.session_state import is_active, parsed_session
from domain.workspace.handover import handover
from domain.workspace.said_words import SaidWords, said_words
from messages.base import RequestId
from messages.turn import CompactionReady, PrepareCompaction, SpokenTurn

log = logging.getLogger(__name__)

NOT_STORED = "the words of the turns to cut could not be stored"
NOTHING_KEPT = "the turns to cut could not be written down, and there is no state of the work"
LATER = "MEMORY.md and HISTORY.md have it later: {reason}"
HANDOVER = "handover"


class _Cut:
    """One question, without words retracted meanwhile."""

    def __init__(self, message: PrepareCompaction) -> None:
        self.message = message
        self.spoken = message.spoken
        self.again: list[PrepareCompaction] = []
        """Repetitions of the question, from a turn after a stopped turn that was waiting."""
        self.has_looked_back = False
        """True if the log before was read for this cut, in vain or not."""

    def is_of(self, message: PrepareCompaction) -> bool:
        """True if a message asks about this cut."""
        known = self.message
        names = (known.log, known.kept_from, known.first_kept, known.words)
        return names == (message.log, message.kept_from, message.first_kept, message.words)


class CompactionGate:
    """Answers to `PrepareCompaction`, one question after the other.

    With a model, the order is: refresh SESSION.md, then MEMORY.md and HISTORY.md, then the handover, then the cut.
    Failed steps are made up for later, and the cut is put off only if the files would keep no word of the turns, or the
    state cannot be stored.
    People's own words are in every handover. A turn waits for workers once: after a failure or a long wait no cut waits
    for workers until a worker has answered well and soon.
    """

    def __init__(
        self,
        host: Host,
        config: WorkspaceConfig,
        *,
        channel: Channel,
        state: WorkspaceState,
        updates: Updates,
        transcript: TranscriptClient,
    ) -> None:
        self._host = host
        self._config = config
        self._channel = channel
        self._books = state.books
        self._state = state
        self._updates = updates
        self._transcript = transcript
        self._waiting: deque[_Cut] = deque()
        self._current: _Cut | None = None
        self._deadline = RequestId("")
        """Id of the wait after which the present cut ends."""
        self._is_waiting = False
        self._holds = 0
        """Number of open questions to the window; no head is given before the answers."""
        self._began_s = 0.0
        """When the cut in hand began to wait for workers."""
        self._asked_log = ""
        """Ended log read last, in vain or not, until the next question."""

    @property
    def is_busy(self) -> bool:
        """True while a cut is being readied."""
        return self._current is not None or bool(self._waiting)

    def begin(self, message: PrepareCompaction) -> None:
        """Answer after earlier questions, and answer repeated questions together with the first."""
        for cut in (*([self._current] if self._current else []), *self._waiting):
            if message.first_kept and cut.is_of(message):
                cut.again.append(message)
                return
        self._waiting.append(_Cut(message))
        self._next()

    def note_failure(self) -> None:
        """Note a worker's unusable answer: a cut already waiting for a while goes on without workers."""
        if self._current is not None and self._is_waiting and self._waited_s > PATIENCE_S:
            self._give_up_workers(self._current)

    def stop(self) -> None:
        """Drop all questions without an answer."""
        self._waiting.clear()
        self._current = None
        self._host.withdraw(self._deadline)

    def carry_over(self, log_path: str) -> None:
        """Take over people's words from an ended log; no head is given before."""

        def take(spoken: Sequence[SpokenTurn] | None) -> None:
            if spoken is not None:
                self._state.add_said(said_words(spoken))
                self._state.carried = log_path
                self._state.keep()
            self._release()

        self._holds += 1
        self._asked_log = log_path
        self._transcript.read_stretch(log_path, "", "", take)

    def taken_back(self, tombstone: Tombstone, event_id: str) -> None:
        """Remove retracted words from handovers and from the present cut, and note the retraction's event."""
        if tombstone.is_quote:
            self._state.note_retraction(event_id)
            return
        for cut in (*([self._current] if self._current else []), *self._waiting):
            gone = _turn_at(cut.spoken, tombstone)
            if gone and gone != tombstone.event_id:  # the rest of the turn stays to be told
                self._state.owe(_stretch(cut.spoken))
            cut.spoken = tuple(turn for turn in cut.spoken if turn.turn_id != gone)
        turn_id = _turn_at(self._state.words, tombstone)
        turn_ids = (turn_id, str(tombstone.event_id))
        if not turn_id:
            if self._store_without(turn_ids):
                self._state.note_retraction(event_id)
            return

        def take(spoken: Sequence[SpokenTurn] | None) -> None:
            self._state.replace_turn(turn_id, said_words(spoken or ()))
            if self._store_without(turn_ids):
                self._state.note_retraction(event_id)
            self._state.keep()
            self._release()

        self._holds += 1
        if turn_id == tombstone.event_id:
            take(())
        else:  # the lines of a message that joined a turn are unknown here
            self._transcript.read_stretch(tombstone.path, turn_id, turn_id, take)

    def _store_without(self, turn_ids: tuple[str, ...]) -> bool:
        """Make handovers with words of any of these turns anew; False if such a handover stays as it was."""
        are_stored = True
        for name in self._books.names(f"{HANDOVER}-"):
            document = self._books.document(name)
            turns, log_path = document.get("turns"), str(document.get("log", ""))
            if isinstance(turns, list) and any(each in turns for each in turn_ids):
                block = self._store(name, log_path, [each for each in self._state.words if each.turn_id in turns])
                are_stored &= self._books.document(name).get("block") == block
        return are_stored

    def forget(self, turns: frozenset[str]) -> None:
        """Tell of forgotten turns no more: not in a cut in hand, nor at the head of the history."""
        for cut in (*([self._current] if self._current else []), *self._waiting):
            cut.spoken = tuple(turn for turn in cut.spoken if turn.turn_id not in turns)
        self._books.prune(f"{HANDOVER}-", 0)

    # the parts of the above

    def _release(self) -> None:
        self._holds -= 1
        self._next()

    def _next(self) -> None:
        if self._current is not None or self._holds or not self._waiting:
            return
        cut = self._waiting.popleft()
        is_cut = bool(cut.message.first_kept)
        if is_cut and not cut.has_looked_back and (previous := self._log_to_carry(cut.message.log)):
            cut.has_looked_back = True
            self._waiting.appendleft(cut)
            self.carry_over(previous)
            return
        self._current = cut
        if not is_cut:
            self._answer_from_disk(cut)
        elif not self._config.llm:
            self._finish(cut)
        elif self._state.pacing.may_wait(is_asked_for=bool(cut.message.words)):
            self._bring_up_to_date(cut)
        else:
            self._finish(cut, "workers are not waited for", has_waited=False)

    @property
    def _waited_s(self) -> float:
        return self._host.monotonic() - self._began_s

    def _bring_up_to_date(self, cut: _Cut) -> None:
        self._began_s, self._is_waiting = self._host.monotonic(), True
        self._state.pacing.begin_wait()
        self._deadline = self._host.wait(self._config.gate_s, functools.partial(self._give_up_workers, cut))
        words = cut.message.words

        def end_consolidation(reason: str) -> None:
            if self._current is cut:
                self._finish(cut, reason)

        def end_refresh(reason: str) -> None:
            if reason:
                log.warning("%s: SESSION.md is as it was: %s", self._host.address, reason)
            if self._current is not cut:
                return
            if reason and self._waited_s > PATIENCE_S:
                end_consolidation(reason)
            elif unwritten := self._state.unwritten(cut.spoken):
                self._updates.consolidate(unwritten, end_consolidation, words)
            else:
                end_consolidation("")

        def take(spoken: Sequence[SpokenTurn] | None) -> None:
            if self._current is cut:
                self._updates.refresh(spoken or cut.spoken, end_refresh, words)

        if not self._config.session or not cut.spoken:
            end_refresh("")
        elif self._state.dirty and self._state.log == cut.message.log:
            self._transcript.read_stretch(cut.message.log, self._state.dirty[0], "", take)
        else:
            take(())

    def _finish(self, cut: _Cut, trouble: str = "", *, has_waited: bool = True) -> None:
        """Answer a question about a cut.

        Args:
            cut: The cut.
            trouble: Reason why not all of it is in the files.
            has_waited: False where workers were not waited for: then people's own words are enough for a cut, so that
                the same turns are not asked about at each turn.
        """
        self._host.withdraw(self._deadline)
        if self._is_waiting:
            self._state.pacing.end_wait()
        self._is_waiting = False
        self._state.add_said(said_words(cut.spoken))
        unwritten = self._state.unwritten(cut.spoken)
        is_short = bool(trouble and unwritten)
        if is_short:
            log.warning("%s: the cut turns are written down later: %s", self._host.address, trouble)
            self._state.owe(_stretch(unwritten))
        is_kept = self._state.keep()
        words = self._state.words
        request_id = cut.message.request_id
        has_state = is_active(parsed_session(self._channel.read(SESSION))) or bool(words and not has_waited)
        if not is_kept or (is_short and not has_state):
            block, reason = self._block(words), NOTHING_KEPT if is_kept else NOT_STORED
            self._reply(cut, CompactionReady(request_id=request_id, handover=block, cut=False, trouble=reason))
        else:
            block = self._store(file_name(HANDOVER, cut.message.first_kept, ".json"), cut.message.log, words)
            owed = LATER.format(reason=trouble) if is_short else ""
            self._reply(cut, CompactionReady(request_id=request_id, handover=block, trouble=owed))

    def _answer_from_disk(self, cut: _Cut) -> None:
        """Answer with the head since the last cut, or since the log began."""
        message = cut.message
        name = file_name(HANDOVER, message.kept_from or message.log, ".json")
        block = self._books.document(name).get("block")
        if isinstance(block, str) and (not block or is_block(block)):
            self._reply(cut, CompactionReady(request_id=message.request_id, handover=block))
            return
        previous = "" if message.kept_from else self._log_to_carry(message.log)
        if previous and previous != self._asked_log:
            self._current = None
            self._waiting.appendleft(cut)
            self.carry_over(previous)
            return
        if previous:  # read in vain: a head without these words is not stored, and the next question reads again
            self._asked_log = ""
            block = self._block(self._state.words)
            self._reply(cut, CompactionReady(request_id=message.request_id, handover=block))
            return

        def take(spoken: Sequence[SpokenTurn] | None) -> None:
            if self._current is not cut:
                return
            if spoken:
                self._state.add_said(said_words(spoken))
                self._state.keep()
            handover_name = self._store(name, message.log, self._state.words)
            self._reply(cut, CompactionReady(request_id=message.request_id, handover=handover_name))

        if message.kept_from and self._state.is_fresh:
            self._transcript.read_before(message, take)
        else:
            take(())

    def _log_to_carry(self, log_path: str) -> str:
        """Log before a new log, if a kill in the middle of `/new` came before the words were taken over; else empty."""
        documents = (self._books.document(name).get("log") for name in self._books.names(f"{HANDOVER}-"))
        before = [each for each in (self._state.log, *documents) if isinstance(each, str) and each < log_path]
        newest = max(before, default="")
        return newest if newest > self._state.carried else ""

    def _store(self, name: str, log_path: str, words: Sequence[SaidWords]) -> str:
        """Make a handover from the present files, store the handover under a name, and return the block.

        An empty handover is not worth a wait for the disk: every new window begins so.
        """
        block = self._block(words)
        document = {"block": block, "turns": sorted({each.turn_id for each in words}), "log": log_path}
        self._books.put_document(name, document, is_durable=bool(block))
        self._books.prune(f"{HANDOVER}-")
        return block

    def _block(self, words: Sequence[SaidWords]) -> str:
        session, memory = parsed_session(self._channel.read(SESSION)), self._channel.read(MEMORY)
        return handover(session, memory, words, self._config.handover_chars)

    def _give_up_workers(self, cut: _Cut) -> None:
        """Go on with a cut without the late workers."""
        self._state.pacing.note_failure()
        self._finish(cut, "workers did not answer in time")
        self._updates.stop_workers("the cut waits no longer")

    def _reply(self, cut: _Cut, reply: CompactionReady) -> None:
        self._current = None
        for message in (cut.message, *cut.again):
            self._host.tell(message.reply_to, replace(reply, request_id=message.request_id))
        self._next()


def _stretch(spoken: Sequence[SpokenTurn]) -> Stretch:
    return Stretch(spoken[0].path, spoken[0].turn_id, spoken[-1].turn_id)


def _turn_at(places: Iterable[SpokenTurn | SaidWords], tombstone: Tombstone) -> str:
    """Id of a tombstone's turn, or of the turn that the retracted message may have joined; empty for no turn."""
    nearest, line = "", -1
    for each in places:
        if each.turn_id == tombstone.event_id:
            return each.turn_id
        if each.path == tombstone.path and line <= each.line <= tombstone.line:
            nearest, line = each.turn_id, each.line
    return nearest
