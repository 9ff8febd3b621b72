from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given

from domain.workspace.files.memory_file import (
    MEMORY_TEMPLATE,
    SWEEP_CHARS,
    MemoryEntry,
    append_entries,
    constraints_of,
    decisions_of,
    entries_of,
    mark_of,
    sweep_is_due,
    with_block,
)
from domain.workspace.files.wording import same_words
from tests.domain.workspace.files.memories import entries, files
from tests.domain.workspace.spoken import AT


def headings(data: bytes) -> list[str]:
    return [line.removeprefix("## ") for line in data.decode().splitlines() if line.startswith("## ")]


@pytest.mark.req("S4-53", "S4-54", "S4-55", "S4-56", "S4-150", "S4-163")
def test_the_template_has_the_six_sections_in_order_and_no_entry() -> None:
    assert headings(MEMORY_TEMPLATE) == [
        "Identity / Participants",
        "Preferences",
        "Ongoing Work",
        "Constraints",
        "Decisions",
        "Open Loops",
    ]
    assert entries_of(MEMORY_TEMPLATE) == ()
    assert MEMORY_TEMPLATE.count(b"<!-- ") == 6


def test_entries_are_added_in_one_block_with_their_marks() -> None:
    at = datetime(2026, 11, 22, 17, 20, tzinfo=timezone(timedelta(hours=1)))
    new = [MemoryEntry("Constraints", "ask Kim first"), MemoryEntry("Decisions", "a boat it is")]

    new_data = append_entries(b"# Memory\n- by hand", new, at, "s1")

    assert new_data.decode() == (
        "# Memory\n- by hand\n\n## Update 2026-11-22T16:20:00Z\n"
        f"- Constraints: ask Kim first <!-- m:{mark_of('s1', 'ask Kim first')} -->\n"
        f"- Decisions: a boat it is <!-- m:{mark_of('s1', 'a boat it is')} -->\n"
    )


@pytest.mark.req("S4-23", "S4-60", "S4-101", "S4-141", "S4-153", "S4-159", "S4-109", "S4-102", "S4-125")
@given(files, entries)
def test_what_stood_there_is_a_prefix_and_a_second_time_adds_nothing(data: bytes, new: list[MemoryEntry]) -> None:
    new_data = append_entries(data, new, AT, "s1")

    assert new_data.startswith(data or b"")
    assert append_entries(new_data, new, AT + timedelta(hours=1), "s1") == new_data
    assert append_entries(new_data, new, AT, "s2") == new_data, "by its words"
    assert {same_words(entry.text) for entry in new} <= {same_words(entry.text) for entry in entries_of(new_data)} | (
        {same_words(entry.text) for entry in new} if new_data == data else set()
    )


def test_a_file_that_is_empty_begins_with_the_template_and_nothing_to_add_changes_nothing() -> None:
    assert append_entries(b"", [MemoryEntry("Decisions", "x")], AT, "s").startswith(MEMORY_TEMPLATE)
    assert append_entries(b"", [], AT, "s") == b""


@pytest.mark.req("S4-149")
def test_what_was_added_once_is_not_added_again_though_somebody_changed_its_words() -> None:
    new_data = append_entries(MEMORY_TEMPLATE, [MemoryEntry("Decisions", "a boat it is")], AT, "s1")
    edited = new_data.replace(b"a boat it is", b"a small boat")

    assert append_entries(edited, [MemoryEntry("Decisions", "A boat it is.")], AT, "s1") == edited


def test_an_entry_that_the_file_could_not_hold_is_refused(subtests: pytest.Subtests) -> None:
    for entry, rule in [
        (MemoryEntry("Facts", "x"), "section 'Facts': must be one of"),
        (MemoryEntry("Decisions", ""), "must have words in one line"),
        (MemoryEntry("Decisions", "…"), "must have words in one line"),
        (MemoryEntry("Decisions", "- x"), "must have words in one line"),
        (MemoryEntry("Decisions", "a\n## Constraints"), "must have words in one line"),
    ]:
        with subtests.test(entry=entry, rule=rule), pytest.raises(ValueError, match=rule):
            append_entries(b"", [entry], AT, "s")


def test_entries_have_the_section_that_their_label_or_their_heading_says() -> None:
    data = (
        b"- above\n## constraints:\n- ask Kim\n\nPay in cash.\n## Mine\n- Constraints: of mine\n"
        b"## Update 2026-01-01T00:00:00Z\n- Constraints: no sails <!-- m:0123456789ab -->\n- decisions: a boat\n- loose\n"
    )

    assert [(entry.section, entry.text, entry.mark) for entry in entries_of(data)] == [
        ("", "above", ""),
        ("Constraints", "ask Kim", ""),
        ("Mine", "Constraints: of mine", ""),
        ("Constraints", "no sails", "0123456789ab"),
        ("Decisions", "a boat", ""),
        ("Update 2026-01-01T00:00:00Z", "loose", ""),
    ]
    assert constraints_of(data) == ("ask Kim", "Pay in cash.", "no sails")
    assert decisions_of(data) == ("a boat",)


def with_updates(count: int, data: bytes = MEMORY_TEMPLATE, *, chars: int = 10) -> bytes:
    for number in range(count):
        data = append_entries(data, [MemoryEntry("Decisions", f"{number} " + "x" * chars)], AT, f"s{number}")
    return data


def test_a_sweep_is_due_after_four_blocks_or_five_thousand_characters() -> None:
    assert not sweep_is_due(with_updates(3))
    assert sweep_is_due(with_updates(4))
    assert sweep_is_due(with_updates(1, chars=5_000))
    assert not sweep_is_due(MEMORY_TEMPLATE + b"x" * 6_000), "nothing was added that could be tidied"


def test_utc_is_what_headings_have() -> None:
    new_data = append_entries(b"", [MemoryEntry("Decisions", "x")], datetime(2026, 3, 1, tzinfo=UTC), "s")

    assert "Update 2026-03-01T00:00:00Z" in headings(new_data)


def test_a_sweep_is_due_at_five_thousand_characters_exactly() -> None:
    data = with_updates(1)

    assert not sweep_is_due(data + b"x" * (SWEEP_CHARS - 1 - len(data)))
    assert sweep_is_due(data + b"x" * (SWEEP_CHARS - len(data)))


def test_of_entries_that_say_the_same_one_is_added() -> None:
    new_data = append_entries(b"", [MemoryEntry("Decisions", "a boat"), MemoryEntry("Open Loops", "A boat!")], AT, "s")

    assert [entry.text for entry in entries_of(new_data)] == ["a boat"]


def test_a_block_has_one_empty_line_before_it() -> None:
    assert with_block(b"", ["x"]) == b"x\n"
    assert with_block(b"a", ["x"]) == b"a\n\nx\n"
    assert with_block(b"a\n", ["x"]) == b"a\n\nx\n"
    assert with_block(b"a\n\n", ["x"]) == b"a\n\nx\n"
    assert with_block(b"a\r\n\r\n", ["x"]) == b"a\r\n\r\nx\r\n"


def test_what_is_no_bullet_holds_too_at_any_level(subtests: pytest.Subtests) -> None:
    for find in [constraints_of, decisions_of]:
        with subtests.test(find=find):
            title = "Constraints" if find is constraints_of else "Decisions"

            assert find(f"# X\n### {title}\nthe boat\nstays blue\n\n- and dry\n## Y\n- z\n".encode()) == (
                "the boat stays blue",
                "and dry",
            )
