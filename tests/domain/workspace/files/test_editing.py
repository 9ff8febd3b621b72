from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.workspace.files.editing import with_items, without_sections
from domain.workspace.files.outline import items, sections
from tests.domain.workspace.files.documents import documents

WORDS = ["x", "one", "two words", "x; y", "# hash", "1. n"]


@given(documents, st.lists(st.sampled_from(WORDS), max_size=3, unique=True), st.booleans())
def test_a_section_has_the_items_that_it_was_given_and_a_second_time_changes_nothing(
    data: bytes, wanted: list[str], prose: bool
) -> None:
    new_data = with_items(data, 1, {"A": wanted}, prose=prose)

    texts = [item.text for part in sections(new_data, 1) if part.title == "A" for item in items(part, prose=prose)]
    assert sorted(texts) == sorted(wanted)
    assert with_items(new_data, 1, {"A": wanted}, prose=prose) == new_data


@given(documents, st.lists(st.sampled_from(WORDS), max_size=3, unique=True))
def test_what_is_no_item_of_a_section_that_changes_keeps_its_bytes(data: bytes, wanted: list[str]) -> None:
    before = [part.raw for part in sections(data, 1) if part.title != "A"]
    after = [part.raw for part in sections(with_items(data, 1, {"A": wanted}), 1) if part.title != "A"]

    assert [raw.rstrip() for raw in after] == [raw.rstrip() for raw in before]


def test_a_new_section_comes_in_before_the_next_that_is_there() -> None:
    data = b"# Own\nx\n# C\n- c\n# Last\n"

    new_data = with_items(data, 1, {"A": ["a"], "C": ["c"], "D": ["d"], "E": []})

    assert new_data == b"# Own\nx\n\n# A\n- a\n\n# C\n- c\n\n# D\n- d\n\n# Last\n"


def test_new_lines_end_as_the_files_do() -> None:
    assert with_items(b"# A\r\n- a\r\n", 1, {"A": ["a", "b"]}) == b"# A\r\n- a\r\n- b\r\n"
    assert with_items(b"# A\n- a", 1, {"A": ["a", "b"]}) == b"# A\n- a\n- b\n"


def test_items_in_another_order_are_written_anew_only_where_their_order_counts() -> None:
    data = b"# A\n* x\n* y\n"

    assert with_items(data, 1, {"A": ["y", "x"]}) == b"# A\n* y\n* x\n"
    assert with_items(data, 1, {"A": ["y", "x"]}, ordered=False) == data


def test_comments_and_headings_below_a_heading_stay() -> None:
    data = b"# A\n<!-- what it is for -->\n- old\n## Sub\n- gone\n"

    assert with_items(data, 1, {"A": ["new"]}) == b"# A\n<!-- what it is for -->\n- new\n\n## Sub\n"


def test_of_two_sections_with_one_title_each_keeps_its_items() -> None:
    data = b"# A\n- a\n# Own\n# a:\n- b\n"

    assert with_items(data, 1, {"A": ["a", "b", "c"]}) == b"# A\n- a\n# Own\n# a:\n- b\n- c\n"


def test_a_section_at_the_end_goes_with_the_blank_lines_before_it() -> None:
    assert without_sections(b"# A\nx\n\n\n# B\n", 1, lambda part: part.title == "B") == b"# A\nx\n"
    assert without_sections(b"# A\n# B\n", 1, lambda part: part.title == "C") == b"# A\n# B\n"


def test_a_section_without_one_to_come_before_comes_after_the_last_that_goes_before_it() -> None:
    data = b"# A\n- a\n# B\n- b\n# Mine\n"

    new_data = with_items(data, 1, {"A": ["a"], "B": ["b"], "C": ["c"]})

    assert [part.title for part in sections(new_data, 1)] == ["", "A", "B", "C", "Mine"]
    assert with_items(b"# Mine", 1, {"A": ["a"]}) == b"# Mine\n\n# A\n- a\n"


def test_items_that_stay_keep_their_bytes_beside_new_ones() -> None:
    data = b"# A\n+  x <!-- m -->\n\n* y\n"

    assert with_items(data, 1, {"A": ["x", "z"]}) == b"# A\n+  x <!-- m -->\n- z\n\n"
    assert with_items(data, 1, {"A": ["x", "y", "z"]}) == data + b"- z\n"


