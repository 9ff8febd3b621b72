"""Whose turn it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.policy.fair_queue import FairQueue
from messages.base import Address, RequestId, Surface, Window
from messages.shell import RunBash


def request(name: str, of: int = 0) -> RunBash:
    return RunBash(
        request_id=RequestId(name),
        reply_to=Address("edge", "test"),
        window=Window(surface=Surface.DISCORD_THREAD, id=str(910000000000000000 + of)),
        command="true",
    )


def admitted(admission: FairQueue[RunBash]) -> list[str]:
    names = []
    while (admitted := admission.admit()) is not None:
        names.append(str(admitted.request_id))
    return names


def test_one_command_per_window_is_admitted_and_the_next_when_it_has_left() -> None:
    admission = FairQueue[RunBash](8)
    for name in "abc":
        admission.enter(request(name))
    assert admitted(admission) == ["a"]
    admission.leave(RequestId("a"))
    assert admitted(admission) == ["b"]


def test_no_more_than_the_limit_are_admitted_in_all() -> None:
    admission = FairQueue[RunBash](2)
    for number, name in enumerate("abc"):
        admission.enter(request(name, of=number))
    assert admitted(admission) == ["a", "b"]
    admission.leave(RequestId("b"))
    assert admitted(admission) == ["c"]


def test_windows_take_turns_so_that_one_with_many_commands_does_not_starve_another() -> None:
    admission = FairQueue[RunBash](1)
    for name in ("a1", "a2", "a3"):
        admission.enter(request(name, of=1))
    admission.enter(request("b1", of=2))
    order = []
    for _ in range(4):
        (name,) = admitted(admission)
        order.append(name)
        admission.leave(RequestId(name))
    assert order == ["a1", "b1", "a2", "a3"]
    assert not admission


def test_a_withdrawn_command_is_never_admitted() -> None:
    admission = FairQueue[RunBash](8)
    admission.enter(request("a"))
    admission.enter(request("b", of=1))
    withdrawn = admission.withdraw(RequestId("a"))
    assert withdrawn is not None
    assert withdrawn.request_id == "a"
    assert admitted(admission) == ["b"]
    assert admission.withdraw(RequestId("b")) is None, "it runs"


def test_what_waits_of_one_window_is_known() -> None:
    admission = FairQueue[RunBash](1)
    for name, of in (("a1", 1), ("a2", 1), ("b1", 2)):
        admission.enter(request(name, of=of))
    assert admitted(admission) == ["a1"]

    assert [admission.waiting_of(request("", of=of).window) for of in (1, 2, 3)] == [1, 1, 0]


def test_it_is_known_whether_somebody_waits_only_for_another_to_leave() -> None:
    admission = FairQueue[RunBash](1)
    admission.enter(request("a1", of=1))
    assert not admission.is_awaited(), "it may be admitted"
    assert admitted(admission) == ["a1"]
    admission.enter(request("a2", of=1))
    assert not admission.is_awaited(), "its window is served"

    admission.enter(request("b1", of=2))
    assert admission.is_awaited()

    admission.leave(RequestId("b1"))
    assert not admission.is_awaited()


def test_what_is_not_known_is_no_matter() -> None:
    admission = FairQueue[RunBash](8)
    admission.leave(RequestId("x"))
    assert admission.withdraw(RequestId("x")) is None
    assert RequestId("x") not in admission


def test_a_limit_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="limit 0 must be >= 1"):
        FairQueue[RunBash](0)


def test_clearing_gives_everything_back() -> None:
    admission = FairQueue[RunBash](1)
    admission.enter(request("a"))
    admission.enter(request("b"))
    admission.admit()

    assert [r.request_id for r in admission.clear()] == ["a", "b"]
    assert not admission
    assert admission.admit() is None


def test_an_id_that_is_here_already_is_not_taken_in_again() -> None:
    admission = FairQueue[RunBash](8)
    admission.enter(request("a"))
    admission.enter(request("a", of=1))
    assert admitted(admission) == ["a"]
    admission.enter(request("a", of=2))
    assert admitted(admission) == []


STEPS = st.lists(
    st.tuples(st.sampled_from(["enter", "leave", "withdraw"]), st.integers(0, 5), st.integers(0, 3)), max_size=60
)


@given(STEPS, st.integers(1, 3))
def test_in_any_order_of_events_no_command_is_lost_doubled_or_overtaken(
    steps: list[tuple[str, int, int]], limit: int
) -> None:
    admission = FairQueue[RunBash](limit)
    entered: dict[int, list[str]] = {number: [] for number in range(4)}
    started: dict[int, list[str]] = {number: [] for number in range(4)}
    running: list[tuple[str, int]] = []
    windows: dict[str, int] = {}

    def start() -> None:
        for name in admitted(admission):
            running.append((name, windows[name]))
            started[windows[name]].append(name)

    for count, (step, pick, of) in enumerate(steps):
        if step == "enter":
            name = f"r{count}"
            windows[name] = of
            entered[of].append(name)
            admission.enter(request(name, of=of))
        elif step == "leave" and running:
            admission.leave(RequestId(running.pop(pick % len(running))[0]))
        elif step == "withdraw" and (waiting := admission.waiting()):
            name = str(waiting[pick % len(waiting)].request_id)
            assert admission.withdraw(RequestId(name)) is not None
            entered[windows[name]].remove(name)
        start()
        assert len(running) <= limit
        assert len({of for _, of in running}) == len(running)
        idle = {windows[str(waiting.request_id)] for waiting in admission.waiting()} - {of for _, of in running}
        assert len(running) == limit or not idle, "no place stays empty"
    while running:
        admission.leave(RequestId(running.pop()[0]))
        start()
    assert started == entered
    assert not admission


def test_where_it_is_said_whose_a_request_is_windows_do_not_matter() -> None:
    admission: FairQueue[RunBash] = FairQueue(8, lambda request: request.command)
    for name, of in (("a", 0), ("b", 1)):
        admission.enter(request(name, of=of))
    assert admitted(admission) == ["a"]
    assert [str(each.request_id) for each in admission.served_requests()] == ["a"]
    assert admission.waiting_of("true") == 1
    assert admission.withdraw(RequestId("a")) is None
    admission.leave(RequestId("a"))
    assert admitted(admission) == ["b"]
