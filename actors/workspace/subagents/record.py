"""Record of a run: a window's knowledge of the run, as kept on the disk."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

import msgspec

from actors.workspace.bookkeeping import Bookkeeping
from messages.base import RequestId, Value, make_ready
from messages.workspace import SubagentRun

log = logging.getLogger(__name__)

RUNNING = "running"
SUFFIX = ".json"
MOST_FILES = 200


class RunFile(Value, frozen=True, kw_only=True, gc=False):
    """Content of a run's file."""

    run: SubagentRun
    text: str = ""


@dataclass(slots=True)
class Record:
    """Record of a run."""

    run: SubagentRun
    text: str = ""
    is_awake: bool = False
    """True if the run's actor has reported its start."""
    is_counted: bool = False
    """True if the run's usage is counted; the actor may report the usage twice."""
    deadline: RequestId | None = None
    """Id of the wait that ends a run without an answer from the actor."""

    @property
    def is_running(self) -> bool:
        """True if the run has not ended."""
        return self.run.state == RUNNING

    def as_of(self, now: datetime) -> SubagentRun:
        """Copy of the run with the duration so far."""
        if not self.is_running:
            return self.run
        return msgspec.structs.replace(self.run, seconds=seconds_between(self.run.began_at, now))

    def keep(self, books: Bookkeeping) -> None:
        """Write the record; a full disk does not stop the run."""
        books.put(
            f"{self.run.run}{SUFFIX}", msgspec.json.encode(RunFile(run=self.run, text=self.text)), is_durable=True
        )


def kept_records(books: Bookkeeping) -> Iterator[Record]:
    """Records of earlier runs; unreadable records are left out."""
    for name in [name for name in books.names("r") if name.endswith(SUFFIX)][:MOST_FILES]:
        if (data := books.read(name)) is None:
            continue
        try:
            run_file = msgspec.json.decode(data, type=RunFile)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            log.warning("what was kept of run %s of a sub-agent cannot be read: %s", name, error)
            continue
        if f"{run_file.run.run}{SUFFIX}" == name and run_file.run.began_at.tzinfo is not None:
            yield Record(run_file.run, run_file.text)


def seconds_between(begin: datetime, end: datetime) -> float:
    """Seconds between two times, at least 0; clocks may be set back."""
    return round(max(0.0, (end - begin).total_seconds()), 3)


make_ready(__name__)
