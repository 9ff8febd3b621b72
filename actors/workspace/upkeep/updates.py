"""Updates of a window's files by workers: the state of the work, what lasts of a stretch, and tidying up."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Sequence
from datetime import datetime

from actors.kernel import Host
from actors.workspace.channel import ARCHIVE, HISTORY, MEMORY, SESSION, Channel
from actors.workspace.config import WorkspaceConfig
from actors.workspace.files import ChannelFiles, Done
from actors.workspace.upkeep.state import Source, WorkspaceState
from actors.workspace.upkeep.workers import Work, Workers
from domain.text.secret_scrub import Scrubber
from domain.workspace.answers.refusal import kept_answer, told_reason
from domain.workspace.files.history_file import appended_block, archive_blocks, fold_blocks, fold_is_due, folding
from domain.workspace.files.memory_file import (
    MemoryEntry,
    append_entries,
    constraints_of,
    decisions_of,
    marks_of,
    sweep_entries,
    sweep_is_due,
)
from domain.workspace.files.session_state import (
    TITLES,
    SessionState,
    merge_session,
    overflow_of,
    parsed_session,
    update_session,
)
from domain.workspace.workers.consolidation import parsed_consolidation
from domain.workspace.workers.prompts import Prompt, consolidate_prompt, fold_prompt, session_prompt, sweep_prompt
from messages.turn import SpokenTurn

log = logging.getLogger(__name__)

PENDING = "pending.json"
"""Findings of a worker in a stretch, until both files have the findings."""


class Updates:
    """Conversion of workers' answers into edits; a bad answer changes no file."""

    def __init__(
        self,
        host: Host,
        config: WorkspaceConfig,
        *,
        channel: Channel,
        files: ChannelFiles,
        state: WorkspaceState,
        workers: Workers,
    ) -> None:
        """Begin without a question.

        Args:
            host: The actor.
            config: The operator's decisions.
            channel: Reads the files.
            files: Writes the files.
            state: Records written turns; findings are stored beside the state until written.
            workers: Ask models.
        """
        self._host = host
        self._is_secret = config.is_secret
        self._own = Scrubber(config.secrets)
        self._scrub = self._own.scrub
        self._channel = channel
        self._files = files
        self._books = state.books
        self._state = state
        self._workers = workers
        self._may_ask = config.llm
        self._forgets = 0

    def stop_workers(self, reason: str) -> None:
        """Cancel every running or waiting model call."""
        self._workers.stop(reason)

    def forget(self) -> None:
        """Cancel every running change of several files: the rest of a change may hold forgotten words."""
        self._forgets += 1

    def _unless_forgotten(self, then: Done) -> Done:
        """Wrap `then`: report a failure if words are forgotten meanwhile."""
        before = self._forgets
        return lambda reason: then(reason or ("" if before == self._forgets else "words were forgotten meanwhile"))

    def refresh(self, spoken: Sequence[SpokenTurn], done: Done, words: str = "") -> None:
        """Have SESSION.md say how the work stands after some turns.

        Args:
            spoken: The turns.
            done: Called with the reason of a failure, or an empty text.
            words: Words of a user about the points to keep.
        """
        base, memory = self._channel.read(SESSION), self._channel.read(MEMORY)

        def read_answer(text: str) -> Callable[[], None]:
            known = (*constraints_of(memory), *decisions_of(memory))
            state = update_session(
                parsed_session(base), text, spoken, known=known, is_secret=self._is_secret, drop=self._note_dropped
            )
            entries = [
                MemoryEntry(TITLES[name], text)
                for name, texts in overflow_of(parsed_session(base), state).items()
                for text in texts
            ]
            return lambda: self._add_to_memory(entries, spoken, then(state))

        def then(state: SessionState) -> Done:
            def go_on(reason: str) -> None:
                if reason:
                    done(reason)
                else:
                    self._files.change(SESSION, lambda now: merge_session(base, state, now), finish)

            return self._unless_forgotten(go_on)

        def finish(reason: str) -> None:
            if not reason:
                self._state.told_of([turn.turn_id for turn in spoken])
            done(reason)

        def prompt() -> tuple[str, str]:
            return session_prompt(base, memory, spoken, self._scrub, words)

        self._begin("session", prompt, read_answer, done)

    def _add_to_memory(self, entries: Sequence[MemoryEntry], spoken: Sequence[SpokenTurn], done: Done) -> None:
        """Move text without room in SESSION.md to MEMORY.md."""
        if not entries:
            done("")
            return
        at, stretch = self._host.now(), f"{spoken[0].path} {spoken[-1].turn_id} session"
        turns = tuple(turn.turn_id for turn in spoken)
        self._state.add_written((), Source(spoken[0].path, turns, marks_of(entries, stretch)))
        self._files.change(MEMORY, lambda now: append_entries(now, entries, at, stretch), done)

    def consolidate(self, spoken: Sequence[SpokenTurn], done: Done, words: str = "") -> None:
        """Have MEMORY.md and HISTORY.md hold what lasts of a stretch, once.

        Args:
            spoken: Turns of the stretch, at least one.
            done: Called with the reason of a failure, or an empty text.
            words: Words of a user about the points to keep.
        """
        stretch = f"{spoken[0].path} {spoken[0].turn_id} {spoken[-1].turn_id}"
        if self._pending_stretch() == stretch:
            self.write_pending(done)
            return
        session, memory = self._channel.read(SESSION), self._channel.read(MEMORY)
        history = self._channel.read(HISTORY)

        def read_answer(text: str) -> Callable[[], None]:
            consolidation = parsed_consolidation(text, spoken, memory, history, self._is_secret)
            for reason in consolidation.dropped:
                self._note_dropped(reason)
            document = {
                "stretch": stretch,
                "turns": [] if consolidation.trouble else [turn.turn_id for turn in spoken],
                "told": [turn.turn_id for turn in spoken],
                "at": self._host.now().isoformat(),
                "entries": [[entry.section, entry.text] for entry in consolidation.entries],
                "block": consolidation.history_block,
                "first_at": spoken[0].at.isoformat(),
                "last_at": spoken[-1].at.isoformat(),
            }

            def without_history(reason: str) -> None:
                self._refuse("consolidate", done, text, ValueError(reason or consolidation.trouble))

            def write() -> None:
                self._books.put_document(PENDING, document, is_durable=True)
                self._write(document, without_history if consolidation.trouble else done)

            return write

        def prompt() -> tuple[str, str]:
            return consolidate_prompt(session, memory, history, spoken, self._scrub, words)

        self._begin("consolidate", prompt, read_answer, done)

    def write_pending(self, done: Done) -> None:
        """Finish an earlier life's pending write, if any."""
        document = self._books.document(PENDING)
        try:
            self._write(document, done) if document else done("")
        except (KeyError, TypeError, ValueError) as error:
            log.warning(
                "%s: the entries of a worker are not written: %s", self._host.address, self._word_reason(repr(error))
            )
            self._books.put_document(PENDING, {}, is_durable=True)
            done("the entries could not be read again")

    def _tidy(self) -> None:
        """Have long files shortened, one after the other."""
        if not self._may_ask or self._workers.is_busy:
            return
        if sweep_is_due(self._channel.read(MEMORY)):
            self._sweep()
        if fold_is_due(self._channel.read(HISTORY)):
            self._fold()

    def _pending_stretch(self) -> str:
        return str(self._books.document(PENDING).get("stretch", ""))

    def _write(self, document: object, done: Done) -> None:
        """Both files, MEMORY.md first; each has every entry once, however often this is tried."""
        assert isinstance(document, dict), "as it was kept"
        stretch, at = str(document["stretch"]), datetime.fromisoformat(document["at"])
        entries = [MemoryEntry(str(section), str(text)) for section, text in document["entries"]]
        turns = [str(turn) for turn in document["turns"]]
        block = str(document["block"])
        turn_ids = tuple(str(turn) for turn in document.get("told", turns))
        source = Source(stretch.split(" ")[0], turn_ids, marks_of(entries, stretch))
        first_at, last_at = (datetime.fromisoformat(document[name]) for name in ("first_at", "last_at"))

        def both(reason: str) -> None:
            if not reason:
                self._state.add_written(turns)
                self._books.put_document(PENDING, {}, is_durable=True)
            done(reason)
            if not reason:
                self._tidy()

        def then(reason: str) -> None:
            if reason or not block:
                both(reason)
                return
            self._files.change(HISTORY, lambda now: appended_block(now, block, first_at, last_at, stretch), both)

        self._state.add_written((), source)  # first, so that no mark of the runtime's is unknown
        self._files.change(MEMORY, lambda now: append_entries(now, entries, at, stretch), self._unless_forgotten(then))

    def _sweep(self) -> None:
        base = self._channel.read(MEMORY)

        def read_answer(text: str) -> Callable[[], None]:
            sweep_entries(base, text, base, self._is_secret)
            return functools.partial(write, text)

        def write(text: str) -> None:
            self._files.keep_before(MEMORY, base, self._stamp())
            self._files.change(MEMORY, lambda now: sweep_entries(base, text, now, self._is_secret), self._end_tidying)

        self._begin("sweep", lambda: sweep_prompt(base, self._scrub), read_answer, self._end_tidying)

    def _fold(self) -> None:
        base = self._channel.read(HISTORY)

        def read_answer(text: str) -> Callable[[], None]:
            fold_blocks(base, text, base, self._is_secret)
            return functools.partial(write, text)

        def write(text: str) -> None:
            self._files.keep_before(HISTORY, base, self._stamp())
            raw = folding(base)[0]

            def then(reason: str) -> None:
                if reason:
                    self._end_tidying(reason)
                else:
                    self._files.change(
                        HISTORY, lambda now: fold_blocks(base, text, now, self._is_secret), self._end_tidying
                    )

            def with_blocks(now: bytes) -> bytes:
                return archive_blocks(now, raw)

            try:
                self._files.make_room(ARCHIVE, with_blocks, self._stamp())
            except OSError as error:
                self._end_tidying(str(error))
                return
            self._files.change(ARCHIVE, with_blocks, then)

        self._begin("fold", lambda: fold_prompt(base, self._scrub), read_answer, self._end_tidying)

    def _begin(
        self, purpose: str, prompt: Callable[[], Prompt], read: Callable[[str], Callable[[], None]], done: Done
    ) -> None:
        self._workers.begin(Work(purpose, prompt, read, functools.partial(self._refuse, purpose, done), done))

    def _end_tidying(self, reason: str) -> None:
        if reason:
            log.warning("%s: a file is not made shorter: %s", self._host.address, self._word_reason(reason))

    def _stamp(self) -> str:
        return f"{self._host.now():%Y%m%dT%H%M%S%f}"

    def _note_dropped(self, reason: str) -> None:
        log.info("%s: a part of a worker's answer is left out: %s", self._host.address, reason)

    def _refuse(self, purpose: str, done: Done, text: str, error: ValueError) -> None:
        """Keep an unusable answer for a later inspection."""
        excerpt = kept_answer(text, self._own)
        self._books.put(f"refused-{purpose}.txt", excerpt.encode("utf-8", "replace")[:64_000], is_durable=False)
        done(f"the answer of the worker for {purpose} cannot be used: {self._word_reason(str(error), text)}")

    def _word_reason(self, reason: str, answer: str = "") -> str:
        """Reason in a form fit for a log, since a reason may quote an answer."""
        return told_reason(reason, answer, self._is_secret)
