"""The benchmark of starts: what it writes are sound logs, and the agent answers on them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from actors.context.log.file import check_file
from actors.context.log.recovery import survey
from domain.log.parser import parse
from lab.bench.start.data import make_logs
from tests.actors.cli.command import run


@pytest.mark.parametrize(("logs", "events", "written"), [(1, 0, 3), (7, 0, 21), (3, 20, 18), (4, 100, 99)])
def test_logs_are_as_the_agent_writes_them_with_nothing_left_to_do(
    tmp_path: Path, logs: int, events: int, written: int
) -> None:
    assert make_logs(tmp_path, logs, events) == written
    files = list(tmp_path.rglob("*.md"))
    assert len(files) == logs
    assert [fault for file in files for fault in check_file(file)] == []
    assert sum(len(parse(file.read_bytes()).events) for file in files) == written
    found = survey(tmp_path)
    assert found.unfinished == ()
    assert len(found.last_seen) == logs


@pytest.mark.slow
def test_the_agent_is_started_again_and_again_and_every_time_is_printed(tmp_path: Path) -> None:
    done = run("agent", "bench", "start", "--logs", "20", "--events", "100", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    assert (figures["logs"], figures["events"]) == (20, 99)
    starts = [figures["first"], *figures["restarts"]]
    assert len(starts) == 4
    for start in starts:
        assert 0 < start["online_s"] < start["answers_s"]
        assert start["cpu_s"] > 0
    late = run("agent", "bench", "start", "--logs", "1", "--target", "0.001", cwd=tmp_path)
    assert late.returncode == 1, "a target that is missed"
    assert "1 logs, 3 events" in late.stdout
