"""Paths of a window's logs: `logs/<surface>/<context_id>/<start>_<seq>.md`, relative to the data root."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import PurePosixPath

from messages.base import Surface, Value, Window, make_ready

LOG_ROOT = PurePosixPath("logs")
REDACTED_ROOT = PurePosixPath("redacted")
"""Folder with a copy, at the same place below, of each log with withdrawn words, without the words: the logs that
commands see."""
OWN_LOGS = PurePosixPath(".log")
"""Link in a window's working directory that leads to the folder of the window's own logs.

Hidden, since many projects have a folder `log` of their own.
"""
LOGGED_SURFACES = (Surface.DISCORD_CHANNEL, Surface.DISCORD_THREAD, Surface.DISCORD_DM)
LAST_SEQ = 9999

_CONTEXT_ID = re.compile("[0-9]{15,20}")
_NAME = re.compile(r"([0-9]{8}T[0-9]{6}Z)(?:_([0-9]{4}))?\.md")
_IMPORTED = re.compile(r"imported-([0-9]{1,20})-([0-9]{1,20})(?:_([0-9]{4}))?\.md")
_DISCORD_EPOCH = datetime(2015, 1, 1, tzinfo=UTC)
_SNOWFLAKE_BITS = 22


class LogName(Value, frozen=True, kw_only=True, gc=False, order=True):
    """Parsed name of a log file; the greatest is the newest window."""

    started_at: datetime
    """UTC, whole seconds."""
    seq: int
    """Number from 1; 0 for a name without a number."""


class ImportedName(Value, frozen=True, kw_only=True, gc=False, order=True):
    """Parsed name of an imported log with messages of the past from `first` to `last`."""

    last: int
    """Greatest id of a message in the log."""
    first: int
    """Least id."""
    seq: int = 0
    """Distinguishes logs of the same messages; greater than 0 for changes to earlier messages."""

    def __str__(self) -> str:
        """The file name."""
        return f"imported-{self.first}-{self.last}{f'_{self.seq:04}' if self.seq else ''}.md"

    @property
    def as_log_name(self) -> LogName:
        """Time of the first message and number, as in the log's header."""
        return LogName(started_at=snowflake_time(self.first).replace(microsecond=0), seq=self.seq)


def snowflake_time(number: int) -> datetime:
    """Time in a Discord id; ids after the year 9999 count as the last day of 9999."""
    try:
        return _DISCORD_EPOCH + timedelta(milliseconds=number >> _SNOWFLAKE_BITS)
    except OverflowError:
        return datetime(9999, 12, 31, tzinfo=UTC)


def times_of_messages(message_ids: Iterable[str]) -> Iterator[datetime]:
    """Times at which Discord dates messages; an id of another form has none."""
    return (snowflake_time(int(each)) for each in message_ids if _CONTEXT_ID.fullmatch(each))


def parse_imported_name(name: str) -> ImportedName:
    """Parse the file name of an imported log.

    Raises:
        ValueError: not the name of an imported log.
    """
    match = _IMPORTED.fullmatch(name)
    if match is None:
        raise ValueError(f"name {name[:80]!r}: imported-<first id>-<last id>.md is required")
    first, last, seq = match.groups()
    return ImportedName(first=int(first), last=int(last), seq=int(seq or 0))


def is_imported_log(path: str) -> bool:
    """True if a log holds messages of the past."""
    return _IMPORTED.fullmatch(path.rpartition("/")[2]) is not None


def log_folder(window: Window) -> PurePosixPath:
    """Folder of all logs of `window`.

    Raises:
        ValueError: a surface without logs, or an id other than a Discord snowflake.
    """
    if window.surface not in LOGGED_SURFACES:
        raise ValueError(f"surface {str(window.surface)[:80]!r}: logs are kept for {[str(s) for s in LOGGED_SURFACES]}")
    if not keeps_logs(window.surface, window.id):
        raise ValueError(f"context id {window.id[:80]!r}: 15 to 20 decimal digits are required")
    return LOG_ROOT / str(window.surface) / window.id


def keeps_logs(surface: Surface, context_id: str) -> bool:
    """True if `log_folder` knows a folder for such a window."""
    return surface in LOGGED_SURFACES and _CONTEXT_ID.fullmatch(context_id) is not None


