"""Staging of facts: what people, the capture and an import put into journals, and the flush that commits it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from datetime import datetime
from functools import partial

from actors.curated.answers import NO_PROJECT
from actors.curated.claude import claude_memory, found_in
from actors.curated.config import CuratedConfig
from actors.curated.injection import Injections, effective
from actors.curated.places import Place, WindowPlaces
from actors.curated.rules import Rules
from actors.curated.writeback import Flushed, Writeback, has_fact
from actors.curated.writing import FactFiles
from domain.curated.capture import proposals
from domain.curated.journal import Operation, Step
from domain.curated.page import Fault, FaultKind, Page, PageKind, Scope
from domain.curated.refusal import flaw_of_form, flaw_of_topic, one_line
from domain.curated.secret_look import looks_secret
from domain.edit.lines import EditRefusedError
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


class Staging:
    """Entry of facts into the journals."""

    def __init__(
        self,
        config: CuratedConfig,
        injections: Injections,
        files: FactFiles,
        writeback: Writeback,
        rules: Rules,
        new: tuple[Callable[[], str], Callable[[], datetime]],
    ) -> None:
        """Nothing is staged yet.

        Args:
            config: The operator's decisions.
            injections: Know the folders.
            files: Write the topic files of an import.
            writeback: Keeps the journals.
            rules: Say what may be written.
            new: Gives an id that nothing else has, and the time.
        """
        self._config = config
        self._injections = injections
        self._files = files
        self._writeback = writeback
        self._rules = rules
        self._new_id, self._now = new

    def stage(self, request: RememberFact, window: Window, place: Place) -> FactStaged:
        """Note what a person wants remembered.

        Raises:
            EditRefusedError: a rule is broken; nothing was noted.
            ValueError: the journal may not be read as it is.
            OSError: it cannot be written.
        """
        text, section = one_line(request.text), one_line(request.section)
        if flaw := self._rules.always(text, section) or (flaw_of_form(text, section) if text else ""):
            raise EditRefusedError(flaw)
        flaw = self._rules.flaw(place.scope, text, section) or self._repeats(place, text)
        note = ""
        if flaw:
            config, _ = effective([self._injections.folder(place).look()])
            self._rules.fault(
                window.address.key, Fault(FaultKind.WRITEBACK_REJECTED, place.scope, f"{text[:80]}: {flaw}")
            )
            if config.strictWriteback or not text:
                raise EditRefusedError(flaw)
            note = f"{flaw} (strictWriteback is false)"
        operation = Operation(self._new_id(), text, section, self._stamp(), Step.STAGED, window.address.key)
        waiting = self._writeback.stage(place, operation)
        return FactStaged(
            request_id=request.request_id,
            id=operation.id,
            scope=place.scope.value,
            text=text,
            waiting=waiting,
            note=note,
        )

    def capture(self, ended: TurnEnded, places: WindowPlaces) -> int:
        """Propose what a person said should be kept, for the nearest scope that may be written; how much that is.

        Raises:
            EditRefusedError: too much waits already.
            ValueError: the journal may not be read as it is.
            OSError: it cannot be written.
        """
        place = next((each for each in reversed(places.places) if each.may_write), None)
        if place is None:
            return 0
        said = [event for event in ended.events if event.kind == "user"]
        found = [
            Operation(f"{event.id}-{number}", text, "", self._stamp(), Step.PROPOSED, ended.window.address.key)
            for event in said
            for number, text in enumerate(proposals(event.text), 1)
            if not (self._rules.flaw(place.scope, text) or looks_secret(text) or self._repeats(place, text))
        ]
        for operation in found:
            self._writeback.stage(place, operation)
        return len(found)

    def flush(
        self, request: FlushFacts, places: WindowPlaces, told: Callable[[FactsFlushed], None], *, is_operators: bool
    ) -> None:
        """Commit what waits in every scope that may be written, then say what became of it.

        Raises:
            EditRefusedError: none may be written.
        """
        places_to_write = [place for place in places.places if place.may_write]
        if not places_to_write:
            raise EditRefusedError(f"denied: {places.places[0].denial}")
        outcomes: list[tuple[Place, Flushed]] = []

        def ended(place: Place, outcome: Flushed) -> None:
            outcomes.append((place, outcome))
            if len(outcomes) == len(places_to_write):
                told(_reply(request, outcomes))

        for place in places_to_write:
            self._writeback.flush(place, partial(ended, place), takes_proposals=True, is_operators=is_operators)

    def import_claude(
        self, request: ImportClaude, places: WindowPlaces, told: Callable[[ClaudeImported], None]
    ) -> None:
        """Stage what Claude Code has of a project, and copy the topic files that there are not yet.

        Raises:
            EditRefusedError: there is nothing to import from or into.
        """
        if self._config.claude_folder is None:
            raise EditRefusedError(
                'no folder of Claude Code\'s is named: set curated.claude_folder = "~/.claude/projects" in agent.toml'
            )
        place = places.of(Scope.PROJECT)
        if place is None:
            raise EditRefusedError(f"denied: {NO_PROJECT}")
        source = claude_memory(self._config.claude_folder, place.root)
        found = found_in(source)
        if isinstance(found, str):
            raise EditRefusedError(found)
        skipped = list(found.skipped)
        staged = self._stage_all(place, found.facts, skipped)
        copied: list[str] = []
        waiting = [(name, data) for name, data in found.topics if not self._kept_out(place, name, data, skipped)]

        def ended(name: str, reason: str) -> None:
            (skipped if reason else copied).append(f"{name}: {reason}" if reason else name)
            if len(copied) + len(skipped) == before + len(waiting):
                tell()

        def tell() -> None:
            told(
                ClaudeImported(
                    request_id=request.request_id,
                    folder=str(source),
                    staged=staged,
                    topics=tuple(copied),
                    skipped=tuple(skipped),
                )
            )

        before = len(skipped)
        if not waiting:
            tell()
            return
        self._files.make_folder(place.root, place.inner)
        for name, data in waiting:
            self._files.change(place.folder / name, partial(_unless_there, data), partial(ended, name))

    def _stage_all(self, place: Place, pages: Iterable[Page], skipped: list[str]) -> int:
        """Stage the pages of another's memory, with what is left out in `skipped`; how many are staged."""
        operations: dict[str, Operation] = {}
        for page in pages:
            flaw = _WAITS if page.text in operations else self._importable(place, page)
            if flaw:
                skipped.append(f"{page.text[:80]}: {flaw}")
            else:
                operations[page.text] = Operation(self._new_id(), page.text, page.section, self._stamp())
        if operations:
            self._writeback.stage_all(place, tuple(operations.values()))
        return len(operations)

    def _importable(self, place: Place, page: Page) -> str:
        """Why a page of another's is not staged; empty if it is."""
        if page.kind is PageKind.POINTER and (flaw := flaw_of_topic(page.target)):
            return flaw
        return self._rules.flaw(place.scope, page.text, page.section) or self._repeats(place, page.text)

    def _kept_out(self, place: Place, name: str, data: bytes, skipped: list[str]) -> bool:
        """True if a topic file is not copied, with the reason in `skipped`."""
        text = data.decode("utf-8", "replace")
        flaw = flaw_of_topic(name) or self._rules.always(text)
        if not flaw and looks_secret(text):
            flaw = "it looks as if it held a secret"
        if not flaw and name in self._injections.folder(place).topics():
            flaw = "there is a file of that name already"
        if flaw:
            skipped.append(f"{name}: {flaw}")
        return bool(flaw)

    def _repeats(self, place: Place, text: str) -> str:
        """Why a text need not be staged; empty if it is new."""
        folder = self._injections.folder(place)
        if has_fact(folder.look().document, text):
            return "the index has it already"
        waiting = folder.waiting().waiting.values()
        return _WAITS if any(each.text == text for each in waiting) else ""

    def _stamp(self) -> str:
        return self._now().isoformat(timespec="seconds")


