"""Formatter of log lines as JSON: an object a line, with the logging actor and its present work."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime

from messages.base import CONTEXT_KIND, Address, Window

FROM_HOST = "is_from_host"
"""Attribute of a record made in another process: the calling thread's actor does not apply."""


class JsonLines(logging.Formatter):
    """Form of a log for programs.

    Each line has `at` (UTC, milliseconds), `level`, `logger` and `text`; besides, if known, `actor` (address of the
    actor whose handler or loop logs), `window` and `turn` (from the message in hand) and `trace` (Python's account of
    an error). The whole line is ASCII, so no locale of a stream can spoil the line.
    """

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record, without its end; to be called in the logging thread."""
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        fields: dict[str, str] = {
            "at": at.replace("+00:00", "Z"),
            "level": record.levelname,
            "logger": record.name,
            "text": _text(record),
        }
        if not hasattr(record, FROM_HOST):
            fields |= _place()
        trace = [self.formatException(record.exc_info)] if record.exc_info else []
        trace += [record.stack_info] if record.stack_info else []
        if trace:
            fields["trace"] = "\n".join(trace)
        return json.dumps(fields)


def _text(record: logging.LogRecord) -> str:
    """Text of a record; its message's type and place, if its message cannot be formatted."""
    try:
        return record.getMessage()
    except Exception as error:  # noqa: BLE001  # whatever their `__str__` raises: the library would print its own lines
        kind = type(record.msg).__name__
        words = repr(record.msg) if isinstance(record.msg, str) else f"a message of the type {kind}"
        return f"{words} at {record.filename}:{record.lineno} cannot be put into words: {type(error).__name__}"


def _place() -> dict[str, str]:
    """Known fields of the calling thread: actor, window, turn."""
    from actors.kernel.inspection import here

    actor, message = here()
    window, turn = getattr(message, "window", None), getattr(message, "turn_id", "") or getattr(message, "run_id", "")
    place = {"actor": str(actor) if actor is not None else "", "window": _window(actor, window), "turn": turn}
    return {name: text for name, text in place.items() if isinstance(text, str) and text}


def _window(actor: Address | None, window: object) -> str:
    """Key of the window named by a message; else the actor's own key, if the actor is a window."""
    if isinstance(window, Window):
        return window.address.key
    return actor.key if actor is not None and actor.kind == CONTEXT_KIND else ""
