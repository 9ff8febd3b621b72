from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from domain.log.metadata import MetaValue, add_mark, is_canonical, meta_dict, meta_json, remove_mark
from tests.domain.log.logs import BOUNDED, metadata


def read_joined(value: MetaValue) -> MetaValue:
    """As JSON carries it: halves of a surrogate pair joined."""
    value_back: MetaValue = json.loads(json.dumps(value))
    return value_back


@BOUNDED
@given(metadata)
def test_metadata_is_given_back(meta: dict[str, MetaValue]) -> None:
    assert meta_dict(meta_json(meta)) == read_joined(meta)


@BOUNDED
@given(metadata)
def test_metadata_can_not_end_its_comment(meta: dict[str, MetaValue]) -> None:
    text = meta_json(meta)

    assert text.isascii()
    assert text.isprintable()
    assert not any(piece in text for piece in ("<", ">", "--"))


@BOUNDED
@given(metadata)
def test_equal_metadata_is_equal_text(meta: dict[str, MetaValue]) -> None:
    text = meta_json(meta)

    assert meta_json(dict(reversed(meta.items()))) == text
    assert is_canonical(text)
    assert meta_json(meta_dict(text)) == text


@BOUNDED
@given(metadata)
def test_the_mark_never_collides_with_a_key_of_the_same_name(meta: dict[str, MetaValue]) -> None:
    text = meta_json(meta)

    assert remove_mark(text) == (text, False)
    assert remove_mark(add_mark(text)) == (text, True)


def test_a_key_called_esc_is_stored_under_another_name() -> None:
    assert meta_json({"esc": 2, "_esc": 3, "esc_": 4}) == '{"__esc":3,"_esc":2,"esc_":4}'
    assert add_mark(meta_json({"esc": 2})) == '{"esc":1,"_esc":2}'


def nest(depth: int) -> MetaValue:
    value_back: MetaValue = 1
    for _ in range(depth):
        value_back = [value_back]
    return value_back


def test_what_json_can_not_say_is_refused(subtests: pytest.Subtests) -> None:
    values: list[Any] = [float("nan"), float("inf"), {1, 2}, b"", nest(100_000)]
    for value in values:
        with subtests.test(type(value).__name__), pytest.raises(ValueError, match="not JSON"):
            meta_json({"key": value})


def test_what_is_no_object_is_refused(subtests: pytest.Subtests) -> None:
    for text in ["", "[]", "{", '{"a":1} x', "[" * 100_000, '{"a":' + "9" * 5000 + "}"]:
        with subtests.test(text=text):
            with pytest.raises(ValueError, match="metadata"):
                meta_dict(text)
            assert not is_canonical(text)
