"""Facts that a forgotten message led to are in no file of the curated memory, and all others stay."""

from __future__ import annotations

import errno
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from actors.curated.folder import ARCHIVE, INDEX
from domain.curated import journal
from messages.base import EventId, RequestId, TurnId, Window
from messages.curated import CURATED, AddFact, ArchiveFact, FlushFacts, MoveFact
from messages.forget import DerivedForgotten, ForgetDerived, ForgottenEvent
from messages.socket import Refused
from messages.turn import LoggedEvent, TurnEnded
from tests.actors.curated.rig import GENERAL, OPERATOR, THREAD, CuratedRig
from tests.recording_disk import RecordingDisk

SECRET = "quagmire"


def say(rig: CuratedRig, text: str, name: str, window: Window = GENERAL) -> None:
    """A person's words in a turn that has ended."""
    event = LoggedEvent(
        id=EventId(name), kind="user", path="logs/x.md", line=5, at=datetime.now(UTC), author="Ann", text=text
    )
    rig.system.tell(CURATED, TurnEnded(window=window, turn_id=TurnId(name), outcome="answered", events=(event,)))
    rig.settle()


def forget(rig: CuratedRig, *names: str, window: Window = GENERAL, whole: bool = False) -> DerivedForgotten | Refused:
    request_forgetting(rig, *names, window=window, whole=whole)
    rig.settle()
    answer = rig.asker.receive(0, lambda reply: getattr(reply, "request_id", None) == "f")
    assert isinstance(answer, DerivedForgotten | Refused)
    return answer


def request_forgetting(rig: CuratedRig, *names: str, window: Window = GENERAL, whole: bool = False) -> None:
    """Ask for it, and do not wait."""
    events = tuple(ForgottenEvent(window=window, path="logs/x.md", line=5, event_id=EventId(name)) for name in names)
    ask = ForgetDerived(
        request_id=RequestId("f"),
        reply_to=rig.asker.address,
        forget_id="f1",
        window=window,
        events=events,
        whole_window=whole,
    )
    rig.system.tell(CURATED, ask)


def holding(root: Path, word: str = SECRET) -> list[str]:
    return [path.name for path in root.rglob("*") if path.is_file() and word.encode() in path.read_bytes()]


def with_facts(root: Path) -> CuratedRig:
    """A memory with facts of two messages, of which one was edited once more."""
    rig = CuratedRig(root, capture=True)
    say(rig, f"Remember that the {SECRET} lies behind the mill.", "e1")
    say(rig, "Remember that tea is at four.", "e2")
    rig.ask(FlushFacts, OPERATOR)
    rig.ask(AddFact, OPERATOR, text="The mill is old.", scope="global")
    return rig


@pytest.mark.req("X-249")
def test_no_file_holds_a_fact_of_a_forgotten_message_and_other_facts_stay(tmp_path: Path) -> None:
    rig = with_facts(tmp_path)
    assert {INDEX, journal.FILE, "traces.jsonl", "MEMORY.before.md"} <= set(holding(tmp_path))

    answer = forget(rig, "e1", "e9")

    assert isinstance(answer, DerivedForgotten)
    assert (answer.room, answer.count) == ("curated", 1)
    assert "name no message" in answer.note
    assert holding(tmp_path) == []
    index = (rig.folder / INDEX).read_text()
    assert "Tea is at four" in index
    assert "The mill is old." in index
    again = forget(rig, "e1")
    assert isinstance(again, DerivedForgotten)
    assert again.count == 0
    rig.stop()
    assert holding(tmp_path) == []


def test_a_proposal_that_waits_is_forgotten_and_the_next_flush_writes_the_others(tmp_path: Path) -> None:
    rig = CuratedRig(tmp_path, capture=True)
    say(rig, f"Remember that the {SECRET} lies behind the mill.", "e1")
    say(rig, "Remember that tea is at four.", "e2")

    forget(rig, "e1")
    assert holding(tmp_path) == []
    rig.ask(FlushFacts, OPERATOR)

    assert "Tea is at four" in (rig.folder / INDEX).read_text()
    assert holding(tmp_path) == []
    rig.stop()


