"""Arguments held against a schema."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.turn.tools.arguments import fault_of_arguments

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-10, 10) | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)
WORDS = ("type", "properties", "required", "items", "enum", "anyOf", "$ref", "minimum", "maxLength", "const")
SCHEMAS = st.recursive(
    JSON,
    lambda inner: st.dictionaries(st.sampled_from(WORDS), inner | st.lists(inner, max_size=3), max_size=4),
    max_leaves=10,
)
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "title": {"type": "string", "minLength": 2, "maxLength": 5},
        "count": {"type": "integer", "minimum": 1, "exclusiveMaximum": 10},
        "kind": {"enum": ["bug", "wish"]},
        "tags": {"type": "array", "items": {"$ref": "#/$defs/tag"}, "maxItems": 2},
        "when": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "exact": {"const": 3},
    },
    "required": ["title"],
    "additionalProperties": False,
    "$defs": {"tag": {"type": "string"}},
}


@pytest.mark.req("X-260")
@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        ({"title": "abc"}, ""),
        ({"title": "abc", "count": 3, "kind": "bug", "tags": ["x"], "when": None, "exact": 3}, ""),
        ({}, 'arguments: "title" is required'),
        ({"title": 3}, "arguments.title = 3: must be string"),
        ({"title": "a"}, "arguments.title: 1 characters, at least 2 are required"),
        ({"title": "abcdef"}, "arguments.title: 6 characters, at most 5 are permitted"),
        ({"title": "abc", "titel": 1}, 'arguments: there is no "titel"; did you mean "title"?'),
        ({"title": "abc", "count": True}, "arguments.count = true: must be integer"),
        ({"title": "abc", "count": 2.5}, "arguments.count = 2.5: must be integer"),
        ({"title": "abc", "count": 0}, "arguments.count = 0: must be >= 1"),
        ({"title": "abc", "count": 10}, "arguments.count = 10: must be < 10"),
        ({"title": "abc", "kind": "song"}, 'arguments.kind = "song": must be one of "bug", "wish"'),
        ({"title": "abc", "tags": ["a", 2]}, "arguments.tags[1] = 2: must be string"),
        ({"title": "abc", "tags": ["a", "b", "c"]}, "arguments.tags: 3 items, at most 2 are permitted"),
        ({"title": "abc", "when": 3}, "arguments.when: fits none of its 2 forms: arguments.when = 3: must be string"),
        ({"title": "abc", "exact": 4}, "arguments.exact = 4: must be 3"),
    ],
)
def test_the_first_fault_is_named_by_value_and_rule(arguments: dict[str, Any], fault: str) -> None:
    assert fault_of_arguments(SCHEMA, arguments) == fault


@pytest.mark.req("X-260")
def test_a_schema_that_is_a_trap_takes_little_work_and_permits_what_it_cannot_judge() -> None:
    circle = {"$ref": "#"}
    doubled: dict[str, Any] = {"$defs": {"a0": {"type": "string"}}, "$ref": "#/$defs/a40"}
    for number in range(1, 41):
        both = [{"$ref": f"#/$defs/a{number - 1}"}] * 2
        doubled["$defs"][f"a{number}"] = {"allOf": both, "anyOf": both}
    pattern = {"properties": {"text": {"pattern": "(a+)+$"}}}

    assert fault_of_arguments(circle, {}) == ""
    assert fault_of_arguments(doubled, {}) == ""
    assert fault_of_arguments(pattern, {"text": "a" * 5_000 + "!"}) == ""


@pytest.mark.req("X-260")
@given(SCHEMAS, st.dictionaries(st.text(max_size=5), JSON, max_size=3))
def test_any_schema_gives_words_or_none_and_no_error(schema: object, arguments: dict[str, Any]) -> None:
    fault = fault_of_arguments(schema, arguments)

    assert fault == "" or fault.startswith("arguments")
    assert fault == fault_of_arguments(json.loads(json.dumps(schema)), arguments)
