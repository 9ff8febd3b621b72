"""Actor that keeps curated memory."""

from __future__ import annotations

import logging
from dataclasses import replace

from actors.curated.answers import NO_PROJECT, Answers, traces_listed
from actors.curated.config import CuratedConfig
from actors.curated.decisions import CuratedState, Decisions
from actors.curated.facts import write_fact
from actors.curated.folder import Folders
from actors.curated.forgetting import Forgetting
from actors.curated.injection import Injection, Injections
from actors.curated.places import Place, Places, WindowPlaces, every_place
from actors.curated.rules import Rules
from actors.curated.sidecars import write_table
from actors.curated.staging import Staging, reasons_of
from actors.curated.writer import Writer
from actors.edited_file.file import reason_of
from actors.kernel import Actor, Then, not_understood
from actors.linux.disk import RealDisk
from domain.curated.page import Fault, FaultKind, Scope
from domain.edit.lines import EditRefusedError
from domain.policy.known_readers import KnownReaders
from messages.base import Message, RequestId, Surface, Window
from messages.curated import (
    AddFact,
    ArchiveFact,
    ConfirmFact,
    CuratedCommand,
    CuratedMessage,
    FactCommand,
    FactsFlushed,
    FactWritten,
    FixFact,
    FlushFacts,
    ImportClaude,
    InjectionSwitched,
    MoveFact,
    PagesVerified,
    RememberFact,
    RemoveFact,
    SwitchInjection,
    VerifyPages,
)
from messages.curated_view import (
    CuratedQuestion,
    DescribeCurated,
    ListFaults,
    ListPages,
    ListStale,
    ListTraces,
    RecallFacts,
    ShowTrace,
)
from messages.discord import ReadersChanged, ReadersListed, TellReaders
from messages.forget import ForgetDerived
from messages.shell import SharedFolder
from messages.socket import Refused
from messages.status import DescribeYourself, SelfDescription
from messages.turn import EventsLogged, PrepareTurn, TurnContribution, TurnEnded

log = logging.getLogger(__name__)

OPERATOR = "operator"
"""Id of the command line's window; requests from there may name another window."""
DENIED = "denied: "
_Request = CuratedCommand | CuratedQuestion