def reasons_of(reply: FactsFlushed) -> tuple[str, ...]:
    """Outcome of a flush, as a decision notes it; empty if no facts were waiting."""
    words = [f"{scope}: {text[:80]}" for scope, text in reply.committed]
    words += [f"rejected, {each.scope}: {each.text[:80]}: {each.reason}" for each in reply.rejected]
    words += reply.notes
    if len(words) > _MOST_REASONS:
        words[_MOST_REASONS:] = [f"and {len(words) - _MOST_REASONS} more"]
    return tuple(words)


def _unless_there(data: bytes, there: bytes) -> bytes:
    return there or data


def _reply(request: FlushFacts, outcomes: list[tuple[Place, Flushed]]) -> FactsFlushed:
    committed = [(place.scope.value, each.text) for place, outcome in outcomes for each in outcome.committed]
    rejected = [
        Rejection(scope=place.scope.value, text=operation.text, reason=reason)
        for place, outcome in outcomes
        for operation, reason in outcome.rejected
    ]
    notes = [f"{place.scope.value}: {note}" for place, outcome in outcomes for note in outcome.notes]
    notes += [
        f"{place.scope.value}: {count} said elsewhere wait: {reason}"
        for place, outcome in outcomes
        for reason, count in Counter(outcome.waiting).items()
    ]
    return FactsFlushed(
        request_id=request.request_id, committed=tuple(committed), rejected=tuple(rejected), notes=tuple(notes)
    )
