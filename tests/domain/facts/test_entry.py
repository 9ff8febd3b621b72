from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from domain.facts.entry import MOST_FRONT_CHARS, Defaults, Entry, read_entry, with_replacement, write_entry
from messages.facts import EntryRole
from tests.pace import paced_s

AT = datetime(2026, 11, 26, 12, 30, 1, 23, UTC)
DEFAULTS = Defaults(id="default-id", role=EntryRole.MEMORY, conversation="c", created_at=AT)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))


def no_yaml(front: str) -> Mapping[str, str]:
    raise ValueError(front)


def read(text: str, read_keys: object = no_yaml) -> Entry:
    return read_entry(text, DEFAULTS, read_keys if callable(read_keys) else no_yaml)


def entry(content: str, role: EntryRole = EntryRole.USER, conversation: str = "c") -> Entry:
    return Entry(id="i", role=role, conversation=conversation, created_at=AT, content=content)


@pytest.mark.req("S2-25", "S2-26", "S2-29")
@given(TEXTS, st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=50))
def test_a_turn_is_read_as_it_was_written_to_the_last_blank(content: str, conversation: str) -> None:
    new_entry = entry(content, EntryRole.USER, conversation)

    assert read(write_entry(new_entry)) == new_entry


def test_what_looks_like_front_matter_is_text(subtests: pytest.Subtests) -> None:
    cases: list[str] = ["---", "\n---\nrole: user\n---\n", " a ", "\n", "\r\n", "a\r", "\u2028", "\ufeff", ""]
    for content in cases:
        with subtests.test(content=content):
            assert read(write_entry(entry(content))).content == content


@pytest.mark.req("S2-27", "S2-28", "S2-71")
def test_a_file_says_of_an_entry_what_it_has_and_no_more() -> None:
    fact = entry("The user has a dog", EntryRole.MEMORY)
    summary = Entry(
        "s", EntryRole.SUMMARY, "c", AT, "x", summary_kind="L3", extra={"input_tokens": 120, "level": "brief"}
    )

    assert write_entry(fact) == (
        '---\nid: "i"\nrole: "memory"\nconversation_id: "c"\ncreated_at: "2026-11-26T12:30:01.000023+00:00"\n---\n'
        "The user has a dog\n"
    )
    assert 'summary_kind: "L3"\ninput_tokens: 120\nlevel: "brief"\n---' in write_entry(summary)


@pytest.mark.req("S2-24")
def test_a_role_that_there_is_not_counts_as_not_said() -> None:
    assert read('---\nrole: "boss"\n---\nx').role is EntryRole.MEMORY


@pytest.mark.req("S2-26")
def test_dates_are_understood_as_people_write_them(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, datetime]] = [
        ("2026-01-05T10:00:00+02:00", datetime(2026, 1, 5, 8, tzinfo=UTC)),
        ("2026-01-05T10:00:00Z", datetime(2026, 1, 5, 10, tzinfo=UTC)),
        ("2026-01-05T10:00:00", datetime(2026, 1, 5, 10, tzinfo=UTC)),
        ("2026-01-05 10:00", datetime(2026, 1, 5, 10, tzinfo=UTC)),
        ("2026-01-05 10:00:00 +02:00", datetime(2026, 1, 5, 8, tzinfo=UTC)),
        ("2026-01-05 10:00:00.5 -0130", datetime(2026, 1, 5, 11, 30, 0, 500_000, tzinfo=UTC)),
        ("2026-1-5", datetime(2026, 1, 5, tzinfo=UTC)),
        ("2026/01/05", datetime(2026, 1, 5, tzinfo=UTC)),
        ("2026-01-05 10:00 UTC", datetime(2026, 1, 5, 10, tzinfo=UTC)),
        ("1767607200", datetime(2026, 1, 5, 10, tzinfo=UTC)),
        ("1767607200000", datetime(2026, 1, 5, 10, tzinfo=UTC)),
        ("1767607200.25", datetime(2026, 1, 5, 10, 0, 0, 250_000, tzinfo=UTC)),
        ("1767607200000000", datetime(2026, 1, 5, 10, tzinfo=UTC)),
        ("1767607200000000000", datetime(2026, 1, 5, 10, tzinfo=UTC)),
        ("Mon, 05 Jan 2026 10:00:00 +0000", datetime(2026, 1, 5, 10, tzinfo=UTC)),
        ("2026-01-05 9:43:10 -5", datetime(2026, 1, 5, 14, 43, 10, tzinfo=UTC)),
        ("2026-01-05 10:00:00.123456789z", datetime(2026, 1, 5, 10, 0, 0, 123_456, tzinfo=UTC)),
        ("0001-01-01", datetime(1, 1, 1, tzinfo=UTC)),
        ("9999-12-31T23:59:59.999999Z", datetime.max.replace(tzinfo=UTC)),
    ]
    for date_text, at in cases:
        with subtests.test(said=date_text, at=at):
            assert read(f"---\ncreated_at: {json.dumps(date_text)}\n---\nx").created_at == at


def test_a_date_that_names_no_time_counts_as_not_said(subtests: pytest.Subtests) -> None:
    cases: list[str] = [
        "yesterday",
        "",
        "2026-13-45",
        "0000-00-00",
        "9999-12-31T23:59:59-14:00",
        "0001-01-01T00:00+14:00",
        "2026-01-05T10:00:00+99:99",
        "9" * 30,
        "nan",
        "1e9",
        "\ud800",
        "1 " * 30_000,
        "(" * 60_000,
    ]
    for date_text in cases:
        with subtests.test(said=date_text):
            assert read(f"---\ncreated_at: {json.dumps(date_text)}\n---\nx").created_at == AT


