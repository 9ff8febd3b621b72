from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from actors.linux.processes import all_threads, descendants, family_of, process_status
from tests.patience import eventually


def test_children_of_children_are_found_with_their_threads_and_the_dead_are_not() -> None:
    script = "import os, threading, sys; threading.Thread(target=sys.stdin.read, daemon=True).start(); print(1, flush=True); sys.stdin.read()"
    command = ["/bin/sh", "-c", f"true; {sys.executable} -I -S -c '{script}'; true"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as shell:
        assert shell.stdout is not None
        shell.stdout.readline()
        family = family_of(os.getpid())
        inner = next(pid for pid, status in family.items() if status.parent == shell.pid)
        assert {shell.pid, inner} <= descendants(os.getpid())
        assert family[inner].threads == 2
        shell.kill()
        os.waitid(os.P_PID, shell.pid, os.WEXITED | os.WNOWAIT)
        assert process_status(shell.pid).is_dead
        assert shell.pid not in descendants(os.getpid())


def test_whose_first_thread_has_ended_is_alive_with_its_children_and_its_memory() -> None:
    script = (
        "import ctypes, os, threading, time\n"
        "def live():\n"
        "    kept = b'x' * (64 << 20)\n"
        "    if os.fork() == 0: time.sleep(60)\n"
        "    os.write(1, b'!'); time.sleep(60); os._exit(0)\n"
        "threading.Thread(target=live).start(); ctypes.CDLL(None).pthread_exit(None)\n"
    )
    command = [sys.executable, "-I", "-S", "-c", script]
    with subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True) as process:
        assert process.stdout is not None
        process.stdout.read(1)
        family = family_of(os.getpid())
        os.killpg(process.pid, signal.SIGKILL)
    assert family[process.pid].resident_bytes > 64 << 20
    assert process.pid in {status.parent for status in family.values()}


def test_who_is_not_there_has_no_status() -> None:
    with pytest.raises(FileNotFoundError):
        process_status(1 << 30)


def test_threads_of_the_machine_are_counted() -> None:
    over = threading.Event()
    threads = [threading.Thread(target=over.wait) for _ in range(50)]
    for thread in threads:
        thread.start()
    assert all_threads() >= 50
    over.set()
    for thread in threads:
        thread.join()


def test_a_process_that_is_to_die_first_says_so_and_its_children_inherit_it() -> None:
    script = (
        "from actors.linux.processes import set_oom_score; import subprocess; set_oom_score(1000); "
        "print(subprocess.check_output(['cat', '/proc/self/oom_score_adj'], text=True))"
    )
    root = Path(__file__).parents[3]
    assert subprocess.check_output([sys.executable, "-c", script], cwd=root, text=True).strip() == "1000"


_CHILD = "import os, time; from actors.linux.processes import die_with_parent; die_with_parent({parent}); "
_PARENT = """
import os, subprocess, sys
child = subprocess.Popen([sys.executable, "-c", sys.argv[1].format(parent=os.getpid())], stdout=subprocess.PIPE)
print(child.stdout.readline().decode().strip(), flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's signal at a parent's death is Linux's")
def test_a_child_ends_when_its_parent_is_killed() -> None:
    child = _CHILD + "print(os.getpid(), flush=True); time.sleep(600)"
    with subprocess.Popen([sys.executable, "-c", _PARENT, child], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as one:
        assert one.stdout is not None
        pid = int(one.stdout.readline())
        assert Path(f"/proc/{pid}").exists()
        one.kill()

    eventually(lambda: not Path(f"/proc/{pid}").exists())


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's signal at a parent's death is Linux's")
def test_a_child_of_a_parent_that_has_ended_already_ends_at_once() -> None:
    child = [sys.executable, "-c", _CHILD.format(parent=1 << 30) + "time.sleep(600)"]

    assert subprocess.run(child, check=False).returncode == 1
