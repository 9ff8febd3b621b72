"""Row of the ledger: a host and a single turn keep nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from actors.bootstrap import agent_plan
from actors.kernel import ActorSystem, ManualClock
from actors.ledger.part import row
from actors.part import Parts
from actors.settings.load import load
from messages.model import SPENT
from tests.actors.ledger.calls import NOON, usage_of


def test_a_host_keeps_no_ledger(tmp_path: Path) -> None:
    settings = load(environ={}, folder=tmp_path, overrides={"data_root": str(tmp_path / "data")})
    for host in ("h1", ""):
        system = ActorSystem(workers=0, clock=ManualClock(NOON))
        (part,) = Parts(replace(agent_plan(settings, {}, system, None), host=host), (row,))
        system.register(part.spec)
        system.start()
        system.run()
        for follower in system.topics.of(SPENT):
            system.tell(follower, usage_of())
        system.run()
        system.stop()
        assert (tmp_path / "data" / "usage").exists() == (not host)
