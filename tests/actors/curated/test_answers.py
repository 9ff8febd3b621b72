"""Answers about the memory: status, pages, faults, recall."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from messages.base import RequestId
from messages.curated import CURATED
from messages.curated_view import (
    CuratedDescribed,
    DescribeCurated,
    FactsRecalled,
    FaultsListed,
    ListFaults,
    ListPages,
    PagesListed,
    RecallFacts,
)
from messages.status import DescribeYourself, SelfDescription
from tests.actors.curated.rig import GENERAL, CuratedRig

INDEX = "## Build\n\n- make check runs all tests\n- [Quirks](quirks.md) — sccache\n- [Gone](gone.md) — lost\n- twice\n- twice\n"


@pytest.fixture
def rig(tmp_path: Path) -> CuratedRig:
    (tmp_path / "shop").mkdir()
    made = CuratedRig(tmp_path, projects={GENERAL.id: tmp_path / "shop"})
    made.write_index(INDEX)
    made.write_index("- sccache breaks -Werror on Tuesdays\n", "quirks.md")
    return made


@pytest.mark.req("S1-49", "S1-13")
def test_the_status_has_files_sizes_injected_bytes_table_trust_and_paths(rig: CuratedRig, tmp_path: Path) -> None:
    status = rig.answer(CuratedDescribed, DescribeCurated)
    everywhere, project = status.scopes
    assert everywhere.folder == str(rig.folder)
    assert project.folder == str(tmp_path / "shop" / ".pi" / "memory")
    assert {file.name: file.bytes for file in everywhere.files} == {"MEMORY.md": len(INDEX.encode()), "quirks.md": 37}
    assert everywhere.injected_bytes == everywhere.index_bytes == len(INDEX.encode())
    assert (everywhere.table, everywhere.trust, project.trust) == ("missing", "own", "trusted")
    assert (everywhere.exists, project.exists) == (True, False)


def test_the_status_has_what_waits_and_what_is_wrong_with_a_config(rig: CuratedRig) -> None:
    rig.remember("Tea at four")
    rig.write_index('{"enabled": "yes"}', "config.json")
    everywhere, _ = rig.answer(CuratedDescribed, DescribeCurated).scopes
    assert everywhere.waiting_facts == ("staged: Tea at four",)
    assert everywhere.notes == ('config.json: enabled "yes": must be true or false',)


@pytest.mark.req("S1-50", "S1-81")
def test_pages_come_from_the_index_and_the_topic_files(rig: CuratedRig) -> None:
    (scope, _) = rig.answer(PagesListed, ListPages).scopes
    assert [(page.file, page.kind) for page in scope.pages] == [
        ("MEMORY.md", "section"),
        ("MEMORY.md", "fact"),
        ("MEMORY.md", "pointer"),
        ("MEMORY.md", "pointer"),
        ("MEMORY.md", "fact"),
        ("MEMORY.md", "fact"),
        ("quirks.md", "fact"),
    ]
    assert scope.table == "missing"


@pytest.mark.req("S1-54")
def test_pointers_to_nothing_and_facts_that_stand_twice_are_faults(rig: CuratedRig) -> None:
    faults = rig.answer(FaultsListed, ListFaults).faults
    assert [each.detail for each in faults if each.kind == "missing_topic"] == [
        "line 5 points to gone.md, which is not there"
    ]
    assert [each.detail for each in faults if each.kind == "duplicate"] == ["line 7 says again: twice"]


def code(rig: CuratedRig, query: str, **fields: Any) -> str:
    return rig.answer(FactsRecalled, RecallFacts, query=query, **fields).code


@pytest.mark.req("S1-79", "S1-08", "S1-12")
def test_a_recall_has_one_of_six_codes(rig: CuratedRig, tmp_path: Path) -> None:
    found = rig.answer(FactsRecalled, RecallFacts, query="How do I run the tests?")
    assert (found.code, found.facts[0][1].text) == ("ok", "make check runs all tests")
    assert rig.answer(FactsRecalled, RecallFacts, query="werror tuesday").facts[0][1].file == "quirks.md"
    assert code(rig, "zebra") == "no_match"
    assert [code(rig, query) for query in ("", "?!", "x" * 1001)] == ["malformed"] * 3
    assert code(rig, "tests", scope="both") == "malformed"
    assert code(rig, "tests", scope="project") == "unavailable"
    stranger = CuratedRig(tmp_path / "b", projects={GENERAL.id: tmp_path / "shop"}, trusted=False)
    assert code(stranger, "tests", scope="project") == "denied"
    assert code(CuratedRig(tmp_path / "c"), "tests") == "unavailable"
    (rig.folder / "MEMORY.md").unlink()
    os.mkfifo(rig.folder / "MEMORY.md")
    assert code(rig, "tests") == "backend_error"


def test_it_describes_itself_and_only_the_operator_is_told_where_it_lies(rig: CuratedRig) -> None:
    asked = DescribeYourself(request_id=RequestId("r"), reply_to=rig.asker.address)
    rig.system.tell(CURATED, asked)
    rig.settle()
    told = rig.asker.receive(0)
    assert isinstance(told, SelfDescription)
    assert ("projects", 1) in told.figures
    assert str(rig.folder) not in str(told.figures)
    assert ("folder", str(rig.folder)) in told.operator_figures
