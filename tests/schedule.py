"""Distribution of the tests over several processes, and the tests that `bin/test --quick` leaves out.

Tests are handed out in units: file by file, and whole rooms that must not meet or that share what is slow to load. The
longest units come first, so that no process is left with one at the end.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

UNITS = {
    "tests/browser/": "agents",  # a whole agent each, and Chromium
    "tests/e2e/": "agents",  # a whole agent each
    "tests/matrix/": "matrix",  # whole agents and commands, processes that are looked for
    "tests/actors/cli/": "commands",  # each in a process of its own
    "tests/lab/commands/": "commands",
    "tests/abuse/": "abuse",  # fills the machine's memory
    "tests/actors/shell/": "sandbox",  # looks for processes on the whole machine, by names of its own
    "tests/actors/socket/test_sandbox.py": "sandbox",
    "tests/lab/bench/": "measure",  # processes that are measured, whole agents under load
    "tests/lab/chaos/": "measure",
    "tests/lab/load/": "measure",
    "tests/launch/": "launch",  # checkouts that are set up once
    "tests/deploy/test_wheel.py": "launch",
    "tests/actors/model/": "litellm",  # seconds to import
    "tests/actors/embedder/": "litellm",
    "tests/requirements/": "sources",  # each reads all there are
    "tests/test_house.py": "sources",
    "tests/test_imports.py": "sources",
}
"""Beginning of a test's id -> the unit that it belongs to."""
FIRST = ("agents", "matrix", "commands", "abuse", "measure", "sandbox", "launch", "litellm")
"""The units that are begun with, in this order: the sandbox's two, which wait for most of their time, early enough not
to be the last to end, and behind those that fill the machine with agents."""
WHOLE = (
    "tests/abuse/",
    "tests/browser/",
    "tests/lab/commands/",
    "tests/actors/cli/test_agent.py",
    "tests/actors/cli/test_agent_cli.py",
    "tests/actors/cli/test_backup.py",
    "tests/actors/cli/test_memory.py",
    "tests/actors/cli/test_reminders.py",
    "tests/actors/cli/test_run.py",
    "tests/actors/cli/test_status.py",
    "tests/actors/cli/terminal/test_streams.py",
    "tests/deploy/test_wheel.py",
    "tests/e2e/test_attachments.py",
    "tests/e2e/test_audience.py",
    "tests/e2e/test_conversation.py",
    "tests/e2e/test_faults.py",
    "tests/e2e/test_memory.py",
    "tests/e2e/test_page.py",
    "tests/e2e/test_reminders.py",
    "tests/e2e/test_shards.py",
    "tests/e2e/test_socket_fuzz.py",
    "tests/e2e/test_stage.py",
    "tests/e2e/test_stop.py",
    "tests/e2e/test_unheard.py",
    "tests/lab/bench/",
    "tests/lab/chaos/",
    "tests/lab/load/test_agent_load.py",
    "tests/lab/load/test_agent_process.py",
    "tests/launch/",
    "tests/matrix/",
)
"""Files and folders whose tests start commands or whole agents, or measure."""

MEMORY = Path("/dev/shm")
MEMORY_BYTES = 4 << 30
"""Required free space: a test's files are some megabytes, and go with the test."""
IN_MEMORY = (
    "tests/actors/backup/",
    "tests/actors/context/",
    "tests/actors/curated/",
    "tests/actors/discord/",
    "tests/actors/edited_file/",
    "tests/actors/facts/",
    "tests/actors/gateway/",
    "tests/actors/memory/",
    "tests/actors/notes/",
    "tests/actors/objects/",
    "tests/actors/scheduler/",
    "tests/actors/workspace/",
    "tests/lab/playground/",
)
"""Folders whose tests write and sync thousands of small files, and have them in memory where the machine lets them.

None of them is about the disk itself: what would survive a loss of power is said by `tests/recording_disk.py`. Whole
agents, the sandbox, and what is killed or measured stay on the machine's disk.
"""

REAL = {
    "tests/actors/embedder/": {"server"},
    "tests/actors/model/": {"server"},
    "tests/actors/discord/": {"playground"},
    "tests/lab/playground/": {"playground"},
    "tests/actors/shell/": {"bench", "jail", "make_house", "sandbox"},
    "tests/actors/test_layer_trouble.py": {"server"},
    "tests/actors/test_parts.py": {"server"},
}
"""Folder or file -> fixtures by which a test of it talks over a socket to a loopback service, or runs commands."""


def unit(test_id: str) -> str:
    """The tests of one unit run in one process, one after another."""
    return next((name for start, name in UNITS.items() if test_id.startswith(start)), test_id.partition("::")[0])


def rank(test_id: str) -> int:
    """Place of a test's unit in the queue: the units of `FIRST` in that order, then all others alike."""
    name = unit(test_id)
    return FIRST.index(name) if name in FIRST else len(FIRST)


def is_whole(place: str) -> bool:
    """True if the tests of a file or folder start commands or whole agents, or measure."""
    return place.startswith(WHOLE)


def is_in_memory(test_id: str) -> bool:
    """True if a test's own folder may be in memory."""
    return test_id.startswith(IN_MEMORY)


def is_roomy(folder: Path, statvfs: Callable[[Path], Any] = os.statvfs) -> bool:
    """True if files can be kept, and run, in a folder that has room for all the processes of a run."""
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        return False
    room = statvfs(folder)
    return room.f_bavail * room.f_frsize >= MEMORY_BYTES and not room.f_flag & os.ST_NOEXEC


def is_real(item: pytest.Item) -> bool:
    """True if a test stands on one of the fixtures in `REAL`."""
    fixtures = set(getattr(item, "fixturenames", ()))
    return any(item.nodeid.startswith(folder) and fixtures & names for folder, names in REAL.items())


def scheduler(config: pytest.Config, log: object) -> object:
    """A scheduler of pytest-xdist that hands out units; imported here, for a run without workers need not have it."""
    from xdist.scheduler.loadscope import LoadScopeScheduling  # type: ignore[import-untyped]

    units = LoadScopeScheduling(config, log)
    units._split_scope = unit
    return units