class CuratedActor(Actor):
    """Keeper of hand-written memory of people and the agent: shows it before every turn, and writes single facts.

    Owns: the agent's writes to the memory folders, for people and commands write there too; the traces.
    Asks: the readership service, because readership decides write permissions.
    Crashes on: a defect. A file that cannot be read or written is no crash, but a listed fault.
    """

    def __init__(self, config: CuratedConfig, state: CuratedState) -> None:
        """Begin without a look.

        Args:
            config: The operator's decisions.
            state: State that outlives the actor in this process; the same object at every restart.
        """
        super().__init__()
        self._config = config
        self._state = state
        self._readers = KnownReaders()
        self._places = Places(config, self._readers)
        self._folders = Folders(lambda: int(self.now().timestamp() * 1e9))
        self._injections = Injections(config, self._folders)
        self._answers = Answers(config, self._folders, self._injections)
        self._rules = Rules(config.secrets, state, self._today)
        self._disk = config.disk or RealDisk()
        self._writer = Writer(self, config, state, self._folders, self._rules, self._places.denial_of)
        self._staging = Staging(self, config, self._folders, self._writer, self._rules)
        self._decisions = Decisions(self._disk, config.own_folder, self.new_id, self.now, are_kept=config.lives)
        self._forgetting = Forgetting(self, config, state, self._folders, self._writer, self._decisions)

    def on_start(self) -> None:
        """Learn the readership, and finish the half-done work of an earlier life."""
        if self._config.surface is not None:
            self.tell(self._config.surface, TellReaders(reply_to=self.address))
        if self._config.lives:
            with self.blocking():
                self._writer.recover()

    def on_stop(self) -> None:
        """Commit staged facts, and release the files."""
        with self.blocking():
            self._writer.close()

    @property
    def in_progress(self) -> bool:  # type: ignore[override]  # it follows from the parts
        """True if a file is being written."""
        return self._writer.is_busy

    def go_on(self, then: Then, answer: Message | None) -> None:
        """Take an answer, or the end of a wait, as `handle` takes a message."""
        with self.blocking():
            then(answer)
            self._writer.look_later()

    def handle(self, message: CuratedMessage | ForgetDerived) -> None:
        """Act on `message`; errors of the disk are answered."""
        with self.blocking():
            match message:
                case PrepareTurn():
                    self.tell(message.reply_to, self._contribution(message))
                case TurnEnded():
                    self._take_in(message)
                case EventsLogged():
                    return
                case ReadersListed() | ReadersChanged():
                    self._readers.learn(message.windows, is_all=isinstance(message, ReadersListed))
                    self._writer.flush_waiting()
                case ForgetDerived():
                    self._forgetting.begin(message)
                case DescribeYourself():
                    self.tell(message.reply_to, self._description(message.request_id))
                case _:
                    self._serve(message)

    # turns

    def _contribution(self, turn: PrepareTurn) -> TurnContribution:
        self._places.note(turn.window, turn.audience)
        places = self._places.of(turn.window)
        folders: tuple[SharedFolder, ...] = ()
        if self._config.can_run:
            shows_local = self._injections.shows_local(turn.window)
            folders = self._writer.shared_folders(places, turn.window, shows_local=shows_local)
        injection = Injection("", "off", reasons=("switched off here",))
        if self._shows(turn.window):
            injection = self._injections.of(turn.window, places)
            self._decisions.note(turn.window, injection.decision, injection.reasons, injection)
        else:
            self._decisions.note(turn.window, injection.decision, injection.reasons)
        return TurnContribution(
            request_id=turn.request_id,
            contributor=str(self.address),
            block="",
            instructions=injection.block,
            without_commands=injection.without_commands,
            stores=injection.stores,
            folders=folders,
        )

    def _shows(self, window: Window) -> bool:
        return self._state.shows(window, otherwise=not self._config.no_memory)

    def _take_in(self, ended: TurnEnded) -> None:
        """Propose facts for memory as asked by a person, if the setting is on."""
        if not self._config.capture:
            return
        self._places.note(ended.window, ended.audience)
        try:
            count = self._staging.capture(ended, self._places.of(ended.window))
        except (EditRefusedError, ValueError, OSError) as error:
            log.warning("nothing is proposed: %s", reason_of(error))
            return
        if count:
            self._decisions.note(ended.window, "proposed", (f"{count} facts of what was said",))

    # requests

    def _serve(self, message: _Request) -> None:
        window, places = self._reach(message)
        if window is None:
            self._refuse(message, f"about {message.about[:80]!r}: must be a window's key, as discord-channel/123")
            return
        try:
            self._dispatch(message, window, places)
        except (EditRefusedError, ValueError, OSError) as error:
            self._refuse(message, reason_of(error))

    def _reach(self, message: _Request) -> tuple[Window | None, WindowPlaces]:
        """The intended window, and its scopes; the operator may write every scope."""
        window = message.window
        is_operator = window.surface is Surface.CLI and window.id == OPERATOR
        if is_operator and message.about:
            try:
                window = Window.from_key(message.about)
            except ValueError:
                return None, WindowPlaces(())
        places = self._places.of(window)
        if is_operator:
            places = replace(places, places=tuple(replace(place, denial="") for place in places.places))
        return window, places

    def _dispatch(self, message: _Request, window: Window, places: WindowPlaces) -> None:
        request_id = message.request_id
        match message:
            case DescribeCurated():
                injection = "on" if self._shows(window) else "off: switched off here"
                self._answer(message, self._answers.status(request_id, window, places, injection))
            case ListPages():
                self._answer(message, self._answers.pages(request_id, places))
            case ListFaults():
                written = [fault for key, fault in self._state.faults if self._may_see(message, key)]
                self._answer(message, self._answers.faults(request_id, window, places, written))
            case ListTraces() | ShowTrace():
                self._tell_traces(message)
            case RecallFacts():
                self._answer(message, self._answers.recall(request_id, places, message.query, message.scope))
            case ListStale():
                self._answer(message, self._answers.stale(request_id, places, self.now().date()))
            case SwitchInjection():
                self._state.switch(window, on=message.on)
                self._answer(message, InjectionSwitched(request_id=request_id, on=message.on))
            case VerifyPages():
                self._verify(message, places)
            case RememberFact():
                self._remember(message, window, places)
            case FlushFacts():
                self._flush(message, window, places)
            case ImportClaude():
                self._import(message, places)
            case AddFact() | FixFact() | RemoveFact() | ArchiveFact() | MoveFact() | ConfirmFact():
                self._write(message, window, places)
            case _:
                not_understood(message)

    def _write(self, message: FactCommand, window: Window, places: WindowPlaces) -> None:
        place = self._writable(message, window, places, message.scope)
        # While a fact is between two files, no removal of forgotten facts may look for the fact.
        blocked: tuple[Place, ...] = (place,) if isinstance(message, ArchiveFact | MoveFact) else ()

        def refuse(reason: str) -> None:
            self._rules.fault(window.address.key, Fault(FaultKind.WRITEBACK_REJECTED, place.scope, reason))
            self._decisions.note(window, "rejected", (reason,))
            self._refuse(message, reason)
            self._writer.release(blocked)

        def go_on(reason: str = "") -> None:
            """Change the next file, or answer: the last file holds the change, or was refused for a reason."""
            if reason:
                refuse(reason)
                return
            try:
                path, change = next(steps)
            except StopIteration as end:
                done, text, path = end.value
                self._decisions.note(window, done, (f"{place.scope.value}: {text[:80]}",))
                self._answer(
                    message,
                    FactWritten(
                        request_id=message.request_id, scope=place.scope.value, done=done, path=str(path), text=text
                    ),
                )
                self._writer.release(blocked)
            except (EditRefusedError, ValueError, OSError) as error:
                refuse(reason_of(error))
            else:
                self._writer.files.change(path, change, go_on)

        steps = write_fact(message, place, self._writer.files, self._rules)
        self._writer.hold(blocked, go_on)

    def _remember(self, message: RememberFact, window: Window, places: WindowPlaces) -> None:
        place = self._writable(message, window, places, message.scope)
        try:
            reply = self._staging.stage(message, window, place)
        except (EditRefusedError, ValueError, OSError) as error:
            self._decisions.note(window, "rejected", (f"{place.scope.value}: {message.text[:80]}: {reason_of(error)}",))
            raise
        self._decisions.note(window, "staged", (f"{place.scope.value}: {reply.text[:80]}",))
        self._answer(message, reply)

    def _writable(self, message: _Request, window: Window, places: WindowPlaces, scope: str) -> Place:
        """Place for a request to write to.

        Raises:
            EditRefusedError: the place does not exist, or the request may not write there.
        """
        if scope not in (Scope.GLOBAL, Scope.PROJECT):
            raise EditRefusedError(f"scope {scope[:40]!r}: must be global or project")
        place = places.of(scope)
        reason = NO_PROJECT if place is None else place.denial
        if place is None or reason:
            self._rules.fault(window.address.key, Fault(FaultKind.DENIED, scope, reason))
            self._decisions.note(window, "denied", (f"{type(message).__name__} {scope}: {reason}",))
            raise EditRefusedError(f"{DENIED}{reason}")
        return place

    def _flush(self, message: FlushFacts, window: Window, places: WindowPlaces) -> None:
        def answer(reply: FactsFlushed) -> None:
            if outcome := reasons_of(reply):
                self._decisions.note(window, "committed" if reply.committed else "rejected", outcome)
            self._answer(message, reply)

        self._staging.flush(message, places, answer, is_operators=message.window.surface is Surface.CLI)

    def _verify(self, message: VerifyPages, places: WindowPlaces) -> None:
        rows: list[tuple[str, int, str]] = []
        notes: list[str] = []
        for place in places.places:
            folder = self._folders.at(place)
            if not folder.exists:
                notes.append(f"{place.scope.value}: there is no folder yet, so it has no page table")
            elif not place.may_write:
                notes.append(f"{place.scope.value}: {DENIED}{place.denial}")
            else:
                before = folder.look().table.value
                pages, trouble = write_table(self._disk, folder)
                rows.append((place.scope.value, pages, before))
                notes += trouble
        self._answer(message, PagesVerified(request_id=message.request_id, scopes=tuple(rows), notes=tuple(notes)))

    def _import(self, message: ImportClaude, places: WindowPlaces) -> None:
        if message.window.id != OPERATOR:
            raise EditRefusedError(f"{DENIED}only the operator imports")
        self._staging.import_claude(message, places, lambda reply: self._answer(message, reply))

    def _tell_traces(self, message: ListTraces | ShowTrace) -> None:
        traces = [each for each in self._decisions.all() if self._may_see(message, each.context)]
        self._answer(message, traces_listed(message, traces))

    def _may_see(self, message: _Request, key: str) -> bool:
        """True if the requester may see decisions about the window with key `key`."""
        own = message.window
        if own.surface is Surface.CLI and own.id == OPERATOR:
            return not message.about or key == message.about
        return key == own.address.key

    # the rest

    def _today(self) -> str:
        return self.now().date().isoformat() if self._config.dates else ""

    def _description(self, request_id: RequestId) -> SelfDescription:
        place = every_place(self._config)[0]
        folder = self._folders.at(place)
        figures = (
            ("global_bytes", len(folder.look().index or b"")),
            ("projects", len(set(self._config.projects.values()))),
            ("faults", len(self._state.faults)),
        )
        return SelfDescription(
            request_id=request_id,
            about=self.address.kind,
            figures=figures,
            operator_figures=(("folder", str(place.folder)), ("files_read", self._folders.reads)),
        )

    def _answer(self, request: _Request, reply: Message) -> None:
        self.tell(request.reply_to, reply)

    def _refuse(self, request: _Request, reason: str) -> None:
        self.tell(request.reply_to, Refused(request_id=request.request_id, reason=reason))
