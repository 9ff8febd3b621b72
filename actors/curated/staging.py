"""Staging of facts: entries of people, the capture and an import in journals, and the flush that commits them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

from actors.curated.answers import NO_PROJECT
from actors.curated.config import CuratedConfig
from actors.curated.folder import INDEX, Folders, MemoryFolder
from actors.curated.injection import effective
from actors.curated.places import Place, WindowPlaces
from actors.curated.rules import Rules
from actors.curated.writer import Flushed, Writer
from actors.kernel import Host
from domain.curated.capture import proposals
from domain.curated.document import Document
from domain.curated.journal import Operation, Step
from domain.curated.page import Fault, FaultKind, Page, PageKind, Scope
from domain.curated.refusal import flaw_of_form, flaw_of_topic
from domain.edit.lines import EditRefusedError
from domain.text.lines import one_line
from domain.text.secret_look import looks_secret
from messages.base import Window
from messages.curated import (
    ClaudeImported,
    FactsFlushed,
    FactStaged,
    FlushFacts,
    ImportClaude,
    Rejection,
    RememberFact,
)
from messages.turn import TurnEnded

_WAITS = "these words wait already; flush writes them"
_MOST_REASONS = 7
_CLAUDE_MEMORY = "memory"
_OTHER = re.compile(r"[^A-Za-z0-9]")


class Staging:
    """Entry of facts into the journals."""

    def __init__(self, host: Host, config: CuratedConfig, folders: Folders, writer: Writer, rules: Rules) -> None:
        """Begin without staged facts.

        Args:
            host: The actor.
            config: The operator's decisions.
            folders: Read the indexes and journals.
            writer: Writes the indexes and journals.
            rules: Decide about the allowed content.
        """
        self._host = host
        self._config = config
        self._folders = folders
        self._writer = writer
        self._rules = rules

    def stage(self, request: RememberFact, window: Window, place: Place) -> FactStaged:
        """Stage a fact that a person wants remembered.

        Raises:
            EditRefusedError: a rule is broken; no fact was noted.
            ValueError: the journal may not be read in its present state.
            OSError: the journal cannot be written.
        """
        text, section = one_line(request.text), one_line(request.section)
        if flaw := self._rules.always(text, section) or (flaw_of_form(text, section) if text else ""):
            raise EditRefusedError(flaw)
        flaw = self._rules.flaw(place.scope, text, section) or self._repeats(place, text)
        note = ""
        if flaw:
            config, _ = effective([self._folders.at(place).look()])
            self._rules.fault(
                window.address.key, Fault(FaultKind.WRITEBACK_REJECTED, place.scope, f"{text[:80]}: {flaw}")
            )
            if config.strictWriteback or not text:
                raise EditRefusedError(flaw)
            note = f"{flaw} (strictWriteback is false)"
        operation = self._operation(text, section, window=window.address.key)
        waiting = self._writer.stage(place, operation)
        return FactStaged(
            request_id=request.request_id,
            id=operation.id,
            scope=place.scope.value,
            text=text,
            waiting=waiting,
            note=note,
        )

    def capture(self, ended: TurnEnded, places: WindowPlaces) -> int:
        """Propose facts that a person asked to keep, for the nearest writable scope; return their number.

        Raises:
            EditRefusedError: too many facts are waiting already.
            ValueError: the journal may not be read in its present state.
            OSError: the journal cannot be written.
        """
        place = next((each for each in reversed(places.places) if each.may_write), None)
        if place is None:
            return 0
        facts = [
            self._operation(text, "", f"{event.id}-{number}", Step.PROPOSED, ended.window.address.key)
            for event in ended.events
            if event.kind == "user"
            for number, text in enumerate(proposals(event.text), 1)
            if not (self._rules.flaw(place.scope, text) or looks_secret(text) or self._repeats(place, text))
        ]
        if facts:
            self._writer.stage(place, *facts)
        return len(facts)

    def flush(
        self, request: FlushFacts, places: WindowPlaces, on_done: Callable[[FactsFlushed], None], *, is_operators: bool
    ) -> None:
        """Commit the waiting facts in every writable scope, then report the outcome.

        Raises:
            EditRefusedError: no scope may be written.
        """
        places_to_write = [place for place in places.places if place.may_write]
        if not places_to_write:
            raise EditRefusedError(f"denied: {places.places[0].denial}")
        outcomes: list[tuple[str, Flushed]] = []

        def end(place: Place, outcome: Flushed) -> None:
            outcomes.append((place.scope.value, outcome))
            if len(outcomes) == len(places_to_write):
                on_done(_reply(request, outcomes))

        for place in places_to_write:
            self._writer.flush(place, partial(end, place), takes_proposals=True, is_operators=is_operators)

    def import_claude(
        self, request: ImportClaude, places: WindowPlaces, on_done: Callable[[ClaudeImported], None]
    ) -> None:
        """Stage Claude Code's memory of a project, and copy missing topic files.

        Raises:
            EditRefusedError: there is no memory to import from or into.
        """
        if self._config.claude_folder is None:
            raise EditRefusedError(
                'no folder of Claude Code\'s is named: set curated.claude_folder = "~/.claude/projects" in agent.toml'
            )
        place = places.of(Scope.PROJECT)
        if place is None:
            raise EditRefusedError(f"denied: {NO_PROJECT}")
        source = claude_memory(self._config.claude_folder, place.root)
        theirs = MemoryFolder(Place(Scope.PROJECT, source, ""))
        document = _read_index(theirs)
        skipped: list[str] = []
        topics = self._topics(place, theirs, document, skipped)
        staged = self._stage_all(place, document, skipped)
        copied: list[str] = []
        expected = len(skipped) + len(topics)

        def end(name: str, reason: str) -> None:
            (skipped if reason else copied).append(f"{name}: {reason}" if reason else name)
            tell()

        def tell() -> None:
            if len(copied) + len(skipped) == expected:
                on_done(
                    ClaudeImported(
                        request_id=request.request_id,
                        folder=str(source),
                        staged=staged,
                        topics=tuple(copied),
                        skipped=tuple(skipped),
                    )
                )

        if not topics:
            tell()
            return
        self._writer.files.make_folder(place)
        for name, data in topics:
            self._writer.files.change(place.folder / name, partial(_unless_there, data), partial(end, name))

    def _topics(
        self, place: Place, theirs: MemoryFolder, document: Document, skipped: list[str]
    ) -> list[tuple[str, bytes]]:
        """Topic files to copy, with their content; omissions are added to `skipped`."""
        topics: list[tuple[str, bytes]] = []
        for name in dict.fromkeys(page.target for page in document.facts if page.kind is PageKind.POINTER):
            try:
                data = theirs.read(name)
                flaw = "is not there" if data is None else self._flaw_of_file(place, name, data)
            except (ValueError, OSError) as error:
                data, flaw = None, str(error)
            if flaw or data is None:
                skipped.append(f"{name}: {flaw}")
            else:
                topics.append((name, data))
        return topics

    def _flaw_of_file(self, place: Place, name: str, data: bytes) -> str:
        """Reason why a topic file is not copied; empty if copied."""
        text = data.decode("utf-8", "replace")
        if flaw := flaw_of_topic(name) or self._rules.always(text):
            return flaw
        if looks_secret(text):
            return "it looks as if it held a secret"
        return "there is a file of that name already" if name in self._folders.at(place).topics() else ""

    def _stage_all(self, place: Place, document: Document, skipped: list[str]) -> int:
        """Stage the facts of a foreign memory, with omissions in `skipped`; return the number of staged facts."""
        operations: dict[str, Operation] = {}
        for page in document.facts:
            if flaw := _WAITS if page.text in operations else self._flaw_of_page(place, page):
                skipped.append(f"{page.text[:80]}: {flaw}")
            else:
                operations[page.text] = self._operation(page.text, page.section)
        if operations:
            self._writer.stage(place, *operations.values())
        return len(operations)

    def _flaw_of_page(self, place: Place, page: Page) -> str:
        """Reason why a page of a foreign memory is not staged; empty if staged."""
        if page.kind is PageKind.POINTER and (flaw := flaw_of_topic(page.target)):
            return flaw
        return self._rules.flaw(place.scope, page.text, page.section) or self._repeats(place, page.text)

    def _repeats(self, place: Place, text: str) -> str:
        """Reason why a text need not be staged; empty for a new text."""
        folder = self._folders.at(place)
        if any(page.text == text for page in folder.look().document.facts):
            return "the index has it already"
        return _WAITS if any(each.text == text for each in folder.waiting().waiting.values()) else ""

    def _operation(
        self, text: str, section: str, name: str = "", step: Step = Step.STAGED, window: str = ""
    ) -> Operation:
        stamp = self._host.now().isoformat(timespec="seconds")
        return Operation(name or self._host.new_token(), text, section, stamp, step, window)


def reasons_of(reply: FactsFlushed) -> tuple[str, ...]:
    """Outcome of a flush in the form for decisions; empty if no facts were waiting."""
    words = [f"{scope}: {text[:80]}" for scope, text in reply.committed]
    words += [f"rejected, {each.scope}: {each.text[:80]}: {each.reason}" for each in reply.rejected]
    words += reply.notes
    if len(words) > _MOST_REASONS:
        words[_MOST_REASONS:] = [f"and {len(words) - _MOST_REASONS} more"]
    return tuple(words)


def claude_memory(projects: Path, repository: Path) -> Path:
    """Folder of Claude Code's memory for a repository: named by the path, with all other characters as `-`."""
    return projects / _OTHER.sub("-", str(repository)) / _CLAUDE_MEMORY