def log_path(window: Window, started_at: datetime, seq: int) -> PurePosixPath:
    """Log file of the window with the start `started_at`.

    Args:
        window: Window of the log.
        started_at: Aware; any zone; fractions of a second are dropped.
        seq: 1 to 9999.

    Raises:
        ValueError: as `log_folder`, or a naive time, or `seq` out of range.
    """
    if started_at.tzinfo is None:
        raise ValueError(f"started_at {started_at!r}: a time zone is required")
    if not 1 <= seq <= LAST_SEQ:
        raise ValueError(f"seq {seq}: 1 to {LAST_SEQ} is required")
    start = started_at.astimezone(UTC)
    # strftime does not pad years before 1000 everywhere.
    return log_folder(window) / f"{start.year:04}{start.strftime('%m%dT%H%M%SZ')}_{seq:04}.md"


def parse_log_name(name: str) -> LogName:
    """Parse `name`, a file name without folders; the seq may be missing.

    Raises:
        ValueError: not a log file's name.
    """
    match = _NAME.fullmatch(name)
    if match is None:
        raise ValueError(f"log name {name[:80]!r}: <YYYYMMDDTHHMMSSZ>_<four digits>.md is required")
    start, seq = match.groups()
    try:
        # A tenth of what strptime costs, and a start-up asks for every window there is.
        return LogName(started_at=datetime.fromisoformat(start), seq=int(seq or 0))
    except ValueError as error:
        raise ValueError(f"log name {name!r}: {error}") from error


def short_path(path: str, window: Window) -> str:
    """Path of a log in a block of `window`: by the link `OWN_LOGS` for a log of the window, else `path` unchanged."""
    return str(OWN_LOGS) + path[len(own) :] if path.startswith(f"{(own := _own_folder(window))}/") and own else path


def full_path(path: str, window: Window) -> str:
    """Path of a log relative to the data root, from a path possibly made by `short_path` for `window`."""
    own = _own_folder(window)
    return own + path[len(str(OWN_LOGS)) :] if own and path.startswith(f"{OWN_LOGS}/") else path


@lru_cache(256)
def _own_folder(window: Window) -> str:
    """Folder of all logs of `window`; empty for a window without logs."""
    return str(log_folder(window)) if keeps_logs(window.surface, window.id) else ""


def redacted_path(path: PurePosixPath | str) -> PurePosixPath:
    """Path of the redacted version of the log at `path`, relative to the data root."""
    return REDACTED_ROOT / PurePosixPath(path).relative_to(LOG_ROOT)


def parse_log_path(path: PurePosixPath) -> tuple[Window, LogName]:
    """Window and name of a path whose last four parts are `logs/<surface>/<context_id>/<name>`.

    The name of an imported log has the time of the first message.

    Raises:
        ValueError: not the path of a log.
    """
    if len(path.parts) < 4 or path.parts[-4] != LOG_ROOT.name:
        raise ValueError(f"log path {str(path)[-80:]!r}: logs/<surface>/<context_id>/<name> is required")
    surface, context_id, name = path.parts[-3:]
    if surface not in LOGGED_SURFACES:
        raise ValueError(f"surface {surface[:80]!r}: logs are kept for {[str(s) for s in LOGGED_SURFACES]}")
    window = Window(surface=Surface(surface), id=context_id)
    log_folder(window)
    return window, parse_imported_name(name).as_log_name if is_imported_log(name) else parse_log_name(name)


def next_log_name(names: list[LogName], started_at: datetime) -> LogName:
    """Name of a window that starts at `started_at` and is newer than all `names`.

    A clock set back must not make the new window older than the old window, or a restart would go on with
    the old window: the new window then gets the old window's start and the next seq.
    """
    start = started_at.astimezone(UTC).replace(microsecond=0)
    newest = max(names, default=None)
    if newest is None or newest.started_at < start:
        return LogName(started_at=start, seq=1)
    if newest.seq >= LAST_SEQ:
        return LogName(started_at=newest.started_at + timedelta(seconds=1), seq=1)
    return LogName(started_at=newest.started_at, seq=newest.seq + 1)


make_ready(__name__)
