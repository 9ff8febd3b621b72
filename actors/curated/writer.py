"""Writer of memory folders: facts on their way from journals into the indexes, page tables, and overdue work."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from actors.curated.config import CuratedConfig
from actors.curated.decisions import CuratedState
from actors.curated.files import MemoryFiles
from actors.curated.folder import INDEX, LOCAL, Folders, MemoryFolder
from actors.curated.injection import effective
from actors.curated.places import Place, WindowPlaces, every_place
from actors.curated.rules import Rules
from actors.curated.sidecars import append_steps, keep_from_commands, mend_journal, shorten_journal, write_table
from actors.edited_file.file import reason_of
from actors.kernel import Host
from actors.linux.disk import Disk, RealDisk
from actors.linux.private_folder import make_private
from domain.curated import journal
from domain.curated.edits import cost, with_facts
from domain.curated.journal import MOST_WAITING, Operation, Step
from domain.curated.page import Fault, FaultKind, Scope
from domain.curated.refusal import flaw_of_form
from domain.curated.table import digest
from domain.edit.lines import EditRefusedError
from messages.base import Surface, Window
from messages.shell import SharedFolder

log = logging.getLogger(__name__)

LOOK_AFTER_S = 60.0
_MOST_READ_LAST = 32 * 1024 * 1024
"""Limit of edits made at the end, by their cost; an agent's end has to be quick."""


