from __future__ import annotations

import threading

import pytest

from actors.cluster.host_life import HostLife
from actors.cluster.shared import head_codec, host_codec
from actors.cluster.wire import HostFrame, frame_bytes, head_frame
from actors.kernel import ActorSystem
from messages.base import RequestId
from messages.status import SelfDescription
from messages.turn import ExpandReference
from tests.actors.cluster.test_ledger import WINDOW
from tests.patience import PATIENCE_S

EPOCH = "epoch"


class Owner:
    """Owner that expects no loss."""

    def on_running(self, life: HostLife) -> None:
        pass

    def on_lost(self, life: HostLife, reason: str) -> None:
        pytest.fail(reason)


class TalkingHost:
    """A host that brings the same items until they are acknowledged."""

    def __init__(self, items: list[bytes]) -> None:
        self._items = items

    def begin(self, name: str, epoch: str, timeout_s: float) -> None:
        pass

    def exchange(self, frame: bytes, wait_s: float, timeout_s: float) -> bytes:
        threading.Event().wait(0.01)
        ack = head_frame(frame).ack
        return frame_bytes(HostFrame(EPOCH, 1.0, 0, ack, self._items[ack:]))

    def end(self, timeout_s: float) -> None:
        pass

    def kill(self) -> None:
        pass


def test_an_item_that_cannot_be_read_takes_no_item_behind_it_along() -> None:
    system = ActorSystem(workers=0)
    edge = system.edge("people")
    codec = host_codec("h1")
    description = SelfDescription(request_id=RequestId("d"), about="window", figures=())
    question = ExpandReference(
        request_id=RequestId("q"), reply_to=WINDOW.address, window=WINDOW, path="p" * 301, line=1
    )
    life = HostLife("h1", EPOCH, system, head_codec(), Owner())
    life.drive(TalkingHost([codec.encode(edge.address, question), codec.encode(edge.address, description)]))

    assert edge.receive(PATIENCE_S) == description
    life.stop()
    system.stop()
