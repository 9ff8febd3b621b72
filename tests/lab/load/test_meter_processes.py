"""Usage of processes by the system's own counts, with real processes."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.load.meter import ProcessGroup, cpu_of_threads, machine_idle_s, usage_of
from tests.patience import eventually

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")

BURN = "import os\nwhile sum(os.times()[:2]) < 0.3: pass\n"
MARK = "REMEMBRANCER_LOAD=test-accounting"


@pytest.fixture
def environment() -> dict[str, str]:
    """With the mark, and nothing else that matters."""
    name, _, value = MARK.partition("=")
    return {"PATH": os.environ["PATH"], name: f"{value}-{os.getpid()}"}


@pytest.fixture
def start_processes() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Processes that are killed with all of their session at the end."""
    processes: list[subprocess.Popen[bytes]] = []
    yield processes
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()


def start(processes: list[subprocess.Popen[bytes]], environment: dict[str, str], code: str) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", code],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    processes.append(process)
    return process


def first_line(process: subprocess.Popen[bytes]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().decode().strip()


def group_of(process: subprocess.Popen[bytes], environment: dict[str, str]) -> ProcessGroup:
    return ProcessGroup(process.pid, f"REMEMBRANCER_LOAD={environment['REMEMBRANCER_LOAD']}")


def test_a_process_uses_what_the_system_says_and_one_that_is_gone_nothing() -> None:
    mine = usage_of(os.getpid())
    used = os.times()

    assert mine is not None
    assert mine.cpu_s == pytest.approx(sum(used[:4]), abs=0.5)
    assert mine.rss_mb > 10
    assert 5 < mine.anon_mb < mine.rss_mb
    assert usage_of(None) is None
    assert usage_of(2**30) is None


def test_threads_of_one_name_use_what_they_use_together(
    start_processes: list[subprocess.Popen[bytes]], environment: dict[str, str]
) -> None:
    code = (
        "import threading, time\n"
        "def burn():\n    while time.thread_time() < 0.3: pass\n    done.wait()\n    time.sleep(60)\n"
        "done = threading.Barrier(3)\n"
        "for _ in range(2): threading.Thread(target=burn, daemon=True).start()\n"
        "done.wait(); print('burnt', flush=True); time.sleep(60)"
    )
    process = start(start_processes, environment, code)
    assert first_line(process) == "burnt"

    (used,) = cpu_of_threads(process.pid).values()

    assert used >= 0.55


def test_the_machine_is_idle_for_longer_and_longer() -> None:
    idle_s = machine_idle_s()

    assert idle_s is not None
    assert idle_s > 0
    assert (machine_idle_s() or 0.0) >= idle_s


def test_the_cpu_of_a_child_that_has_ended_counts(
    start_processes: list[subprocess.Popen[bytes]], environment: dict[str, str]
) -> None:
    code = f"import subprocess, sys\nsubprocess.run([sys.executable, '-ISc', {BURN!r}])\nprint('done', flush=True)\ninput()"
    parent = start(start_processes, environment, f"import sys, time\n{code}".replace("input()", "time.sleep(60)"))
    group = group_of(parent, environment)
    assert first_line(parent) == "done"

    usage = group.look()

    assert usage is not None
    assert usage.cpu_s >= 0.28
    assert usage.processes == 1


def test_a_child_that_runs_is_one_more_process_with_its_memory(
    start_processes: list[subprocess.Popen[bytes]], environment: dict[str, str]
) -> None:
    hold = "import time\nkept = bytearray(b'x' * 60_000_000)\nprint('held', flush=True)\ntime.sleep(60)"
    code = (
        f"import subprocess, sys, time\nsubprocess.Popen([sys.executable, '-ISc', {hold!r}], env={{}})\ntime.sleep(60)"
    )
    parent = start(start_processes, environment, code)
    group = group_of(parent, environment)
    assert first_line(parent) == "held"

    usage = group.look()

    assert usage is not None
    assert usage.processes == 2
    assert usage.rss_mb > 60


def test_pages_of_a_mapped_file_are_resident_and_held_by_it(
    start_processes: list[subprocess.Popen[bytes]], environment: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "file").write_bytes(b"x" * 60_000_000)
    code = (
        f"import mmap, time\nfile = open({str(tmp_path / 'file')!r}, 'rb')\n"
        "held = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)\nown = mmap.mmap(-1, 30_000_000)\n"
        "own[:] = b'x' * 30_000_000\nsum(held[::4096])\nprint('read', flush=True)\ntime.sleep(60)"
    )
    process = start(start_processes, environment, code)
    assert first_line(process) == "read"

    usage = group_of(process, environment).look()

    assert usage is not None
    assert usage.rss_mb > 85
    assert 28 < usage.anon_mb < 55


def test_a_child_that_was_seen_before_it_ended_counts_once(
    start_processes: list[subprocess.Popen[bytes]], environment: dict[str, str]
) -> None:
    child = f"{BURN}print('burnt', flush=True)\ninput()"
    code = (
        "import subprocess, sys, time\n"
        f"child = subprocess.Popen([sys.executable, '-ISc', {child!r}], stdin=subprocess.PIPE)\n"
        "input()\nchild.communicate(b'go\\n')\nprint('reaped', flush=True)\ntime.sleep(60)"
    )
    parent = start(start_processes, environment, code)
    group = group_of(parent, environment)
    assert first_line(parent) == "burnt"
    before = group.look()
    assert parent.stdin is not None
    parent.stdin.write(b"go\n")
    parent.stdin.flush()
    assert first_line(parent) == "reaped"

    after = group.look()

    assert before is not None
    assert after is not None
    assert (before.processes, after.processes) == (2, 1)
    assert before.cpu_s >= 0.28
    assert before.cpu_s <= after.cpu_s < before.cpu_s + 0.25


def test_a_marked_process_belongs_to_it_whoever_its_parent_is_and_counts_when_it_has_ended(
    start_processes: list[subprocess.Popen[bytes]], environment: dict[str, str]
) -> None:
    root = start(start_processes, environment, "import time; print('up', flush=True); time.sleep(60)")
    stranger = start(start_processes, environment, f"{BURN}print('burnt', flush=True)\nimport time; time.sleep(60)")
    other = start(start_processes, {"PATH": os.environ["PATH"]}, "import time; print('up', flush=True); time.sleep(60)")
    group = group_of(root, environment)
    assert [first_line(process) for process in (root, stranger, other)] == ["up", "burnt", "up"]

    before = group.look()
    assert before is not None
    assert before.processes == 2
    assert before.cpu_s >= 0.28

    stranger.kill()
    stranger.wait()
    after = group.look()
    assert after is not None
    assert after.processes == 1
    assert after.cpu_s >= before.cpu_s


def test_nothing_is_known_of_a_group_that_has_ended(
    start_processes: list[subprocess.Popen[bytes]], environment: dict[str, str]
) -> None:
    root = start(start_processes, environment, "pass")
    group = group_of(root, environment)
    root.wait()

    eventually(lambda: group.look() is None)
