from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE_S

ROOT = Path(__file__).parents[3]

# The agent's part is played by a process that gives up root, if it has it, because root may look at everyone. What the
# attacker reads is tried before, too: a test that finds the door shut anyhow would show nothing.
SCRIPT = """
import ctypes, json, os, sys
from actors.linux.hardening import make_undumpable

libc = ctypes.CDLL(None, use_errno=True)

def attack():
    '''What a child of the same user gets of us: our environment, memory map and descriptors, and a hold by ptrace.'''
    read_end, write_end = os.pipe()
    if os.fork():
        os.close(write_end)
        with os.fdopen(read_end) as answers:
            found = json.load(answers)
        os.wait()
        return found
    agent, found = os.getppid(), {}
    for name in ('environ', 'maps'):
        try:
            with open(f'/proc/{agent}/{name}', 'rb') as file:
                found[name] = len(file.read()) > 0
        except PermissionError:
            found[name] = False
    try:
        found['fd'] = len(os.listdir(f'/proc/{agent}/fd')) > 0
    except PermissionError:
        found['fd'] = False
    if sys.argv[1] == 'ptrace':
        found['ptrace'] = libc.ptrace(16, agent, None, None) == 0
        if found['ptrace']:
            os.waitpid(agent, 0x40000000)
            libc.ptrace(17, agent, None, None)
    os.write(write_end, json.dumps(found).encode())
    os._exit(0)

if os.geteuid() == 0:
    os.setgroups([])
    os.setresgid(65534, 65534, 65534)
    os.setresuid(65534, 65534, 65534)
libc.prctl(4, 1, 0, 0, 0)  # as after an exec; changing the user has cleared it
before = attack() if sys.argv[1] == 'read' else None
done = make_undumpable()
print(json.dumps([before, done, attack()]))
"""


def run_attack(how: str) -> list[object]:
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, how],
        env={"PYTHONPATH": str(ROOT), "DISCORD_BOT_TOKEN": "t0ken"},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=True,
    )
    answer: list[object] = json.loads(run.stdout)
    return answer


@pytest.mark.skipif(sys.platform != "linux", reason="Linux's own means")
def test_a_child_of_the_same_user_can_no_longer_read_the_agents_environment_memory_or_descriptors() -> None:
    before, done, after = run_attack("read")
    assert before == {"environ": True, "maps": True, "fd": True}
    assert done is True
    assert after == {"environ": False, "maps": False, "fd": False}


@pytest.mark.skipif(sys.platform != "linux", reason="Linux's own means")
def test_a_child_of_the_same_user_cannot_take_hold_of_the_agent_by_ptrace() -> None:
    _, done, after = run_attack("ptrace")
    assert done is True
    assert isinstance(after, dict)
    assert after["ptrace"] is False


@pytest.mark.skipif(sys.platform != "linux", reason="Linux's own means")
def test_an_undumpable_agent_can_still_run_commands() -> None:
    script = (
        "import os, subprocess, sys\n"
        "from actors.linux.hardening import make_undumpable\n"
        "if os.geteuid() == 0:\n"
        "    os.setgroups([]); os.setresgid(65534, 65534, 65534); os.setresuid(65534, 65534, 65534)\n"
        "assert make_undumpable()\n"
        "run = subprocess.run(['/bin/sh', '-c', 'ls /proc/self/fd | wc -l; cat /proc/self/environ | wc -c'],\n"
        "    start_new_session=True, stdout=subprocess.PIPE, text=True, cwd='/', check=True)\n"
        "print(run.stdout.split())\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", script],
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=True,
    )
    assert run.stdout.startswith("['")
