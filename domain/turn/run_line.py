"""Lines of an event stream: a run's events, each as one JSON object, for programs that observe runs.

A client that connects in the middle sees whole runs only.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import msgspec

from messages.status import RunEvent


def run_line(event: RunEvent) -> str:
    """The event as JSON on one line: type, place, and all non-empty fields of the event.

    Half a surrogate pair, possible in a model's text, is spelled as an escape; so every line is ASCII.
    """
    moment = event.moment
    head: dict[str, Any] = {
        "type": event.__struct_config__.tag,
        "window": moment.window.address.key,
        "run": moment.run_id,
        "number": moment.number,
        "at": moment.at.isoformat(timespec="milliseconds"),
    }
    fields = {field.name: getattr(event, field.name) for field in _fields(type(event))}
    defaults = {field.name: field.default for field in _fields(type(event))}
    return json.dumps(head | {name: value for name, value in fields.items() if value != defaults[name]})


@cache
def _fields(kind: type[RunEvent]) -> tuple[msgspec.structs.FieldInfo, ...]:
    return tuple(field for field in msgspec.structs.fields(kind) if field.name != "moment")


class WholeRuns:
    """Runs seen from the beginning: at most one of each window, because a window has one at a time."""

    def __init__(self) -> None:
        self._seen: dict[str, str] = {}
        """Window -> the window's run."""

    def shows(self, line: str) -> bool:
        """True if the next line of the stream belongs to a run seen from its beginning."""
        event = json.loads(line)
        window: str = event["window"]
        run: str = event["run"]
        if event["type"] == "agent_start":
            self._seen[window] = run
        is_seen = self._seen.get(window) == run
        if event["type"] == "agent_end" and is_seen:
            del self._seen[window]
        return is_seen
