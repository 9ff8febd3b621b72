"""Watcher of the entries' files: reports files that other programs may have changed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from actors.facts.store.memory_folder import ENTRIES
from actors.kernel import Actor, LoopThread

log = logging.getLogger(__name__)

DEBOUNCE_MS = 200


@dataclass(frozen=True, slots=True)
class WatchPace:
    """Times of a watch."""

    again_s: float = 5.0
    """Seconds after which a lost watch begins anew."""
    look_ms: int = 5_000
    """Milliseconds between two checks for a replaced folder."""


PACE = WatchPace()


class Watcher:
    """Watch on one folder, from `start` to `stop`."""

    def __init__(
        self, owner: Actor, root: Path, tell: Callable[[tuple[str, ...]], None], pace: WatchPace = PACE
    ) -> None:
        """Begin without a watch.

        Args:
            owner: The actor.
            root: `facts.memory_path`.
            tell: Told the "/"-separated paths below the root; without paths, any file may have changed. On the loop's
                thread.
            pace: Times of the watch.
        """
        self._root = root
        self._pace = pace
        self._tell = tell
        self._loop = LoopThread("facts-watch", owner)
        self._end = asyncio.Event()

    def start(self) -> None:
        """Begin to watch."""
        self._loop.start()
        self._loop.submit(self._watch())

    def stop(self) -> None:
        """Watch no more."""
        self._loop.call(self._end.set)
        self._loop.stop()

    async def _watch(self) -> None:
        from watchfiles import awatch

        folder, is_new = self._root / ENTRIES, True
        while not self._end.is_set():
            try:
                watched = _inode(folder)
                async for changes in awatch(
                    folder,
                    stop_event=self._end,
                    step=50,
                    debounce=DEBOUNCE_MS,
                    watch_filter=None,
                    rust_timeout=self._pace.look_ms,
                    yield_on_timeout=True,
                ):
                    if is_new:  # something may have changed behind the last look at all and before the watch began
                        self._tell(())
                        is_new = False
                    elif changes:
                        self._tell(tuple(sorted(_below(self._root, path) for _, path in changes)))
                    if _inode(folder) != watched:
                        log.warning("%s was removed or replaced: it is watched again", folder)
                        break
            except (
                OSError,
                RuntimeError,
                ExceptionGroup,
            ) as error:  # of a folder that is gone, of a name that is no text
                log.warning("%s cannot be watched, which is tried again: %s", folder, error)
            if not self._end.is_set():
                await asyncio.sleep(self._pace.again_s)
                self._tell(())
                is_new = True


def _inode(folder: Path) -> tuple[int, int]:
    status = folder.lstat()
    return status.st_dev, status.st_ino


def _below(root: Path, path: str) -> str:
    place = Path(path)
    return place.relative_to(root).as_posix() if place.is_relative_to(root) else path
