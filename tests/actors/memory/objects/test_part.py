"""Row of the store: nothing of SQLite is loaded before its first message, and a single turn leaves no file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from actors.kernel import ActorSystem, ManualClock
from actors.memory.objects.part import object_store_row
from actors.part import Part
from messages.base import RequestId
from messages.object_store import OBJECT_STORE, CollectObjects, NewVersion, StoreRound
from messages.socket import Refused
from tests.actors.memory.objects.rig import WINDOW, StoreRig

LOADED = "import sys, actors.memory.objects.part; print('apsw' in sys.modules)"


def part_of(root: Path, *, lives: bool = True, window_bytes: int = 2**20) -> Part:
    """The part, made for a data root."""
    plan = cast("Any", SimpleNamespace(settings=SimpleNamespace(data_root=root), lives=lives))
    part = object_store_row(lambda _plan: (window_bytes, 2**20))(plan, cast("Any", None))
    assert part is not None
    return part


def test_the_row_is_read_without_sqlite() -> None:
    told = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True, cwd=Path.cwd())
    assert told.stdout.strip() == "False"


def test_it_is_no_core_actor_and_brings_a_verb_for_the_operator_only(tmp_path: Path) -> None:
    part = part_of(tmp_path)
    assert (part.spec.kind, part.spec.core, part.spec.idle_s) == (OBJECT_STORE.kind, False, None)
    assert part.verbs == {}
    verb = part.operator_verbs["objects.gc"]
    assert (verb.to, verb.message) == (OBJECT_STORE, CollectObjects)


@pytest.mark.parametrize("lives", [True, False])
def test_it_keeps_a_file_for_an_agent_that_lives_only(tmp_path: Path, *, lives: bool) -> None:
    system = ActorSystem(workers=0, clock=ManualClock())
    asker = system.edge("asker")
    system.register(part_of(tmp_path, lives=lives).spec)
    system.start()
    assert list(tmp_path.iterdir()) == []
    message = StoreRound(
        request_id=RequestId("r1"), reply_to=asker.address, window=WINDOW, round=1, entries=b"", versions=()
    )
    system.tell(OBJECT_STORE, message)
    system.run()
    assert not isinstance(asker.receive(0, lambda _heard: True), Refused)
    system.stop(1.0)
    assert (tmp_path / "objects" / "objects.sqlite").exists() is lives
    assert (list(tmp_path.iterdir()) == []) is not lives


def test_how_much_is_kept_comes_from_the_plan(tmp_path: Path) -> None:
    rig = StoreRig(None)
    new: NewVersion = rig.version("f1", "x" * 100)
    rig.stop()
    system = ActorSystem(workers=0, clock=ManualClock())
    asker = system.edge("asker")
    system.register(part_of(tmp_path, window_bytes=1).spec)
    system.start()
    message = StoreRound(
        request_id=RequestId("r1"), reply_to=asker.address, window=WINDOW, round=1, entries=b"", versions=(new,)
    )
    system.tell(OBJECT_STORE, message)
    system.run()
    system.stop(1.0)
    rig = StoreRig(tmp_path)
    assert rig.text("f1") is None
    rig.stop()
