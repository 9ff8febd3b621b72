"""Staged facts: in the journal first, in the index exactly once, whatever ends the agent in between."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from actors.kernel import ManualClock
from domain.curated.document import parse_document
from domain.curated.journal import read
from domain.curated.table import TableState, described_by, state_beside
from messages.base import EventId, RequestId, TurnId, Window
from messages.curated import CURATED, FactsFlushed, FactStaged, FlushFacts, PagesVerified, RememberFact, VerifyPages
from messages.curated_view import CuratedDescribed, DescribeCurated, FaultsListed, ListFaults
from messages.turn import LoggedEvent, TurnEnded
from tests.actors.curated.rig import GENERAL, OPERATOR, PRIVATE, CuratedRig
from tests.recording_disk import RecordingDisk


class Killed(BaseException):
    """The process ends here."""


def facts(rig: CuratedRig) -> list[str]:
    path = rig.folder / "MEMORY.md"
    return [page.text for page in parse_document(path.read_bytes() if path.exists() else b"").facts]


def journal_lines(rig: CuratedRig) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (rig.folder / "writeback-journal.jsonl").read_text().splitlines()]


@pytest.mark.req("S1-52")
def test_remembering_adds_a_line_to_the_journal_and_nothing_to_the_index(tmp_path: Path) -> None:
    rig = CuratedRig(tmp_path)
    rig.write_index("- one\n")
    rig.remember("two and three")
    assert rig.index() == "- one\n"
    (line,) = journal_lines(rig)
    assert (line["state"], line["text"]) == ("staged", "two and three")


@pytest.mark.req("S1-53")
def test_a_flush_marks_what_it_commits_and_makes_the_page_table_anew(tmp_path: Path) -> None:
    rig = CuratedRig(tmp_path)
    rig.remember("a fact")
    rig.flush()
    assert [line["state"] for line in journal_lines(rig)] == ["staged", "begun", "committed"]
    table = (rig.folder / "page-table.jsonl").read_bytes()
    assert state_beside(described_by(table), (rig.folder / "MEMORY.md").read_bytes()) is TableState.OK
    again = rig.answer(FactsFlushed, FlushFacts)
    assert (again.committed, again.rejected) == ((), ())
    assert facts(rig) == ["a fact"]


@pytest.mark.req("S1-51")
def test_verify_makes_a_page_table_that_is_gone_and_leaves_the_markdown(tmp_path: Path) -> None:
    rig = CuratedRig(tmp_path)
    rig.write_index("## A\n\n- one\n- [T](t.md) — more\n")
    rig.write_index("- in the topic\n", "t.md")
    before = rig.index()
    done = rig.answer(PagesVerified, VerifyPages)
    assert done.scopes == (("global", 4, "missing"),)
    assert rig.index() == before
    (rig.folder / "page-table.jsonl").unlink()
    rig.answer(PagesVerified, VerifyPages)
    assert len((rig.folder / "page-table.jsonl").read_text().splitlines()) == 7
    assert rig.answer(PagesVerified, VerifyPages, PRIVATE).scopes == ()


@pytest.mark.req("S1-70")
def test_what_is_staged_is_committed_at_the_end(tmp_path: Path) -> None:
    rig = CuratedRig(tmp_path)
    rig.remember("a fact")
    rig.stop()
    assert facts(rig) == ["a fact"]
    assert journal_lines(rig)[-1]["state"] == "committed"
    rig.start()
    rig.stop()
    assert facts(rig) == ["a fact"]


def killing(at: int) -> RecordingDisk:
    """A disk at whose call of that number the process ends."""
    calls = itertools.count(1)

    def before(_call: str, _data: bytes) -> None:
        if next(calls) == at:
            raise Killed

    return RecordingDisk(before=before)


def with_words_of_people(root: Path, disk: RecordingDisk) -> CuratedRig:
    rig = CuratedRig(root)
    rig.write_index("- of people\n")
    rig.stop()
    return CuratedRig(root, disk=disk)


def cut_short(root: Path, at: int, *, loses_power: bool) -> tuple[CuratedRig, list[str]]:
    """The life after one that ended at the disk's call of that number, and the facts that were said to be staged."""
    disk = killing(at)
    rig = with_words_of_people(root, disk)
    staged: list[str] = []
    try:
        for text in ("first fact", "second fact"):
            rig.answer(FactStaged, RememberFact, scope="global", text=text)
            staged.append(text)
        rig.flush()
    except Killed:
        disk.before = lambda _call, _data: None
    if loses_power:
        disk.lose_power()
    later = CuratedRig(root)
    later.settle(5)
    later.stop()
    return later, staged


