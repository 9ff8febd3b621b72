"""Answers to questions: content of both scopes, faults, decisions, and facts that fit a question."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date

from actors.curated.config import CuratedConfig
from actors.curated.folder import INDEX, Folders, MemoryFolder
from actors.curated.injection import Injection, Injections, effective
from actors.curated.places import Place, WindowPlaces
from actors.edited_file.file import reason_of
from domain.curated.document import Document
from domain.curated.journal import Operation, Step
from domain.curated.page import Fault, FaultKind, Page
from domain.curated.recall import RecallCode, flaw_of_query, matches
from domain.curated.stale import stale, undated_count
from domain.curated.trace import Trace
from domain.edit.lines import EditRefusedError
from domain.text.lines import valid
from messages.base import RequestId, Window
from messages.curated_view import (
    CuratedDescribed,
    FactsRecalled,
    FaultShown,
    FaultsListed,
    FileSize,
    ListTraces,
    PageShown,
    PagesListed,
    ScopePages,
    ScopeStatus,
    ShowTrace,
    StaleListed,
    TraceShown,
    TracesListed,
)

_MOST_SHOWN = 400
"""Characters of a page in a list."""
_MOST_WAITING = 100
UNTRUSTED = "this channel's project is not trusted (curated.trusted_projects): its memory is not read"
NO_PROJECT = (
    "this conversation has no project that is trusted; curated.projects and curated.trusted_projects in agent.toml "
    "give it one"
)


class Answers:
    """Answers without a write."""

    def __init__(self, config: CuratedConfig, folders: Folders, injections: Injections) -> None:
        self._config = config
        self._folders = folders
        self._injections = injections

    def status(self, request_id: RequestId, window: Window, places: WindowPlaces, injection: str) -> CuratedDescribed:
        """Both scopes."""
        current = self._injections.of(window, places)
        if injection == "on" and current.decision == "disabled":
            injection = current.reasons[0]
        scopes = tuple(self._scope(place, current) for place in places.places)
        return CuratedDescribed(
            request_id=request_id,
            injection=injection,
            scopes=scopes,
            note=UNTRUSTED if places.is_untrusted else "",
        )

    def pages(self, request_id: RequestId, places: WindowPlaces) -> PagesListed:
        """The pages of both scopes."""
        scopes = []
        for place in places.places:
            folder = self._folders.at(place)
            rows = tuple(page_shown(file, page) for file, page in _all_pages(folder))
            scopes.append(ScopePages(scope=place.scope.value, table=folder.look().table.value, pages=rows))
        return PagesListed(request_id=request_id, scopes=tuple(scopes))

    def faults(
        self, request_id: RequestId, window: Window, places: WindowPlaces, written: Iterable[Fault]
    ) -> FaultsListed:
        """Answer with all faults."""
        current = [*self._injections.of(window, places).faults]
        for place in places.places:
            current += _faults_of(place.scope.value, self._folders.at(place))
        rows = [FaultShown(kind=each.kind.value, scope=str(each.scope), detail=each.detail) for each in current]
        rows += [FaultShown(kind=each.kind.value, scope=str(each.scope), detail=each.detail) for each in written]
        return FaultsListed(request_id=request_id, faults=tuple(rows))

    def recall(self, request_id: RequestId, places: WindowPlaces, query: str, scope: str) -> FactsRecalled:
        """Facts that fit a question, and a code."""

        def answer(code: RecallCode, reason: str, facts: tuple[tuple[str, PageShown], ...] = ()) -> FactsRecalled:
            return FactsRecalled(request_id=request_id, code=code.value, reason=reason, facts=facts)

        if flaw := flaw_of_query(query):
            return answer(RecallCode.MALFORMED, flaw)
        if scope not in ("", "global", "project"):
            return answer(RecallCode.MALFORMED, f"scope {scope[:40]!r}: must be global, project, or nothing for both")
        chosen = [place for place in places.places if scope in ("", place.scope.value)]
        if not chosen:
            return answer(RecallCode.DENIED, UNTRUSTED if places.is_untrusted else NO_PROJECT)
        pages: list[tuple[str, str, Page]] = []
        for place in chosen:
            folder = self._folders.at(place)
            broken = [fault.detail for fault in folder.look().faults if fault.detail.startswith(INDEX)]
            if broken:
                return answer(RecallCode.BACKEND_ERROR, broken[0])
            pages += [(place.scope.value, file, page) for file, page in _all_pages(folder)]
        if not pages:
            return answer(RecallCode.UNAVAILABLE, "there is no memory yet")
        hits = matches(query, pages)
        if not hits:
            return answer(RecallCode.NO_MATCH, f"none of {len(pages)} pages has a word of it")
        facts = tuple((each.scope, page_shown(each.file, each.page)) for each in hits)
        return answer(RecallCode.OK, f"{len(facts)} of {len(pages)} pages", facts)

    def stale(self, request_id: RequestId, places: WindowPlaces, today: date) -> StaleListed:
        """Facts to look at again."""
        facts: list[tuple[str, int, PageShown]] = []
        without = 0
        for place in places.places:
            document = self._folders.at(place).look().document
            without += undated_count(document)
            facts += [
                (place.scope.value, each.age_days, page_shown(INDEX, each.page))
                for each in stale(document, today, self._config.stale_days)
            ]
        facts.sort(key=lambda each: -each[1])
        return StaleListed(
            request_id=request_id, after_days=self._config.stale_days, facts=tuple(facts), undated=without
        )

    def _scope(self, place: Place, injection: Injection) -> ScopeStatus:
        folder = self._folders.at(place)
        snapshot = folder.look()
        trouble, waiting = "", list[Operation]()
        try:
            waiting += folder.waiting().waiting.values()
        except (ValueError, OSError) as error:
            trouble = reason_of(error)
        proposed = [f"proposed: {each.text}" for each in waiting if each.step is Step.PROPOSED]
        staged = [f"staged: {each.text}" for each in waiting if each.step is not Step.PROPOSED]
        flaws = (flaw for _, flaw in effective([snapshot])[1]) if snapshot.config else ()
        part = next((each for each in injection.parts if each.place.scope is place.scope), None)
        return ScopeStatus(
            scope=place.scope.value,
            folder=str(folder.path),
            trust="trusted" if place.inner else "own",
            exists=folder.exists,
            writable=place.denial,
            files=tuple(FileSize(name=name, bytes=size) for name, size in folder.files()),
            index_bytes=len(snapshot.index or b""),
            injected_bytes=len(part.text.encode("utf-8", "surrogateescape")) if part else 0,
            is_capped=part.capped.is_cut if part else False,
            table=snapshot.table.value,
            waiting=len(staged),
            proposed=len(proposed),
            notes=(*(fault.detail for fault in snapshot.faults), *flaws, *filter(None, (trouble,))),
            waiting_facts=tuple(each[:_MOST_SHOWN] for each in (*staged, *proposed)[:_MOST_WAITING]),
        )


def page_shown(file: str, page: Page) -> PageShown:
    """A page in the form of a list's entry."""
    return PageShown(
        id=page.id,
        kind=page.kind.value,
        file=file,
        line=page.line,
        section=valid(page.section),
        text=valid(page.text)[:_MOST_SHOWN],
        target=valid(page.target),
    )


