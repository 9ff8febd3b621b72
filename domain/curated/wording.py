"""Wording of what curated memory answers, the same in Discord and in a terminal; one fact stands in one line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from messages.base import Message
from messages.curated import (
    ClaudeImported,
    FactsFlushed,
    FactStaged,
    FactWritten,
    InjectionSwitched,
    PagesVerified,
)
from messages.curated_view import (
    CuratedDescribed,
    FactsRecalled,
    FaultsListed,
    PageShown,
    PagesListed,
    ScopeStatus,
    StaleListed,
    TraceShown,
    TracesListed,
)

_MOST_LINES = 400
_TABLES = {
    "ok": "there, and of this version of the index",
    "stale": "there, but older than the index",
    "invalid": "there, and cannot be read",
    "missing": "none",
}


def lines(reply: Message) -> list[str]:
    """What a reply says to a person.

    Raises:
        TypeError: it is no reply of curated memory's.
    """
    words = _WORDS.get(type(reply))
    if words is None:
        raise TypeError(f"{type(reply).__name__}: is no reply of curated memory")
    said = [" ".join(line.split()) if line.strip() else "" for line in words(reply)]
    return said if len(said) <= _MOST_LINES else [*said[:_MOST_LINES], f"… and {len(said) - _MOST_LINES} more"]


def _status(reply: CuratedDescribed) -> Iterable[str]:
    yield f"Memory in prompts: {reply.injection}"
    for scope in reply.scopes:
        yield ""
        yield from _scope(scope)
    if reply.note:
        yield f"Note: {reply.note}"


def _scope(scope: ScopeStatus) -> Iterable[str]:
    there = "" if scope.exists else ", which comes into being with the first thing that is written"
    yield f"{scope.scope.capitalize()} memory: {scope.folder}{there}"
    yield f"- Trust: {scope.trust}; writing from here: {'yes' if not scope.writable else f'no, {scope.writable}'}"
    total = sum(file.bytes for file in scope.files)
    yield f"- Files: {len(scope.files)}, {total:,} bytes"
    for file in scope.files:
        yield f"  - {file.name}: {file.bytes:,} bytes"
    yield f"- Injected: {scope.injected_bytes:,} of {scope.index_bytes:,} bytes of MEMORY.md"
    if scope.is_capped:
        yield "- Warning: MEMORY.md is longer than what is injected of it; put detail into topic files"
    yield f"- Page table: {_TABLES.get(scope.table, scope.table)}"
    yield f"- Waiting: {scope.waiting} staged, {scope.proposed} proposed"
    for note in scope.notes:
        yield f"- Warning: {note}"


def _pages(reply: PagesListed) -> Iterable[str]:
    for scope in reply.scopes:
        table = {"ok": "exists and is valid", "stale": "exists and is stale"}.get(scope.table, f"is {scope.table}")
        yield f"{scope.scope.capitalize()}: {_counted(len(scope.pages), 'page')}; page-table.jsonl {table}"
        for page in scope.pages:
            yield f"- {_page(page)}"


def _page(page: PageShown) -> str:
    return f"{page.id} {page.kind} {page.file}:{page.line} {page.text}"


def _verified(reply: PagesVerified) -> Iterable[str]:
    for scope, count, before in reply.scopes:
        yield f"{scope.capitalize()}: page-table.jsonl made anew with {_counted(count, 'page')}; it was {before}"
    yield from (f"Note: {note}" for note in reply.notes)


def _staged(reply: FactStaged) -> Iterable[str]:
    yield f"Staged for {reply.scope} memory as {reply.id}: {reply.text}"
    yield f"{_counted(reply.waiting, 'fact')} waiting; /memory flush commits, as does the agent's end"
    if reply.note:
        yield f"Note: {reply.note}"


def _flushed(reply: FactsFlushed) -> Iterable[str]:
    yield f"Committed: {len(reply.committed)}; rejected: {len(reply.rejected)}"
    yield from (f"- {scope}: {text}" for scope, text in reply.committed)
    yield from (f"- rejected, {each.scope}: {each.text}: {each.reason}" for each in reply.rejected)
    yield from (f"Note: {note}" for note in reply.notes)


def _faults(reply: FaultsListed) -> Iterable[str]:
    if not reply.faults:
        yield "No faults."
    for fault in reply.faults:
        yield f"- {fault.kind}{f' ({fault.scope})' if fault.scope else ''}: {fault.detail}"


def _traces(reply: TracesListed) -> Iterable[str]:
    if not reply.traces:
        yield "No traces."
    if len(reply.traces) == 1:
        yield from _whole_trace(reply.traces[0])
        return
    for trace in reply.traces:
        yield f"- {trace.id} {trace.at} {trace.context} {trace.decision}: {'; '.join(trace.reasons)}"


def _whole_trace(trace: TraceShown) -> Iterable[str]:
    yield f"{trace.id}: {trace.decision} in {trace.context} at {trace.at}"
    yield from (f"- {reason}" for reason in trace.reasons)
    if trace.tokens:
        yield "- Counts: " + ", ".join(f"{name} {count}" for name, count in trace.tokens)


def _recalled(reply: FactsRecalled) -> Iterable[str]:
    yield f"{reply.code}: {reply.reason}"
    yield from (f"- {scope} {_page(page)}" for scope, page in reply.facts)


def _switched(reply: InjectionSwitched) -> Iterable[str]:
    yield (
        "From the next turn on the memory is in the prompts here."
        if reply.on
        else "From the next turn on the memory is in no prompt here, until /memory on or the agent's next start."
    )


def _stale(reply: StaleListed) -> Iterable[str]:
    if not reply.facts:
        yield f"No fact was confirmed more than {reply.after_days} days ago."
    for scope, age, page in reply.facts:
        yield f"- {scope}, {age} days: {_page(page)}"
    if reply.undated:
        yield f"{_counted(reply.undated, 'fact')} without a date."
    yield "These are suggestions: nothing is ever removed for its age."


def _written(reply: FactWritten) -> Iterable[str]:
    yield f"{reply.done}: {reply.text}"
    yield f"in {reply.path}"
    if reply.note:
        yield f"Note: {reply.note}"


def _imported(reply: ClaudeImported) -> Iterable[str]:
    yield f"From {reply.folder}: {_counted(reply.staged, 'fact')} staged, {_counted(len(reply.topics), 'file')} copied"
    yield from (f"- copied {name}" for name in reply.topics)
    yield from (f"- left out {each}" for each in reply.skipped)
    if reply.staged:
        yield "agent memory curated flush commits what is staged"


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


_WORDS: dict[type[Message], Any] = {
    CuratedDescribed: _status,
    PagesListed: _pages,
    PagesVerified: _verified,
    FactStaged: _staged,
    FactsFlushed: _flushed,
    FaultsListed: _faults,
    TracesListed: _traces,
    FactsRecalled: _recalled,
    InjectionSwitched: _switched,
    StaleListed: _stale,
    FactWritten: _written,
    ClaudeImported: _imported,
}
