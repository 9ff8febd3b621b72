"""Upkeep of memory folders: what an earlier life left half done, and what is made up for when the disk works again."""

from __future__ import annotations

import logging
from functools import partial
from pathlib import Path

from actors.curated.config import MEMORY, CuratedConfig
from actors.curated.injection import Injections
from actors.curated.places import Place
from actors.curated.sidecars import write_table
from actors.curated.writeback import Flushed, Writeback
from actors.curated.writing import FactFiles
from actors.edited_file.file import reason_of
from actors.kernel import Host
from actors.linux.disk import RealDisk
from domain.curated.page import Scope
from messages.curated import LookAfterFiles

log = logging.getLogger(__name__)

LOOK_AFTER_S = 60.0


class Upkeep:
    """Keeper of what is owed to the folders."""

    def __init__(
        self, host: Host, config: CuratedConfig, injections: Injections, files: FactFiles, writeback: Writeback
    ) -> None:
        """Nothing is owed yet.

        Args:
            host: Brings `LookAfterFiles` back to `look_after`.
            config: The operator's decisions.
            injections: Know the folders.
            files: Write the files.
            writeback: Keeps the journals.
        """
        self._host = host
        self._config = config
        self._disk = config.disk or RealDisk()
        self._injections = injections
        self._files = files
        self._writeback = writeback
        self._stale: dict[Path, Place] = {}
        """Folders whose page tables are to follow."""
        self._without_table: dict[Path, Place] = {}
        """Those whose tables could not be written; for the next minute."""
        self._unfinished: dict[Path, Place] = {}
        """Folders in which an earlier life may have left something that could not be looked at."""
        self._waiting: dict[Path, Place] = {}
        """Folders with facts that wait until readership allows the write, as far as readership is known."""
        self._waits = False
        """True while the next attempt at what failed is set."""

    @property
    def places(self) -> tuple[Place, ...]:
        """Every scope that there is, the global one first."""
        repositories = dict.fromkeys(self._config.projects.values())
        projects = (Place(Scope.PROJECT, repository, MEMORY) for repository in repositories)
        return (Place(Scope.GLOBAL, self._config.global_folder, ""), *projects)

    def recover(self) -> None:
        """Bring back what a crash left beside the files, and commit what was staged."""
        for place in self.places:
            self._finish_earlier(place)
        self.look_later()

    def go_on(self) -> None:
        """Commit what is staged still, as far as it is known now that it may be."""
        waiting, self._waiting = self._waiting, {}
        for place in waiting.values():
            self._flush(place)
        self.look_later()

    def written(self, place: Place) -> None:
        """A file of a folder was written: its page table follows, once for all that are written together."""
        if not self._stale:
            self._host.after(0.0, LookAfterFiles())
        self._stale[place.folder] = place

    def look_after(self) -> None:
        """Write the tables that are due."""
        self._write_tables()
        self.look_later()

    def _try_again(self) -> None:
        """Write the tables, finish the folders and write the files that failed before."""
        self._waits = False
        self._stale, self._without_table = self._without_table, {}
        self._write_tables()
        places, self._unfinished = self._unfinished, {}
        for place in places.values():
            self._finish_earlier(place)
        self._files.try_again()
        self.look_later()

    def end(self) -> None:
        """Write the due tables, since no later life knows of them."""
        self._write_tables()

    def look_later(self) -> None:
        """See that the files are looked after, as long as there is anything to look for."""
        is_owing = self._unfinished or self._without_table or not self._files.is_at_rest
        if is_owing and not self._waits:
            self._waits = True
            self._host.wait(LOOK_AFTER_S, self._try_again)

    def _write_tables(self) -> None:
        tables, self._stale = self._stale, {}
        for place in tables.values():
            try:
                write_table(self._disk, self._injections.folder(place))
            except OSError as error:
                self._without_table[place.folder] = place
                log.warning("the page table is not made anew, which is tried again: %s", reason_of(error))
            self._files.note_met(place.root, place.inner)

    def _finish_earlier(self, place: Place) -> None:
        folder = self._injections.folder(place)
        try:
            self._files.require_not_emptied(place.root, place.inner)
            if not folder.exists:
                return
            self._files.note_met(place.root, place.inner)
            self._files.recover(folder.path)
            self._writeback.mend(place)
            if folder.waiting().waiting:
                self._flush(place)
        except (ValueError, OSError) as error:
            self._unfinished[place.folder] = place
            log.warning("%s: what an earlier life left is not finished: %s", folder.path, reason_of(error))

    def _flush(self, place: Place) -> None:
        self._writeback.flush(place, partial(self._flushed, place), takes_proposals=False)

    def _flushed(self, place: Place, outcome: Flushed) -> None:
        if outcome.waiting:
            self._waiting[place.folder] = place
        if outcome.notes:  # something may not have been written
            self._unfinished[place.folder] = place