@pytest.mark.parametrize("then", ["e2", "e3"])
def test_facts_whose_journal_was_emptied_and_not_filled_again_are_kept_and_can_be_forgotten(
    tmp_path: Path, then: str
) -> None:
    failures: list[OSError] = []

    def fails(call: str, _data: bytes) -> None:
        lines = rig.folder / journal.FILE
        if call == "write" and failures and not lines.stat().st_size:
            raise failures.pop()

    disk = RecordingDisk()
    rig = CuratedRig(tmp_path, disk=disk, capture=True)
    say(rig, "Remember that the mill is old.", "e1")
    say(rig, f"Remember that the {SECRET} lies behind the mill.", "e2")
    failures.append(OSError(errno.EIO, os.strerror(errno.EIO)))
    disk.before = fails
    assert isinstance(forget(rig, "e1"), Refused)
    assert not failures

    say(rig, "Remember that tea is at four.", "e3")
    assert isinstance(forget(rig, then), DerivedForgotten)
    rig.ask(FlushFacts, OPERATOR)

    index = (rig.folder / INDEX).read_text()
    assert (SECRET in index, "Tea is at four" in index) == (then == "e3", then == "e2")
    assert bool(holding(tmp_path)) == (then == "e3")
    rig.stop()


@pytest.mark.parametrize("has_index", [True, False])
@pytest.mark.parametrize("flushes_first", [True, False])
def test_a_flush_beside_the_request_brings_no_forgotten_word_into_the_index(
    tmp_path: Path, *, has_index: bool, flushes_first: bool
) -> None:
    rig = CuratedRig(tmp_path, capture=True)
    if has_index:
        rig.ask(AddFact, OPERATOR, text="The mill is old.", scope="global")
    say(rig, f"Remember that the {SECRET} lies behind the mill.", "e1")
    say(rig, "Remember that tea is at four.", "e2")
    flush = FlushFacts(request_id=RequestId("x"), reply_to=rig.asker.address, window=OPERATOR)

    if flushes_first:
        rig.system.tell(CURATED, flush)
    request_forgetting(rig, "e1")
    if not flushes_first:
        rig.system.tell(CURATED, flush)
    rig.settle()

    rig.asker.receive(0, lambda reply: isinstance(reply, DerivedForgotten))
    assert holding(tmp_path) == []
    assert "Tea is at four" in (rig.folder / INDEX).read_text()
    rig.stop()
    assert holding(tmp_path) == []


@pytest.mark.parametrize("how", ["archive", "move"])
def test_a_fact_on_its_way_to_another_file_is_forgotten_as_well(tmp_path: Path, how: str) -> None:
    rig = with_facts(tmp_path)
    fields: dict[str, Any] = {
        "request_id": RequestId("x"),
        "reply_to": rig.asker.address,
        "window": OPERATOR,
        "scope": "global",
    }
    if how == "archive":
        rig.system.tell(CURATED, ArchiveFact(fact=SECRET, **fields))
    else:
        rig.system.tell(CURATED, MoveFact(fact=SECRET, topic="mill.md", title="The mill", gist="", **fields))
    request_forgetting(rig, "e1")
    rig.settle()

    rig.asker.receive(0, lambda reply: isinstance(reply, DerivedForgotten))
    assert holding(tmp_path) == []
    rig.ask(FlushFacts, OPERATOR)
    assert "Tea is at four" in (rig.folder / INDEX).read_text()
    rig.stop()


def test_an_archived_fact_is_forgotten_as_well(tmp_path: Path) -> None:
    rig = with_facts(tmp_path)
    rig.ask(ArchiveFact, OPERATOR, fact=SECRET, scope="global")
    assert SECRET in (rig.folder / ARCHIVE / INDEX).read_text()

    forget(rig, "e1")

    assert holding(tmp_path) == []
    rig.stop()


def test_a_whole_window_takes_all_facts_from_there_and_none_from_elsewhere(tmp_path: Path) -> None:
    rig = CuratedRig(tmp_path, capture=True)
    say(rig, f"Remember that the {SECRET} lies behind the mill.", "e1", THREAD)
    say(rig, "Remember that tea is at four.", "e2")
    rig.ask(FlushFacts, OPERATOR)

    answer = forget(rig, window=THREAD, whole=True)

    assert isinstance(answer, DerivedForgotten)
    assert answer.count == 1
    assert holding(tmp_path) == []
    assert "Tea is at four" in (rig.folder / INDEX).read_text()
    rig.stop()


def test_a_file_that_cannot_be_written_is_said_and_the_journal_still_knows_the_facts(tmp_path: Path) -> None:
    rig = with_facts(tmp_path)
    (rig.folder / INDEX).chmod(0o400)

    answer = forget(rig, "e1")

    assert isinstance(answer, Refused)
    assert "write-protected" in answer.reason
    (rig.folder / INDEX).chmod(0o600)
    assert isinstance(forget(rig, "e1"), DerivedForgotten)
    assert holding(tmp_path) == []
    rig.stop()
