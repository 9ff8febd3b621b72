from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.workspace.answers.answer_json import json_object, quotation, text_of, texts_of, without_fence


def test_an_object_is_found_whole_in_a_block_or_among_words(subtests: pytest.Subtests) -> None:
    for answer in [
        '{"a": {"b": "}"}}',
        '  {"a": {"b": "}"}}\n',
        '```json\n{"a": {"b": "}"}}\n```',
        'Here it is:\n\n```\n{"a": {"b": "}"}}\n```\nDone.',
        'Sure {smile}! {"a": {"b": "}"}} and {"c": 1}',
        '<think>{"no": 1} maybe</think>\n{"a": {"b": "}"}}',
    ]:
        with subtests.test(answer=answer):
            assert json_object(answer) == {"a": {"b": "}"}}


def test_of_several_objects_the_last_with_all_that_is_needed_is_taken(subtests: pytest.Subtests) -> None:
    for answer, expected in [
        ('thought {} {"a": 1}', {"a": 1}),
        ('{"a": 1} or rather {"a": 2}', {"a": 2}),
        ('{"a": 1} and then {"b": 2, "c": 3}', {"a": 1}),
        ('[{"a": 1}]', {"a": 1}),
        ('```\n{"a": 1}\n```\nno:\n```\n{"a": 2}\n```', {"a": 2}),
        ('{"a": {"a": 5}}', {"a": {"a": 5}}),
        ("{} " * 200 + '{"a": 1}', {"a": 1}),
        ('{"b": 1} {"c": 1, "d": 2}', {"c": 1, "d": 2}),
    ]:
        with subtests.test(answer=answer, found=expected):
            assert json_object(answer, ("a",)) == expected


def test_where_nothing_is_needed_the_object_with_the_most_fields_is_taken() -> None:
    assert json_object('{} {"a": 1} {"b": 1, "c": 2} {"d": 1, "e": 2} {}') == {"b": 1, "c": 2}


def test_texts_are_taken_as_a_reader_sees_them_and_what_reorders_them_is_left_to_be_refused() -> None:
    assert texts_of(["a\u200bb", "\u200b", "c\U000e0041"], "x") == ("ab", "c")
    assert text_of("a\u00adb\u202ec", "x") == "ab\u202ec"
    assert without_fence("```\n- a\ufe0fb\n```") == "- ab"


def test_values_of_any_depth_can_be_shown() -> None:
    deep = json_object('{"a":' + "[" * 900 + "]" * 900 + "}")
    assert len(quotation(deep)) < 200
    assert quotation({"a": 16**8_000}).startswith("\"{'a': <a number of some")


def test_line_breaks_within_texts_are_let_pass() -> None:
    assert json_object('{"a": "b\nc"}') == {"a": "b\nc"}


def test_what_has_no_object_is_refused(subtests: pytest.Subtests) -> None:
    for answer in ["", "no", "[1]", '"x"', '{"a": ', "{" * 50_000, "[" * 50_000, '{"a":' * 9_000]:
        with subtests.test(answer=answer), pytest.raises(ValueError, match="must be a JSON object"):
            json_object(answer)


@given(st.dictionaries(st.text(max_size=5), st.text(max_size=9), max_size=3), st.text("ab c\n", max_size=9))
def test_any_object_is_found_behind_any_words(value: dict[str, str], words: str) -> None:
    assert json_object(f"{words}{json.dumps(value)}") == value


def test_fields_have_the_type_that_they_should_have() -> None:
    assert texts_of(["a  b", " ", "c\nd"], "x") == ("a b", "c d")
    assert texts_of(None, "x") == ()
    assert text_of(" a\nb ", "x") == "a\nb"
    assert text_of(None, "x") == ""
    with pytest.raises(ValueError, match="x 'a': must be a list of texts"):
        texts_of("a", "x")
    with pytest.raises(ValueError, match="must be a list of texts"):
        texts_of([None], "x")
    with pytest.raises(ValueError, match="x '1': must be a text"):
        text_of(1, "x")


def test_a_code_block_around_all_of_an_answer_is_taken_off() -> None:
    assert without_fence("```markdown\n# A\n- b\n```\n") == "# A\n- b"
    assert without_fence("<thinking>so</thinking># A") == "# A"
    assert without_fence("# A\n```\nx\n```") == "# A\n```\nx\n```"
    assert without_fence("```\na\n```\nb\n```\nc\n```") == "```\na\n```\nb\n```\nc\n```"


def test_errors_show_the_beginning_of_a_value() -> None:
    assert quotation("x" * 80) == repr("x" * 80)
    assert quotation("x" * 100) == repr("x" * 80) + "…"
    assert quotation(["x"]) == repr("['x']")


def test_an_object_among_words_may_have_line_breaks_within_texts() -> None:
    assert json_object('so: {"a": "b\nc"}') == {"a": "b\nc"}
    assert json_object('```json\n{"a": "b\nc"}\n```') == {"a": "b\nc"}
