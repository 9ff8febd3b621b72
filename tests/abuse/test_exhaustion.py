"""Attacks on what all windows share: each is stopped, nothing of it is left, and another window hardly notices."""

from __future__ import annotations

import os
import statistics
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from actors.linux.folder import TooDeepError, Usage, open_folder, usage
from actors.shell.job import Limits
from actors.shell.quota import Quota
from actors.shell.sandbox.watcher.bounds import memory_left
from actors.shell.workplace import TRASH, workdir
from messages.shell import BashOutcome, BashResult
from tests.abuse.attacks_on_resources import EXHAUSTIONS, MOST_FILES, MOST_MIB
from tests.abuse.case import python
from tests.abuse.conftest import GROUPS, LEVELS, LOOKS
from tests.abuse.ground import HELD_UP_S, Ground
from tests.abuse.test_traps import LONG_OUTPUT
from tests.patience import eventually

OVERSHOOT = 6
"""By how many times a folder may be beyond its quota when the attack has been stopped: what is written in a look's pause."""
RESOURCES = {case.resource for case in EXHAUSTIONS}
IN_FOLDER = {"disk", "names", "trees"}
SAME_MEMORY_BYTES = 1 << 30
NEIGHBOUR_S = 5.0
"""What another window's smallest command may take at the median: alone it takes some hundredths, on a busy machine more."""


@pytest.fixture(scope="module")
def small_grounds() -> Iterator[Mapping[str, Ground]]:
    made = {}
    with TemporaryDirectory(prefix="abuse-small-", dir="/var/tmp") as root:
        for level in LEVELS:
            folder = Path(root, level)
            folder.mkdir()
            quota = Quota(time.monotonic, most_bytes=MOST_MIB << 20, most_files=MOST_FILES)
            made[level] = Ground(folder, "auto", may_group=level == GROUPS, quota=quota)
            made[level].attack(LONG_OUTPUT)  # what is made once is made now
        try:
            yield made
            for ground in made.values():
                # Python 3.11 cannot remove a tree as deep as some attacks make; the shell removes it in the background.
                eventually(partial(_is_trash_gone, ground))
        finally:
            for ground in made.values():
                ground.close()


@pytest.fixture
def small(request: pytest.FixtureRequest, small_grounds: Mapping[str, Ground]) -> Iterator[Ground]:
    with emptied(small_grounds[request.param].fresh()) as ground:
        yield ground


@contextmanager
def emptied(ground: Ground) -> Iterator[Ground]:
    """The ground, whose present window is emptied at the end: no test's tools could clean up after some attacks."""
    window = ground.window
    try:
        yield ground
    finally:
        ground.window = window
        ground.empty()


class NearlyFull(Quota):
    """A disk that may lose 256 MiB more."""

    def check(self, folder: Path) -> Limits:
        disk = os.statvfs(folder)
        return replace(super().check(folder), least_free_bytes=disk.f_bavail * disk.f_frsize - (256 << 20))


NEIGHBOURS_PAUSE_S = 0.03
"""Between two of them: enough are timed in a second, and they are not what fills the machine."""


