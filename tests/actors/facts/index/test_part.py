"""Row of the index: nothing of SQLite is loaded before its first message, and a single turn leaves no file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from actors.facts.part import index_row
from actors.kernel import ActorSystem, ManualClock
from messages.base import RequestId
from messages.facts import FACT_INDEX, ChangeRows, RowsChanged
from tests.actors.facts.index.rig import MODEL, row, unit

LOADED = (
    "import sys, actors.facts.part, actors.objects.part; "
    "print([name for name in ('apsw', 'numpy', 'actors.facts.index.actor') if name in sys.modules])"
)


def test_rows_with_a_database_are_read_without_sqlite_and_without_numbers() -> None:
    told = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True, cwd=Path.cwd())
    assert told.stdout.strip() == "[]"


@pytest.mark.parametrize("lives", [True, False])
def test_a_file_is_kept_for_an_agent_that_lives_only(tmp_path: Path, *, lives: bool) -> None:
    plan = cast("Any", SimpleNamespace(settings=SimpleNamespace(data_root=tmp_path), lives=lives))
    part = index_row(plan, cast("Any", None))
    assert (part.spec.kind, part.spec.core, part.spec.idle_s) == (FACT_INDEX.kind, False, None)
    assert (part.describes, dict(part.verbs), dict(part.operator_verbs)) == (True, {}, {})
    system = ActorSystem(workers=0, clock=ManualClock())
    asker = system.edge("asker")
    system.register(part.spec)
    system.start()
    assert list(tmp_path.iterdir()) == []
    put = (row("a", unit(1, 0)),)
    system.tell(FACT_INDEX, ChangeRows(request_id=RequestId("r1"), reply_to=asker.address, model=MODEL, put=put))
    system.run()
    assert isinstance(asker.receive(0, lambda _heard: True), RowsChanged)
    system.stop(1.0)
    assert (tmp_path / "facts" / "index.sqlite").exists() is lives
    assert (list(tmp_path.iterdir()) == []) is not lives
