"""Targets of mutation: the modules of the rules and of the durable path, and the tests that guard each."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Target:
    """A module, and where its tests are."""

    module: str
    """Its path below the project."""
    tests: tuple[str, ...]
    """Paths below the project, the nearest first."""


_CONTEXT = "tests/actors/context"
_AGAIN = f"{_CONTEXT}/test_said_again.py"
_INCOMING = "tests/actors/discord/incoming"

TARGETS = (
    # how far was read
    Target("domain/log/watermark.py", ("tests/domain/log/test_watermark.py",)),
    Target("domain/log/reading.py", ("tests/domain/log/test_reading.py",)),
    Target("actors/discord/incoming/watermark_file.py", (f"{_INCOMING}/test_watermark_file.py",)),
    Target("actors/discord/incoming/watermarks.py", (f"{_INCOMING}/test_gaps.py", f"{_INCOMING}/test_watermarks.py")),
    Target("actors/discord/incoming/catch_up.py", (f"{_INCOMING}/test_gaps.py", f"{_INCOMING}/test_catch_up.py")),
    # what was said, and what was meant by it
    Target("domain/turn/seen.py", ("tests/domain/turn/test_seen.py", _AGAIN)),
    Target("domain/turn/conversation.py", ("tests/domain/turn", _CONTEXT)),
    Target("domain/turn/stop_request.py", ("tests/domain/turn",)),
    Target("domain/log/format.py", ("tests/domain/log",)),
    Target("domain/log/parser.py", ("tests/domain/log",)),
    Target("domain/log/tail.py", ("tests/domain/log/test_tail.py", f"{_CONTEXT}/log", _AGAIN)),
    Target("domain/log/window.py", ("tests/domain/log/test_window.py", f"{_CONTEXT}/log")),
    # the logs
    Target("actors/linux/disk.py", ("tests/actors/linux/test_disk.py",)),
    Target("actors/context/log/file.py", (f"{_CONTEXT}/log", f"{_CONTEXT}/test_every_step.py")),
    Target(
        "actors/context/log/journal.py",
        (_AGAIN, f"{_CONTEXT}/log", f"{_CONTEXT}/test_every_step.py"),
    ),
    Target("actors/context/log/recovery.py", (f"{_CONTEXT}/test_context_recovery.py", _AGAIN)),
    Target("actors/context/log/scan.py", (f"{_CONTEXT}/log", _AGAIN)),
    # the windows
    Target("actors/context/actor.py", (_CONTEXT,)),
    Target("actors/context/deliveries.py", (f"{_CONTEXT}/test_deliveries.py", _CONTEXT)),
    Target("actors/context/endings.py", (f"{_CONTEXT}/test_stopping.py", _CONTEXT)),
    # reminders
    Target("actors/scheduler/reminder_file.py", ("tests/actors/scheduler",)),
    Target("actors/scheduler/watermark.py", ("tests/actors/scheduler",)),
)
