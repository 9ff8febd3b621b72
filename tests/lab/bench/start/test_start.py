"""The benchmark of starts: what it writes are sound logs, and the agent answers on them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from actors.context.log.file import check_file
from actors.context.log.recovery import survey
from domain.log.parser import parse
from lab.bench.start.run import Start, Starts, measure
from lab.commands import agent
from lab.load.prepared_logs import make_logs


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
def test_the_agent_is_started_again_and_every_start_is_measured() -> None:
    figures = measure(20, 100, lambda _: None, restarts=1)
    assert (figures.logs, figures.events) == (20, 99)
    assert len(figures.restarts) == 1
    for start in (figures.first, *figures.restarts):
        assert 0 < start.online_s < start.answers_s
        assert start.cpu_s > 0
        assert start.stop_s > 0
        assert 30 < start.online_mb < 1000


@pytest.mark.parametrize(("target_s", "code"), [(None, 0), (3.0, 0), (2.9, 1)])
def test_a_restart_that_misses_the_target_is_the_commands_exit_code(
    monkeypatch: pytest.MonkeyPatch, target_s: float | None, code: int
) -> None:
    """The first start and a cold one may take longer."""
    slow, quick = (
        Start(online_s=1.0, answers_s=answers_s, cpu_s=0.5, stop_s=0.1, online_mb=99.5) for answers_s in (9.0, 3.0)
    )
    starts = Starts(logs=1, events=3, first=slow, index_s=2.0, restarts=(quick, quick), cold=slow)
    monkeypatch.setattr("lab.bench.start.run.measure", lambda *_: starts)
    target = [] if target_s is None else ["--target", str(target_s)]

    told = CliRunner().invoke(agent, ["bench", "start", *target])
    document = CliRunner().invoke(agent, ["bench", "start", "--json", *target])

    assert (told.exit_code, document.exit_code) == (code, code)
    assert "1 logs, 3 events" in told.stdout
    assert [line.split()[0] for line in told.stdout.splitlines()[2:6]] == ["first", "again", "again", "cold"]
    assert all(line.endswith(" 99.5") for line in told.stdout.splitlines()[2:6])
    assert [start["answers_s"] for start in json.loads(document.stdout)["restarts"]] == [3.0, 3.0]
