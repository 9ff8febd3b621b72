"""Row of the index: nothing of SQLite is loaded before its first message, and a single turn leaves no file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from actors.kernel import ActorSystem, ManualClock
from actors.memory.facts.part import fact_index_row
from actors.part import Level, Part
from messages.base import RequestId
from messages.facts import FACT_INDEX, ChangeRows, RowsChanged
from tests.actors.memory.facts.rig import MODEL, IndexRig, row, unit

LOADED = (
    "import sys, actors.memory.facts.part; "
    "print([name for name in ('apsw', 'numpy', 'actors.memory.facts.actor') if name in sys.modules])"
)


def part_of(root: Path, *, lives: bool = True) -> Part:
    """The part, made for a data root."""
    plan = cast("Any", SimpleNamespace(settings=SimpleNamespace(data_root=root), lives=lives))
    return fact_index_row(plan, cast("Any", None))


def test_the_row_is_read_without_sqlite_and_without_numbers() -> None:
    told = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True, cwd=Path.cwd())
    assert told.stdout.strip() == "[]"


def test_it_is_no_core_actor_describes_itself_and_brings_nothing_for_scripts(tmp_path: Path) -> None:
    part = part_of(tmp_path)
    assert (part.spec.kind, part.spec.core, part.spec.idle_s) == (FACT_INDEX.kind, False, None)
    assert part.describes
    assert not part.verbs
    assert not part.operator_verbs


@pytest.mark.parametrize("lives", [True, False])
def test_it_keeps_a_file_for_an_agent_that_lives_only(tmp_path: Path, *, lives: bool) -> None:
    system = ActorSystem(workers=0, clock=ManualClock())
    asker = system.edge("asker")
    system.register(part_of(tmp_path, lives=lives).spec)
    system.start()
    assert list(tmp_path.iterdir()) == []
    put = (row("a", unit(1, 0)),)
    system.tell(FACT_INDEX, ChangeRows(request_id=RequestId("r1"), reply_to=asker.address, model=MODEL, put=put))
    system.run()
    assert isinstance(asker.receive(0, lambda _heard: True), RowsChanged)
    system.stop(1.0)
    assert (tmp_path / "facts" / "index.sqlite").exists() is lives
    assert (list(tmp_path.iterdir()) == []) is not lives


def test_its_check_looks_at_the_file_of_the_plan(tmp_path: Path) -> None:
    (check,) = part_of(tmp_path).checks
    rig = IndexRig(tmp_path)
    rig.put(row("a", unit(1, 0)))
    (finding,) = check()
    rig.stop()

    assert finding.level is Level.OK
    assert "sound" in finding.detail
