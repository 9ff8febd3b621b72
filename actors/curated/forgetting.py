"""Removal of facts whose source was forgotten: from journals, memory files, archives, traces and displaced versions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

from actors.curated.config import CuratedConfig
from actors.curated.decisions import CuratedState, Decisions, quotes
from actors.curated.folder import ARCHIVE, INDEX, Folders, MemoryFolder
from actors.curated.places import Place, every_place
from actors.curated.sidecars import mend_journal, rewrite_journal
from actors.curated.writer import Writer
from actors.edited_file.displaced import forget_displaced
from actors.edited_file.file import reason_of
from actors.kernel import Host
from actors.linux.disk import RealDisk
from actors.linux.private_folder import make_private
from domain.curated import journal
from domain.curated.edits import without_texts
from domain.curated.journal import Operation
from domain.edit.lines import EditRefusedError
from messages.base import Message
from messages.forget import ForgetDerived, answer_derived
from messages.socket import Refused

WITHOUT_SOURCE = "facts that people, commands or /remember put into files name no message and stay: look through them"


class Forgetting:
    """Removal of the facts that a forgotten message led to.

    Files lose the facts before the journal loses the operations: after a crash the journal still knows the facts.
    """

    def __init__(
        self, host: Host, config: CuratedConfig, state: CuratedState, folders: Folders, writer: Writer, notes: Decisions
    ) -> None:
        self._host = host
        self._config = config
        self._state = state
        self._folders = folders
        self._writer = writer
        self._notes = notes
        self._disk = config.disk or RealDisk()

    def begin(self, request: ForgetDerived) -> None:
        """Carry out a request after running flushes; the answer follows the last removal, or a refusal the failure.

        No flush begins meanwhile: the flush might write a fact into a file behind the removal.
        """
        places = every_place(self._config)

        def begin() -> None:
            try:
                self._remove(request, places)
            except (EditRefusedError, ValueError, OSError) as error:
                self._end(request, places, Refused(request_id=request.request_id, reason=reason_of(error)))

        self._writer.hold(places, begin)

    def _end(self, request: ForgetDerived, places: Sequence[Place], reply: Message) -> None:
        self._host.tell(request.reply_to, reply)
        self._writer.release(places)

    def _remove(self, request: ForgetDerived, places: Sequence[Place]) -> None:
        """Begin the removal.

        Raises:
            ValueError: a journal or a memory file may not be read in its present state.
            OSError: a file cannot be read or written.
        """
        key, sources = request.window.address.key, frozenset(str(event.event_id) for event in request.events)

        def is_gone(operation: Operation) -> bool:
            own = operation.id.rpartition("-")[0] in sources
            return own or (request.whole_window and operation.window == key)

        gone = {place: self._find_texts(place, is_gone) for place in places}
        every = [text for texts in gone.values() for text in texts]
        self._notes.drop(request.window, every)
        for fault in [each for each in self._state.faults if each[0] == key or quotes(each[1].detail, every)]:
            self._state.faults.remove(fault)
        files = [(path, texts) for place, texts in gone.items() if texts for path in self._files(place)]
        failures: list[str] = []
        left = len(files)

        def end(reason: str) -> None:
            nonlocal left
            left -= 1
            failures.extend(filter(None, (reason,)))
            if left <= 0:
                self._finish(request, gone, is_gone, failures)

        for path, texts in files:
            self._writer.files.change(path, partial(_edit, texts), end)
        if not files:
            end("")

    def _find_texts(self, place: Place, is_gone: journal.Test) -> tuple[str, ...]:
        folder = self._folders.at(place)
        if not folder.exists:
            return ()
        mend_journal(self._disk, folder.path, self._writer.spare(folder.path))
        return journal.without(folder.read(journal.FILE, journal.LIMIT_BYTES) or b"", is_gone)[1]

    def _files(self, place: Place) -> Iterable[Path]:
        folder = self._folders.at(place)
        yield from (folder.path / name for name in (INDEX, *folder.topics()) if (folder.path / name).exists())
        if (folder.path / ARCHIVE / INDEX).exists():
            yield self._writer.files.make_archive(folder.path) / INDEX

    def _finish(
        self, request: ForgetDerived, gone: dict[Place, tuple[str, ...]], is_gone: journal.Test, failures: list[str]
    ) -> None:
        try:
            for place in gone if not failures else ():
                self._forget_operations(self._folders.at(place), is_gone)
            forget_displaced(self._disk, self._config.own_folder)
        except (ValueError, OSError) as error:
            failures.append(reason_of(error))
        if failures:
            self._end(request, tuple(gone), Refused(request_id=request.request_id, reason=failures[0]))
            return
        has_others = any(self._folders.at(place).look().document.facts for place in gone)
        note = WITHOUT_SOURCE if has_others else ""
        count = sum(map(len, gone.values()))
        self._end(request, tuple(gone), answer_derived(request, self._host.address.kind, count, note))

    def _forget_operations(self, folder: MemoryFolder, is_gone: journal.Test) -> None:
        if not (folder.path / journal.FILE).exists():
            return
        make_private(self._config.own_folder, self._disk.make_folder)
        spare = self._writer.spare(folder.path)
        rewrite_journal(self._disk, folder.path, spare, lambda data: journal.without(data, is_gone)[0])


def _edit(texts: tuple[str, ...], data: bytes) -> bytes:
    return without_texts(data, texts)
