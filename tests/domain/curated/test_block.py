from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.curated.block import READ_ONLY, ScopeBlock, block, plain_index, shown_index
from domain.curated.page import Scope
from domain.text.imitation import imitates
from tests.domain.curated.files import anything

HOME = ScopeBlock(Scope.GLOBAL, "/home/anna/.pi/agent/memory", may_write=True, index="## A\n- global fact\n")
REPO = ScopeBlock(Scope.PROJECT, "/srv/repo/.pi/memory", may_write=True, index="## B\n- project fact\n")
BOTH = block([HOME, REPO])
WORDS = " ".join(BOTH.split())
INDEXES = anything.map(lambda data: shown_index(plain_index(data)))


@pytest.mark.req("S1-33", "S1-43")
def test_headings_are_those_of_the_source() -> None:
    lines = BOTH.split("\n")

    assert lines[0] == "## Persistent memory"
    assert lines[lines.index("### Global MEMORY.md") + 1] == "## A"
    assert lines[lines.index("### Project MEMORY.md  (.pi/memory/MEMORY.md)") + 1] == "## B"


@pytest.mark.req("S1-26")
def test_the_preamble_comes_before_the_global_index_and_that_before_the_projects() -> None:
    places = [
        BOTH.index(words)
        for words in ("## Persistent", "When you learn", "### Global", "global fact", "### Project", "project fact")
    ]
    assert places == sorted(places)


@pytest.mark.req("S1-34")
def test_memory_is_apart_from_what_people_write_for_agents() -> None:
    assert "They are separate from AGENTS.md, which is people's: never write memory there." in WORDS


@pytest.mark.req("S1-18", "S1-35")
def test_both_paths_are_named_with_what_they_mean() -> None:
    assert "- Global memory (this user, all projects): /home/anna/.pi/agent/memory/" in BOTH
    assert "- Project memory (committed to the repo, shared with the team): /srv/repo/.pi/memory/" in BOTH
    assert "Project memory is read by your teammates in version control" in WORDS


@pytest.mark.req("S1-36")
def test_each_scope_has_an_index_that_is_shown_and_topic_files_to_read() -> None:
    assert (
        "Each scope has an index, MEMORY.md (shown below once it has something in it), and topic files beside it"
        in WORDS
    )
    assert "read a topic file with bash when it is relevant" in WORDS


@pytest.mark.req("S1-37")
def test_what_is_durable_is_to_be_saved(subtests: pytest.Subtests) -> None:
    for what in [
        "a correction from the user",
        "a build/test command",
        "a non-obvious constraint",
        "a decision and its rationale",
    ]:
        with subtests.test(what=what):
            assert "When you learn something durable, save it" in WORDS
            assert what in WORDS


@pytest.mark.req("S1-22", "S1-38", "S1-39", "S1-40", "S1-41", "S1-42", "S1-64", "X-75")
def test_the_rules_are_those_of_the_source(subtests: pytest.Subtests) -> None:
    for rule in [
        "Check the index first: update an existing entry rather than adding a duplicate.",
        "Delete entries that turn out to be wrong; move those that are merely stale to archive/.",
        "Keep the index to one line per fact below `##` headings; put detail in topic files",
        "Project memory is read by your teammates in version control: factual, professional, no secrets.",
        "Don't save what the repo records anyway (code, git history, AGENTS.md).",
        "leave a line that points there: `- [Title](file.md) — gist`",
    ]:
        with subtests.test(rule=rule):
            assert rule in WORDS


@pytest.mark.req("S1-47")
def test_nothing_asks_for_a_new_whole_index() -> None:
    assert "Add, fix or move single entries." in WORDS
    assert not any(word in BOTH.casefold() for word in ("rewrite", "summar", "condense", "consolidate", "from scratch"))


@given(INDEXES, st.booleans(), st.booleans())
@pytest.mark.req("S1-29", "S1-61")
def test_without_a_project_none_is_mentioned(index: str, may_write: bool, may_run: bool) -> None:
    text = block([ScopeBlock(Scope.GLOBAL, "/m", may_write, index)], may_run=may_run)
    frame = block([ScopeBlock(Scope.GLOBAL, "/m", may_write, "")], may_run=may_run)

    assert text.startswith(frame)
    assert "project memory" not in frame.casefold()
    assert "Project" not in frame
    assert ".pi/memory" not in frame


@given(INDEXES, INDEXES)
@pytest.mark.req("S1-31")
def test_the_same_files_give_the_same_block(one: str, other: str) -> None:
    scopes = [ScopeBlock(Scope.GLOBAL, "/m", True, one), ScopeBlock(Scope.PROJECT, "/p", True, other)]

    assert block(scopes) == block(list(scopes))
    assert one.rstrip("\n") in block(scopes)
    assert other.rstrip("\n") in block(scopes)
    assert not block(scopes).endswith("\n")


@pytest.mark.req("S1-63")
def test_without_files_there_is_the_preamble_alone() -> None:
    text = block([ScopeBlock(Scope.GLOBAL, "/m", True, ""), ScopeBlock(Scope.PROJECT, "/p", True, "")])

    assert text.startswith("## Persistent memory\n")
    assert "When you learn something durable" in text
    assert "###" not in text


def test_who_may_not_write_or_run_is_not_asked_to() -> None:
    reader = ScopeBlock(Scope.GLOBAL, "/m", False, "- a\n")

    assert "When you learn" not in block([reader])
    assert READ_ONLY in block([reader])
    assert "When you learn" not in block([HOME], may_run=False)
    assert READ_ONLY not in BOTH


def test_personal_notes_stand_behind_the_index_of_their_project() -> None:
    text = block([HOME, ScopeBlock(Scope.PROJECT, "/p", True, "- a\n", "- mine\n")])

    assert text.endswith("- a\n\n### Project MEMORY.local.md  (.pi/memory/MEMORY.local.md)\n- mine")


@given(anything)
def test_an_index_is_shown_as_valid_text_that_imitates_nothing(data: bytes) -> None:
    text = shown_index(plain_index(data))

    assert text.encode().decode() == text
    assert "\0" not in text
    assert [line for line in text.splitlines() if imitates(line)] == []


@given(anything)
def test_an_index_of_plain_text_is_shown_as_it_is(data: bytes) -> None:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return
    if "\0" not in text and not any(map(imitates, text.splitlines())) and not text.startswith("\ufeff"):
        assert shown_index(plain_index(data)) == text


def test_a_byte_order_mark_is_no_part_of_what_is_shown() -> None:
    assert shown_index(plain_index(b"\xef\xbb\xbf- a\n")) == "- a\n"


def test_lines_that_pass_for_the_runtimes_are_marked() -> None:
    assert shown_index("- a\ninjected context\n") == "- a\n> injected context\n"