def traces_listed(message: ListTraces | ShowTrace, traces: Sequence[Trace]) -> TracesListed:
    """The requested decisions, among the visible decisions.

    Raises:
        EditRefusedError: the id is unknown.
    """
    if isinstance(message, ShowTrace):
        chosen = [each for each in traces if each.id == message.id]
        if not chosen:
            raise EditRefusedError(f"trace {message.id[:40]!r}: there is none of that id here; traces lists them")
    else:
        chosen = list(traces[-message.limit :])
    return TracesListed(request_id=message.request_id, traces=tuple(map(_trace_shown, chosen)))


def _trace_shown(trace: Trace) -> TraceShown:
    return TraceShown(
        id=trace.id,
        at=trace.at,
        context=trace.context,
        decision=trace.decision,
        reasons=trace.reasons,
        tokens=tuple(trace.tokens.items()),
    )


def _all_pages(folder: MemoryFolder) -> list[tuple[str, Page]]:
    """File and page of every page with content, the index first."""
    topics, _ = folder.topic_pages()
    files: list[tuple[str, Document]] = [(INDEX, folder.look().document), *topics.items()]
    return [(file, page) for file, document in files for page in document.pages if page.text]


def _faults_of(scope: str, folder: MemoryFolder) -> list[Fault]:
    """Faults of an index beside its topic files."""
    document, there = folder.look().document, set(folder.topics())
    faults = [
        Fault(FaultKind.MISSING_TOPIC, scope, f"line {page.line} points to {valid(page.target)}, which is not there")
        for page in document.facts
        if page.target and page.target not in there
    ]
    faults += [
        Fault(FaultKind.DUPLICATE, scope, f"line {page.line} says again: {valid(page.text)[:80]}")
        for page in document.duplicates
    ]
    _, notes = folder.topic_pages()
    return faults + [Fault(FaultKind.DENIED, scope, note) for note in notes]
