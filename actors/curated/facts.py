"""Requests that write single facts, each as a sequence of file changes."""

from __future__ import annotations

from collections.abc import Callable, Generator
from pathlib import Path
from typing import NamedTuple

from actors.curated.files import Change, MemoryFiles
from actors.curated.folder import ARCHIVE, INDEX
from actors.curated.places import Place
from actors.curated.rules import Rules
from domain.curated.document import parse_document
from domain.curated.edits import confirm_fact, fix_fact, the_fact, with_fact, with_page, without_fact
from domain.curated.page import Page
from domain.curated.refusal import flaw_of_title, flaw_of_topic
from domain.edit.lines import EditRefusedError
from domain.text.lines import one_line
from messages.curated import AddFact, ArchiveFact, ConfirmFact, FactCommand, FixFact, MoveFact, RemoveFact


class Written(NamedTuple):
    """Outcome of a request."""

    done: str
    """As `FactWritten` has it."""
    text: str
    path: Path
    """File that holds the fact then, or held the fact before."""


Steps = Generator[tuple[Path, Change], None, Written]
"""A file and its change, repeatedly; resumed when the file holds the change."""


def write_fact(request: FactCommand, place: Place, files: MemoryFiles, rules: Rules) -> Steps:
    """Changes of files for a request, in a writable place.

    A fact is written to another file before the index loses the fact, so the fact is in a file at each moment.

    Raises:
        EditRefusedError: a rule is broken; no file was written.
        OSError: a folder cannot be made.
    """
    index, day = place.folder / INDEX, rules.day
    match request:
        case AddFact():
            text, section = one_line(request.text), one_line(request.section)
            _require(rules.flaw(place.scope, text, section))
            files.make_folder(place)
            yield index, lambda data: with_fact(_without_text(data, text, ""), text, section, day)
            return Written("added", text, index)
        case FixFact():
            text = one_line(request.text)
            _require(rules.flaw(place.scope, text))
            hint = "; remove the other one"
            yield from _change(
                request, index, lambda data, page: fix_fact(_without_text(data, text, hint, page.text), page, text, day)
            )
            return Written("fixed", text, index)
        case RemoveFact():
            page = yield from _change(request, index, without_fact)
            return Written("removed", page.text, index)
        case ConfirmFact():
            if not day:
                raise EditRefusedError("facts get no dates here (curated.dates is off)")
            page = yield from _change(request, index, lambda data, page: confirm_fact(data, page, day))
            return Written("confirmed", page.text, index)
        case ArchiveFact():
            page = yield from _change(request, index, lambda data, _page: data)
            archive = files.make_archive(place.folder)
            yield archive / INDEX, lambda data: with_page(data, page, page.section)
            yield index, lambda data: without_fact(data, page)
            return Written("archived", page.text, place.folder / ARCHIVE / INDEX)
        case MoveFact():
            return (yield from _move(request, place, rules))


def _move(request: MoveFact, place: Place, rules: Rules) -> Steps:
    index, topic = place.folder / INDEX, request.topic.strip()
    title, gist = one_line(request.title), one_line(request.gist)
    pointer = f"[{title}]({topic})" + (f" — {gist}" if gist else "")
    _require(flaw_of_topic(topic) or flaw_of_title(title, place.scope) or rules.flaw(place.scope, pointer))
    page = yield from _change(request, index, lambda data, _page: data)
    if page.target:
        raise EditRefusedError(f"{page.text[:80]!r} points to {page.target} already")
    yield place.folder / topic, lambda data: with_page(data, page, page.section or title)

    def leave_pointer(data: bytes) -> bytes:
        if any(each.target == topic for each in parse_document(data).facts):
            return without_fact(data, page)
        return fix_fact(data, page, pointer)

    yield index, leave_pointer
    return Written("moved", page.text, place.folder / topic)


def _change(
    request: FixFact | RemoveFact | ConfirmFact | ArchiveFact | MoveFact,
    index: Path,
    change: Callable[[bytes, Page], bytes],
) -> Generator[tuple[Path, Change], None, Page]:
    """Change the named fact, the same fact however often the change is repeated; return the fact before the change."""
    targets: list[Page] = []

    def edit(data: bytes) -> bytes:
        if not targets:
            targets.append(the_fact(parse_document(data), request.fact))
        return change(data, targets[0])

    yield index, edit
    return targets[0]


def _without_text(data: bytes, text: str, hint: str, replaced: str = "") -> bytes:
    """The same file, if no fact but the replaced fact has the text.

    Raises:
        EditRefusedError: a fact has the text.
    """
    if text != replaced and any(each.text == text for each in parse_document(data).facts):
        raise EditRefusedError(f"{text[:80]!r}: the index has it already{hint}")
    return data


def _require(flaw: str) -> None:
    if flaw:
        raise EditRefusedError(flaw)
