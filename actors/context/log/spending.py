"""Cost of today's model calls, summed from the logs, so that a restart does not begin the day anew."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from actors.context.log.scan import log_names
from actors.linux.regular_file import read_regular
from domain.log.window import LOGGED_SURFACES

log = logging.getLogger(__name__)

# Contents have no line that looks like a heading, and metadata is one line of canonical JSON. Inside a string a
# quotation mark never follows a brace or a comma, it follows its backslash.
_COST = re.compile(rb'[{,]"cost_usd":([0-9][0-9.eE+-]*)[,}]')


def spent_on(root: Path, at: datetime) -> float:
    """US dollars that events of the day of `at` (UTC) tell of; reads only the logs that were written to on that day.

    A log that cannot be read counts as nothing and is named in the program's log.

    Args:
        root: The data root.
        at: Aware UTC.
    """
    day = at.date()
    midnight_s = datetime.combine(day, datetime.min.time(), UTC).timestamp()
    heading = re.compile(rb"\n## " + day.isoformat().encode() + rb"T[^\n]*\n<!-- (\{[^\n]*\}) -->\n")
    total = 0.0
    for path in _written_since(root / "logs", midnight_s):
        try:
            data = read_regular(path)
        except OSError as error:
            log.warning("%s cannot be read, so what it cost does not count: %s", path, error.strerror)
            continue
        for meta in heading.findall(data):
            if cost := _COST.search(meta):
                total += float(cost[1])
    return total


def _written_since(logs: Path, since_s: float) -> Iterator[Path]:
    for surface in LOGGED_SURFACES:
        try:
            folders = sorted((logs / surface.value).iterdir())
        except FileNotFoundError:
            continue
        for folder in folders:
            try:
                paths = [folder / name for name in log_names(folder)]
                yield from (path for path in paths if path.stat().st_mtime >= since_s)
            except OSError as error:
                log.warning("%s cannot be read, so what it cost does not count: %s", folder, error.strerror)
