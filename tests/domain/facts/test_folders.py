from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.facts.folders import (
    MOST_BYTES,
    Place,
    conversation_of,
    deleted_path,
    file_name,
    folder_of,
    path_of,
    place_of,
    summary_path,
)
from messages.facts import EntryRole

AT = datetime(2026, 11, 26, 12, 30, 1, 23, UTC)
NASTY = [
    "",
    ".",
    "..",
    "...",
    "deleted",
    "a/b",
    "../../etc/passwd",
    "a\0b",
    "A",
    "a",
    "%41",
    "%",
    "~",
    "é",
    "a b",
    "con",
    "x" * 300,
]


@given(st.one_of(st.text(), st.sampled_from(NASTY)))
def test_a_folder_is_one_safe_name(conversation: str) -> None:
    name = folder_of(conversation)

    assert "/" not in name
    assert "\0" not in name
    assert not name.startswith(".")
    assert name not in ("", "deleted")
    assert len(name.encode()) <= MOST_BYTES


@given(st.one_of(st.text(max_size=40), st.sampled_from(NASTY)), st.one_of(st.text(max_size=40), st.sampled_from(NASTY)))
def test_two_conversations_never_share_a_folder(one: str, other: str) -> None:
    assert (folder_of(one) == folder_of(other)) == (one == other)


@given(st.text(max_size=20))
def test_a_folder_says_which_conversation_it_is(conversation: str) -> None:
    assert conversation_of(folder_of(conversation)) == conversation


def test_long_ids_that_begin_alike_have_folders_of_their_own() -> None:
    assert folder_of("x" * 400 + "a") != folder_of("x" * 400 + "b")


@given(st.text(st.one_of(st.characters(), st.characters(categories=["Cs"])), max_size=20))
def test_a_conversation_that_utf_8_cannot_hold_has_a_folder_too_but_is_named_as_one_that_it_can(name: str) -> None:
    assert folder_of(name).isascii()
    assert conversation_of(folder_of(name)) in (name, folder_of(name))
    conversation_of(folder_of(name)).encode()


@given(st.text(min_size=1).filter(lambda folder: folder != "%"))
def test_any_folder_names_a_conversation(folder: str) -> None:
    assert conversation_of(folder)


def test_a_folder_that_somebody_made_by_hand_is_named_as_it_stands(subtests: pytest.Subtests) -> None:
    cases: list[str] = ["Müller", "a%zz", "%41lice", "a~b", "%C3", "%ED%A0%80", "日本", "Ã©", "a%2fb"]
    for folder in cases:
        with subtests.test(folder=folder):
            assert conversation_of(folder) == folder


@pytest.mark.req("S2-16", "S2-17", "S2-18")
def test_files_lie_where_their_role_says_and_are_named_by_time_and_id() -> None:
    name = "2026-11-26T12-30-01.000023Z__abc.md"

    assert path_of("c", EntryRole.MEMORY, AT, "abc") == f"entries/c/facts/{name}"
    assert path_of("c", EntryRole.USER, AT, "abc") == f"entries/c/turns/user/{name}"
    assert path_of("c", EntryRole.ASSISTANT, AT, "abc") == f"entries/c/turns/assistant/{name}"


def test_names_sort_as_their_times_do() -> None:
    times = [datetime(1, 1, 1, tzinfo=UTC), datetime(999, 1, 1, tzinfo=UTC)]
    times += [AT + timedelta(microseconds=step**3) for step in range(50)]

    assert [file_name(at, "x") for at in times] == sorted(file_name(at, "x") for at in times)


def test_an_id_that_somebody_wrote_leads_nowhere_else() -> None:
    assert "/" not in file_name(AT, "../../x")


@pytest.mark.req("S2-19", "S2-20", "S2-21")
def test_summaries_lie_in_three_levels() -> None:
    assert summary_path("c", "L1", 2) == "entries/c/summaries/L1/chunk_2.md"
    assert summary_path("c", "L2", 1) == "entries/c/summaries/L2/group_1.md"
    assert summary_path("c", "L3") == "entries/c/summaries/L3/final.md"


def test_a_path_says_what_lies_there(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, Place]] = [
        ("entries/c/facts/x.md", Place("c", "facts", "x.md", is_deleted=False)),
        ("entries/c/turns/user/x.md", Place("c", "turns/user", "x.md", is_deleted=False)),
        ("entries/c/summaries/L1/chunk_0.md", Place("c", "summaries", "chunk_0.md", False, "L1")),
        ("entries/c/summaries/L3/final.md", Place("c", "summaries", "final.md", False, "L3")),
        ("entries/c/summary.md", Place("c", "summaries", "summary.md", False, "summary")),
        ("entries/c/deleted/facts/x.md", Place("c", "facts", "x.md", is_deleted=True)),
        ("entries/deleted/c/facts/x.md", Place("c", "facts", "x.md", is_deleted=True)),
        ("entries/c/deleted/summaries/L2/group_0.md", Place("c", "summaries", "group_0.md", True, "L2")),
    ]
    for path, place in cases:
        with subtests.test(path=path, place=place):
            assert place_of(path) == place


def test_what_lies_elsewhere_is_no_entry(subtests: pytest.Subtests) -> None:
    cases: list[str] = [
        "entries/c/facts/x.txt",
        "entries/c/facts/.x.md",
        "entries/c/x.md",
        "entries/x.md",
        "entries/c/facts/../x.md",
        "entries/../c/facts/x.md",
        "entries/.git/facts/x.md",
        "other/c/facts/x.md",
        "entries/c/summaries/L1/other.md",
        "entries//facts/x.md",
        "entries/c/facts/deep/x.md",
        "entries/c/facts/x.md~",
        "entries/c/facts/x.md.tmp",
        "entries/c/facts/\udcff.md",
        "entries/c/summaries/L4/x.md",
        "entries/deleted/facts/x.md",
        "entries/deleted/summary.md",
        "/entries/c/facts/x.md",
        "",
    ]
    for path in cases:
        with subtests.test(path=path):
            assert place_of(path) is None


@pytest.mark.req("S2-22", "X-93")
@pytest.mark.parametrize("rest", ["facts/x.md", "turns/user/x.md", "summaries/L1/chunk_0.md"])
def test_the_deleted_lie_in_a_folder_of_their_conversation(rest: str) -> None:
    assert deleted_path(f"entries/c/{rest}") == f"entries/c/deleted/{rest}"


@pytest.mark.parametrize("path", ["entries/c/deleted/facts/x.md", "entries/deleted/c/facts/x.md"])
def test_what_is_deleted_already_stays_where_it_is(path: str) -> None:
    assert deleted_path(path) == path


@given(st.text(), st.sampled_from([EntryRole.MEMORY, EntryRole.USER, EntryRole.ASSISTANT]), st.text())
def test_a_path_that_was_made_is_the_place_that_it_says(conversation: str, role: EntryRole, entry_id: str) -> None:
    path = path_of(folder_of(conversation), role, AT, entry_id)
    place, tombstone = place_of(path), place_of(deleted_path(path))

    assert place is not None
    assert (place.folder, place.is_deleted) == (folder_of(conversation), False)
    assert tombstone == replace(place, is_deleted=True)