@dataclass(slots=True)
class Flushed:
    """Outcome of a folder's flush."""

    committed: Sequence[Operation] = ()
    rejected: list[tuple[Operation, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)
    """Reason for each fact that still waits because it may not be written now."""


class Writer:
    """Writer of journals, indexes and page tables of all folders, and keeper of their overdue work.

    An operation is noted as begun, safe from a crash, before the index is touched, and as committed when the index is
    safe. An operation only begun is made again, without effect if the fact is in the index already.
    """

    def __init__(
        self,
        host: Host,
        config: CuratedConfig,
        state: CuratedState,
        folders: Folders,
        rules: Rules,
        denial_of: Callable[[Place, str], str],
    ) -> None:
        """Begin without a look.

        Args:
            host: The actor.
            config: The operator's decisions.
            state: State that outlives the actor in this process.
            folders: Read the indexes and journals.
            rules: Decide about the allowed content.
            denial_of: Returns the reason why words of the window with a key may not be written into a place now; empty
                if allowed.
        """
        self.files = MemoryFiles(host, config, self._write_table_of)
        self._host = host
        self._config = config
        self._unnoted = state.unnoted
        self._folders = folders
        self._rules = rules
        self._denial_of = denial_of
        self._disk: Disk = config.disk or RealDisk()
        self._places = {place.folder: place for place in every_place(config)}
        self._flushing: dict[Path, list[Callable[[], None]]] = {}
        """Folder with a flush, a removal or a fact on its way -> work to follow."""
        self._without_table: set[Place] = set()
        """Places whose page tables could not be written; for the next minute."""
        self._unfinished: set[Place] = set()
        """Places with possible leftovers that could not be examined."""
        self._waiting: set[Place] = set()
        """Places with facts that wait until the readership allows the write, as far as the readership is known."""
        self._waits = False
        """True while another attempt at failed work is scheduled."""

    @property
    def is_busy(self) -> bool:
        """True if a file is being written."""
        return self.files.is_busy or bool(self._flushing)

    def stage(self, place: Place, *operations: Operation) -> int:
        """Note operations in their folder's journal, all or none; return the number of waiting operations.

        Raises:
            EditRefusedError: too many would wait.
            ValueError: the journal may not be read in its present state.
            OSError: the journal cannot be written.
        """
        self.files.make_folder(place)
        folder = self._folders.at(place)
        self._shorten(folder)
        waiting = folder.waiting().waiting
        together = waiting.keys() | {each.id for each in operations}
        if len(together) > max(MOST_WAITING, len(waiting)):
            raise EditRefusedError(f"{MOST_WAITING:,} facts wait already: flush them first")
        append_steps(self._disk, folder.path, [(each, "") for each in operations])
        return len(together)

    def flush(
        self,
        place: Place,
        on_done: Callable[[Flushed], None],
        *,
        takes_proposals: bool = False,
        is_operators: bool = False,
    ) -> None:
        """Commit the waiting facts of a folder, after a running flush there.

        Args:
            place: The folder.
            on_done: Called with the outcome, later.
            takes_proposals: True if a person asked for the flush, so proposals count as staged.
            is_operators: True if the operator asked: facts from windows that now have fewer readers are committed too.
        """
        if (later := self._flushing.get(place.folder)) is not None:
            later.append(
                partial(self.flush, place, on_done, takes_proposals=takes_proposals, is_operators=is_operators)
            )
            return
        folder, outcome = self._folders.at(place), Flushed()
        try:
            begun = self._begin(place, outcome, takes_proposals=takes_proposals, is_operators=is_operators)
        except (ValueError, OSError) as error:
            outcome.notes.append(reason_of(error))
            on_done(outcome)
            return
        if not begun:
            self._write_table_of(place.folder)
            on_done(outcome)
            return
        self._flushing[place.folder] = []

        def end(reason: str) -> None:
            if reason:
                outcome.notes += [f"{each.text[:80]}: not written yet: {reason}" for each in begun]
            else:
                outcome.committed = begun
                self._note_committed(folder, outcome)
            later = self._flushing.pop(place.folder)
            on_done(outcome)
            for flush in later:
                flush()

        self.files.change(folder.path / INDEX, self._addition(begun), end)

    def hold(self, places: Sequence[Place], begin: Callable[[], None]) -> None:
        """Call `begin` after the running flushes of some folders; until `release` no flush begins there."""
        if busy := [self._flushing[place.folder] for place in places if place.folder in self._flushing]:
            busy[0].append(partial(self.hold, places, begin))
        else:
            self._flushing |= {place.folder: [] for place in places}
            begin()

    def release(self, places: Sequence[Place]) -> None:
        """Let the flushes of held folders begin."""
        for folder in {place.folder for place in places}:
            for begin in self._flushing.pop(folder):
                begin()

    def _note_committed(self, folder: MemoryFolder, outcome: Flushed) -> None:
        try:
            self._note(folder, outcome.committed)
        except OSError as error:
            outcome.notes.append(reason_of(error))

    def _begin(
        self, place: Place, outcome: Flushed, *, takes_proposals: bool = False, is_operators: bool = False
    ) -> list[Operation]:
        """Note permitted operations as begun, and the rest as rejected; return the begun operations.

        Facts from windows that now have fewer readers than this memory wait, and their text is not reported.

        Raises:
            ValueError: the journal may not be read in its present state.
            OSError: the journal cannot be written.
        """
        folder = self._folders.at(place)
        self.files.require_not_emptied(place)
        self._note(folder, ())
        self._shorten(folder)
        snapshot = folder.look()
        is_strict = effective([snapshot])[0].strictWriteback
        known = {page.text for page in snapshot.document.facts}
        begun, steps = list[Operation](), list[tuple[Operation, str]]()
        denials: dict[str, str] = {}
        for operation in folder.waiting().waiting.values():
            if operation.step is Step.PROPOSED and not takes_proposals:
                continue
            if operation.step is not Step.BEGUN and not is_operators:
                if operation.window not in denials:
                    denials[operation.window] = self._denial_of(place, operation.window)
                if reason := denials[operation.window]:
                    outcome.waiting.append(reason)
                    continue
            flaw, note = self._flaw(place, operation, known, is_strict=is_strict)
            outcome.notes += filter(None, (note,))
            if flaw:
                outcome.rejected.append((operation, flaw))
                steps.append((replace(operation, step=Step.REJECTED), flaw))
                detail = f"{operation.text[:80]}: {flaw}"
                self._rules.fault(operation.window, Fault(FaultKind.WRITEBACK_REJECTED, place.scope, detail))
                continue
            known.add(operation.text)
            begun.append(operation)
            if operation.step is not Step.BEGUN:
                steps.append((replace(operation, step=Step.BEGUN), ""))
        append_steps(self._disk, folder.path, steps)
        return begun

    def _flaw(self, place: Place, operation: Operation, known: Iterable[str], *, is_strict: bool) -> tuple[str, str]:
        """Reason why an operation is rejected, and a remark to note only."""
        text, section = operation.text, operation.section
        if flaw := flaw_of_form(text, section) or self._rules.always(text, section):
            return flaw, ""
        if operation.step is Step.BEGUN:
            return "", ""
        flaw = self._rules.flaw(place.scope, text, section)
        if not flaw and text in known:
            flaw = "the index has it already"
        if flaw and not is_strict:
            return "", f"{text[:80]}: {flaw} (strictWriteback is false)"
        return flaw, ""

    def _addition(self, operations: Sequence[Operation]) -> Callable[[bytes], bytes]:
        facts, day = [(each.text, each.section) for each in operations], self._rules.day
        return lambda data: with_facts(data, facts, day)

    def _note(self, folder: MemoryFolder, committed: Iterable[Operation]) -> None:
        """Note committed operations, and earlier ones not noted yet: a later removal from the index is deliberate.

        Raises:
            OSError: the journal cannot be written; the notes follow later.
        """
        owed = self._unnoted.setdefault(folder.path, {})
        owed.update((each.id, replace(each, step=Step.COMMITTED)) for each in committed)
        append_steps(self._disk, folder.path, [(each, "") for each in owed.values()])
        del self._unnoted[folder.path]

    def _shorten(self, folder: MemoryFolder) -> None:
        try:
            mend_journal(self._disk, folder.path, self.spare(folder.path))
            if folder.is_long:
                make_private(self._config.own_folder, self._disk.make_folder)
                shorten_journal(self._disk, folder.path, self.spare(folder.path))
        except OSError as error:
            log.warning("the journal stays as long as it is: %s", reason_of(error))

    def spare(self, folder: Path) -> Path:
        """File for the content of a memory folder's journal during a rewrite."""
        return self._config.own_folder / f"{digest(os.fsencode(folder))[:16]}.jsonl"

    def shared_folders(self, places: WindowPlaces, window: Window, *, shows_local: bool) -> tuple[SharedFolder, ...]:
        """Existing memory folders; where commands may write, missing protected files are made.

        Args:
            places: The window's scopes.
            window: Window whose commands see the folders: the operator's see all, any other window's no journal, since
                it holds words from windows that may have fewer readers by now.
            shows_local: True if the window shows personal notes.
        """
        is_operators, shared = window.surface is Surface.CLI, list[SharedFolder]()
        for place in places.places:
            folder = self._folders.at(place)
            if not folder.exists:
                continue
            names: tuple[str, ...] = ()
            may_write = place.may_write
            if may_write:
                try:
                    self.files.require_not_emptied(place)
                    names = keep_from_commands(self._disk, folder)
                except OSError as error:
                    log.warning("%s is shown for reading only: %s", folder.path, reason_of(error))
                    may_write = False
            hidden = () if is_operators else (journal.FILE,)
            if not (shows_local or is_operators) and place.scope is Scope.PROJECT:
                hidden = (*hidden, LOCAL)
            shared.append(SharedFolder(path=folder.real_path, may_write=may_write, kept=names, hidden=hidden))
        return tuple(shared)

    # what is owed

    def recover(self) -> None:
        """Restore changes that a crash left beside the files, and commit staged facts."""
        for place in self._places.values():
            self._finish_earlier(place)
        self.look_later()

    def flush_waiting(self) -> None:
        """Commit facts still staged, as far as they are known to be permitted now."""
        waiting, self._waiting = self._waiting, set()
        for place in waiting:
            self.flush(place, partial(self._take_outcome, place))
        self.look_later()

    def look_later(self) -> None:
        """Schedule another attempt, as long as there is unfinished work."""
        is_owing = self._unfinished or self._without_table or not self.files.is_at_rest
        if is_owing and not self._waits:
            self._waits = True
            self._host.wait(LOOK_AFTER_S, self._try_again)

    def close(self) -> None:
        """Release the files, commit staged facts, and write overdue tables; no later life knows of these.

        Facts that cannot be committed wait for the next start.
        """
        self.files.close()
        for place in self._places.values() if self._config.lives else ():
            if self._folders.at(place).exists:
                self._flush_now(place)
        self._write_late_tables()

    def _try_again(self) -> None:
        """Write the tables, finish the folders and write the files that failed before."""
        self._waits = False
        self._write_late_tables()
        places, self._unfinished = self._unfinished, set()
        for place in places:
            self._finish_earlier(place)
        self.files.try_again()
        self.look_later()

    def _write_late_tables(self) -> None:
        places, self._without_table = self._without_table, set()
        for place in places:
            self._write_table(place)

    def _write_table_of(self, folder: Path) -> None:
        if (place := self._places.get(folder)) is not None:  # an archive has no table
            self._write_table(place)

    def _write_table(self, place: Place) -> None:
        """Have the page table follow the index; a table that cannot be written now is written in the next minute."""
        try:
            if self._folders.at(place).exists:
                write_table(self._disk, self._folders.at(place))
        except OSError as error:
            self._without_table.add(place)
            self.look_later()
            log.warning("the page table cannot be rebuilt yet, which is tried again: %s", reason_of(error))
        self.files.note_met(place)

    def _finish_earlier(self, place: Place) -> None:
        folder = self._folders.at(place)
        try:
            self.files.require_not_emptied(place)
            if not folder.exists:
                return
            self.files.note_met(place)
            self.files.recover(folder.path)
            mend_journal(self._disk, folder.path, self.spare(folder.path))
            if folder.waiting().waiting:
                self.flush(place, partial(self._take_outcome, place))
        except (ValueError, OSError) as error:
            self._unfinished.add(place)
            log.warning("%s: what an earlier life left is not finished: %s", folder.path, reason_of(error))

    def _take_outcome(self, place: Place, outcome: Flushed) -> None:
        if outcome.waiting:
            self._waiting.add(place)
        if outcome.notes:  # something may not have been written
            self._unfinished.add(place)

    def _flush_now(self, place: Place) -> None:
        folder = self._folders.at(place)
        try:
            if cost(folder.look().index or b"") > _MOST_READ_LAST:
                raise EditRefusedError("to write them would take too long")
            if not (begun := self._begin(place, Flushed())):
                return
            if reason := self.files.write_now(folder.path / INDEX, self._addition(begun)):
                raise EditRefusedError(reason)
            self._note(folder, begun)
            self._write_table(place)
        except (EditRefusedError, ValueError, OSError) as error:
            log.warning("%s: facts wait for the next start: %s", folder.path, reason_of(error))
