"""Recovery of curated memory: what an earlier life left beside the files, and what it left staged."""

from __future__ import annotations

import logging
from functools import partial

from actors.curated.config import MEMORY, CuratedConfig
from actors.curated.injection import Injections
from actors.curated.places import Place
from actors.curated.writeback import Flushed, Writeback
from actors.curated.writing import FactFiles
from actors.edited_file.file import reason_of
from domain.curated.page import Scope

log = logging.getLogger(__name__)


class Recovery:
    """Finisher of what an earlier life left half done."""

    def __init__(self, config: CuratedConfig, injections: Injections, files: FactFiles, writeback: Writeback) -> None:
        """Nothing is looked at yet."""
        self._config = config
        self._injections = injections
        self._files = files
        self._writeback = writeback
        self._rest: list[Place] = []
        """Folders in which something waits."""

    @property
    def places(self) -> tuple[Place, ...]:
        """Every scope that there is, the global one first."""
        repositories = dict.fromkeys(self._config.projects.values())
        projects = (Place(Scope.PROJECT, repository, MEMORY) for repository in repositories)
        return (Place(Scope.GLOBAL, self._config.global_folder, ""), *projects)

    def begin(self) -> None:
        """Bring back what a crash left beside the files, and commit what was staged."""
        for place in self.places:
            folder = self._injections.folder(place)
            if not folder.exists:
                continue
            try:
                self._files.recover(folder.path)
                if folder.waiting().waiting:
                    self._rest.append(place)
            except (ValueError, OSError) as error:
                log.warning("%s: what an earlier life left is not finished: %s", folder.path, reason_of(error))
        self.go_on()

    def go_on(self) -> None:
        """Commit what is staged still, as far as it is known now that it may be."""
        rest, self._rest = self._rest, []
        for place in rest:
            self._writeback.flush(place, partial(self._ended, place), takes_proposals=False)

    def _ended(self, place: Place, outcome: Flushed) -> None:
        if outcome.waiting:
            self._rest.append(place)
