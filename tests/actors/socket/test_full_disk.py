"""Sockets where nothing can be written: the actor lives on without them, says so once, and makes them when it can."""

from __future__ import annotations

import errno
import logging
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from actors.kernel import ManualClock
from actors.socket import actor, doors
from messages.socket import Refused
from tests.actors.socket.rig import Client, Rig
from tests.patience import eventually

Keep = Callable[[Client], Client]
MakeRig = Callable[..., Rig]
FAILING: dict[str, str] = {"make_private": "folder", "write_key": "key", "listener": "socket"}


@pytest.mark.parametrize("what", FAILING)
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EDQUOT, errno.EIO, errno.EACCES])
def test_an_actor_that_can_make_no_socket_lives_on_and_makes_them_when_it_can(
    clock: ManualClock,
    make_rig: MakeRig,
    keep: Keep,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    what: str,
    number: int,
) -> None:
    caplog.set_level(logging.WARNING)
    real: Callable[..., object] = getattr(doors, what)
    failures: list[int] = []

    def failing(*arguments: object) -> object:
        if number not in failures or len(failures) < 3:
            failures.append(number)
            raise OSError(number, os.strerror(number))
        return real(*arguments)

    monkeypatch.setattr(doors, what, failing)
    rig = make_rig(clock=clock)
    answer = rig.ask_for_door()
    assert isinstance(answer, Refused)
    assert os.strerror(number) in answer.reason
    for tries in (2, 3):
        clock.advance(actor.RETRY_S)
        eventually(lambda tries=tries: len(failures) == tries)  # type: ignore[misc]
        assert isinstance(rig.ask_for_door(), Refused), "it has set its next try, too"
    clock.advance(actor.RETRY_S)
    assert keep(rig.client()).ask("look", {"query": "q"})["ok"]
    assert keep(rig.operator()).ask("help")["ok"]
    assert rig.system.supervisor.crashes() == {}
    assert [record.getMessage() for record in caplog.records] == [
        f"the control sockets cannot be made, which is tried again: {os.strerror(number)}"
    ]


def test_a_stop_on_a_disk_that_can_no_longer_be_written_is_no_crash(
    make_rig: MakeRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig = make_rig()
    rig.door()

    def unlink(_path: Path, **_how: bool) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", unlink)
        rig.system.stop()
    assert rig.system.supervisor.crashes() == {}
