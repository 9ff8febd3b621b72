"""Front matter that anybody may have written."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from actors.skill_files.front_matter import LONGEST_FRONT_MATTER, MOST_BRACKETS, front_matter_fields
from tests.pace import paced_s

ODD = [
    "x: !!bool maybe",
    "x: !!int ''",
    "x: !!int x",
    "x: !!float ''",
    "x: !!float []",
    "x: !!timestamp soon",
    "x: !!binary äöü",
    "x: !!null [a]",
    "x: !!omap x",
    "x: !!pairs [1]",
    "x: !!set [a]",
    "x: !!python/name:os.system x",
    "!!bool maybe: x",
    "? [a]\n: b",
    "? {a: b}\n: c",
    "x: 2026-99-99",
    "x: 2026-11-25 10:00:00 +99:99",
    "x: 0b_",
    "x: 0x_",
    f"x: {'9' * 5_000}",
    f"x: 1{':1' * 200}.0",
    "x: =",
    "=: x",
    "x: %",
    "x: @y",
    "x: a: b",
    "x: \x07",
    "- " * 2_000,
    "{" * 50,
    "---\na\n---\nb",
    "%YAML 9.9\n---\na",
    "x: !<" + "t" * 9_000 + "> y",
    "x: !q!r s",
]
BOMBS = [
    "a0: &a0\n  - x\n" + "".join(f"a{n}: &a{n}\n  - *a{n - 1}\n  - *a{n - 1}\n" for n in range(1, 28)),
    "a0: &a0\n  k: 1\n" + "".join(f"a{n}: &a{n}\n  <<:\n    - *a{n - 1}\n    - *a{n - 1}\n" for n in range(1, 27)),
    "x: &x\n  - *x\n",
    "? &k a\n: b\n",
    "&r\nx: y\n",
    "x: *nowhere\n",
]


def fault_of(text: str) -> str:
    """Why a front matter is refused; the usual words where it is not."""
    try:
        front_matter_fields(text)
    except ValueError as error:
        return str(error)
    return "front matter"


def test_plain_data_is_read_with_its_types() -> None:
    fields = front_matter_fields("name: a\nlist: [1, 2.5, yes]\ntext: >\n  b\n  c\nsaid: !!str 5\nnone:\n")
    assert fields == {"name": "a", "list": [1, 2.5, True], "text": "b c\n", "said": "5", "none": None}
    assert front_matter_fields("") is None


def test_whatever_the_text_says_it_is_read_or_refused_with_a_short_rule(subtests: pytest.Subtests) -> None:
    for text in ODD:
        with subtests.test(text=text):
            fault = fault_of(text)
            assert "front matter" in fault
            assert len(fault) < 400
            assert fault.isprintable()


def test_a_value_of_another_type_than_its_tag_is_refused(subtests: pytest.Subtests) -> None:
    cases: list[str] = ["!!bool maybe", "!!int ''", "!!timestamp soon", f"1{':1' * 200}.0"]
    for tag in cases:
        with subtests.test(tag=tag), pytest.raises(ValueError, match="the front matter is not YAML"):
            front_matter_fields(f"x: {tag}")


def test_nothing_may_stand_for_something_else(subtests: pytest.Subtests) -> None:
    for text in BOMBS:
        with subtests.test(text=text):

            def check_refusal(text: str = text) -> None:
                with pytest.raises(
                    ValueError, match=r"line \d+: .*anchors \(&\) and aliases \(\*\) are not allowed here"
                ):
                    front_matter_fields(text)

            assert paced_s(check_refusal) < 2


def test_what_is_nested_too_deeply_is_refused() -> None:
    with pytest.raises(ValueError, match="it is nested too deeply"):
        front_matter_fields("- " * 2_000)


def test_merges_are_refused_without_anchors_too() -> None:
    with pytest.raises(ValueError, match=r"line 3: .*merges \(<<\) are not allowed here"):
        front_matter_fields("a: b\n<<: {c: d}\n")


def test_length_and_brackets_are_bounded() -> None:
    with pytest.raises(ValueError, match="at most 16384 are allowed"):
        front_matter_fields("x" * (LONGEST_FRONT_MATTER + 1))
    with pytest.raises(ValueError, match=r"101 brackets: at most 100 are allowed"):
        front_matter_fields("x: " + "[" * (MOST_BRACKETS + 1))


@given(st.text(st.sampled_from("ab01:-_.!&*<>{}[]?|'\"#\n =%@,~x\u2028"), max_size=60))
@example("x: !!int")
def test_any_text_is_read_or_refused(text: str) -> None:
    assert "front matter" in fault_of(text)


@given(
    st.sampled_from(["bool", "int", "float", "null", "timestamp", "binary", "omap", "pairs", "set", "seq", "map"]),
    st.text("01:-_.xeb+Tz ", max_size=12),
)
def test_any_tag_on_any_value_is_read_or_refused(tag: str, value: str) -> None:
    assert "front matter" in fault_of(f"x: !!{tag} '{value}'")
