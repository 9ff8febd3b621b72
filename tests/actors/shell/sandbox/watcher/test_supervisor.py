from __future__ import annotations

import os
import socket

import pytest

from actors.shell.job import Job
from actors.shell.sandbox.watcher import supervisor
from actors.shell.sandbox.watcher.supervisor import Supervisor


@pytest.mark.parametrize(("main", "first"), [(15, 16), (16, 15), (1, 2), (7, 8)])
def test_bubblewrap_is_killed_before_its_child_whose_end_it_would_report_as_its_own(
    main: int, first: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed: list[int] = []
    monkeypatch.setattr(supervisor, "descendants", lambda _ancestor: {main, first})
    monkeypatch.setattr(os, "kill", lambda pid, _signal: killed.append(pid))
    monkeypatch.setattr(os, "setpriority", lambda *_: None)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        judge = Supervisor(Job(argv=(), environment={}), ours, wake=-1, group=None)
        judge._main, judge._first = main, first
        judge._kill()
    assert killed == [main, first]
