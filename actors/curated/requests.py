"""Requests that write: one fact added, fixed, removed, archived, moved or confirmed, each answered when it is safe."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from actors.curated.folder import ARCHIVE, INDEX
from actors.curated.places import Place
from actors.curated.rules import Rules
from actors.curated.writing import FactFiles
from actors.edited_file.file import reason_of
from domain.curated.document import parsed
from domain.curated.edits import confirmed, fixed, the_fact, with_fact, with_page, without_fact
from domain.curated.page import Page
from domain.curated.refusal import flaw_of_title, flaw_of_topic, one_line
from domain.edit.lines import EditRefusedError
from messages.curated import AddFact, ArchiveFact, ConfirmFact, FactCommand, FactWritten, FixFact, MoveFact, RemoveFact

Told = Callable[[FactWritten | str], None]
"""Hears what was written, or why nothing was."""


class FactRequests:
    """Writer of single facts."""

    def __init__(self, files: FactFiles, rules: Rules, written: Callable[[Place], None]) -> None:
        """Nothing is written yet.

        Args:
            files: Write the files.
            rules: Say what may be written.
            written: Called when a file of a folder was written.
        """
        self._files = files
        self._rules = rules
        self._written = written

    def serve(self, request: FactCommand, place: Place, told: Told) -> None:
        """Do what is asked, in a place that may be written.

        Raises:
            EditRefusedError: a rule is broken; nothing was written.
            OSError: the folder cannot be made.
        """
        match request:
            case AddFact():
                self._add(request, place, told)
            case FixFact():
                self._fix(request, place, told)
            case RemoveFact():
                self._change_one(request, place, told, "removed", lambda data, page: without_fact(data, page))
            case ConfirmFact():
                self._confirm(request, place, told)
            case ArchiveFact():
                self._archive(request, place, told)
            case MoveFact():
                self._move(request, place, told)

    def _add(self, request: AddFact, place: Place, told: Told) -> None:
        text, section = one_line(request.text), one_line(request.section)
        _require(self._rules.flaw(place.scope, text, section))

        def change(data: bytes) -> bytes:
            if any(page.text == text for page in parsed(data).facts):
                raise EditRefusedError(f"{text[:80]!r}: the index has it already")
            return with_fact(data, text, section, self._rules.day)

        self._files.make_folder(place.root, place.inner)
        self._write(request, place, place.folder / INDEX, change, told, ("added", lambda: text))

    def _fix(self, request: FixFact, place: Place, told: Told) -> None:
        text = one_line(request.text)
        _require(self._rules.flaw(place.scope, text))

        def change(data: bytes, page: Page) -> bytes:
            if any(each.text == text for each in parsed(data).facts if each.text != page.text):
                raise EditRefusedError(f"{text[:80]!r}: the index has it already; remove the other one")
            return fixed(data, page, text, self._rules.day)

        self._change_one(request, place, told, "fixed", change, text)

    def _confirm(self, request: ConfirmFact, place: Place, told: Told) -> None:
        if not self._rules.day:
            raise EditRefusedError("facts get no dates here (curated.dates is off)")
        self._change_one(request, place, told, "confirmed", lambda data, page: confirmed(data, page, self._rules.day))

    def _archive(self, request: ArchiveFact, place: Place, told: Told) -> None:
        def first(page: Page) -> tuple[Path, Callable[[bytes], bytes]]:
            archive = self._files.make_archive(place.folder)
            return archive / INDEX, lambda data: with_page(data, page, page.section)

        self._in_two(request, place, told, "archived", first, lambda data, page: without_fact(data, page))

    def _move(self, request: MoveFact, place: Place, told: Told) -> None:
        title, gist, topic = one_line(request.title), one_line(request.gist), request.topic.strip()
        pointer = f"[{title}]({topic})" + (f" — {gist}" if gist else "")
        _require(flaw_of_topic(topic) or flaw_of_title(title, place.scope) or self._rules.flaw(place.scope, pointer))

        def first(page: Page) -> tuple[Path, Callable[[bytes], bytes]]:
            if page.target:
                raise EditRefusedError(f"{page.text[:80]!r} points to {page.target} already")
            return place.folder / topic, lambda data: with_page(data, page, page.section or title)

        def second(data: bytes, page: Page) -> bytes:
            if any(each.target == topic for each in parsed(data).facts):
                return without_fact(data, page)
            return fixed(data, page, pointer)

        self._in_two(request, place, told, "moved", first, second)

    def _change_one(
        self,
        request: FixFact | RemoveFact | ConfirmFact,
        place: Place,
        told: Told,
        done: str,
        change: Callable[[bytes, Page], bytes],
        text: str = "",
    ) -> None:
        """Change the named fact; `text` is the fact's new text, empty to leave the text."""
        meant: list[Page] = []

        def edit(data: bytes) -> bytes:
            if not meant:
                meant.append(the_fact(parsed(data), request.fact))
            return change(data, meant[0])

        self._write(
            request, place, place.folder / INDEX, edit, told, (done, lambda: text or (meant[0].text if meant else ""))
        )

    def _in_two(
        self,
        request: ArchiveFact | MoveFact,
        place: Place,
        told: Told,
        done: str,
        first: Callable[[Page], tuple[Path, Callable[[bytes], bytes]]],
        second: Callable[[bytes, Page], bytes],
    ) -> None:
        """Write the fact into another file before the index loses it, so that at no moment it stands in neither."""
        meant: list[Page] = []
        shown = place.folder / (request.topic.strip() if isinstance(request, MoveFact) else f"{ARCHIVE}/{INDEX}")

        def look(data: bytes) -> bytes:
            if not meant:
                meant.append(the_fact(parsed(data), request.fact))
            return data

        def found(reason: str) -> None:
            if reason:
                told(reason)
                return
            try:
                path, change = first(meant[0])
            except (EditRefusedError, OSError) as error:
                told(reason_of(error))
                return
            self._files.change(path, change, copied)

        def copied(reason: str) -> None:
            if reason:
                told(reason)
                return
            page = meant[0]
            self._write(
                request,
                place,
                place.folder / INDEX,
                lambda data: second(data, page),
                told,
                (done, lambda: page.text),
                shown,
            )

        self._files.change(place.folder / INDEX, look, found)

    def _write(
        self,
        request: FactCommand,
        place: Place,
        path: Path,
        change: Callable[[bytes], bytes],
        told: Told,
        outcome: tuple[str, Callable[[], str]],
        shown: Path | None = None,
    ) -> None:
        """Change a file and tell what came of it; `shown` is where the fact stands then, unless it is that file."""
        done, text = outcome

        def ended(reason: str) -> None:
            if reason:
                told(reason)
                return
            self._written(place)
            told(
                FactWritten(
                    request_id=request.request_id,
                    scope=place.scope.value,
                    done=done,
                    path=str(shown or path),
                    text=text(),
                )
            )

        self._files.change(path, change, ended)


def _require(flaw: str) -> None:
    if flaw:
        raise EditRefusedError(flaw)