def test_a_kill_at_any_call_of_the_disk_leaves_each_staged_fact_exactly_once(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for at in range(1, 50):
        with subtests.test(at=at):
            later, staged = cut_short(tmp_path / str(at), at, loses_power=False)
            found = facts(later)
            assert found.count("of people") == 1
            assert all(found.count(text) == 1 for text in staged)
            assert set(found) <= {"of people", "first fact", "second fact"}
            assert not staged or not read((later.folder / "writeback-journal.jsonl").read_bytes()).waiting


def test_a_power_loss_at_any_call_loses_no_fact_that_was_said_to_be_staged(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for at in range(1, 50, 3):
        with subtests.test(at=at):
            later, staged = cut_short(tmp_path / str(at), at, loses_power=True)
            assert facts(later).count("of people") == 1
            assert all(facts(later).count(text) == 1 for text in staged)


def test_a_rule_that_is_broken_rejects_one_and_not_the_others(tmp_path: Path) -> None:
    rig = CuratedRig(tmp_path)
    rig.write_index("")
    lines = [
        {"id": "a", "state": "staged", "at": "", "text": "good one", "section": "", "window": ""},
        {"id": "b", "state": "staged", "at": "", "text": "x" * 600, "section": "", "window": GENERAL.address.key},
        {"id": "c", "state": "staged", "at": "", "text": "good one", "section": "", "window": ""},
        {"id": "d", "state": "staged", "at": "", "text": "good two", "section": "", "window": ""},
    ]
    rig.write_index("".join(f"{json.dumps(line)}\n" for line in lines), "writeback-journal.jsonl")
    flushed = rig.answer(FactsFlushed, FlushFacts)
    assert [text for _, text in flushed.committed] == ["good one", "good two"]
    assert [each.reason.split(",")[0] for each in flushed.rejected] == [
        "the text has 600 characters",
        "the index has it already",
    ]
    assert facts(rig) == ["good one", "good two"]
    assert "writeback_rejected" in {each.kind for each in rig.answer(FaultsListed, ListFaults).faults}


def test_what_is_not_strict_is_noted_and_written_but_never_twice(tmp_path: Path) -> None:
    rig = CuratedRig(tmp_path)
    rig.write_index('{"strictWriteback": false}', "config.json")
    rig.write_index("- there already\n")
    staged = rig.answer(FactStaged, RememberFact, scope="global", text="there already")
    assert "has it already" in staged.note
    rig.answer(FactStaged, RememberFact, scope="global", text="x" * 600)
    flushed = rig.answer(FactsFlushed, FlushFacts)
    assert len(flushed.committed) == 2
    assert facts(rig) == ["there already", "x" * 600]


@pytest.mark.parametrize("words", ["the agent's own secret", "terces nwo s'tnega eht"])
def test_a_secret_of_the_agents_own_is_written_nowhere_strict_or_not(tmp_path: Path, words: str) -> None:
    rig = CuratedRig(tmp_path, secrets=frozenset({"the agent's own secret"}))
    rig.write_index('{"strictWriteback": false}', "config.json")
    assert "secret of the agent's own" in rig.refusal(RememberFact, scope="global", text=f"use {words}")
    line = {"id": "a", "state": "staged", "at": "", "text": words, "section": "", "window": ""}
    rig.write_index(f"{json.dumps(line)}\n", "writeback-journal.jsonl")
    assert rig.answer(FactsFlushed, FlushFacts).committed == ()


def test_a_journal_that_is_spoilt_loses_no_line_that_can_be_read(tmp_path: Path) -> None:
    rig = CuratedRig(tmp_path)
    rig.remember("a fact")
    path = rig.folder / "writeback-journal.jsonl"
    path.write_bytes(b"\xff\x00 no json\n" + path.read_bytes() + b'{"id": "torn')
    rig.remember("another fact")
    rig.flush()
    assert facts(rig) == ["a fact", "another fact"]


def test_a_journal_that_is_a_link_takes_nothing_and_says_so(tmp_path: Path) -> None:
    rig = CuratedRig(tmp_path)
    rig.write_index("- one\n")
    (tmp_path / "elsewhere").write_text("")
    (rig.folder / "writeback-journal.jsonl").symlink_to(tmp_path / "elsewhere")
    assert "link" in rig.refusal(RememberFact, scope="global", text="a fact")
    assert (tmp_path / "elsewhere").read_text() == ""


def test_so_many_wait_and_no_more(tmp_path: Path) -> None:
    rig = CuratedRig(tmp_path)
    lines = (
        {"id": str(n), "state": "staged", "at": "", "text": f"fact {n}", "section": "", "window": ""}
        for n in range(1000)
    )
    rig.write_index("".join(f"{json.dumps(line)}\n" for line in lines), "writeback-journal.jsonl")
    assert "1,000 facts wait already" in rig.refusal(RememberFact, scope="global", text="one more")
    assert len(rig.answer(FactsFlushed, FlushFacts).committed) == 1000


def test_a_private_windows_flush_is_denied(tmp_path: Path) -> None:
    rig = CuratedRig(tmp_path)
    rig.remember("a fact")
    assert rig.refusal(FlushFacts, PRIVATE).startswith("denied: ")
    assert facts(rig) == []


def ended_turn(text: str, window: Window = GENERAL) -> TurnEnded:
    event = LoggedEvent(
        id=EventId("e1"), kind="user", path="logs/x.md", line=1, at=ManualClock().now(), author="Ann", text=text
    )
    return TurnEnded(window=window, turn_id=TurnId("e1"), outcome="answered", events=(event,))


@pytest.mark.req("S1-80", "X-80", "S1-09")
def test_what_people_ask_to_keep_is_proposed_once_and_waits_for_a_person(tmp_path: Path) -> None:
    rig = CuratedRig(tmp_path, capture=True)
    said = ended_turn("Hello. Please remember that the demo is on Friday. Is it?")
    for _ in range(2):  # told at least once
        rig.system.tell(CURATED, said)
        rig.settle()
    status = rig.answer(CuratedDescribed, DescribeCurated).scopes[0]
    assert (status.waiting, status.proposed) == (0, 1)
    rig.stop()
    assert facts(rig) == []
    rig.start()
    assert facts(rig) == []
    assert rig.answer(FactsFlushed, FlushFacts).committed == (("global", "The demo is on Friday."),)


@pytest.mark.parametrize("window", [PRIVATE])
def test_nothing_is_proposed_where_nothing_may_be_written_or_nobody_wants_it(tmp_path: Path, window: Window) -> None:
    for rig in (CuratedRig(tmp_path / "a", capture=True), CuratedRig(tmp_path / "b")):
        said_in = window if rig.config.capture else GENERAL
        rig.system.tell(CURATED, ended_turn("Remember: the demo is on Friday", said_in))
        rig.settle()
        assert not rig.folder.exists()


def test_the_operator_flushes_every_scope(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    rig = CuratedRig(tmp_path, projects={"cli": tmp_path / "shop"})
    rig.answer(FactStaged, RememberFact, OPERATOR, scope="project", text="a fact")
    rig.answer(FactStaged, RememberFact, OPERATOR, scope="global", text="another fact")
    flushed = rig.answer(FactsFlushed, FlushFacts, OPERATOR)
    assert flushed.committed == (("global", "another fact"), ("project", "a fact"))


def test_flushes_that_come_together_are_both_answered_and_write_once(tmp_path: Path) -> None:
    rig = CuratedRig(tmp_path)
    rig.remember("a fact")
    for name in ("one", "two"):
        rig.system.tell(CURATED, FlushFacts(request_id=RequestId(name), reply_to=rig.asker.address, window=GENERAL))
    rig.settle()
    replies = [rig.asker.receive(0) for _ in range(2)]
    assert all(isinstance(reply, FactsFlushed) for reply in replies)
    assert facts(rig) == ["a fact"]