def test_of_items_that_are_the_same_one_stays() -> None:
    data = b"# A\n+ x\n* x\n# A\n- x\n- y\n"

    assert with_items(data, 1, {"A": ["x", "y"]}) == b"# A\n+ x\n# A\n- y\n"
    assert with_items(data, 1, {"A": ["y", "x"]}, ordered=False) == b"# A\n+ x\n# A\n- y\n"


def test_a_section_comes_in_before_the_nearest_of_those_that_follow() -> None:
    assert with_items(b"# B\n# C\n", 1, {"A": ["a"], "B": [], "C": []}) == b"# A\n- a\n\n# B\n# C\n"


def test_a_new_item_before_others_leaves_them_and_their_comments_as_they_are() -> None:
    data = b"# A\n<!-- what -->\n- x <!-- Mona: from Berlin -->\n<!-- a line of its own -->\n* y\n"

    assert with_items(data, 1, {"A": ["new", "x", "y"]}) == data.replace(b"- x", b"- new\n- x")
    assert with_items(data, 1, {"A": ["x", "new", "y"]}) == data.replace(b"* y", b"- new\n* y")


def test_tables_code_and_paragraphs_are_not_flattened(subtests: pytest.Subtests) -> None:
    for own in ["| step | who |\n|---|---|\n| wire | Mona |", "```yaml\nkiln:\n  zone1: 400\n```", "a\nb"]:
        with subtests.test(own=own):
            data = f"# A\n- x\n\n{own}\n\n- y\n".encode()
            (_, part) = sections(data, 1)
            x, table, y = (item.text for item in items(part, prose=True))

            assert own.encode() in with_items(data, 1, {"A": ["new", x, table, y]}, prose=True)
            assert own.encode() in with_items(data, 1, {"A": [table, x, y, "new"]}, prose=True)
            assert with_items(data, 1, {"A": [x, table]}, prose=True) == data.replace(b"- y\n", b"")


def test_of_items_in_another_order_as_few_as_can_be_are_moved() -> None:
    data = b"# A\n- a <!-- 1 -->\n- b <!-- 2 -->\n- c <!-- 3 -->\n- d <!-- 4 -->\n"

    new_data = with_items(data, 1, {"A": ["d", "a", "b", "c"]})

    assert new_data == b"# A\n- d <!-- 4 -->\n- a <!-- 1 -->\n- b <!-- 2 -->\n- c <!-- 3 -->\n"


def test_numbers_that_no_longer_count_on_begin_a_list_of_their_own() -> None:
    data = b"# A\n" + b"".join(f"{number}. n{number}\n".encode() for number in range(1, 12))

    new_data = with_items(data, 1, {"A": ["n1", "n11"]})

    assert new_data == b"# A\n1. n1\n\n11. n11\n"
    moved = with_items(data, 1, {"A": [f"n{number}" for number in (2, 1, *range(3, 12))]})
    (_, part) = sections(moved, 1)
    assert [item.text for item in items(part)] == [f"n{number}" for number in (2, 1, *range(3, 12))]


def test_items_of_other_depths_change_places() -> None:
    assert with_items(b"# A\n  - a\n    more\n- b\n", 1, {"A": ["b", "a more"]}) == b"# A\n- b\n- a\n  more\n"


def test_what_was_parted_by_an_item_stays_parted() -> None:
    data = b"# A\none\n```\nx\n```\ntwo\n"

    assert with_items(data, 1, {"A": ["one", "two"]}, prose=True) == b"# A\none\n\ntwo\n"


def test_the_mark_of_a_files_encoding_stays_in_front() -> None:
    assert with_items("\ufeff# B\n".encode(), 1, {"A": ["x"], "B": []}) == "\ufeff# A\n- x\n\n# B\n".encode()


def test_a_section_of_any_level_is_found() -> None:
    assert with_items(b"# X\n### A:\n- x\n## Y\n", 1, {"A": ["x", "y"]}) == b"# X\n### A:\n- x\n- y\n## Y\n"


def test_words_that_would_swallow_an_item_before_them_stand_before_it() -> None:
    assert with_items(b"# A\n  more\n\n# B\n", 1, {"A": ["x"]}) == b"# A\n  more\n- x\n\n# B\n"
