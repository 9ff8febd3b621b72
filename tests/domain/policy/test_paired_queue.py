"""Two queues that are one to whoever serves them."""

from __future__ import annotations

from domain.policy.fair_queue import FairQueue
from domain.policy.paired_queue import PairedQueue
from messages.base import Address, RequestId, Surface, Window
from messages.shell import RunBash


def request(name: str, lane: str = "") -> RunBash:
    return RunBash(
        request_id=RequestId(name),
        reply_to=Address("edge", "test"),
        window=Window(surface=Surface.DISCORD_THREAD, id="910000000000000000"),
        command="true",
        lane=lane,
    )


def paired(front: int = 1, aside: int = 1) -> PairedQueue[RunBash]:
    def key(of: RunBash) -> str:
        return of.lane

    return PairedQueue(FairQueue(front, key), FairQueue(aside, key), lambda of: bool(of.lane))


def admitted(queue: PairedQueue[RunBash]) -> list[str]:
    names = []
    while (each := queue.admit()) is not None:
        names.append(str(each.request_id))
    return names


def test_a_full_queue_delays_nothing_in_the_other() -> None:
    queue = paired(aside=2)
    for name, lane in (("x1", "x"), ("x2", "x"), ("y1", "y"), ("z1", "z"), ("own", ""), ("next", "")):
        queue.enter(request(name, lane))
    assert admitted(queue) == ["own", "x1", "y1"]
    assert [str(each.request_id) for each in queue.waiting()] == ["next", "x2", "z1"]
    queue.leave(RequestId("own"))
    assert admitted(queue) == ["next"]
    queue.leave(RequestId("x1"))
    assert admitted(queue) == ["z1"]


def test_requests_are_found_withdrawn_and_cleared_in_both() -> None:
    queue = paired()
    assert not queue
    for name, lane in (("own", ""), ("next", ""), ("x1", "x"), ("x2", "x")):
        queue.enter(request(name, lane))
    assert admitted(queue) == ["own", "x1"]
    assert queue.get(RequestId("x2")) == request("x2", "x")
    assert queue.get(RequestId("next")) == request("next")
    assert RequestId("x1") in queue
    assert queue.withdraw(RequestId("own")) is queue.withdraw(RequestId("x1")) is None
    assert queue.withdraw(RequestId("x2")) == request("x2", "x")
    assert queue.leave(RequestId("gone")) is None
    assert [str(each.request_id) for each in queue.clear()] == ["own", "next", "x1"]
    assert not queue
