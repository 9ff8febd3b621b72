from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.curated.document import parse_document
from domain.curated.table import TableState, described_by, digest, state_beside, table
from tests.domain.curated.files import anything


def table_of(index: bytes, topic: bytes = b"") -> bytes:
    return table(index, parse_document(index), {"build.md": parse_document(topic)} if topic else {})


@given(anything, anything)
@pytest.mark.req("S1-51")
def test_a_table_that_was_made_of_an_index_is_good_for_it(index: bytes, topic: bytes) -> None:
    assert state_beside(described_by(table_of(index, topic)), index) is TableState.OK
    assert table_of(index, topic) == table_of(index, topic)


@given(anything, anything)
def test_any_change_of_the_index_makes_its_table_stale(index: bytes, other: bytes) -> None:
    if index != other:
        assert state_beside(described_by(table_of(index)), other) is TableState.STALE
    assert state_beside(described_by(table_of(index)), index + b"\n") is TableState.STALE


@given(anything, anything, st.data())
def test_any_damage_of_a_table_makes_it_invalid(index: bytes, topic: bytes, data: st.DataObject) -> None:
    whole = table_of(index, topic)
    at = data.draw(st.integers(0, len(whole) - 1))
    put = data.draw(st.binary(max_size=3))
    damaged = whole[:at] + put + whole[at + data.draw(st.integers(0, 3)) :]

    if damaged != whole:
        assert state_beside(described_by(damaged), index) is TableState.INVALID
    assert state_beside(described_by(whole[:at]), index) is TableState.INVALID


@given(st.binary(max_size=200), anything)
def test_any_bytes_are_a_table_or_none(data: bytes, index: bytes) -> None:
    assert state_beside(described_by(data), index) is TableState.INVALID


@pytest.mark.parametrize(
    "head",
    [
        *(b"", b"[]", b"1", b"{", b"[" * 100_000, b'{"version": 1}', b'{"version": 2, "index": ""}', b"\xff"),
        *(b'{"version": 1, "index": 7}', b'{"version": ' + b"9" * 5000 + b"}"),
    ],
)
def test_a_whole_table_that_says_nothing_of_an_index_is_invalid(head: bytes) -> None:
    body = head + b"\n"
    sealed = body + json.dumps({"digest": digest(body)}).encode() + b"\n"

    assert state_beside(described_by(sealed), b"") is TableState.INVALID


@pytest.mark.req("S1-50")
def test_an_empty_table_is_no_missing_one() -> None:
    assert state_beside(described_by(b""), b"") is TableState.INVALID
    assert {each.value for each in TableState} == {"ok", "stale", "invalid", "missing"}


def test_a_table_has_a_line_for_the_index_one_for_each_page_and_one_that_seals_it() -> None:
    index = b"## Build\n- [Quirks](build.md) - sccache\n- x\xff\n"
    lines = [json.loads(line) for line in table_of(index, b"- y\n").splitlines()]

    assert lines[0] == {"version": 1, "index": digest(index), "bytes": len(index), "pages": 3}
    assert [line.get("kind") for line in lines[1:4]] == ["section", "pointer", "fact"]
    assert lines[2]["file"] == "build.md"
    assert (lines[3]["line"], lines[3]["section"]) == (3, "Build")
    assert lines[4] == {"topic": "build.md", "pages": 1}
    assert (lines[5]["topic"], lines[5]["gist"]) == ("build.md", "y")
    assert set(lines[6]) == {"digest"}
