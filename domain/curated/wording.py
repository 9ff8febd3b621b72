"""Wording of curated memory's replies, the same in Discord and in a terminal; one line for each fact."""

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
_DISCORD = "/memory"
_TABLES = {
    "ok": "present, made from this version of the index",
    "stale": "present, but older than the index",
    "invalid": "present, but unreadable",
    "missing": "none",
}
_TABLE_STATES = {
    "ok": "exists and is valid",
    "stale": "exists and is older than the index",
    "invalid": "exists and cannot be read",
    "missing": "is not there",
}
_TABLES_BEFORE = {
    "ok": "was valid",
    "stale": "was older than the index",
    "invalid": "could not be read",
    "missing": "was missing",
}
_TRUST = {"own": "the user's own folder", "trusted": "a trusted repository"}
_WAITING_SHOWN = 20


def lines(reply: Message, command: str = _DISCORD) -> list[str]:
    """Lines of a reply for a person.

    Args:
        reply: Of curated memory's.
        command: What stands before the name of one of its commands where the person is.

    Raises:
        TypeError: it is not a reply of curated memory's.
    """
    kind = type(reply)
    if kind not in _WORDS and kind not in _NAMING:
        raise TypeError(f"{kind.__name__}: is not a reply of curated memory")
    worded = [_tidy_line(line) for line in (_NAMING[kind](reply, command) if kind in _NAMING else _WORDS[kind](reply))]
    return worded if len(worded) <= _MOST_LINES else [*worded[:_MOST_LINES], f"… and {len(worded) - _MOST_LINES} more"]


def _tidy_line(line: str) -> str:
    """Line without superfluous blanks, leading blanks excepted."""
    return line[: len(line) - len(line.lstrip(" "))] + " ".join(line.split()) if line.strip() else ""


def _status(reply: CuratedDescribed, command: str) -> Iterable[str]:
    yield f"Memory in prompts: {reply.injection}"
    for scope in reply.scopes:
        yield ""
        yield from _scope(scope, command, is_on=reply.injection == "on")
    if reply.note:
        yield ""
        yield f"Note: {reply.note}"


def _scope(scope: ScopeStatus, command: str, *, is_on: bool) -> Iterable[str]:
    there = "" if scope.exists else ", which does not exist yet; the first fact creates it"
    yield f"{scope.scope.capitalize()} memory: {scope.folder}{there}"
    yield f"- Trust: {_TRUST.get(scope.trust, scope.trust)}"
    yield f"- Writing from here: {'yes' if not scope.writable else f'no, {scope.writable}'}"
    total = sum(file.bytes for file in scope.files)
    yield f"- Files: {len(scope.files)}, {total:,} bytes"
    for file in scope.files:
        yield f"  - {file.name}: {file.bytes:,} bytes"
    place = "In prompts" if is_on else "In prompts once curated memory is on"
    yield f"- {place}: {scope.injected_bytes:,} of {scope.index_bytes:,} bytes of MEMORY.md"
    if scope.is_capped:
        yield "- Warning: MEMORY.md is longer than what prompts take of it; put detail into topic files"
    yield f"- Page table: {_TABLES.get(scope.table, scope.table)}"
    yield f"- Waiting for `{command} flush`: {scope.waiting} staged, {scope.proposed} proposed"
    yield from (f"  - {fact}" for fact in scope.waiting_facts[:_WAITING_SHOWN])
    if len(scope.waiting_facts) > _WAITING_SHOWN:
        yield f"  - … and {len(scope.waiting_facts) - _WAITING_SHOWN} more"
    for note in scope.notes:
        yield f"- Warning: {note}"


def _pages(reply: PagesListed) -> Iterable[str]:
    for scope in reply.scopes:
        table = _TABLE_STATES.get(scope.table, scope.table)
        yield f"{scope.scope.capitalize()}: {_count(len(scope.pages), 'page')}; page-table.jsonl {table}"
        for page in scope.pages:
            yield f"- {_page(page)}"


def _page(page: PageShown) -> str:
    return f"{page.id} {page.kind} {page.file}:{page.line} {page.text}"


def _verified_pages(reply: PagesVerified) -> Iterable[str]:
    for scope, count, before in reply.scopes:
        was = _TABLES_BEFORE.get(before, before)
        yield f"{scope.capitalize()}: page-table.jsonl made anew with {_count(count, 'page')}; the old one {was}"
    yield from (f"Note: {note}" for note in reply.notes)


def _staged_fact(reply: FactStaged, command: str) -> Iterable[str]:
    yield f"Staged for {reply.scope} memory as {reply.id}: {reply.text}"
    waiting = f"{_count(reply.waiting, 'fact')} {'waits' if reply.waiting == 1 else 'wait'}"
    yield f"{waiting} to be written into MEMORY.md: by `{command} flush`, or at the agent's end"
    if reply.note:
        yield f"Note: {reply.note}"


def _flushed_facts(reply: FactsFlushed) -> Iterable[str]:
    if not reply.committed and not reply.rejected and not reply.notes:
        yield "Nothing was waiting."
        return
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
        yield "No decisions are noted."
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


def _recalled_facts(reply: FactsRecalled) -> Iterable[str]:
    yield f"{reply.code}: {reply.reason}"
    yield from (f"- {scope} {_page(page)}" for scope, page in reply.facts)


def _injection_switch(reply: InjectionSwitched, command: str) -> Iterable[str]:
    yield (
        "From the next turn on this memory is in the conversation's prompts."
        if reply.on
        else "From the next turn on this memory is in no prompt of the conversation, "
        f"until `{command} on` or the agent's next start."
    )


def _stale(reply: StaleListed) -> Iterable[str]:
    if not reply.facts:
        yield f"No fact has a date of more than {reply.after_days} days ago."
    for scope, age, page in reply.facts:
        yield f"- {scope}, {age} days: {_page(page)}"
    if reply.facts:
        yield "These are suggestions: nothing is ever removed for its age."
    if reply.undated:
        yield f"{_count(reply.undated, 'fact')} without a date; curated.dates dates what is written or confirmed."


def _written_fact(reply: FactWritten) -> Iterable[str]:
    yield f"{reply.done}: {reply.text}"
    yield f"in {reply.path}"
    if reply.note:
        yield f"Note: {reply.note}"


def _claude_import(reply: ClaudeImported, command: str) -> Iterable[str]:
    yield f"From {reply.folder}: {_count(reply.staged, 'fact')} staged, {_count(len(reply.topics), 'file')} copied"
    yield from (f"- copied {name}" for name in reply.topics)
    yield from (f"- left out {each}" for each in reply.skipped)
    if reply.staged:
        yield f"`{command} flush` writes what is staged into MEMORY.md"


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


_WORDS: dict[type[Message], Any] = {
    PagesListed: _pages,
    PagesVerified: _verified_pages,
    FactsFlushed: _flushed_facts,
    FaultsListed: _faults,
    TracesListed: _traces,
    FactsRecalled: _recalled_facts,
    StaleListed: _stale,
    FactWritten: _written_fact,
}
_NAMING: dict[type[Message], Any] = {
    CuratedDescribed: _status,
    FactStaged: _staged_fact,
    InjectionSwitched: _injection_switch,
    ClaudeImported: _claude_import,
}
"""Replies whose words name a command."""