class Neighbour:
    """Another window, that has its smallest command run again and again while an attack goes on."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground
        self._window = ground.another_window()
        self.times_s: list[float] = []
        self.failures: list[object] = []
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._live)

    def __enter__(self) -> Neighbour:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _live(self) -> None:
        while not self._over.wait(NEIGHBOURS_PAUSE_S) or not self.times_s:
            began = time.monotonic()
            reply = self._ground.reply(self._ground.ask("true", of=self._window))
            self.times_s.append(time.monotonic() - began)
            if not isinstance(reply, BashResult) or reply.exit_code != 0:
                self.failures.append(reply)


@pytest.mark.timeout(1200)  # for all attacks on a resource together
@pytest.mark.parametrize(
    ("small", "resource"),
    [
        *((LOOKS, resource) for resource in sorted(RESOURCES)),
        # No group bounds a folder.
        *((GROUPS, resource) for resource in sorted(RESOURCES - IN_FOLDER) if GROUPS in LEVELS),
    ],
    indirect=["small"],
)
def test_what_takes_all_there_is_gets_little_and_harms_nobody(
    small: Ground, resource: str, subtests: pytest.Subtests
) -> None:
    """A folder that was filled is emptied without the operator."""
    for case in (each for each in EXHAUSTIONS if each.resource == resource):
        with subtests.test(case=str(case)), emptied(small.fresh()):
            before, memory = small.prize.state(), memory_left()

            with Neighbour(small) as neighbour:
                got = small.attack(case.command)

            assert case.words in got.text
            assert got.duration_s < HELD_UP_S
            assert neighbour.failures == []
            assert statistics.median(neighbour.times_s) < NEIGHBOUR_S
            assert small.harm(before) == []
            assert got.survivors == ()
            eventually(partial(_is_memory_back, memory))
            assert _usage(small.workdir).bytes < OVERSHOOT * (MOST_MIB << 20)
            if resource in IN_FOLDER:
                assert "/empty" in small.refusal(small.ask("true"))
                small.empty()
                assert small.attack("echo served; ls").text.split() == ["served", "attachments", "logs"]
            assert small.fresh().attack("echo served").text.strip() == "served"


NAMELESS = {
    "written by itself": """
import time
keep = []
for n in range(200):
    file = open(str(n), "wb"); keep.append(file); os.unlink(str(n))
    file.write(b"x" * (9 << 20)); file.flush()
time.sleep(60)
""",
    "written by children that nobody buries": """
import signal, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
keep = []
for n in range(200):
    file = os.open("x", os.O_CREAT | os.O_RDWR | os.O_EXCL); os.unlink("x"); keep.append(file)
    if os.fork() == 0: os.write(file, b"x" * (9 << 20)); os._exit(0)
    while os.fstat(file).st_size < 9 << 20: time.sleep(0.001)
time.sleep(60)
""",
    "underway in a socket": """
import signal, socket, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
a, b = socket.socketpair()
for n in range(100):
    file = os.open("x", os.O_CREAT | os.O_RDWR | os.O_EXCL); os.unlink("x")
    if os.fork() == 0: os.write(file, b"x" * (9 << 20)); os._exit(0)
    while os.fstat(file).st_size < 9 << 20: time.sleep(0.001)
    socket.send_fds(a, [b"x"], [file]); os.close(file)
time.sleep(60)
""",
}


@pytest.mark.parametrize("small", [LOOKS], indirect=True)  # no group bounds a disk
@pytest.mark.parametrize("code", NAMELESS.values(), ids=NAMELESS.keys())
def test_files_that_have_no_name_any_more_take_the_disk_only_up_to_its_reserve(small: Ground, code: str) -> None:
    """They are in no folder, and a process that nobody buries leaves no figures; with the command they go."""
    with (
        TemporaryDirectory(prefix="abuse-", dir="/var/tmp") as root,
        Ground(Path(root), small.sandbox, quota=NearlyFull(time.monotonic)) as ground,
    ):
        bystander = ground.another_window()
        innocent = ground.ask("until [ -e over ]; do sleep 0.05; done; echo spared", of=bystander)
        got = ground.result(ground.ask(python(code)))
        Path(workdir(ground.prize.data / "work", bystander), "over").touch()
        spared = ground.result(innocent)
    assert got.outcome is BashOutcome.ABORTED
    assert "free on the disk" in got.text
    assert spared.text.strip() == "spared"


def _is_trash_gone(ground: Ground) -> bool:
    return not any((ground.prize.data / "work" / TRASH).iterdir())


def _is_memory_back(before: int) -> bool:
    return before - memory_left() < SAME_MEMORY_BYTES


def _usage(folder: Path) -> Usage:
    opened = open_folder(str(folder))
    try:
        return list(usage(opened, 1_000_000))[-1]
    except TooDeepError:
        return Usage()
    finally:
        os.close(opened)
