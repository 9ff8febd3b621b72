"""Actor system whose messages may not be ahead of the disk."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from actors.kernel import ActorSystem, ManualClock
from messages.base import Address, Message
from tests.recording_disk import RecordingDisk, Unsynced

Promises = Callable[[Address, Message], bool]
"""True for a message that promises kept data."""


class SafeSystem(ActorSystem):
    """Actors in the test's own thread; a promise that rests on files at risk ends the test."""

    def __init__(self, disk: RecordingDisk, root: Path, promises: Promises, clock: ManualClock | None = None) -> None:
        """A system at rest.

        Args:
            disk: Disk of the actors.
            root: Folder of the files that promises rest on.
            promises: Tells the promises among the messages.
            clock: Time and timers.
        """
        super().__init__(workers=0, clock=clock or ManualClock())
        self._disk, self._root, self._promises = disk, root, promises

    def tell(self, to: Address, message: Message) -> None:
        """Tell a message, if the files that it rests on are safe."""
        if self._promises(to, message) and (paths := self._disk.at_risk(self._root)):
            raise Unsynced(f"{type(message).__name__} rests on what a power loss would take: {sorted(paths)}")
        super().tell(to, message)
