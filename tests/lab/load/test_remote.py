from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from lab.load.remote import Remote, RemoteError


class Counter:
    """Counts, and says where."""

    def __init__(self, start: int) -> None:
        self.count = start

    def add(self, number: int) -> int:
        self.count += number
        return self.count

    def pid(self) -> int:
        return os.getpid()

    def refuse(self) -> None:
        raise ValueError("not today")


@contextmanager
def counter(start: int) -> Iterator[Counter]:
    if start < 0:
        raise ValueError(f"{start}: must be >= 0")
    yield Counter(start)


@pytest.fixture(scope="module")
def remote() -> Iterator[Remote]:
    with Remote("counter", counter, 5) as counter_there:
        yield counter_there


def test_an_object_lives_in_a_process_of_its_own_and_answers(remote: Remote) -> None:
    before = remote.call("add", 0)

    assert remote.call("add", 2) == before + 2
    assert remote.call("pid") == remote.pid != os.getpid()


def test_what_it_raises_is_told_and_it_lives_on(remote: Remote) -> None:
    with pytest.raises(RemoteError, match="counter: ValueError: not today"):
        remote.call("refuse")

    assert remote.call("add", 0) >= 5


def test_an_object_that_cannot_be_made_says_why() -> None:
    with pytest.raises(RemoteError, match="-1: must be >= 0"):
        Remote("counter", counter, -1)


def test_a_process_that_has_ended_is_told_and_one_that_is_closed_has_ended() -> None:
    with Remote("counter", counter, 1) as counter_there:
        pid = counter_there.call("pid")
        os.kill(pid, signal.SIGKILL)
        with pytest.raises(RemoteError, match="counter has ended"):
            counter_there.call("add", 1)

    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