def _read_index(folder: MemoryFolder) -> Document:
    """Index of a memory to import.

    Raises:
        EditRefusedError: the index is missing or cannot be read.
    """
    snapshot = folder.look()
    if snapshot.faults:
        raise EditRefusedError(snapshot.faults[0].detail)
    if snapshot.index is None:
        raise EditRefusedError(f"{folder.path / INDEX}: there is no such file")
    return snapshot.document


def _unless_there(data: bytes, there: bytes) -> bytes:
    return there or data


def _reply(request: FlushFacts, outcomes: list[tuple[str, Flushed]]) -> FactsFlushed:
    committed = [(scope, each.text) for scope, outcome in outcomes for each in outcome.committed]
    rejected = [
        Rejection(scope=scope, text=operation.text, reason=reason)
        for scope, outcome in outcomes
        for operation, reason in outcome.rejected
    ]
    notes = [f"{scope}: {note}" for scope, outcome in outcomes for note in outcome.notes]
    notes += [
        f"{scope}: {count} said elsewhere wait: {reason}"
        for scope, outcome in outcomes
        for reason, count in Counter(outcome.waiting).items()
    ]
    return FactsFlushed(
        request_id=request.request_id, committed=tuple(committed), rejected=tuple(rejected), notes=tuple(notes)
    )
