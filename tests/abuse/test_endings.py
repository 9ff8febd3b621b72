"""Commands that do not want to end, or not alone: 15, 16, 18, 32, 33, 45."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from actors.linux.processes import descendants
from messages.shell import BashOutcome
from tests.abuse.case import python
from tests.abuse.ground import HELD_UP_S, Ground, Outcome, kill_all
from tests.patience import PATIENCE_S

MOST_PROCESSES = 128


class Watch:
    """Counts, while it lasts, how many processes stem from this one."""

    def __enter__(self) -> Watch:
        self.most = 0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._count)
        self._before = len(descendants(os.getpid()))
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _count(self) -> None:
        while not self._over.wait(0.02):
            self.most = max(self.most, len(descendants(os.getpid())) - self._before)


def is_held(watch: Watch, got: Outcome) -> bool:
    """Whether the kernel let there be no more, or the watching process ended it for it, before its time was over.

    How many there are when it looks is up to the machine: 160 on an idle one, ten times as many on a busy one.
    """
    return watch.most < 2 * MOST_PROCESSES or f"at most {MOST_PROCESSES} may run" in got.text


BOMBS = {
    "in bash": "bomb() { (($1)) || exec sleep 300; bomb $(($1 - 1)) & bomb $(($1 - 1)) & wait; }; bomb 10 2>/dev/null",
    "without exec": python("import time\nfor _ in range(11): os.fork()\ntime.sleep(300)"),
}


def test_15_a_fork_bomb_is_held_and_the_machine_can_still_start_programs(
    ground: Ground, subtests: pytest.Subtests
) -> None:
    """The bomb doubles until there are 2,047 processes, so that it is no harm if nothing holds it."""
    for bomb in BOMBS.values():
        with subtests.test(bomb=bomb):
            with Watch() as watch:
                got = ground.attack(bomb, timeout_s=3.0)

            assert is_held(watch, got)
            assert subprocess.run(["/bin/true"], check=False).returncode == 0
            assert got.duration_s < HELD_UP_S
            assert got.survivors == ()


def test_15_slow_forks_are_held_at_the_limit(ground: Ground) -> None:
    with Watch() as watch:
        got = ground.attack("for n in {1..2000}; do sleep 300 & done 2>/dev/null; wait", timeout_s=4.0)

    assert is_held(watch, got)
    assert got.result.is_error
    assert got.survivors == ()


def test_16_a_background_child_that_holds_the_output_holds_nothing_up(ground: Ground) -> None:
    got = ground.attack("sleep 300 & echo started")

    assert got.text.strip() == "started"
    assert got.result.outcome is BashOutcome.EXITED
    assert got.duration_s < HELD_UP_S
    assert got.survivors == ()


STUBBORN = {
    "18-ignores signals": "trap '' TERM INT HUP QUIT; while :; do sleep 0.05; done",
    "32-stops its group": "kill -STOP 0; sleep 300",
    "32-stops itself": "kill -STOP $$",
    "33-spins": "while :; do :; done",
    "33-spins twice": "while :; do :; done & while :; do :; done & wait",
    "waits for ever": "exec < <(sleep 300); cat",
    "closes its output": "exec 2>&- >&-; sleep 300",
}


def test_a_command_that_will_not_end_is_ended_when_its_time_is_over(ground: Ground, subtests: pytest.Subtests) -> None:
    for name, command in STUBBORN.items():
        with subtests.test(name):
            got = ground.fresh().attack(command, timeout_s=0.7)

            assert got.result.outcome is BashOutcome.TIMED_OUT
            assert got.duration_s < HELD_UP_S
            assert got.survivors == ()


def test_33_a_command_that_goes_on_has_less_right_to_the_processor_than_the_agent(ground: Ground) -> None:
    """But for its first moments: to begin is urgent. Those who hold the processor when it is taken are found as well."""
    lowest = 19
    spinning = "while :; do :; done & a=$!; (trap '' TERM; while :; do :; done) & b=$!"
    got = ground.attack(
        f"{spinning}; until (($(nice) >= {lowest})); do :; done; nice; ps -o ni= -p $a,$b 2>/dev/null; kill $a; kill -9 $b"
    )

    assert {int(number) for number in got.text.split()} == {lowest}


def test_45_a_command_cancelled_while_it_starts_leaves_nothing(ground: Ground) -> None:
    others = descendants(os.getpid())
    for wait_s in (0.0, 0.001, 0.005, 0.02, 0.05) * 4:
        request = ground.ask("{ setsid sleep 300 || sleep 300; } & sleep 300")
        threading.Event().wait(wait_s)
        ground.cancel(request)

        assert ground.result(request).outcome is BashOutcome.ABORTED
    assert ground.survivors(others) == []


def test_a_command_cannot_kill_what_looks_after_it(ground: Ground) -> None:
    """All processes of the agent's user are asked, one by one and all together."""
    code = """
for pid in range(1, 65536):
    if pid in (1, os.getpid(), os.getppid()): continue  # 1 is bubblewrap, whose folder in /proc is covered
    try: os.kill(pid, 0)
    except ProcessLookupError: continue
    except PermissionError: continue
    words = ""
    try: words = open(f"/proc/{pid}/cmdline").read()
    except OSError: pass
    if "bash" not in words and "bwrap" not in words: breach("may signal", pid, words)
try: os.kill(-1, signal.SIGTERM)
except OSError as error: print("held:", error)
"""
    before = ground.prize.state()
    got = ground.attack(f"trap '' TERM\n{python(code)}")

    assert got.breaches == []
    assert ground.harm(before) == []
    assert got.survivors == ()
    assert ground.attack("echo still served").text.strip() == "still served"


def test_17_a_daemon_outlives_its_command_without_a_sandbox(grounds: Mapping[str, Ground]) -> None:
    bare, others = grounds["none"].fresh(), descendants(os.getpid())

    got = bare.attack(
        "setsid sleep 300 > /dev/null 2>&1 & until [[ $(ps -o sid= $!) -eq $! ]]; do :; done; echo started"
    )

    kill_all(descendants(os.getpid()) - others)
    assert got.survivors != (), "a search that never finds anything proves nothing"


def test_when_the_agent_stops_nothing_of_a_running_command_is_left(ground: Ground) -> None:
    others = descendants(os.getpid())
    with (
        TemporaryDirectory(prefix="abuse-", dir="/var/tmp") as root,
        Ground(Path(root), ground.sandbox) as second,
    ):
        second.ask("{ setsid sleep 300 || sleep 300; } & trap '' TERM; echo go > go; sleep 300")
        deadline = time.monotonic() + PATIENCE_S
        while not (second.workdir / "go").exists():
            assert time.monotonic() < deadline, "the command never started"
        others.add(second.agent)
        assert descendants(os.getpid()) - others != set()
        second.system.stop()

        assert second.survivors(others) == []
