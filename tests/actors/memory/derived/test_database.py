from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from actors.memory.derived.database import DerivedDatabase
from actors.objects.store.database import SCHEMA

SYNCS_AT_CHECKPOINTS = 1


def test_a_power_loss_damages_no_database(tmp_path: Path) -> None:
    database = DerivedDatabase(SCHEMA, tmp_path / "objects.sqlite", datetime(2026, 1, 1, tzinfo=UTC))
    assert list(database.connection.execute("PRAGMA synchronous")) == [(SYNCS_AT_CHECKPOINTS,)]
    assert list(database.connection.execute("PRAGMA journal_mode")) == [("wal",)]
    database.close()
