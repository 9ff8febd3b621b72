"""Event file: what the runs of a living agent tell, written to a file line by line as it happens."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from actors.cli.common import fail

if TYPE_CHECKING:
    from actors.kernel import ActorSystem, Edge

log = logging.getLogger(__name__)

LOOK_S = 0.2
"""Between two looks at what there is to write, and so until it is written at the latest."""


@contextmanager
def events_written(system: ActorSystem, path: Path | None) -> Iterator[None]:
    """Append all that happens meanwhile to the file at `path`, for its owner's eyes only; nothing for None.

    Ends the command if the file cannot be written to. One that can no longer be, later, is told of and left as it is.

    Args:
        system: The agent's; it has not been started.
        path: Of the file.
    """
    if path is None:
        yield
        return
    try:
        file = os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "a", encoding="ascii")
    except OSError as error:
        fail(f"--events {path}: {error.strerror}")
    from messages.run import RUNS

    edge = system.edge("event-file")
    edge.follow(RUNS)
    over = threading.Event()
    writer = threading.Thread(target=_write, args=(edge, file, over), name="event-file")
    writer.start()
    try:
        yield
    finally:
        over.set()
        writer.join()


def _write(edge: Edge, file: IO[str], over: threading.Event) -> None:
    from domain.turn.run_line import run_line
    from messages.run import RunEvent

    try:
        with file:
            is_last = False
            while not is_last:
                is_last = over.wait(LOOK_S)  # what was told before the end is written yet
                file.writelines(f"{run_line(event)}\n" for event in edge.drain() if isinstance(event, RunEvent))
                file.flush()
    except OSError as error:
        log.warning("no more events are written: %s", error.strerror or error)
    finally:
        edge.close()
