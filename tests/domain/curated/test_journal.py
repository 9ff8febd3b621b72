from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.curated.journal import Operation, Step, compact_journal, line, read

TEXTS = st.text(max_size=8)
IDS = st.sampled_from(["1", "2", "3"])
OPERATIONS = st.builds(Operation, id=IDS, text=TEXTS, section=TEXTS, at=TEXTS, step=st.sampled_from(Step), window=TEXTS)
LINES = st.one_of(
    OPERATIONS.map(line),
    st.binary(max_size=30).map(lambda data: data.replace(b"\n", b"") + b"\n"),
    st.sampled_from([b"\n", b"{}\n", b"[]\n", b'{"id": 1, "state": "staged"}\n', b'{"id": "1", "state": "x"}\n']),
)
JOURNALS = st.lists(LINES, max_size=12)


def test_steps_are_words_of_the_file() -> None:
    assert [each.value for each in Step] == ["staged", "proposed", "begun", "committed", "rejected"]


@given(OPERATIONS)
@pytest.mark.req("S1-52")
def test_an_operation_that_is_staged_is_one_line_and_is_read_again(operation: Operation) -> None:
    staged = replace(operation, step=Step.STAGED)

    assert line(staged).count(b"\n") == 1
    assert read(line(staged)).waiting == {staged.id: staged}
    assert read(line(replace(operation, step=Step.PROPOSED))).waiting[operation.id].step is Step.PROPOSED


@given(st.binary(max_size=300))
def test_any_bytes_are_a_journal(data: bytes) -> None:
    journal = read(data)

    assert journal.unreadable <= journal.lines <= data.count(b"\n") + 1


@given(JOURNALS)
def test_every_staged_operation_waits_until_it_ends_and_ends_once(lines: list[bytes]) -> None:
    journal = read(b"".join(lines))
    steps: dict[str, list[str]] = {}
    for each in lines:
        fields = read(each)
        if not fields.unreadable and each.strip():
            known = json.loads(each)
            steps.setdefault(known["id"], []).append(known["state"])
    for each_id, states in steps.items():
        begin = next((n for n, state in enumerate(states) if state in ("staged", "proposed")), len(states))
        has_ended = any(state in ("committed", "rejected") for state in states[begin:])
        assert (each_id in journal.waiting) == (begin < len(states) and not has_ended)
    assert journal.ended + len(journal.waiting) <= len(steps)


@given(JOURNALS)
@pytest.mark.req("S1-53")
def test_lines_that_are_written_twice_change_nothing(lines: list[bytes]) -> None:
    once, twice = read(b"".join(lines)), read(b"".join(each + each for each in lines))

    assert twice.waiting == once.waiting
    assert twice.ended == once.ended


@given(JOURNALS, OPERATIONS, st.data())
def test_a_last_line_that_is_torn_is_passed_over(lines: list[bytes], last: Operation, data: st.DataObject) -> None:
    before = b"".join(lines)
    torn = line(last)[: data.draw(st.integers(0, len(line(last)) - 2))]
    journal = read(before + torn)

    assert journal.waiting == read(before).waiting
    assert journal.ended == read(before).ended
    assert journal.unreadable == read(before).unreadable + bool(torn.strip())


@given(JOURNALS)
def test_a_compacted_journal_has_the_same_that_waits(lines: list[bytes]) -> None:
    journal = read(b"".join(lines))
    again = read(compact_journal(b"".join(lines)))

    assert again.waiting == journal.waiting
    assert again.ended <= journal.ended


def test_an_operation_goes_from_step_to_step() -> None:
    staged = Operation("1", "fact", "Build", "2026-01-02T03:04:05Z", window="cli/1")
    other = replace(staged, id="2", text="other")
    data = line(staged) + line(other) + line(replace(staged, step=Step.BEGUN))

    assert read(data).waiting == {"1": replace(staged, step=Step.BEGUN), "2": other}
    data += line(replace(staged, step=Step.COMMITTED)) + line(replace(other, step=Step.REJECTED), "it stands there")
    assert (read(data).waiting, read(data).ended, read(data).lines) == ({}, 2, 5)
    assert b'"reason": "it stands there"' in data
    assert data.count(b"fact") == 1, "its words stand only where it was staged"


def test_an_operation_that_ended_is_not_taken_up_again() -> None:
    staged = Operation("1", "fact")
    data = line(staged) + line(replace(staged, step=Step.COMMITTED)) + line(staged)

    assert read(data).waiting == {}


def test_a_line_of_somebody_else_is_counted_and_no_more(subtests: pytest.Subtests) -> None:
    for raw in [
        b'{"id": "1"}',
        b'{"id": "", "state": "staged"}',
        b'{"id": "1", "state": "staged", "text": 1}',
        b'{"id": "1", "state": "STAGED"}',
        b'{"id": "1", "state": null}',
        b'"staged"',
        b"[" * 100_000,
        b'{"id": ' + b"9" * 5000 + b"}",
        b"\xff",
        b"NaN",
    ]:
        with subtests.test(raw=raw):
            journal = read(raw + b"\n" + line(Operation("1", "fact")))

            assert (journal.unreadable, journal.lines, list(journal.waiting)) == (1, 2, ["1"])


def test_a_line_with_half_a_character_is_unreadable() -> None:
    for fields in ('"id": "a", "text": "half \\ud800"', '"id": "\\uDFFF"'):
        journal = read(f'{{"state": "staged", {fields}}}\n'.encode())
        assert (journal.unreadable, journal.waiting) == (1, {}), fields
