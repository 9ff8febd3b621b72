from __future__ import annotations

import os
import sys
from pathlib import Path

from lab.bench.facts.costs import costs, is_busy
from lab.bench.process import Program
from tests.patience import eventually

_CHILD = "sum(range(20_000_000)); open({path!r}, 'wb').write(bytes(1_000_000)); print('done', flush=True); input()"
_PARENT = "import subprocess, sys; subprocess.run([sys.executable, '-c', sys.argv[1]])"


def test_a_program_that_computes_is_busy(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "while True: pass"]
    with Program(command, dict(os.environ), tmp_path, tmp_path / "log") as program:
        assert is_busy(program.pid)
    assert not is_busy(program.pid)


def test_a_programs_costs_are_those_of_all_that_it_has_started(tmp_path: Path) -> None:
    child = _CHILD.format(path=str(tmp_path / "written"))
    command = [sys.executable, "-c", _PARENT, child]
    with Program(command, dict(os.environ), tmp_path, tmp_path / "log", is_heard=True) as program:
        assert program.first_line() == "done"
        eventually(lambda: not is_busy(program.pid))
        found = costs(program.pid)
        is_running = program.is_running
    assert is_running
    assert found.cpu_s > 0.1
    assert found.rss_mb > 10
    assert not program.is_running
    assert costs(program.pid).cpu_s == 0
