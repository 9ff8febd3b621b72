"""Invariant of every memory under test: all that its index has stands in logs that a power loss would leave.

The index itself may lose what it has: it is filled up from the logs. What must never be is that it knows, counts or
shows a turn, a pin or something taken back that the logs would not have.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import apsw

from actors.memory.index.database import PLACE
from domain.log.parser import parse
from messages.base import Address, Message
from tests.actors.context.durability import WatchedSystem, violations
from tests.recording_disk import Unsynced

MEMORY_KIND = "memory"
_PLACES = """
SELECT files.path, line FROM turns JOIN files ON files.id = turns.file
UNION SELECT source_path, source_line FROM pins UNION SELECT source_path, source_line FROM tombstones
"""


class WatchedMemorySystem(WatchedSystem):
    """Actors in the test's own thread; what leaves windows is looked at, and the index before anybody speaks."""

    def tell(self, to: Address, message: Message) -> None:
        """Send the message, if all data behind it are safe."""
        if to.kind != MEMORY_KIND:
            self._require_safe_index(message)
        super().tell(to, message)

    def _require_safe_index(self, message: Message) -> None:
        lost = set(self._unsafe_places())
        if lost and (unsafe := sorted(lost & set(self._known_places()))):
            violations.append(f"{type(message).__name__}: the index has what a power loss would take: {unsafe}")
            raise Unsynced(violations[-1])

    def _unsafe_places(self) -> Iterator[tuple[str, int]]:
        """Path and line of every event that a power loss would take."""
        for path in (self._root / "logs").rglob("*.md"):
            written, safe = path.read_bytes(), self._disk.surviving(path) or b""
            if written != safe:
                lines = {logged.line for logged in parse(safe).events}
                name = path.relative_to(self._root).as_posix()
                yield from ((name, logged.line) for logged in parse(written).events if logged.line not in lines)

    def _known_places(self) -> list[tuple[str, int]]:
        """Path and line of all that the index has from the logs; nothing where it cannot be read at the moment."""
        path = self._root / PLACE
        # Where nobody has it open, looking at it is not to leave a file beside it.
        how = "" if Path(f"{path}-wal").exists() else "?immutable=1"
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        try:
            index = apsw.Connection(f"{path.resolve().as_uri()}{how}", flags=flags)
        except apsw.Error:
            return []
        try:
            return [(str(path), int(str(line))) for path, line in index.execute(_PLACES)]
        except apsw.Error:
            return []
        finally:
            index.close()
