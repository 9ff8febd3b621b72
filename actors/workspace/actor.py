"""WorkspaceActor: a window's files of working state, before, between and after its turns."""

from __future__ import annotations

import functools
import hashlib
import logging
from collections.abc import Sequence

from actors.kernel import Actor, NotUnderstoodError, Then
from actors.workspace.bookkeeping import Bookkeeping, file_name
from actors.workspace.channel import AGENTS, ARCHIVE, HISTORY, MEMORY, SESSION, SOUL, Channel
from actors.workspace.config import WorkspaceConfig
from actors.workspace.files import ChannelFiles
from actors.workspace.preparing import Preparing
from actors.workspace.shared_looks import SharedLooks
from actors.workspace.skills.hooks import Hooks
from actors.workspace.subagents.runs import Runs, RunsConfig
from actors.workspace.upkeep.forgetting import REASON, Forgetting
from actors.workspace.upkeep.gate import CompactionGate
from actors.workspace.upkeep.state import Stretch, WorkspaceState
from actors.workspace.upkeep.told import TranscriptClient
from actors.workspace.upkeep.updates import Updates
from actors.workspace.upkeep.workers import Workers
from domain.log.event import Kind
from domain.log.metadata import meta_dict
from domain.log.redaction import tombstone_of
from domain.workspace.files.session_state import is_active, parsed_session
from domain.workspace.identity import Places, identity, stores
from domain.workspace.skills.hook import Fact
from domain.workspace.skills.life import AFTER_RESPONSE, AFTER_SUBAGENT, BEFORE_COMPACT, when_to_use_text
from domain.workspace.workers.prompts import count_told
from messages.base import Message, Window
from messages.forget import ForgetDerived
from messages.model import ModelDelta, ModelFailed, ModelReply
from messages.shell import BashRefused, BashResult
from messages.socket import Refused
from messages.turn import (
    EventsLogged,
    PrepareCompaction,
    PrepareTurn,
    SpokenTold,
    SpokenTurn,
    TurnContribution,
    TurnEnded,
    WindowBegun,
)
from messages.workspace import (
    ChildEnded,
    DescribeSession,
    ListSubagents,
    RunAwoke,
    RunSubagent,
    SessionDescribed,
    StopSubagent,
    WaitSubagent,
    WorkspaceMessage,
)

log = logging.getLogger(__name__)

RUNS = "runs"
LOOK_AFTER_S = 30.0
"""Seconds after an edit until a look for late writes to the displaced version."""
SHOWN_CHARS = 8_000


