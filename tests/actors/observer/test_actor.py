from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

from actors.kernel import ActorSpec, ActorSystem, ManualClock
from actors.observer.actor import ObserverActor
from actors.observer.server import LIMITS, ObserverServer
from messages.base import RequestId
from messages.status import OBSERVER, DescribeYourself, SelfDescription
from tests.patience import PATIENCE_S

PORT = 4_317
REST_S = 1.0
"""Longer than an actor rests after its first crash, and shorter than a port is left alone."""


class Observed:
    """Observer with a port that another program holds at first, and observer without a port."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.tries = 0
        self.is_taken = True

        async def start(_server: ObserverServer) -> int:
            self.tries += 1
            if self.is_taken:
                raise OSError(errno.EADDRINUSE, "Address already in use")
            self.is_taken = True  # by ourselves
            return PORT

        monkeypatch.setattr(ObserverServer, "start", start)
        self.clock = ManualClock()
        self.system = ActorSystem(workers=0, clock=self.clock)
        self.asker = self.system.edge("asker")
        self.system.register(ActorSpec(OBSERVER.kind, lambda _key: ObserverActor(root, PORT, ()), is_eager=True))
        self.system.start()

    def figures(self) -> dict[str, Any]:
        self.system.tell(OBSERVER, DescribeYourself(request_id=RequestId("d"), reply_to=self.asker.address))
        self.system.run()
        told = self.asker.receive(0)
        assert isinstance(told, SelfDescription)
        return dict(told.figures) | dict(told.operator_figures)

    def until(self, is_so: Callable[[], bool]) -> None:
        deadline = monotonic() + PATIENCE_S
        while not is_so():
            assert monotonic() < deadline
            self.system.run()
            sleep(0.005)


@pytest.mark.crashes
def test_a_port_that_a_life_before_could_not_have_is_not_asked_for_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    observed = Observed(tmp_path, monkeypatch)
    observed.until(lambda: "already in use" in str(observed.figures()["trouble"]))
    (mailbox,) = observed.system.mailboxes()
    assert mailbox.actor is not None
    mailbox.actor.fail(RuntimeError("a defect"))
    observed.is_taken = False
    observed.system.run()
    observed.clock.advance(REST_S)
    observed.until(lambda: observed.figures()["state"] == "listening")
    tries = observed.tries
    observed.clock.advance(2 * LIMITS.again_s)
    observed.system.run()
    observed.system.stop()

    assert observed.tries == tries
