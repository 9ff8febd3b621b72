"""The rebuild that `agent bench memory` measures is a whole one."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from actors.memory.store import MemoryPlan, Store
from lab.bench.memory.rebuild import DIMS, rebuild


def test_every_event_of_the_logs_is_in_the_index_that_was_measured(tmp_path: Path) -> None:
    found = rebuild(tmp_path, 130)

    assert found["rebuild_events"] == 130
    assert found["rebuild_cpu_s"] > 0
    store = Store.open(MemoryPlan(tmp_path / "logs-130", "bench", DIMS), datetime(2026, 9, 1, tzinfo=UTC))
    assert store.index.counts().rows == 130
    store.close()


def test_logs_that_say_something_else_are_no_measurement(tmp_path: Path) -> None:
    rebuild(tmp_path, 40)
    (log, *_) = (tmp_path / "logs-40").rglob("*_*.md")
    log.unlink()
    with pytest.raises(ValueError, match="38 turns in the index, 40 in the logs"):
        rebuild(tmp_path, 40)
