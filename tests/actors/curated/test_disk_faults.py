"""Disk that refuses: whatever call fails, everybody is answered, nothing is lost, and later requests work."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from domain.curated.document import parse_document
from messages.base import Message
from messages.curated import (
    AddFact,
    ArchiveFact,
    FactsFlushed,
    FactStaged,
    FactWritten,
    FixFact,
    FlushFacts,
    MoveFact,
    RememberFact,
    RemoveFact,
)
from messages.socket import Refused
from tests.actors.curated.rig import CuratedRig
from tests.recording_disk import RecordingDisk

PEOPLE = "# Ours\n\n- of people\n- to go\n\ttabbed\n"
REQUESTS: dict[str, list[tuple[type[Message], dict[str, Any]]]] = {
    "add": [(AddFact, {"scope": "global", "text": "new one"})],
    "fix": [(FixFact, {"scope": "global", "fact": "to go", "text": "new one"})],
    "remove": [(RemoveFact, {"scope": "global", "fact": "to go"})],
    "archive": [(ArchiveFact, {"scope": "global", "fact": "to go"})],
    "move": [(MoveFact, {"scope": "global", "fact": "to go", "topic": "t.md", "title": "T", "gist": ""})],
    "flush": [(RememberFact, {"scope": "global", "text": "new one"}), (FlushFacts, {})],
}


def facts_of(path: Path) -> list[str]:
    return [page.text for page in parse_document(path.read_bytes() if path.exists() else b"").facts]


class Failing:
    """Fails the calls of a disk from one on, as many as it is told."""

    def __init__(self, at: int, times: int) -> None:
        self.calls = 0
        self.failed = 0
        self._at, self._times = at, times
        self.is_on = True

    def __call__(self, _call: str, _data: bytes) -> None:
        self.calls += 1
        if self.is_on and self.calls >= self._at and self.failed < self._times:
            self.failed += 1
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("what", REQUESTS)
@pytest.mark.parametrize("times", [1, 10**9])
def test_whatever_call_fails_all_are_answered_and_later_requests_work(tmp_path: Path, what: str, times: int) -> None:
    for at in range(1, 100):
        root = tmp_path / str(at)
        failing = Failing(at, times)
        rig = CuratedRig(root, disk=RecordingDisk(before=failing))
        rig.write_index(PEOPLE)
        staged = False
        for kind, fields in REQUESTS[what]:
            rig.prepare()
            reply = rig.ask(kind, **fields)
            assert isinstance(reply, FactWritten | FactStaged | FactsFlushed | Refused)
            staged = staged or isinstance(reply, FactStaged)
        was_hit, failing.is_on = failing.failed > 0, False
        rig.settle(3)
        for kind, fields in REQUESTS[what]:
            assert isinstance(rig.ask(kind, **fields), FactWritten | FactStaged | FactsFlushed | Refused)
        rig.answer(FactWritten, AddFact, scope="global", text="later one")
        rig.stop()
        rig.start()
        index = facts_of(rig.folder / "MEMORY.md")
        elsewhere = facts_of(rig.folder / "archive" / "MEMORY.md") + facts_of(rig.folder / "t.md")
        assert (index.count("of people"), index.count("later one")) == (1, 1)
        assert index.count("new one") == (1 if what in ("add", "fix", "flush") else 0)
        if what in ("archive", "move"):
            assert (index + elsewhere).count("to go tabbed") == 1
        rig.stop()
        if not was_hit:
            return
    pytest.fail("there are more calls than are tried")
