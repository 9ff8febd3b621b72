"""Fixtures of all tests: the kernel's, and rules that no test may break unseen."""

from __future__ import annotations

import ctypes
import gc
import logging
import os
import re
import shutil
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp

import pytest
from hypothesis import HealthCheck, settings

from actors.kernel import ActorSystem, ManualClock, counted_ids
from actors.kernel.thread import KernelThread
from actors.model import kept_routes
from actors.settings.trust import STATE_VARIABLE
from tests.requirements.chart import counts, held_by
from tests.requirements.outcomes import Outcomes
from tests.schedule import FIRST, MEMORY, is_in_memory, is_real, is_roomy, is_whole, rank, scheduler, unit
from tests.signals import heed_ignored
from tests.temporary_place import TemporaryPlace, temporary_place

settings.register_profile("ci", max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("thorough", max_examples=2000, deadline=None, suppress_health_check=list(HealthCheck))
settings.register_profile("quick", settings.get_profile("ci"), max_examples=10)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

KERNEL_LOG = "actors.kernel"
SUPERVISOR_LOG = "actors.kernel.supervisor"
OUTCOMES = Outcomes()
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None
_PR_SET_DUMPABLE = 4
GRACE_S = 60.0
"""Seconds in which a thread that was told to end must have ended."""


class DeathWatch(logging.Handler):
    """Collects what the kernel says when an actor dies or the kernel itself fails."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.deaths: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.name == SUPERVISOR_LOG or record.levelno >= logging.CRITICAL:
            self.deaths.append(record.getMessage())


@pytest.fixture(autouse=True)
def no_actor_dies(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fails a test in which an actor died, unless it is marked with `crashes`."""
    watch = DeathWatch()
    logger = logging.getLogger(KERNEL_LOG)
    logger.addHandler(watch)
    yield
    logger.removeHandler(watch)
    if watch.deaths and request.node.get_closest_marker("crashes") is None:
        pytest.fail("an actor died in a test that is not marked `crashes`:\n" + "\n".join(watch.deaths), pytrace=False)


@pytest.fixture(autouse=True)
def what_is_logged_stays() -> Iterator[None]:
    """Gives the agent's loggers their level back, which a command that is run in a test sets for its process."""
    logger = logging.getLogger("actors")
    level = logger.level
    yield
    logger.setLevel(level)


@pytest.fixture(autouse=True)
def process_is_dumpable() -> None:
    """Have each test begin with a process whose files in /proc are its user's.

    An agent that an earlier test ran in this process may have made it undumpable, which gives these files to root.
    """
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0)


