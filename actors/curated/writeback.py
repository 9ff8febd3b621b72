"""Writeback: facts that wait in journals, and their way into the indexes, each exactly once."""

from __future__ import annotations

import logging
import os
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from actors.curated.config import CuratedConfig
from actors.curated.decisions import CuratedState
from actors.curated.folder import INDEX, Folders, MemoryFolder
from actors.curated.injection import effective
from actors.curated.places import Place
from actors.curated.rules import Rules
from actors.curated.sidecars import append_steps, mend_journal, shorten_journal, write_table
from actors.curated.writing import FactFiles
from actors.edited_file.file import reason_of
from actors.linux.disk import Disk, RealDisk
from actors.linux.private_folder import make_private
from domain.curated.config import FolderConfig
from domain.curated.document import Document
from domain.curated.edits import cost, with_facts
from domain.curated.journal import MOST_WAITING, Operation, Step
from domain.curated.page import Fault, FaultKind
from domain.curated.refusal import flaw_of_form
from domain.curated.table import digest
from domain.edit.lines import EditRefusedError

log = logging.getLogger(__name__)

_MOST_READ_LAST = 32 * 1024 * 1024
"""Of edits that are made at the end, by their cost; an agent's end has to be quick."""


@dataclass(slots=True)
class Flushed:
    """Outcome of one folder's flush."""

    committed: list[Operation] = field(default_factory=list)
    rejected: list[tuple[Operation, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)
    """Why each of those waits on that may not be written now."""


Told = Callable[[Flushed], None]


@dataclass(frozen=True, slots=True)
class _Asked:
    """Request for a flush: whether proposals are included, and whether the operator asked."""

    takes_proposals: bool = False
    is_operators: bool = False


@dataclass(slots=True)
class _Run:
    """One flush under way."""

    folder: MemoryFolder
    begun: Sequence[Operation]
    outcome: Flushed
    told: Told


class Writeback:
    """Journals of all folders.

    An operation is noted as begun, safe from a crash, before the index is touched, and as committed when the index is
    safe. What was only begun is made again, and that changes nothing where the fact stands already.
    """

    def __init__(
        self,
        config: CuratedConfig,
        state: CuratedState,
        folders: Folders,
        files: FactFiles,
        rules: Rules,
        denial_of: Callable[[Place, str], str],
    ) -> None:
        """Nothing is looked at yet.

        Args:
            config: The operator's decisions.
            state: What outlives the actor in this process.
            folders: Read the indexes and journals.
            files: Write the indexes.
            rules: Say what may be written.
            denial_of: Gives why what was said in the window with a key may not be written into a place now; empty if it
                may.
        """
        self._denial_of = denial_of
        self._own_folder = config.own_folder
        self._unnoted = state.unnoted
        self._folders = folders
        self._files = files
        self._rules = rules
        self._disk: Disk = config.disk or RealDisk()
        self._running: dict[Path, _Run] = {}
        self._next: deque[tuple[Place, bool, bool, Told]] = deque()

    @property
    def is_busy(self) -> bool:
        """True if a flush is under way."""
        return bool(self._running)

    def stage(self, place: Place, operation: Operation) -> int:
        """Note an operation in its folder's journal; how many wait there now.

        Raises:
            EditRefusedError: too many wait.
            ValueError: the journal may not be read as it is.
            OSError: it cannot be written.
        """
        return self.stage_all(place, [operation])

    def stage_all(self, place: Place, operations: Sequence[Operation]) -> int:
        """The same for several, all or none.

        Raises:
            EditRefusedError: too many would wait.
            ValueError: the journal may not be read as it is.
            OSError: it cannot be written.
        """
        self._files.make_folder(place.root, place.inner)
        folder = self._folders.at(place.scope, place.root, place.inner)
        self._shorten(folder)
        waiting = folder.waiting().waiting
        together = waiting.keys() | {each.id for each in operations}
        if len(together) > max(MOST_WAITING, len(waiting)):
            raise EditRefusedError(f"{MOST_WAITING:,} facts wait already: flush them first")
        append_steps(self._disk, folder.path, [(each, "") for each in operations])
        return len(together)

    def mend(self, place: Place) -> None:
        """Bring back what an earlier life left half done in a journal.

        Raises:
            OSError: it cannot be brought back yet.
        """
        folder = self._folders.at(place.scope, place.root, place.inner)
        mend_journal(self._disk, folder.path, self._spare(folder))

    def flush(self, place: Place, told: Told, *, takes_proposals: bool, is_operators: bool = False) -> None:
        """Commit what waits in a folder, after the flush that is under way there.

        Args:
            place: The folder.
            told: Called with the outcome, later.
            takes_proposals: True if a person asked for the flush, so that proposals count as staged.
            is_operators: True if the operator asked, who also commits facts from windows that now have fewer readers.
        """
        if place.folder in self._running:
            self._next.append((place, takes_proposals, is_operators, told))
            return
        folder, outcome = self._folders.at(place.scope, place.root, place.inner), Flushed()
        try:
            begun = self._begin(place, folder, outcome, _Asked(takes_proposals, is_operators))
        except (ValueError, OSError) as error:
            outcome.notes.append(reason_of(error))
            told(outcome)
            return
        run = self._running[place.folder] = _Run(folder, begun, outcome, told)
        if begun:
            self._files.change(folder.path / INDEX, _addition(begun, self._rules.day), partial(self._ended, run))
        else:
            self._finish(run)

    def flush_now(self, place: Place) -> None:
        """Commit what is staged in a folder before the actor ends; what cannot be waits for the next start."""
        folder, outcome = self._folders.at(place.scope, place.root, place.inner), Flushed()
        try:
            if cost(folder.look().index or b"") > _MOST_READ_LAST:
                log.warning("facts wait for the next start: to write them would take too long")
                return
            begun = self._begin(place, folder, outcome, _Asked())
            if not begun:
                return
            reason = self._files.write_now(folder.path / INDEX, _addition(begun, self._rules.day))
            if reason:
                log.warning("%d facts wait for the next start: %s", len(begun), reason)
                return
            self._note(folder, begun)
            write_table(self._disk, folder)
        except (ValueError, OSError) as error:
            log.warning("facts wait for the next start: %s", reason_of(error))

    def _begin(self, place: Place, folder: MemoryFolder, outcome: Flushed, asked: _Asked) -> list[Operation]:
        """Note permitted operations as begun, and the others as rejected.

        Facts from windows that now have fewer readers than this memory wait, and their text is not reported.

        Args:
            place: The folder's.
            folder: Folder of the journal.
            outcome: Of the flush.
            asked: As of `flush`.

        Raises:
            ValueError: the journal may not be read as it is.
            OSError: the journal cannot be written.
        """
        self._files.require_not_emptied(place.root, place.inner)
        self._note(folder, ())
        self._shorten(folder)
        journal = folder.waiting()
        snapshot = folder.look()
        config, _ = effective([snapshot])
        known = {page.text for page in snapshot.document.facts}
        begun, steps = list[Operation](), list[tuple[Operation, str]]()
        denials: dict[str, str] = {}
        for operation in journal.waiting.values():
            if operation.step is Step.PROPOSED and not asked.takes_proposals:
                continue
            if operation.step is not Step.BEGUN and not asked.is_operators:
                if operation.window not in denials:
                    denials[operation.window] = self._denial_of(place, operation.window)
                if reason := denials[operation.window]:
                    outcome.waiting.append(reason)
                    continue
            flaw = self._flaw(place, operation, known, config, outcome)
            if flaw:
                outcome.rejected.append((operation, flaw))
                steps.append((_stepped(operation, Step.REJECTED), flaw))
                self._rules.fault(
                    operation.window, Fault(FaultKind.WRITEBACK_REJECTED, place.scope, f"{operation.text[:80]}: {flaw}")
                )
                continue
            known.add(operation.text)
            begun.append(operation)
            if operation.step is not Step.BEGUN:
                steps.append((_stepped(operation, Step.BEGUN), ""))
        append_steps(self._disk, folder.path, steps)
        return begun

    def _flaw(
        self, place: Place, operation: Operation, known: Iterable[str], config: FolderConfig, outcome: Flushed
    ) -> str:
        """Why an operation is rejected; what is not strict is noted only."""
        if flaw := flaw_of_form(operation.text, operation.section) or self._rules.always(
            operation.text, operation.section
        ):
            return flaw
        if operation.step is Step.BEGUN:
            return ""
        flaw = self._rules.flaw(place.scope, operation.text, operation.section)
        if not flaw and operation.text in known:
            flaw = "the index has it already"
        if flaw and not config.strictWriteback and operation.text:
            outcome.notes.append(f"{operation.text[:80]}: {flaw} (strictWriteback is false)")
            return ""
        return flaw

    def _ended(self, run: _Run, reason: str) -> None:
        if reason:
            run.outcome.notes += [f"{each.text[:80]}: not written yet: {reason}" for each in run.begun]
        else:
            run.outcome.committed += run.begun
        self._finish(run)

    def _finish(self, run: _Run) -> None:
        try:
            self._note(run.folder, run.outcome.committed)
            if run.folder.exists:
                write_table(self._disk, run.folder)
        except OSError as error:
            run.outcome.notes.append(reason_of(error))
        self._running.pop(run.folder.path, None)
        run.told(run.outcome)
        waiting, self._next = self._next, deque()
        for place, takes_proposals, is_operators, told in waiting:
            self.flush(place, told, takes_proposals=takes_proposals, is_operators=is_operators)

    def _note(self, folder: MemoryFolder, committed: Iterable[Operation]) -> None:
        """Note committed operations, and earlier ones not noted yet: a later removal from the index is deliberate.

        Raises:
            OSError: the journal cannot be written; the notes follow later.
        """
        owed = self._unnoted.setdefault(folder.path, {})
        owed.update((each.id, _stepped(each, Step.COMMITTED)) for each in committed)
        append_steps(self._disk, folder.path, [(each, "") for each in owed.values()])
        del self._unnoted[folder.path]

    def _shorten(self, folder: MemoryFolder) -> None:
        try:
            if folder.is_long:
                make_private(self._own_folder, self._disk.make_folder)
                shorten_journal(self._disk, folder.path, self._spare(folder))
        except OSError as error:
            log.warning("the journal stays as long as it is: %s", reason_of(error))

    def _spare(self, folder: MemoryFolder) -> Path:
        return self._own_folder / f"{digest(os.fsencode(folder.path))[:16]}.jsonl"


def _addition(operations: Sequence[Operation], day: str) -> Callable[[bytes], bytes]:
    return lambda data: with_facts(data, [(each.text, each.section) for each in operations], day)


def _stepped(operation: Operation, step: Step) -> Operation:
    return replace(operation, step=step)


def waiting_of(folder: MemoryFolder) -> tuple[list[Operation], list[Operation], str]:
    """The operations that are staged and proposed in a folder, and why that is not known, empty if it is."""
    try:
        waiting = folder.waiting().waiting.values()
    except (ValueError, OSError) as error:
        return [], [], reason_of(error)
    proposed = [each for each in waiting if each.step is Step.PROPOSED]
    return [each for each in waiting if each.step is not Step.PROPOSED], proposed, ""


def has_fact(document: Document, text: str) -> bool:
    """True if a document has a fact with this text."""
    return any(page.text == text for page in document.facts)
