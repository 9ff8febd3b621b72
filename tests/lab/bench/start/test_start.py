"""The benchmark of starts: what it writes are sound logs, and the agent answers on them."""

from __future__ import annotations

from pathlib import Path

import pytest

from actors.context.log.file import check_file
from actors.context.log.recovery import survey
from domain.log.parser import parse
from lab.bench.start.run import START
from lab.load.prepared_logs import make_logs


def test_logs_are_as_the_agent_writes_them_with_nothing_left_to_do(tmp_path: Path) -> None:
    for logs, events, written in ((1, 0, 3), (7, 0, 21), (3, 20, 18), (4, 100, 99)):
        folder = tmp_path / f"{logs}-{events}"
        folder.mkdir()
        assert make_logs(folder, logs, events) == written
        files = list(folder.rglob("*.md"))
        assert [fault for file in files for fault in check_file(file)] == []
        assert sum(len(parse(file.read_bytes()).events) for file in files) == written
        recovery = survey(folder)
        assert (len(files), recovery.unfinished, len(recovery.last_seen)) == (logs, (), logs)


@pytest.mark.slow
def test_the_agent_is_started_again_and_every_start_is_measured() -> None:
    rows = dict(START.measure(lambda _: None, logs=20, events=100, restarts=1))
    assert [*rows][:3] == ["first", "again, 1", "after a kill"]
    assert rows["first"]["events"] == 99
    for start in rows.values():
        assert 0 < start["online_s"] < start["answers_s"]
        assert start["cpu_s"] > 0 < start["stop_s"]
        assert 30 < start["online_mb"] < 1000
    assert rows["first"]["index_s"] > rows["first"]["answers_s"]