@pytest.fixture(autouse=True)
def no_thread_is_left_behind() -> Iterator[None]:
    """Fails a test after which a thread runs that would keep the process alive, or one of the kernel's."""
    before = set(threading.enumerate())
    yield
    deadline = time.monotonic() + GRACE_S
    left = [thread for thread in threading.enumerate() if thread not in before and _must_end(thread)]
    for thread in left:
        while thread.ident is None and time.monotonic() < deadline:  # listed before its start, which may also fail
            time.sleep(0.001)
        if thread.ident is not None:
            thread.join(max(0.0, deadline - time.monotonic()))
    alive = [thread for thread in left if thread.is_alive()]
    if alive:
        names = ", ".join(thread.name for thread in alive)
        frames = sys._current_frames()
        where = [line for thread in alive for line in traceback.format_stack(frames.get(thread.ident or 0))]
        reason = f"threads left behind (a system or a loop was not stopped): {names}\n{''.join(where)}"
        pytest.fail(reason, pytrace=False)


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--quick`: only what is soon done."""
    parser.addoption(
        "--quick",
        action="store_true",
        help="leave out what starts commands or whole agents or speaks to a loopback service (tests/schedule.py), and what is marked `slow`, "
        "and try fewer examples of each property",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Signals for children, and fewer examples of each property, before the tests are read and take their number."""
    heed_ignored()
    if config.getoption("--quick"):
        settings.load_profile("quick")
        os.environ.setdefault("LOG_EXAMPLES", "10")  # of tests/domain/log


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave slow files unread if only quick tests are wanted."""
    is_left_out = config.getoption("--quick") and is_whole(collection_path.relative_to(config.rootpath).as_posix())
    return True if is_left_out else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out what is slow, if only that is wanted; in a worker, begins with the longest units."""
    if config.getoption("--quick"):
        left_out = [item for item in items if item.get_closest_marker("slow") or is_real(item)]
        dropped = set(left_out)
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in dropped]
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: rank(item.nodeid))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Iterator[None]:
    """Thousands of tests are made and stay until the end: no garbage collection needs to look at them on the way."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """Freeze the collected tests, too."""
    gc.collect()
    gc.freeze()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Notes what ran and what was skipped; with several processes, where all of them report."""
    OUTCOMES.note(report.nodeid, report.when, report.outcome)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a run in which all tests of a requirement were skipped."""
    if not hasattr(session.config, "workerinput") and session.exitstatus == 0 and _unheld():
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Says how many requirements have a test, if it was they that were asked for, and which are not held here."""
    if "requirements" in (config.getoption("keyword") or ""):
        terminalreporter.write_line(counts())
    for row_id in _unheld():
        terminalreporter.write_line(f"{row_id}: its tests were all skipped, so that nothing holds it here", red=True)


def _unheld() -> list[str]:
    """Requirements of which all tests were skipped; where none was, the marks need not be read."""
    return OUTCOMES.unheld(held_by()) if OUTCOMES.skipped else []


@pytest.hookimpl(optionalhook=True)  # of pytest-xdist, which need not be there
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """Hands out the tests in the units of tests/schedule.py."""
    return scheduler(config, log)


def _must_end(thread: threading.Thread) -> bool:
    if thread.name.startswith(("aws-signing", "litellm-logging")):  # litellm's pools for the process, begun at need
        return False
    return not thread.daemon or isinstance(thread, KernelThread)


@pytest.fixture(scope="session", autouse=True)
def temporary(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TemporaryPlace]:
    """Temporary folder of this process; fails a run that leaves something in it."""
    tmp_path_factory.getbasetemp()  # is in the system's
    with temporary_place() as place:
        yield place
        if left := place.leftovers():
            pytest.fail("left in the temporary folder:\n" + "\n".join(left), pytrace=False)


@pytest.fixture(autouse=True)
def what_comes_into_the_temporary_folder_is_noted(
    request: pytest.FixtureRequest, temporary: TemporaryPlace
) -> Iterator[None]:
    """Notes the test, for one that leaves something there to be named at the end."""
    yield
    temporary.note(request.node.nodeid)


@pytest.fixture(scope="session", autouse=True)
def shared_folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Folder of all processes of this run, for litellm's listings of models.

    litellm is asked about a model once in the run, not in each of dozens of agents for 3 s; in a run of all tests, about
    all models at once. pytest removes the folder with those of earlier runs.
    """
    own = tmp_path_factory.getbasetemp()
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    shared = own if worker is None else own.parent
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(kept_routes.FOLDER, str(shared / "routes"))
        if worker in (None, "gw0") and {unit(item.nodeid) for item in request.session.items}.issuperset(FIRST):
            from tests.actors.model.listings import keep_listings  # takes half a second to import

            keep_listings()
        yield shared


@pytest.fixture(scope="session", autouse=True)
def state_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Folder of this process for the user's state, such as the list of trusted files; nothing goes into a real one."""
    folder = tmp_path_factory.getbasetemp() / "state"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(STATE_VARIABLE, str(folder))
        yield folder


@pytest.fixture(scope="session")
def room_in_memory() -> Iterator[Path | None]:
    """Folder of this process in the machine's memory; None where there is no such place, or little of it.

    A sync takes some milliseconds on a disk, of every process that waits for it.
    """
    if not is_roomy(MEMORY):
        yield None
        return
    with TemporaryDirectory(prefix="pytest-", dir=MEMORY, ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@pytest.fixture
def tmp_path(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, room_in_memory: Path | None
) -> Iterator[Path]:
    """A test's own folder: pytest's, which stays for a look, or one in memory, which goes with the test."""
    name = re.sub(r"\W", "_", request.node.name)[:30]
    if room_in_memory is None or not is_in_memory(request.node.nodeid):
        yield tmp_path_factory.mktemp(name)
        return
    folder = Path(mkdtemp(prefix=name, dir=room_in_memory))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def clock() -> ManualClock:
    """Time as the test moves it."""
    return ManualClock()


@pytest.fixture
def system(clock: ManualClock) -> Iterator[ActorSystem]:
    """A system in which nothing happens until the test says so; register, start, tell, run."""
    system = ActorSystem(workers=0, clock=clock, ids=counted_ids())
    yield system
    system.stop()


@pytest.fixture
def live_system() -> Iterator[ActorSystem]:
    """A system with two workers and the machine's clock."""
    system = ActorSystem(workers=2)
    yield system
    system.stop()


@pytest.fixture
def system_syncs(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """Syncs asked of the system, in order: the call, and the path of its file."""
    calls: list[tuple[str, str]] = []
    for name in ("fdatasync", "fsync", "sync"):
        real = getattr(os, name)

        def call(*fds: int, name: str = name, real: object = real) -> None:
            calls.append((name, str(Path(f"/proc/self/fd/{fds[0]}").readlink()) if fds else ""))
            assert callable(real)
            real(*fds)

        monkeypatch.setattr(os, name, call)
    return calls