@given(st.text("0123456789-+:.,TZ /GMTJanMo(", max_size=60))
def test_no_date_is_an_error(date_text: str) -> None:
    assert read(f"---\ncreated_at: {json.dumps(date_text)}\n---\nx").created_at.utcoffset() == timedelta(0)


@given(TEXTS)
def test_whatever_is_in_a_file_is_an_entry(text: str) -> None:
    assert read(text).created_at.utcoffset() == timedelta(0)
    assert read("---\n" + text).id


def test_front_matter_that_is_no_yaml_is_read_line_by_line() -> None:
    broken = "---\nid: abc\nrole: 'user'\n\t: [\n---\nx"

    assert (read(broken).id, read(broken).role) == ("abc", EntryRole.USER)


def test_front_matter_that_is_no_yaml_takes_no_longer_than_its_letters() -> None:
    text = "---\nid: a" + " " * 50_000 + "b\n\t: [\n---\nx"

    assert paced_s(lambda: read(text)) < 1


def test_an_id_that_cannot_be_printed_counts_as_not_said(subtests: pytest.Subtests) -> None:
    cases: list[str] = ['"\\ud800"', '"a\\u0000b"', '"a\\nb"', '"\\u001b[2J"', '""', '"  "']
    for date_text in cases:
        with subtests.test(said=date_text):
            parsed = read(
                f"---\nid: {date_text}\nreplaced_by: {date_text}\nsource_id: {date_text}\nsummary_kind: {date_text}\n---\nx"
            )

            assert (parsed.id, parsed.replaced_by, parsed.source_id, parsed.summary_kind) == ("default-id", "", "", "")


def test_half_a_character_in_a_conversation_is_marked_for_no_database_can_hold_it() -> None:
    assert read('---\nconversation_id: "a\\ud800"\n---\nx').conversation == "a\ufffd"


def test_ids_and_conversations_are_bounded() -> None:
    parsed = read(f'---\nid: "{"x" * 900}"\nconversation_id: "{"y" * 900}"\n---\nx')

    assert (len(parsed.id), len(parsed.conversation)) == (200, 500)


@pytest.mark.parametrize("loader", [yaml.SafeLoader, yaml.CSafeLoader])
@given(conversation=st.text(min_size=1), more=st.text())
def test_any_reader_of_yaml_finds_what_was_written(loader: type, conversation: str, more: str) -> None:
    new_entry = Entry(
        "i", EntryRole.SUMMARY, conversation, AT, "x", summary_kind="L3", extra={"k": more, "n": 3, "f": 0.5}
    )
    front = write_entry(new_entry).split("\n---\n")[0]

    assert yaml.load(front, Loader=loader) == {
        "id": "i",
        "role": "summary",
        "conversation_id": conversation,
        "created_at": "2026-11-26T12:30:01.000023+00:00",
        "summary_kind": "L3",
        "k": more,
        "n": 3,
        "f": 0.5,
    }


def test_what_is_written_can_be_written_as_utf_8_but_for_the_text() -> None:
    assert write_entry(entry("x", conversation="\ud800")).encode()


def test_front_matter_that_is_too_long_is_text() -> None:
    long = "---\nid: a\n" + "#" * MOST_FRONT_CHARS + "\n---\nx"

    assert read(long).content == long
    cut = "---\nid: a\n" + "#" * (MOST_FRONT_CHARS - 10) + "\n---x\n"
    assert read(cut).content == cut.removesuffix("\n")


def test_yaml_of_any_other_form_is_left_to_who_reads_it() -> None:
    parsed = read("---\n{id: a}\n---\nx", lambda front: {"id": front.strip("{}\n")})

    assert parsed.id == "id: a"


def test_front_matter_that_does_not_end_is_text() -> None:
    assert read("---\nid: a\nno end").content == "---\nid: a\nno end"


def test_a_fact_is_what_its_file_says_without_blanks_around_it() -> None:
    assert read("---\nrole: memory\n---\n\n  The user has a dog \r\n\n").content == "The user has a dog"


@pytest.mark.req("S2-65")
def test_a_tombstone_says_what_stands_for_it_and_keeps_all_else() -> None:
    before = "---\n# mine\nid: abc\nmood: good\n---\nx\n"
    after = with_replacement(before, "new-id")

    assert after == '---\nreplaced_by: "new-id"\n# mine\nid: abc\nmood: good\n---\nx\n'
    assert with_replacement(after, "newer") == after.replace("new-id", "newer")
    assert with_replacement("---\n---\nx", "n") == '---\nreplaced_by: "n"\n---\nx'
    assert with_replacement("---\r\nid: a\r\n---\r\nx\r\n", "n") == ('---\r\nreplaced_by: "n"\nid: a\r\n---\r\nx\r\n')
    assert with_replacement("bare", "n") == '---\nreplaced_by: "n"\n---\nbare'


@given(st.text(max_size=200), st.booleans())
def test_a_tombstone_keeps_the_text_of_any_file(text: str, has_front: bool) -> None:
    before = f"---\nid: a\n---\n{text}" if has_front else text
    after = read(with_replacement(before, "new-id"))

    assert after.replaced_by == "new-id"
    assert after.content == read(before).content


def test_times_are_written_in_utc() -> None:
    abroad = AT.astimezone(timezone(timedelta(hours=5)))

    assert "2026-11-26T12:30:01.000023+00:00" in write_entry(Entry("i", EntryRole.USER, "c", abroad, "x"))
