"""Targets for cosmic-ray: modules of the rules and of the durable path, each with the tests that must notice its mutants.

cosmic-ray rewrites the module on the disk, so run it in a clone; it is no dependency of the project:

    python -m tests.mutation_targets domain/log/watermark.py > one.toml    # its configuration for one module
    cosmic-ray baseline one.toml && cosmic-ray init one.toml one.sqlite
    cosmic-ray exec one.toml one.sqlite && cr-report --show-diff one.sqlite
"""

from __future__ import annotations

import sys

TIMEOUT_S = 300.0
TEST_OPTIONS = ("-x", "-q", "-n", "0", "-p", "no:randomly")
"""Of pytest, for a run that ends at the first test that falls; tests/guards takes them too."""

_CONTEXT = "tests/actors/context"
_LOGS = f"{_CONTEXT}/log"
_AGAIN = f"{_CONTEXT}/test_said_again.py"
_RETRACTION = f"{_CONTEXT}/test_retraction.py {_CONTEXT}/test_retraction_steps.py"
_INCOMING = "tests/actors/discord/incoming"
_CATCH_UP = " ".join(f"{_INCOMING}/test_{name}.py" for name in ("catch_up", "gaps", "gap_failures"))
_OUTGOING = "tests/actors/discord/outgoing"
_SCHEDULER = "tests/actors/scheduler"
_OWED = f"{_SCHEDULER}/test_owed.py {_SCHEDULER}/test_confirmations.py {_SCHEDULER}"
_MEMORY = "tests/actors/memory"
_CURATED = "tests/actors/curated"
_EDITED = "tests/actors/edited_file"
_BACKUP = "tests/actors/backup"
_RULES = {
    "curated": "caps document edits journal residency",
    "edit": "merge",
    "log": "format kept parser reading retraction tail watermark window",
    "objects": "ageing state wording",
    "policy": "access audience fair_queue rate_limit restarts retrying",
    "reminder": "document due line owed recurrence",
    "turn": "conversation seen typed_command",
}
"""Modules of `domain/` by room: the tests of each are the file of its name."""
_ACTED_ON = {
    "log/parser": "tests/domain/log/test_format.py",
    "log/reading": _CATCH_UP,
    "log/retraction": _RETRACTION,
    "log/tail": f"{_LOGS} {_AGAIN}",
    "log/window": _LOGS,
    "turn/conversation": _CONTEXT,
    "turn/seen": _AGAIN,
}
"""Tests that guard a rule beside its own."""

TARGETS = {
    f"domain/{room}/{name}.py": f"tests/domain/{room}/test_{name}.py {_ACTED_ON.get(f'{room}/{name}', '')}".strip()
    for room, names in _RULES.items()
    for name in names.split()
} | {
    "domain/log/redaction.py": _RETRACTION,
    "actors/linux/disk.py": "tests/actors/linux/test_disk.py",
    # high-water marks of reading
    "actors/discord/incoming/watermark_file.py": f"{_INCOMING}/test_watermark_file.py",
    "actors/discord/incoming/watermarks.py": f"{_INCOMING}/test_watermarks.py {_CATCH_UP}",
    "actors/discord/incoming/catch_up.py": _CATCH_UP,
    # logs and windows
    "actors/context/log/file.py": _CONTEXT,
    "actors/context/log/journal.py": _CONTEXT,
    "actors/context/log/recovery.py": f"{_CONTEXT}/test_context_recovery.py {_AGAIN}",
    "actors/context/log/redactions.py": _RETRACTION,
    "actors/context/log/scan.py": f"{_LOGS} {_AGAIN}",
    "actors/context/actor.py": _CONTEXT,
    "actors/context/deliveries.py": _CONTEXT,
    "actors/context/endings.py": _CONTEXT,
    "actors/context/retraction.py": _CONTEXT,
    "actors/context/turn_driver.py": _CONTEXT,
    # posts
    "actors/discord/outgoing/recognition.py": _OUTGOING,
    "actors/discord/outgoing/sending.py": _OUTGOING,
    # reminders
    "actors/edited_file/file.py": f"{_EDITED} {_SCHEDULER}",
    "actors/edited_file/rewriting.py": f"{_EDITED} {_SCHEDULER}",
    "actors/edited_file/access.py": _EDITED,
    "actors/edited_file/displaced.py": f"{_EDITED} {_SCHEDULER}",
    "actors/edited_file/queue.py": f"{_EDITED}/test_queue.py {_SCHEDULER}",
    "actors/scheduler/announcer.py": _SCHEDULER,
    "actors/scheduler/owed.py": _OWED,
    "actors/scheduler/confirmations.py": _OWED,
    "actors/scheduler/watermark.py": f"{_SCHEDULER}/test_clock.py {_SCHEDULER}",
    # curated memory
    "actors/curated/places.py": f"{_CURATED}/test_places.py",
    "actors/curated/sidecars.py": _CURATED,
    "actors/curated/writer.py": _CURATED,
    "actors/curated/files.py": _CURATED,
    # objects and the index
    "actors/objects/observer.py": "tests/actors/objects",
    "actors/objects/actor.py": "tests/actors/objects",
    "actors/objects/store/rounds.py": "tests/actors/objects/store",
    "actors/memory/index/seal.py": f"{_MEMORY}/test_alteration.py {_MEMORY}/test_damage.py",
    # backups
    "actors/backup/copying.py": _BACKUP,
    "actors/backup/restoring.py": _BACKUP,
    "actors/backup/sums.py": _BACKUP,
}
"""Path of a module below the project -> paths of the tests that guard it, separated by spaces."""


def configure(module: str) -> str:
    """Write cosmic-ray's configuration for one module, in TOML.

    Raises:
        ValueError: `module` is no target.
    """
    if module not in TARGETS:
        raise ValueError(f"module {module!r}: one of {', '.join(sorted(TARGETS))} is required")
    return f"""\
[cosmic-ray]
module-path = "{module}"
timeout = {TIMEOUT_S}
excluded-modules = []
test-command = "bin/test {" ".join(TEST_OPTIONS)} {TARGETS[module]}"

[cosmic-ray.distributor]
name = "local"
"""


if __name__ == "__main__":
    sys.stdout.write(configure(sys.argv[1]))
