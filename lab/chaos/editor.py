"""Imitation of a person's editor: reads a file, changes lines and saves, while the agent writes the file."""

from __future__ import annotations

import threading
from collections.abc import Callable
from enum import StrEnum
from hashlib import blake2b
from pathlib import Path
from time import perf_counter

from actors.edited_file.rewriting import Waits

PAUSE_S = 0.01
"""Between two edits, on average: some hundred a second."""
EDITS_A_ROUND = 3
"""Most edits of the editor for each of the agent, so that the file stays as small as people's are."""
WAITS = Waits(settle_s=0.005, verify_s=0.06)
"""Waits of the agent: a slower editor, from reading to saving, may overwrite the agent's work."""

Revise = Callable[[list[bytes], int], None]
"""Makes edit number n in the lines of the file."""


class Saver(StrEnum):
    """Editor's way of saving."""

    RENAME = "rename"
    """Writes a new file and renames the new file over the old, as most editors do."""
    IN_PLACE = "in-place"
    """Empties the file and rewrites the content."""


class Editor(threading.Thread):
    """Person's program: reads the file, changes lines, saves; again and again until stopped."""

    def __init__(self, path: Path, saver: Saver, seed: str, revise: Revise) -> None:
        """An editor at rest."""
        super().__init__(name="editor", daemon=True)
        self._path = path
        self.saver = saver
        self._seed = seed
        self._revise = revise
        self._over = threading.Event()
        self.allowed = EDITS_A_ROUND
        """Number of edits permitted by now; the racing party raises the number."""
        self.edits = 0
        self.slow: list[tuple[float, float]] = []
        """Times of reading and of saving, for saves slower than the agent's wait."""

    def run(self) -> None:
        """Edit until stopped."""
        while not self._over.is_set():
            began = perf_counter()
            lines = self._path.read_bytes().split(b"\n")
            if lines != [b""] and self.edits < self.allowed:
                self._revise(lines, self.edits)
                self._save(b"\n".join(lines))
                self.edits += 1
                if (ended := perf_counter()) - began > WAITS.verify_s:
                    self.slow.append((began, ended))
            self._over.wait(PAUSE_S * (0.5 + chance(f"{self._seed}/pause/{self.edits}", 100) / 100))

    def stop(self) -> None:
        """Make the last edit the last."""
        self._over.set()
        self.join()

    def _save(self, data: bytes) -> None:
        if self.saver is Saver.IN_PLACE:
            self._path.write_bytes(data)
            return
        fresh = self._path.with_name(f"editor-{self._path.name}.tmp")
        fresh.write_bytes(data)
        fresh.replace(self._path)


def chance(seed: str, below: int) -> int:
    """Pseudorandom number from 0 to `below` - 1, the same for the same seed."""
    return int.from_bytes(blake2b(seed.encode(), digest_size=8).digest()) % below
