"""The rules of conftest.py bind the tests of a folder that has a copy of it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.patience import PATIENCE_S
from tests.schedule import MEMORY, MEMORY_BYTES, is_in_memory, is_roomy

ROOT = Path(__file__).parent.parent

INNER_TESTS = """
from __future__ import annotations

import logging
import threading

import pytest

from tests.patience import PATIENCE_S

from actors.kernel import Actor, ActorSpec, ActorSystem, LoopThread
from messages.base import Address

KEPT = []


class Dying(Actor):
    def handle(self, message):
        raise RuntimeError("dies of it")


def kill(system):
    system.register(ActorSpec("dying", lambda key: Dying()))
    system.start()
    system.tell(Address("dying"), "anything")


def test_peace(system):
    system.start()


def test_unmarked_death(system):
    kill(system)
    system.run()


def test_unmarked_death_in_a_worker(live_system):
    kill(live_system)
    live_system.drain(0.5)


@pytest.mark.crashes
def test_marked_death(system):
    kill(system)
    system.run()


def test_kernel_failure():
    logging.getLogger("actors.kernel.dispatcher").critical("the kernel failed")


def test_harmless_error_of_others():
    logging.getLogger("actors.kernel.loop").error("a coroutine failed")


def test_leaked_system():
    system = ActorSystem(workers=2)
    system.start()


def test_leaked_loop():
    loop = LoopThread("lost-loop")
    loop.start()
    KEPT.append(loop)


def test_leaked_thread():
    over = threading.Event()
    KEPT.append(over)
    threading.Thread(target=over.wait, args=(10,), name="lost-thread").start()


def test_zz_the_leaks_of_others_are_not_mine():
    for kept in KEPT:
        kept.stop() if isinstance(kept, LoopThread) else kept.set()
"""

EXPECTED = {
    "test_peace": "",
    "test_unmarked_death": "an actor died in a test that is not marked",
    "test_unmarked_death_in_a_worker": "an actor died in a test that is not marked",
    "test_marked_death": "",
    "test_kernel_failure": "an actor died in a test that is not marked",
    "test_harmless_error_of_others": "",
    "test_leaked_system": "threads left behind .*worker-1, worker-2",
    "test_leaked_loop": "threads left behind .*lost-loop",
    "test_leaked_thread": "threads left behind .*lost-thread",
    "test_zz_the_leaks_of_others_are_not_mine": "",
}


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Test -> why it failed, empty if it passed."""
    folder = tmp_path_factory.mktemp("inner")
    rules = (ROOT / "tests" / "conftest.py").read_text()
    (folder / "conftest.py").write_text(rules.replace("GRACE_S = 60.0", "GRACE_S = 0.2"))
    (folder / "test_inner.py").write_text(INNER_TESTS)
    (folder / "pytest.ini").write_text("[pytest]\nmarkers = crashes: kills on purpose\n")
    command = [sys.executable, "-m", "pytest", "-rA", "-p", "no:cacheprovider", str(folder)]
    inner = subprocess.run(
        command,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT), "COLUMNS": "300", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    passed = re.findall(r"^PASSED .*::(\w+)", inner.stdout, re.MULTILINE)
    failed = dict(re.findall(r"^ERROR .*::(\w+) - (.*)", inner.stdout, re.MULTILINE))
    assert passed, inner.stdout + inner.stderr
    return dict.fromkeys(passed, "") | failed


def test_every_inner_test_was_judged(verdicts: dict[str, str]) -> None:
    assert verdicts.keys() == EXPECTED.keys()


@pytest.mark.parametrize("name", EXPECTED)
def test_a_test_fails_for_a_dead_actor_or_a_leak_and_for_nothing_else(verdicts: dict[str, str], name: str) -> None:
    reason = EXPECTED[name]

    assert bool(verdicts[name]) == bool(reason), verdicts[name]
    assert re.search(reason, verdicts[name])


@pytest.mark.parametrize(
    ("free", "flags", "is_fit"),
    [(MEMORY_BYTES, 0, True), (MEMORY_BYTES - 4096, 0, False), (MEMORY_BYTES, os.ST_NOEXEC, False)],
)
def test_files_are_kept_in_memory_where_there_is_room_and_they_can_be_run(
    tmp_path: Path, free: int, flags: int, is_fit: bool
) -> None:
    place = SimpleNamespace(f_bavail=free // 4096, f_frsize=4096, f_flag=flags)

    assert is_roomy(tmp_path, lambda _folder: place) is is_fit
    assert not is_roomy(tmp_path / "nowhere")


def test_only_a_test_of_a_folder_that_is_named_has_its_files_in_memory(
    tmp_path: Path, room_in_memory: Path | None
) -> None:
    assert is_in_memory("tests/actors/scheduler/test_faults.py::test_x")
    assert not is_in_memory("tests/actors/shell/test_actor.py::test_x")
    assert not tmp_path.is_relative_to(MEMORY)
    assert (room_in_memory is not None) == is_roomy(MEMORY)
