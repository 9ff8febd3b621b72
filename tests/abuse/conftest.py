from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from actors.shell.sandbox.watcher.groups import find_groups
from messages.shell import BashRefused
from tests.abuse.ground import Ground

GROUPS, LOOKS = "groups", "looks"
WRAPPERS = ("bwrap", "bundled")
"""The system's bubblewrap, and the one that comes with the agent."""
LEVELS = (LOOKS,) if find_groups(1) is None else (GROUPS, LOOKS)
"""Bounds of commands on this machine: control groups, where these can be made, and the looks of the watching process."""
_PR_SET_CHILD_SUBREAPER = 36


@pytest.fixture(scope="package")
def orphans_come_home() -> Iterator[None]:
    """Makes whatever an attack leaves behind a descendant of this process, so that it is found."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    yield
    libc.prctl(_PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


@pytest.fixture(scope="package", autouse=True)
def grounds(orphans_come_home: None) -> Iterator[Mapping[str, Ground]]:
    """One ground with each kind of bounds, one with each bubblewrap, and one without a sandbox.

    They are not in /tmp: bubblewrap shows another one there, into which a command may write what it likes.
    """
    with ExitStack() as opened:
        made = {}
        for level in (*LEVELS, *WRAPPERS, "none"):
            root = Path(opened.enter_context(TemporaryDirectory(prefix=f"abuse-{level}-", dir="/var/tmp")))
            made[level] = opened.enter_context(
                Ground(root, "auto", may_group=level == GROUPS) if level in LEVELS else Ground(root, level)
            )
        for ground in made.values():
            ground.reply(ground.ask("true"))  # what is started once is started now
        yield made


@pytest.fixture(params=LEVELS)
def ground(request: pytest.FixtureRequest, grounds: Mapping[str, Ground]) -> Ground:
    """Where attacks must fail."""
    found = grounds[request.param].fresh()
    reply = found.reply(found.ask("true"))
    if isinstance(reply, BashRefused):
        pytest.skip(f"{request.param} does not work here: {reply.reason}")
    return found


@pytest.fixture(params=WRAPPERS)
def wrapped(request: pytest.FixtureRequest, grounds: Mapping[str, Ground]) -> Ground:
    """Where attacks must fail, with each bubblewrap."""
    found = grounds[request.param].fresh()
    reply = found.reply(found.ask("true"))
    if isinstance(reply, BashRefused):
        pytest.skip(f"{request.param} does not work here: {reply.reason}")
    return found


@pytest.fixture
def bare(grounds: Mapping[str, Ground]) -> Ground:
    """Where attacks may work."""
    return grounds["none"].fresh()


@pytest.fixture
def is_root() -> bool:
    return os.geteuid() == 0
