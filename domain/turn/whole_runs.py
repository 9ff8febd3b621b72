"""Filter of an event stream for somebody who began to look on in the middle: whole runs are shown, halves are not."""

from __future__ import annotations

import json


class WholeRuns:
    """Runs whose beginning was seen, at most one of each window, because a window has one at a time."""

    def __init__(self) -> None:
        self._seen: dict[str, str] = {}
        """Window -> its run."""

    def shows(self, line: str) -> bool:
        """Whether the next line of the stream belongs to a run that was seen from its beginning."""
        event = json.loads(line)
        window: str = event["window"]
        run: str = event["run"]
        if event["type"] == "agent_start":
            self._seen[window] = run
        is_seen = self._seen.get(window) == run
        if event["type"] == "agent_end" and is_seen:
            del self._seen[window]
        return is_seen
