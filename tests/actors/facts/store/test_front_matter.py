from __future__ import annotations

from contextlib import suppress
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.facts.store.front_matter import read_keys
from tests.pace import paced_s


def test_keys_with_a_simple_value_are_found_in_any_form(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, dict[str, str]]] = [
        ("id: a\nrole: 'user'\n", {"id": "a", "role": "user"}),
        ("{id: a, role: user}", {"id": "a", "role": "user"}),
        ("id: abc # mine\n", {"id": "abc"}),
        ("created_at: 2026-01-05 10:00:00 +02:00\n", {"created_at": "2026-01-05 10:00:00 +02:00"}),
        ("id: >\n  a\n  b\n", {"id": "a b\n"}),
        ("id:\nrole: ~\nconversation_id: 'null'\n", {"conversation_id": "null"}),
        ("id: 0123\n", {"id": "0123"}),
        ("id: a\nid: b\n", {"id": "b"}),
        ("meta:\n  id: inner\nid: outer\n", {"id": "outer"}),
        ("id: [a, b]\nrole: {user: 1}\nsource_id: s\n", {"source_id": "s"}),
        ("? [a, b]\n: 3\nid: z\n", {"id": "z"}),
        ("? {a: b}\n: [3]\nid: z\n", {"id": "z"}),
        ("a: &x user\nrole: *x\n", {"role": "user"}),
        ("a: &x [user]\nrole: *x\nid: z\n", {"id": "z"}),
        ('id: !!python/object/apply:os.system ["x"]\nrole: user\n', {"role": "user"}),
        ("mood: good\n", {}),
        ("- id\n- a\n", {}),
        ("just words", {}),
        ("", {}),
        ("\r\nid: a\r\n", {"id": "a"}),
    ]
    for front, keys in cases:
        with subtests.test(front=front, keys=keys):
            assert read_keys(front) == keys


def test_what_is_no_yaml_is_an_error(subtests: pytest.Subtests) -> None:
    cases: list[str] = ["id: [", "\t: [\n", "id: 'a", "\0", "a: b: c", "id: *nowhere\n: - x", "{" * 51]
    for front in cases:
        with subtests.test(front=front), pytest.raises(ValueError, match=r"\w"):
            read_keys(front)


@given(st.text("id:role[]{}&*!|>-?,\"' #\n\t", max_size=300))
def test_no_text_is_another_error(front: str) -> None:
    try:
        assert isinstance(read_keys(front), dict)
    except ValueError:
        return


@pytest.mark.parametrize("piece", ["[", "{", "{a: ", "? ", "- ", "&a [", "a: &a [*a, ", "[[,"])
def test_nesting_costs_no_more_than_its_letters(piece: str) -> None:
    def read_nested() -> None:
        with suppress(ValueError):
            read_keys(piece * (60_000 // len(piece)))

    assert paced_s(read_nested) < 1


def test_references_are_not_multiplied() -> None:
    lines = [f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]" for old, new in pairwise("abcdefghi")]

    assert read_keys("\n".join(["a: &a [x, x]", *lines, "id: z", ""])) == {"id": "z"}
