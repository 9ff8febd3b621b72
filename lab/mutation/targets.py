"""Targets of mutation: the modules of the rules and of the durable path, and the tests that guard each."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Target:
    """A module, and where its tests are."""

    module: str
    """Its path below the project."""
    tests: tuple[str, ...]
    """Paths below the project, tried one after the other, the nearest first."""


def _rule(room: str, name: str, *more: str) -> Target:
    """A module of `domain/`, whose tests are a file of the same name."""
    return Target(f"domain/{room}/{name}.py", (f"tests/domain/{room}/test_{name}.py", *more))


_CONTEXT = "tests/actors/context"
_LOGS = f"{_CONTEXT}/log"
_AGAIN = f"{_CONTEXT}/test_said_again.py"
_STEPS = f"{_CONTEXT}/test_every_step.py"
_RETRACTION = f"{_CONTEXT}/test_retraction.py"
_INCOMING = "tests/actors/discord/incoming"
_CATCH_UP = tuple(f"{_INCOMING}/test_{name}.py" for name in ("catch_up", "gaps", "gap_failures"))
_OUTGOING = "tests/actors/discord/outgoing"
_OUTBOX = f"{_OUTGOING}/test_outbox.py"
_SCHEDULER = "tests/actors/scheduler"
_MEMORY = "tests/actors/memory"
_CURATED = "tests/actors/curated"

TARGETS = (
    # how far was read
    _rule("log", "watermark"),
    _rule("log", "reading", *_CATCH_UP),
    Target("actors/discord/incoming/watermark_file.py", (f"{_INCOMING}/test_watermark_file.py",)),
    Target("actors/discord/incoming/watermarks.py", (f"{_INCOMING}/test_watermarks.py", *_CATCH_UP)),
    Target("actors/discord/incoming/catch_up.py", _CATCH_UP),
    # what was said, and what was meant by it
    _rule("turn", "seen", _AGAIN),
    _rule("turn", "conversation", _CONTEXT),
    _rule("turn", "typed_command"),
    _rule("log", "format"),
    _rule("log", "parser", "tests/domain/log/test_format.py"),
    _rule("log", "tail", _LOGS, _AGAIN),
    _rule("log", "window", _LOGS),
    _rule("log", "kept"),
    Target("domain/log/redaction.py", (_RETRACTION, f"{_CONTEXT}/test_retraction_steps.py")),
    Target(
        "domain/log/retraction.py",
        ("tests/domain/log/test_retraction.py", _RETRACTION, f"{_CONTEXT}/test_retraction_steps.py"),
    ),
    # who may, when and how often
    _rule("policy", "access"),
    _rule("policy", "audience"),
    _rule("policy", "fair_queue"),
    _rule("policy", "rate_limit"),
    _rule("policy", "restarts"),
    _rule("policy", "retrying"),
    _rule("reminder", "document"),
    _rule("reminder", "due"),
    _rule("reminder", "line"),
    _rule("edit", "merge"),
    _rule("reminder", "recurrence"),
    # the logs
    Target("actors/linux/disk.py", ("tests/actors/linux/test_disk.py",)),
    Target("actors/context/log/file.py", (f"{_LOGS}/test_file.py", _LOGS, _STEPS, _CONTEXT)),
    Target("actors/context/log/journal.py", (f"{_LOGS}/test_journal.py", _AGAIN, _LOGS, _STEPS, _CONTEXT)),
    Target("actors/context/log/recovery.py", (f"{_CONTEXT}/test_context_recovery.py", _AGAIN)),
    Target("actors/context/log/redactions.py", (_RETRACTION, f"{_CONTEXT}/test_retraction_steps.py")),
    Target("actors/context/log/scan.py", (_LOGS, _AGAIN)),
    # the windows
    Target("actors/context/actor.py", (f"{_CONTEXT}/test_context_actor.py", _CONTEXT)),
    Target("actors/context/deliveries.py", (f"{_CONTEXT}/test_deliveries.py", _CONTEXT)),
    Target("actors/context/endings.py", (f"{_CONTEXT}/test_stopping.py", _CONTEXT)),
    Target("actors/context/retraction.py", (_RETRACTION, f"{_CONTEXT}/test_retraction_steps.py", _CONTEXT)),
    Target("actors/context/turn_driver.py", (f"{_CONTEXT}/test_context_actor.py", _CONTEXT)),
    # what is posted
    Target("actors/discord/outgoing/recognition.py", (f"{_OUTGOING}/test_recognition.py", _OUTBOX)),
    Target("actors/discord/outgoing/sending.py", (f"{_OUTGOING}/test_sending.py", _OUTBOX)),
    # reminders
    Target("actors/edited_file/file.py", ("tests/actors/edited_file", _SCHEDULER)),
    Target(
        "actors/edited_file/rewriting.py",
        ("tests/actors/edited_file", f"{_SCHEDULER}/test_actor.py", _SCHEDULER),
    ),
    Target("actors/edited_file/access.py", ("tests/actors/edited_file",)),
    Target("actors/edited_file/displaced.py", ("tests/actors/edited_file", _SCHEDULER)),
    Target("actors/edited_file/queue.py", ("tests/actors/edited_file/test_queue.py", _SCHEDULER)),
    _rule("reminder", "owed"),
    Target("actors/scheduler/announcer.py", (f"{_SCHEDULER}/test_actor.py", _SCHEDULER)),
    Target(
        "actors/scheduler/owed.py", (f"{_SCHEDULER}/test_owed.py", f"{_SCHEDULER}/test_confirmations.py", _SCHEDULER)
    ),
    Target(
        "actors/scheduler/confirmations.py",
        (f"{_SCHEDULER}/test_owed.py", f"{_SCHEDULER}/test_confirmations.py", _SCHEDULER),
    ),
    Target("actors/scheduler/watermark.py", (f"{_SCHEDULER}/test_clock.py", _SCHEDULER)),
    # memory that is kept by hand
    _rule("curated", "caps"),
    _rule("curated", "document"),
    _rule("curated", "edits"),
    _rule("curated", "journal", f"{_CURATED}/test_writeback.py"),
    _rule("curated", "residency"),
    Target("actors/curated/places.py", (f"{_CURATED}/test_places.py",)),
    Target("actors/curated/sidecars.py", (_CURATED,)),
    Target("actors/curated/writeback.py", (f"{_CURATED}/test_writeback.py", _CURATED)),
    Target("actors/curated/writing.py", (f"{_CURATED}/test_requests.py", _CURATED)),
    # files and outputs as objects
    _rule("objects", "ageing", "tests/domain/objects"),
    _rule("objects", "state", "tests/domain/objects"),
    _rule("objects", "wording", "tests/domain/objects"),
    Target("actors/objects/observer.py", ("tests/actors/objects",)),
    Target("actors/objects/actor.py", ("tests/actors/objects",)),
    Target("actors/memory/objects/rounds.py", ("tests/actors/memory/objects",)),
    # the index
    Target("actors/memory/index/seal.py", (f"{_MEMORY}/test_alteration.py", f"{_MEMORY}/test_damage.py")),
    # backups
    Target(
        "actors/backup/copying.py", ("tests/actors/backup/test_copying.py", "tests/actors/backup/test_disk_trouble.py")
    ),
    Target("actors/backup/restoring.py", ("tests/actors/backup/test_restoring.py",)),
    Target("actors/backup/manifest.py", ("tests/actors/backup",)),
)
