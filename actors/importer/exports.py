"""Import of export files: all are checked before the first message is taken."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from actors.importer.export_file import Export, ExportFault, check_export, newest_first, read_batches
from actors.importer.keeping import BATCH, PATIENCE_S, Keeper
from actors.importer.off_record import IsOffRecord, channels_of_threads
from actors.kernel import Host
from messages.base import Address, ChannelId, Window
from messages.past import CategoriesFound, ExportImported, FindCategories, ImportExport, PastMessage, SettlePast
from messages.socket import Refused


class ExportImport:
    """The import of some files, a file at a time."""

    def __init__(
        self,
        host: Host,
        keeper: Keeper,
        note: Callable[[set[Window]], str],
        off_record: Callable[[Sequence[Export], Mapping[str, str]], Mapping[Window, IsOffRecord]],
        surface: Address,
    ) -> None:
        """Begin without files.

        Args:
            host: Actor that answers.
            keeper: Keeps messages.
            note: Told the windows of the files before the first message is kept; gives the reason of a failure.
            off_record: Gives a predicate of messages to leave out for each window of the files; takes categories, too.
            surface: Knows categories; takes back messages that were deleted or edited since the export.
        """
        self._off_record = off_record
        self._surface = surface
        self._note = note
        self._host = host
        self._keeper = keeper
        self._request: ImportExport | None = None
        self._exports: list[Export] = []
        self._batches: Iterator[tuple[Window, tuple[PastMessage, ...]]] = iter(())
        self._stored = 0

    def begin(self, request: ImportExport) -> None:
        """Check the files, then take the messages in; refuse unsound files, or any while an import runs."""
        if self._request is not None:
            self._refuse(request, "other files are being imported; try again when they are done")
            return
        self._request, self._stored, self._exports = request, 0, []
        self._check(request)

    def _check(self, request: ImportExport) -> None:
        """Check file after file, answering other messages in between; then take in the messages."""
        if len(self._exports) < len(request.files):
            try:
                with self._host.blocking():
                    self._exports.append(check_export(Path(request.files[len(self._exports)])))
            except ExportFault as error:
                self._request = None
                self._refuse(request, f"nothing is imported: {error}")
            else:
                self._host.wait(0, partial(self._check, request))
            return
        self._exports = newest_first(self._exports)
        self._find_categories(request, channels_of_threads(self._exports))

    def _find_categories(self, request: ImportExport, channels: Sequence[ChannelId]) -> None:
        """Look up the categories missing in the files; then take in the messages."""
        make = partial(FindCategories, channels=tuple(channels))

        def take(reply: CategoriesFound | None) -> None:
            if reply is None:
                self._end(request, "the categories of threads are unknown: Discord's part does not answer")
            else:
                self._take_in(request, dict(zip(channels, reply.categories, strict=True)))

        if channels:
            self._host.ask(self._surface, make, PATIENCE_S, take)
        else:
            self._take_in(request, {})

    def _take_in(self, request: ImportExport, categories: Mapping[str, str]) -> None:
        if reason := self._note({each.window for each in self._exports}):
            self._end(request, reason)
            return
        with self._host.blocking():
            is_off = self._off_record(self._exports, categories)
        self._batches = (
            (each.window, batch) for each in self._exports for batch in read_batches(each, BATCH, is_off[each.window])
        )
        self._go_on(request)

    def _go_on(self, request: ImportExport) -> None:
        try:
            with self._host.blocking():
                window, batch = next(self._batches, (None, ()))
        except ExportFault as error:
            self._end(request, f"the file has changed meanwhile: {error}")
            return
        if window is None:
            self._end(request, "")
            return

        def take(stored: int, reason: str) -> None:
            self._stored += stored
            if reason:
                self._end(request, reason)
                return
            ids = tuple(each.message_id for each in batch)
            self._host.tell(self._surface, SettlePast(window=window, message_ids=ids))
            self._go_on(request)

        self._keeper.keep(window, batch, "", take)

    def _end(self, request: ImportExport, reason: str) -> None:
        self._request = None
        if reason:
            self._refuse(request, f"{reason}; import the files again: no message is imported twice")
            return
        imported = ExportImported(
            request_id=request.request_id,
            files=len(self._exports),
            messages=sum(each.messages for each in self._exports),
            kept=self._stored,
            windows=len({each.window for each in self._exports}),
        )
        self._host.tell(request.reply_to, imported)

    def _refuse(self, request: ImportExport, reason: str) -> None:
        self._host.tell(request.reply_to, Refused(request_id=request.request_id, reason=reason))
