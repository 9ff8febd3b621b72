from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from domain.facts.raw_json import fields_of, items_of, list_of, object_of, value_of

NAMES = st.text(st.one_of(st.characters(), st.sampled_from('"\\{}[],:\ud83d')))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | NAMES,
    lambda inner: st.lists(inner) | st.dictionaries(NAMES, inner),
    max_leaves=8,
)
ODD = [
    rb'"\ud83d"',
    b"NaN",
    b"1" + b"0" * 9_000,
    b"[" * 5_000 + b"]" * 5_000,
    b'{"a":' * 3_000 + b"[]" + b"}" * 3_000,
]


@given(st.lists(VALUES, max_size=5), st.booleans(), st.sampled_from([None, 1]))
def test_items_are_those_of_the_list_however_it_is_spelt(values: list[object], ascii_only: bool, gap: int) -> None:
    data = json.dumps(values, ensure_ascii=ascii_only, indent=gap).encode("utf-8", "replace")

    assert [json.loads(bytes(item)) for item in items_of(data)] == json.loads(data)
    assert json.loads(list_of(items_of(data))) == json.loads(data)


@given(st.dictionaries(NAMES, VALUES, max_size=5), st.sampled_from([None, 1]))
def test_fields_are_those_of_the_object_however_it_is_spelt(values: dict[str, object], gap: int) -> None:
    data = json.dumps(values, indent=gap).encode()

    assert {name: json.loads(bytes(value)) for name, value in fields_of(data).items()} == values
    assert list(fields_of(data)) == list(values)
    assert json.loads(object_of(fields_of(data))) == values


def test_what_readers_refuse_for_being_odd_is_taken_apart_byte_for_byte(subtests: pytest.Subtests) -> None:
    for odd in ODD:
        with subtests.test(odd=odd):
            data = b' { "a" : 1.50 ,\n"odd":' + odd + b' , "b":[ 1, "x,]}" ]}\n'

            assert {name: bytes(value) for name, value in fields_of(data).items()} == {
                "a": b"1.50",
                "odd": odd,
                "b": b'[ 1, "x,]}" ]',
            }
            assert [bytes(item) for item in items_of(b" [ 1.0," + odd + b', "\\"]" ]')] == [b"1.0", odd, rb'"\"]"']


def test_what_is_no_json_is_refused(subtests: pytest.Subtests) -> None:
    cases: list[bytes] = [
        b"",
        b"[",
        b"{",
        b"]",
        b"1",
        b"[1,]",
        b"[1 2]",
        b"[1]x",
        b"\xff",
        b'{"a"}',
        b'{"a":}',
        b'{"a":1,}',
        b"{1:2}",
        b'{"a":"\n"}',
        b"[" * 9_000,
        b"{" * 9_000,
        b"[" * 9_000 + b"}",
        b'\xef\xbb\xbf{"a":1}',
    ]
    for data in cases:
        with subtests.test(data=data):
            with pytest.raises(ValueError, match=r"\w"):
                items_of(data)
            with pytest.raises(ValueError, match=r"\w"):
                fields_of(data)


def test_lists_and_objects_are_not_taken_for_each_other() -> None:
    with pytest.raises(ValueError, match=r"\w"):
        items_of(rb'{"a": "\ud83d"}')
    with pytest.raises(ValueError, match=r"\w"):
        fields_of(rb'["\ud83d"]')


def test_nothing_in_it_is_nothing() -> None:
    assert items_of(b" [ ] ") == []
    assert fields_of(b"{ }") == {}
    assert (list_of([]), object_of({})) == (b"[]", b"{}")


def test_of_two_fields_of_one_name_the_last_counts() -> None:
    assert fields_of(rb'{"a": 1, "a": "\ud83d"}') == {"a": Raw(rb'"\ud83d"')}


def test_a_value_that_cannot_be_read_is_none(subtests: pytest.Subtests) -> None:
    cases: list[tuple[bytes, object]] = [
        (b"1", 1),
        (rb'"\ud83d"', "\ud83d"),
        (b"", None),
        (b"\xff", None),
        (b"9" * 9_000, None),
        (b"[" * 9_000, None),
    ]
    for data, value in cases:
        with subtests.test(data=data, value=value):
            assert value_of(data) == value
