"""Row of the ledger: each process has a life of its own, and a host keeps nothing."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from actors.bootstrap import agent_plan
from actors.kernel import ActorSystem, ManualClock, counted_ids
from actors.ledger.file import entries
from actors.ledger.part import row
from actors.part import Parts
from actors.settings.load import load
from messages.model import BEGUN, CallBegun, CallKind, CallOutcome

NOON = datetime(2026, 3, 31, 12, tzinfo=UTC)


def process(folder: Path, host: str = "") -> ActorSystem:
    """A process that has begun a call and comes to no end."""
    settings = load(environ={}, folder=folder, given={"data_root": str(folder / "data")})
    system = ActorSystem(workers=0, clock=ManualClock(NOON), ids=counted_ids())
    (part,) = Parts(replace(agent_plan(settings, {}, system, None), host=host), (row,))
    system.register(part.spec)
    system.start()
    system.run()
    for follower in system.topics.of(BEGUN):
        system.tell(
            follower,
            CallBegun(at=NOON, kind=CallKind.MODEL, owner="cli/a", call_id="a", attempt=1, model="m", prompt_tokens=5),
        )
    system.run()
    return system


def test_the_next_process_takes_no_earlier_one_for_itself_though_it_gives_the_same_ids(tmp_path: Path) -> None:
    process(tmp_path)
    process(tmp_path)

    assert [spent.outcome for spent in entries(tmp_path / "data" / "usage")] == [CallOutcome.KILLED]


def test_a_host_keeps_no_ledger(tmp_path: Path) -> None:
    process(tmp_path, "h1").stop()

    assert not (tmp_path / "data" / "usage").exists()
