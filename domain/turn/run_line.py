"""Line of an event stream: what a run tells, as one JSON object, for programs that look on."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import msgspec

from messages.run import RunEvent


def run_line(event: RunEvent) -> str:
    """The event as JSON on one line: its type, where it belongs, and its own fields but those that have nothing to say.

    Half a surrogate pair, which a model may write, is spelled as an escape; so every line is ASCII.
    """
    moment = event.moment
    head: dict[str, Any] = {
        "type": event.__struct_config__.tag,
        "window": moment.window.address.key,
        "run": moment.run_id,
        "number": moment.number,
        "at": moment.at.isoformat(timespec="milliseconds"),
    }
    said = {field.name: getattr(event, field.name) for field in _fields(type(event))}
    defaults = {field.name: field.default for field in _fields(type(event))}
    return json.dumps(head | {name: value for name, value in said.items() if value != defaults[name]})


@cache
def _fields(kind: type[RunEvent]) -> tuple[msgspec.structs.FieldInfo, ...]:
    return tuple(field for field in msgspec.structs.fields(kind) if field.name != "moment")