class WorkspaceActor(Actor):
    """Keeper of a window's workspace: shows the part relevant to a turn, and hands work over when history is cut.

    Owns: the runtime's writing in the window's folder, beside people and commands who write there too.
    Asks: the window for words to be written down, the model for their wording, if wanted.
    Crashes on: a defect. Unreadable files count as empty, unwritable files stay as they were; a
    worker that fails or hangs delays only a single cut. The next life finds the rest on the disk.
    """

    def __init__(self, window: Window, config: WorkspaceConfig, shared: SharedLooks) -> None:
        """Begin without a look at the files.

        Args:
            window: Window of the workspace.
            config: The operator's decisions.
            shared: What all windows look at together.
        """
        super().__init__()
        self.window = window
        self._config = config
        self._channel = Channel(config, window, self)
        self._books = Bookkeeping(self._channel.agent_folder, config.disk, is_kept=config.lives)
        self._state = WorkspaceState(self._books)
        self._files = ChannelFiles(self, config, self._channel.folder, self._books)
        self._pacing = self._state.pacing
        self._workers = Workers(self, config, window, self._pacing, on_failure=lambda: self._gate.note_failure())
        self._transcript = TranscriptClient(self, window)
        self._updates = Updates(
            self,
            config,
            channel=self._channel,
            files=self._files,
            state=self._state,
            workers=self._workers,
        )
        self._gate = CompactionGate(
            self,
            config,
            channel=self._channel,
            state=self._state,
            updates=self._updates,
            transcript=self._transcript,
        )
        self._forgetting = Forgetting(
            self, config, files=self._files, state=self._state, gate=self._gate, folder=self._channel.folder
        )
        self._hooks = Hooks(self, window, shared.lives)
        self._preparing = Preparing(
            self,
            config,
            channel=self._channel,
            hooks=self._hooks,
            lives=shared.lives if config.can_run else None,
        )
        records = Bookkeeping(self._channel.agent_folder / RUNS, config.disk, is_kept=config.lives)
        runs = RunsConfig(shared.definitions, records, self._preparing.context, self._run_ended)
        self._runs = Runs(self, window, runs)
        self._lives = shared.lives if config.can_run else None
        self._identity: tuple[str, tuple[str, str]] | None = None
        """Log, and instructions for the system prompt in this log."""
        self._looks_after = False

    def on_start(self) -> None:
        """Ensure that the files exist, and finish an earlier life's half-written edits."""
        if not self._config.lives:
            return
        with self.blocking():
            self._channel.ensure()
            if self._channel.is_new:
                return
            try:
                self._files.recover((SESSION, MEMORY, HISTORY, ARCHIVE))
            except OSError as error:
                log.warning("%s: what a crash left is not looked at: %s", self.address, error)
            self._updates.write_pending(self._note_result)
            self._look_later()

    def on_stop(self) -> None:
        """Release the files; the next life picks up unfinished edits."""
        with self.blocking():
            self._hooks.cancel()
            self._gate.stop()
            self._workers.stop("the agent stops")
            self._files.close()

    def handle(self, message: WorkspaceMessage | ForgetDerived) -> None:
        """Act on `message`; messages of every turn wait for the disk only to read or keep data."""
        match message:
            case PrepareTurn() | TurnEnded() | EventsLogged():
                self._dispatch(message)
            case _:
                with self.blocking():
                    self._dispatch(message)
        self._note_progress()

    def go_on(self, then: Then, answer: Message | None) -> None:
        """Take an answer as `handle` takes a message."""
        with self.blocking():
            then(answer)
            self._look_later()
        self._note_progress()

    def _note_progress(self) -> None:
        self.in_progress = (
            self._is_working or self._runs.is_busy or self._hooks.are_running or not self._files.is_at_rest
        )

    def _dispatch(self, message: WorkspaceMessage | ForgetDerived) -> None:
        match message:
            case PrepareTurn():
                self._preparing.begin(message, self._contribute)
            case TurnEnded():
                self._turn_ended(message)
            case EventsLogged():
                self._events_logged(message)
            case PrepareCompaction():
                self._prepare_compaction(message)
            case WindowBegun():
                self._window_begun(message)
            case ForgetDerived():
                self._forget(message)
            case DescribeSession():
                self.tell(message.reply_to, self._describe(message))
            case RunSubagent() | WaitSubagent() | StopSubagent() | ListSubagents():
                self._runs.serve(message, self._preparing.current)
            case RunAwoke() | ChildEnded():
                self._runs.take_report(message)
            case ModelReply():
                self._workers.count_usage(message)
            case SpokenTold() | Refused() | ModelFailed() | BashResult() | BashRefused() | ModelDelta():
                return  # An answer behind its deadline, or progress.
            case _:
                raise NotUnderstoodError(message)

    # turns

    def _contribute(self, turn: PrepareTurn, block: str) -> None:
        instructions, config = self._instructions(turn.log), self._config
        contribution = TurnContribution(
            request_id=turn.request_id,
            contributor=str(self.address),
            block=block,
            instructions="\n\n".join(part for part in instructions if part),
            without_commands=instructions[0],
            stores=stores(self._places, keeps_session=config.keeps_session, keeps_history=config.keeps_history),
            folders=self._preparing.folders,
        )
        self.tell(turn.reply_to, contribution)

    def _prepare_compaction(self, message: PrepareCompaction) -> None:
        """Let hooks have their say before a cut, then prepare the cut."""
        facts: dict[str, Fact] = {"turns": len(message.spoken)}

        def begin(_outputs: object) -> None:
            self._gate.begin(message)

        if not message.first_kept or not self._preparing.hook(BEFORE_COMPACT, facts, begin, cut=message):
            self._gate.begin(message)

    def _run_ended(self, run: str, name: str, state: str) -> None:
        self._preparing.hook(AFTER_SUBAGENT, {"run": run, "name": name, "state": state})

    def _instructions(self, log_path: str) -> tuple[str, str]:
        """Text of people's files, and of the use of skills: the same for the whole log, over restarts too."""
        if self._identity is not None and self._identity[0] == log_path and log_path:
            return self._identity[1]
        with self.blocking():
            text = self._kept_identity(log_path) if log_path and self._config.lives else self._identity_now()
        self._identity = log_path, text
        return text

    def _kept_identity(self, log_path: str) -> tuple[str, str]:
        name = file_name("identity", hashlib.sha256(log_path.encode()).hexdigest()[:16], ".json")
        is_first = self._channel.is_new and self._identity is None
        document = {} if is_first else self._books.document(name)
        files, skills = document.get("files"), document.get("skills")
        if isinstance(files, str) and isinstance(skills, str):
            return files, skills
        files, skills = self._identity_now()
        if self._books.put_document(name, {"files": files, "skills": skills}, is_durable=False) and not is_first:
            self._books.prune("identity-")
        return files, skills

    @property
    def _places(self) -> Places:
        folders = [folder.path for folder in self._channel.shared_folders()]
        return Places(folders[0], folders[1] if len(folders) > 1 else "")

    def _identity_now(self) -> tuple[str, str]:
        soul, agents = (self._channel.read_shared(name).decode("utf-8", "replace") for name in (SOUL, AGENTS))
        when = when_to_use_text(self._lives.look(self).lives) if self._lives is not None else ""
        return identity(soul, agents, self._places), when

    def _turn_ended(self, ended: TurnEnded) -> None:
        """Count the turn's work, write down owed stretches, and have SESSION.md updated when due."""
        if ended.turn_id in self._state.ended:
            return  # told again by a new incarnation of the window
        self._state.note_ended(ended.turn_id)
        if ended.outcome == "aborted":
            with self.blocking():
                self._runs.stop_all("its turn was stopped")
        elif ended.outcome == "answered":
            self._preparing.hook(AFTER_RESPONSE, {"answer": ended.events[-1].text if ended.events else ""})
        if not self._config.llm or not ended.events:
            return
        self._pacing.turn_ended(sum(event.kind == Kind.TOOL_CALL for event in ended.events))
        log_path = ended.events[0].path
        if self._config.session:
            self._state.note_turn(ended.turn_id, log_path)
        with self.blocking():
            self._state.keep()
        if self._is_working or not self._pacing.may_try(self.monotonic()):
            return
        if self._state.owed and self._pacing.may_pay:
            self._pay(self._state.owed[0])
        if self._config.session and self._pacing.is_due:
            self._refresh()

    @property
    def _is_working(self) -> bool:
        return self._workers.is_busy or self._transcript.is_busy or self._gate.is_busy

    def _refresh(self) -> None:
        """Have SESSION.md describe the state of work after the turns missing from the file."""
        self._pacing.begin()
        dirty = tuple(self._state.dirty)

        def take(spoken: Sequence[SpokenTurn] | None) -> None:
            if spoken:
                self._updates.refresh(spoken, self._note_result)
            elif spoken is not None:  # all of it was taken back
                self._state.told_of(dirty)

        self._transcript.read_stretch(self._state.log, dirty[0], "", take)

    def _pay(self, stretch: Stretch) -> None:
        """Write down the beginning of a stretch cut before it was written, up to the input of a single worker."""

        def take(spoken: Sequence[SpokenTurn] | None) -> None:
            unwritten = self._state.unwritten(spoken or ())
            turns = [turn.turn_id for turn in unwritten]
            count = count_told(unwritten)
            if spoken is None:
                settle([], [], "the window cannot list the turns to write down")
            elif unwritten:
                self._updates.consolidate(unwritten[:count], functools.partial(settle, turns[:count], turns[count:]))
            else:
                settle([], [], "")

        def settle(written: Sequence[str], rest: Sequence[str], reason: str) -> None:
            self._note_result(reason)
            if not reason:
                self._state.pay(stretch, rest)
            elif written:
                self._state.take_apart(stretch, written, rest)
            else:
                self._state.put_off(stretch)

        self._transcript.read_stretch(stretch.log, stretch.first, stretch.last, take)

    def _note_result(self, reason: str) -> None:
        """Note the result of an attempt: after a failure some turns pass without another."""
        if reason:
            log.warning("%s: %s", self.address, reason)
            self._pacing.pause(self.monotonic())
            self._state.keep()

    def _events_logged(self, logged: EventsLogged) -> None:
        """Forget retracted words, once however often the window tells of the retraction."""
        for event in logged.events:
            if event.kind == Kind.TOMBSTONE:
                tombstone = tombstone_of(meta_dict(event.meta_json))
                if tombstone is not None and event.id not in self._state.retractions:
                    with self.blocking():
                        self._gate.taken_back(tombstone, event.id)
                        self._books.prune("refused-", 0)
                    self._workers.stop("words that may have been in a worker's input were retracted")

    def _forget(self, message: ForgetDerived) -> None:
        """Forget turns; SESSION.md is to be made anew of the rest of the log."""
        self._updates.forget()
        self._forgetting.begin(message)
        self._workers.stop(REASON)
        self._runs.forget(REASON)
        self._look_later()

        def take(spoken: Sequence[SpokenTurn] | None) -> None:
            self._state.note_untold(turn.turn_id for turn in spoken or ())

        if self._config.llm and self._config.session and self._state.log:
            self._transcript.read_stretch(self._state.log, "", "", take)

    def _window_begun(self, begun: WindowBegun) -> None:
        """Take over from the ended log: its handover, and the state of work."""
        self._runs.stop_all("a new window was started")
        if self._config.compaction and begun.previous_log:
            self._gate.carry_over(begun.previous_log)
        if self._config.llm and self._config.session and self._state.dirty:
            self._refresh()

    # the rest

    def _look_later(self) -> None:
        if not self._looks_after and not self._files.is_at_rest:
            self._looks_after = True
            self.wait(LOOK_AFTER_S, self._look_after)

    def _look_after(self) -> None:
        self._looks_after = False
        self._files.try_again()
        self._look_later()

    def _describe(self, request: DescribeSession) -> SessionDescribed:
        data = self._channel.read(SESSION)
        session = parsed_session(data)
        text = data.decode("utf-8", "replace")[:SHOWN_CHARS] if is_active(session) else ""
        facts = (
            ("SESSION.md", f"{len(data):,} bytes"),
            ("MEMORY.md", f"{len(self._channel.read(MEMORY)):,} bytes"),
            ("HISTORY.md", f"{len(self._channel.read(HISTORY)):,} bytes"),
            ("to be written down", f"{len(self._state.owed)} stretches"),
        )
        folder = self._channel.shared_folders()[-1].path
        return SessionDescribed(request_id=request.request_id, text=text, folder=folder, facts=facts)
