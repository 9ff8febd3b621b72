"""Event file: what the runs of a living agent tell, written to a file line by line as it happens."""

from __future__ import annotations

import errno
import logging
import os
import select
import stat
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from actors.cli.common import fail
from actors.feed.ring import Ring

if TYPE_CHECKING:
    from actors.kernel import ActorSystem, Edge

log = logging.getLogger(__name__)

LOOK_S = 0.2
"""Between two looks at what there is to write, and so until it is written at the latest."""
LAST_S = 2.0
"""How long a pipe that takes no more is waited for once all has been told; then the rest is left."""
MOST_LINES = 5_000
MOST_CHARS = 4_000_000
"""Of all that waits for a pipe whose reader is slow."""
WRITE_CHARS = 65_536


@contextmanager
def events_written(system: ActorSystem, path: Path | None) -> Iterator[None]:
    """Append all that happens meanwhile to the file at `path`, for its owner's eyes only; nothing for None.

    Ends the command if the file cannot be written to, or is a pipe that nobody reads. One that can no longer be, later,
    is told of and left as it is; a pipe whose reader is slow is not waited for.

    Args:
        system: The agent's; it has not been started.
        path: Of the file.
    """
    if path is None:
        yield
        return
    try:
        lines = LineFile(path)
    except OSError as error:
        fail(f"--events {path}: {'nobody reads from it' if error.errno == errno.ENXIO else error.strerror}")
    from messages.run import RUNS

    edge = system.edge("event-file")
    edge.follow(RUNS)
    over = threading.Event()
    writer = threading.Thread(target=_write, args=(edge, lines, over), name="event-file")
    writer.start()
    try:
        yield
    finally:
        over.set()
        writer.join()


class LineFile:
    """File or pipe to which whole lines are appended, as many as it takes; it is never waited for."""

    def __init__(self, path: Path, most: int = MOST_LINES, most_chars: int = MOST_CHARS) -> None:
        """Open it; a line of before that was cut short is ended.

        Args:
            path: Of the file, which is made if it is not there.
            most: Lines that wait at most; the oldest go.
            most_chars: Characters of these.

        Raises:
            OSError: it cannot be written to; ENXIO for a pipe that nobody reads.
        """
        self._ring = Ring(most, most_chars)
        self._place = 0
        """Of the last line that does not wait in the ring any more."""
        self._rest = b"" if _ends_a_line(path) else b"\n"
        """What was taken out of the ring, as far as the file has not taken it."""
        self._begun = 0
        """Bytes of a line that the file has not taken whole."""
        self._missed = 0
        """Lines that the ring did not keep until there was room for them."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NONBLOCK | os.O_NOCTTY
        self._file = os.fdopen(os.open(path, flags, 0o600), "wb", buffering=0)

    def add(self, line: str) -> None:
        """Let a line of ASCII wait to be written."""
        self._ring.add(line)

    def write(self) -> bool:
        """Append what waits, as far as the file takes it now; whether that was all.

        Raises:
            OSError: it takes no more, ever.
        """
        while self._rest or self._take():
            written = self._file.write(self._rest)
            if written is None:
                return False
            begun = self._begun + written
            line_end = self._rest.rfind(b"\n", 0, written)
            self._begun = begun if line_end < 0 else written - line_end - 1
            self._rest = self._rest[written:]
        self._ring.clear()
        return True

    def write_last(self, patience_s: float) -> int:
        """Append what waits, also if the file first has to make room within so many seconds; how much it never took.

        Raises:
            OSError: it takes no more, ever.
        """
        room = select.poll()
        room.register(self._file, select.POLLOUT)
        while not self.write() and room.poll(patience_s * 1000):
            pass
        return self._missed + self._ring.last - self._place + self._rest.count(b"\n")

    def close(self) -> None:
        """Let go of it; a file keeps no part of a line."""
        try:
            status = os.fstat(self._file.fileno())
            if self._begun and stat.S_ISREG(status.st_mode):
                self._file.truncate(status.st_size - self._begun)
        finally:
            self._file.close()

    def _take(self) -> bool:
        """Take lines out of the ring, if any wait there."""
        lines, self._place, missed = self._ring.after(self._place, WRITE_CHARS)
        self._missed += missed
        self._rest = "".join(f"{line}\n" for line in lines).encode("ascii")
        return bool(lines)


def _ends_a_line(path: Path) -> bool:
    """Whether a file's last line is whole; one that is not there, or is none, has no line that is not."""
    if not path.is_file() or not path.stat().st_size:
        return True
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"


def _write(edge: Edge, lines: LineFile, over: threading.Event) -> None:
    from domain.turn.run_line import run_line
    from messages.run import RunEvent

    try:
        with closing(lines):
            is_last = False
            while not is_last:
                is_last = over.wait(LOOK_S)  # what was told before the end is written yet
                for event in edge.drain():
                    if isinstance(event, RunEvent):
                        lines.add(run_line(event))
                lines.write()
            if left := lines.write_last(LAST_S):
                log.warning("%d events are not written: they came faster than they were read", left)
    except OSError as error:
        log.warning("no more events are written: %s", error.strerror or error)
    finally:
        edge.close()
