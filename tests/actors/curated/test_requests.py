"""Single facts: written, refused, and never at anybody else's cost."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from domain.curated.document import parse_document
from messages.base import RequestId
from messages.curated import (
    CURATED,
    AddFact,
    ArchiveFact,
    ConfirmFact,
    FactWritten,
    FixFact,
    MoveFact,
    RemoveFact,
)
from messages.curated_view import FaultsListed, ListFaults, ListStale, StaleListed
from tests.actors.curated.rig import GENERAL, THREAD, CuratedRig

INDEX = "# Notes\n\n## Build\n\n- one is 1\n- two is 2\n\nprose of people\n"
TOKEN = "ghp_" + "a1B2" * 9


@pytest.fixture
def rig(tmp_path: Path) -> CuratedRig:
    (tmp_path / "shop").mkdir()
    made = CuratedRig(
        tmp_path, projects={GENERAL.id: tmp_path / "shop"}, secrets=frozenset({"our own very secret key"})
    )
    made.write_index(INDEX)
    return made


@pytest.mark.req("S1-20", "S1-21", "S1-23")
def test_a_first_fact_makes_the_folder_and_stands_below_a_heading(rig: CuratedRig, tmp_path: Path) -> None:
    memory = tmp_path / "shop" / ".pi" / "memory"
    assert not memory.exists()
    rig.answer(FactWritten, AddFact, scope="project", text="  - make   check\n")
    assert (memory / "MEMORY.md").read_text() == "## Remembered\n\n- make check\n"
    assert "MEMORY.local.md" in (memory / ".gitignore").read_text()


@pytest.mark.req("S1-07", "S1-34")
def test_agents_md_is_written_by_nothing(rig: CuratedRig, tmp_path: Path) -> None:
    for folder in (rig.folder, tmp_path / "shop"):
        (folder / "AGENTS.md").write_text("of people\n")
    rig.answer(FactWritten, AddFact, scope="project", text="a fact")
    rig.answer(FactWritten, ArchiveFact, scope="global", fact="two is 2")
    for name in (
        "AGENTS.md",
        "agents.md",
        "CLAUDE.md",
        "MEMORY.md",
        "../AGENTS.md",
        "archive/x.md",
        "a.txt",
        ".x.md",
        "",
    ):
        reason = rig.refusal(MoveFact, scope="global", fact="one is 1", topic=name, title="T", gist="g")
        assert "must be a name such as build.md" in reason
    hashes = {hashlib.sha256(path.read_bytes()).hexdigest() for path in tmp_path.rglob("AGENTS.md")}
    assert hashes == {hashlib.sha256(b"of people\n").hexdigest()}


@pytest.mark.req("X-132")
@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("", "the text is empty"),
        (" - ", "the text is empty"),
        ("x" * 501, "at most 500"),
        ("a\x1b[31mred", "invisible characters"),
        ("a\u202ereversed", "invisible characters"),
        ("hidden <!-- from people", "comment mark"),
        (f"the token is {TOKEN}", "looks like a secret"),
        ("password: hunter2", "looks like a secret"),
        ("call it with our own very secret key", "secret of the agent's own"),
    ],
)
def test_what_breaks_a_rule_is_refused_by_its_rule_and_nothing_is_written(
    rig: CuratedRig, tmp_path: Path, text: str, rule: str
) -> None:
    assert rule in rig.refusal(AddFact, scope="project", text=text)
    assert not (tmp_path / "shop" / ".pi" / "memory" / "MEMORY.md").exists()
    assert rule in rig.answer(FaultsListed, ListFaults).faults[-1].detail


@pytest.mark.parametrize("where", ["section", "fix", "title", "gist"])
def test_a_secret_gets_into_a_projects_memory_by_no_other_way(rig: CuratedRig, tmp_path: Path, where: str) -> None:
    rig.answer(FactWritten, AddFact, scope="project", text="a fact")
    match where:
        case "section":
            reason = rig.refusal(AddFact, scope="project", text="another", section=TOKEN)
        case "fix":
            reason = rig.refusal(FixFact, scope="project", fact="a fact", text=TOKEN)
        case _:
            fields: dict[str, Any] = {"title": "T", "gist": "g", where: TOKEN}
            reason = rig.refusal(MoveFact, scope="project", fact="a fact", topic="t.md", **fields)
    assert "looks like a secret" in reason
    files = [path.read_text() for path in (tmp_path / "shop").rglob("*") if path.is_file()]
    assert not any(TOKEN in text for text in files)


def test_faults_of_one_window_are_not_told_in_another(rig: CuratedRig) -> None:
    rig.refusal(AddFact, GENERAL, scope="global", text="")
    assert rig.answer(FaultsListed, ListFaults, GENERAL).faults[-1].kind == "writeback_rejected"
    assert "writeback_rejected" not in {each.kind for each in rig.answer(FaultsListed, ListFaults, THREAD).faults}


@pytest.mark.req("S1-38")
def test_what_the_index_has_already_is_refused(rig: CuratedRig) -> None:
    assert "has it already" in rig.refusal(AddFact, scope="global", text="one is 1")
    assert "has it already" in rig.refusal(FixFact, scope="global", fact="one is 1", text="two is 2")
    assert rig.index() == INDEX


@pytest.mark.parametrize(
    ("fact", "rule"), [("is", "2 facts have these words"), ("three", "no fact has these words"), ("", "no words")]
)
def test_a_fact_that_is_not_clear_is_not_changed(rig: CuratedRig, fact: str, rule: str) -> None:
    for kind in (RemoveFact, ArchiveFact):
        assert rule in rig.refusal(kind, scope="global", fact=fact)
    assert rig.index() == INDEX
    assert not (rig.folder / "archive").exists()


def test_a_fact_can_be_named_by_its_id(rig: CuratedRig) -> None:
    page = parse_document(INDEX.encode()).facts[1]
    assert rig.answer(FactWritten, RemoveFact, scope="global", fact=page.id).text == "two is 2"


@pytest.mark.req("S1-39", "X-75")
def test_what_is_wrong_goes_and_what_is_stale_is_kept_in_the_archive(rig: CuratedRig) -> None:
    rig.answer(FactWritten, RemoveFact, scope="global", fact="one is 1")
    archived = rig.answer(FactWritten, ArchiveFact, scope="global", fact="two is 2")
    assert (archived.text, archived.path) == ("two is 2", str(rig.folder / "archive" / "MEMORY.md"))
    assert rig.index() == "# Notes\n\n## Build\n\nprose of people\n"
    assert (rig.folder / "archive" / "MEMORY.md").read_text() == "## Build\n\n- two is 2\n"


@pytest.mark.req("S1-22", "S1-81")
def test_a_fact_that_has_grown_moves_to_a_topic_file_and_leaves_a_pointer(rig: CuratedRig) -> None:
    moved = rig.answer(
        FactWritten, MoveFact, scope="global", fact="one", topic="one.md", title="One", gist="what one is"
    )
    assert moved.path == str(rig.folder / "one.md")
    assert "- [One](one.md) — what one is\n" in rig.index()
    assert (rig.folder / "one.md").read_text() == "## Build\n\n- one is 1\n"
    (pointer,) = [page for page in parse_document(rig.index().encode()).facts if page.target]
    assert pointer.target == "one.md"


def test_an_archive_that_is_a_link_is_not_written_through(rig: CuratedRig, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (rig.folder / "archive").symlink_to(tmp_path / "elsewhere")
    assert "is a link or not a folder" in rig.refusal(ArchiveFact, scope="global", fact="one is 1")
    assert rig.index() == INDEX
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_an_index_that_is_a_link_is_not_written_through(rig: CuratedRig, tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("- of somebody else\n")
    (rig.folder / "MEMORY.md").unlink()
    (rig.folder / "MEMORY.md").symlink_to(target)
    rig.refusal(AddFact, scope="global", text="a fact")
    assert target.read_text() == "- of somebody else\n"


def test_a_repository_with_a_link_for_its_folder_gets_no_memory(rig: CuratedRig, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "shop" / ".pi").symlink_to(tmp_path / "elsewhere")
    assert "a link" in rig.refusal(AddFact, scope="project", text="a fact")
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_repository_that_is_gone_is_not_made(rig: CuratedRig, tmp_path: Path) -> None:
    (tmp_path / "shop").rmdir()
    assert "this repository does not exist" in rig.refusal(AddFact, scope="project", text="a fact")
    assert not (tmp_path / "shop").exists()


@pytest.mark.req("S1-45", "S1-47", "S1-65")
def test_writes_of_several_windows_at_once_all_come_about(rig: CuratedRig) -> None:
    for number in range(50):
        request_id = f"many{number}"
        window = (GENERAL, THREAD)[number % 2]
        message = AddFact(
            request_id=RequestId(request_id),
            reply_to=rig.asker.address,
            window=window,
            scope="global",
            text=f"fact {number}",
        )
        rig.system.tell(CURATED, message)
    rig.settle(5)
    replies = [rig.asker.receive(0) for _ in range(50)]
    assert all(isinstance(reply, FactWritten) for reply in replies)
    assert [page.text for page in parse_document(rig.index().encode()).facts].count("fact 7") == 1
    assert len(parse_document(rig.index().encode()).facts) == 52
    assert "prose of people" in rig.index()


def test_a_persons_edit_in_the_middle_of_a_write_is_kept(rig: CuratedRig) -> None:
    message = AddFact(
        request_id=RequestId("r"), reply_to=rig.asker.address, window=GENERAL, scope="global", text="of the agent"
    )
    rig.system.tell(CURATED, message)
    rig.system.run()
    for number in range(12):
        rig.clock.advance(0.05)
        rig.system.run()
        text = rig.index()
        rig.write_index(f"{text}- of a person {number}\n")
    rig.settle()
    facts = [page.text for page in parse_document(rig.index().encode()).facts]
    assert facts.count("of the agent") == 1
    assert all(facts.count(f"of a person {number}") == 1 for number in range(12))


@pytest.mark.req("S1-10", "S1-83")
def test_dates_are_written_where_wanted_and_old_facts_are_suggested_and_stay(tmp_path: Path) -> None:
    rig = CuratedRig(tmp_path, dates=True, stale_days=30)
    rig.write_index("## A\n\n- old <!-- confirmed 2025-01-01 -->\n- no date\n")
    rig.answer(FactWritten, AddFact, scope="global", text="new", section="A")
    assert "- new <!-- confirmed 2026-01-30 -->" in rig.index()
    listed = rig.answer(StaleListed, ListStale)
    assert ([(scope, age, page.text) for scope, age, page in listed.facts], listed.undated) == (
        [("global", 394, "old")],
        1,
    )
    rig.answer(FactWritten, ConfirmFact, scope="global", fact="old")
    assert rig.answer(StaleListed, ListStale).facts == ()
    assert "- old <!-- confirmed 2026-01-30 -->" in rig.index()


def test_without_dates_nothing_is_confirmed_and_none_is_written(rig: CuratedRig) -> None:
    assert "curated.dates is off" in rig.refusal(ConfirmFact, scope="global", fact="one is 1")
    assert rig.index() == INDEX


@pytest.mark.req("X-206")
@pytest.mark.parametrize("name", ["utf-16", "utf-16-le", "latin-1"])
def test_an_index_that_is_not_in_utf_8_is_not_written(rig: CuratedRig, name: str) -> None:
    path = rig.folder / "MEMORY.md"
    path.write_bytes("# Café\r\n- one is 1\r\n".encode(name))
    before = path.read_bytes()

    assert "save it in UTF-8" in rig.refusal(AddFact, scope="global", text="two is 2")
    assert path.read_bytes() == before
