from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.edit.lines import BOM
from domain.edit.merge import apply, changes

lines = st.lists(st.sampled_from([b"a", b"b", b"c", b"d", b"", b"# H"]), max_size=7)
documents = st.builds(lambda parts, end: b"\n".join(parts) + end, lines, st.sampled_from([b"", b"\n"]))


def without_id(line: bytes) -> bytes:
    return line.partition(b" id=")[0]


@given(documents, documents)
def test_changes_made_again_where_they_were_made_bring_every_line_of_the_new_version(old: bytes, new: bytes) -> None:
    merged = apply(changes(old, new), old)
    assert not Counter(line for line in new.split(b"\n") if line) - Counter(merged.split(b"\n"))


@given(documents)
def test_no_change_is_no_change(data: bytes) -> None:
    assert changes(data, data) == ()


@given(documents, documents, documents)
def test_no_added_line_is_left_out_whatever_it_is_applied_to(old: bytes, new: bytes, other: bytes) -> None:
    merged = apply(changes(old, new), other)
    added = Counter(new.split(b"\n")) - Counter(old.split(b"\n"))
    there = Counter(merged.split(b"\n"))
    assert all(there[line] >= 1 for line in added if line)


def test_lines_come_and_go_where_their_neighbours_are(subtests: pytest.Subtests) -> None:
    for old, new, other, expected in [
        (b"a\nb\n", b"a\nx\nb\n", b"a\nb\nagent\n", b"a\nx\nb\nagent\n"),
        (b"a\nb\n", b"a\n", b"a\nb\nagent\n", b"a\nagent\n"),
        (b"a\nb\n", b"a\ny\n", b"a\nb\nagent\n", b"a\ny\nagent\n"),
        (b"a\n", b"a\nx\n", b"a\nx\n", b"a\nx\n"),
        (b"a\n", b"a\nx\n", b"z\r\ny\r\n", b"z\r\ny\r\nx\r\n"),
        (b"a\n", b"a\nx\n", b"z\r\ny", b"z\r\ny\r\nx"),
        (b"a", b"a\nx", b"a", b"a\nx"),
        (b"a\n\n\n", b"a\n", b"a\n\n\nb\n", b"a\n\n\nb\n"),
    ]:
        with subtests.test(old=old):
            assert apply(changes(old, new), other) == expected


@pytest.mark.parametrize(
    ("old", "new", "other", "expected"),
    [
        (b"a\n", b"a\nx\n", b"a\nx id=1\n", b"a\nx id=1\n"),
        (b"a\n", b"a\nx\nx\n", b"a\nx id=1\n", b"a\nx\nx id=1\n"),
        (b"x id=1\n", b"x id=1\nx\n", b"x id=1\n", b"x id=1\nx\n"),
        (b"x id=1\n", b"x id=1\nx\n", b"x id=1\nx id=2\n", b"x id=1\nx id=2\n"),
        (b"x id=1\nx id=1\n", b"x id=1\nx\n", b"x id=1\nx id=1\n", b"x id=1\nx\n"),
        (b"x\n", b"y\n", b"y id=1\n", b"y id=1\n"),
    ],
)
def test_a_line_that_got_its_id_meanwhile_is_not_added_again(
    old: bytes, new: bytes, other: bytes, expected: bytes
) -> None:
    assert apply(changes(old, new, without_id), other, without_id) == expected


@pytest.mark.parametrize(
    ("old", "new", "other", "expected"),
    [
        (b"x\ny\n", b"y\n", b"x id=1\ny id=2\n", b"y id=2\n"),
        (b"x\ny\n", b"z\ny\n", b"x id=1\ny\n", b"z\ny\n"),
        (b"x\nx\n", b"x\n", b"x id=1\nx id=2\n", b"x id=2\n"),
        (b"x id=9\nx\n", b"x id=9\n", b"x id=9\nx id=1\n", b"x id=9\n"),
        (b"x id=9\nx\n", b"x id=9\n", b"x id=9\n", b"x id=9\n"),
        (b"x\ny\n", b"y\nx\n", b"x id=1\ny\n", b"x id=1\ny\n"),
        (b"x id=1\ny\n", b"y\n", b"x id=2\ny\n", b"x id=2\ny\n"),
    ],
)
def test_a_line_that_got_its_id_meanwhile_is_removed_with_the_id(
    old: bytes, new: bytes, other: bytes, expected: bytes
) -> None:
    assert apply(changes(old, new, without_id), other, without_id) == expected


@pytest.mark.parametrize(("old", "new"), [(b"a\nb\n", b"a\r\nb\r\n"), (b"a\r\nb\r\n", b"a\nb\r\n")])
def test_other_line_ends_alone_are_no_change(old: bytes, new: bytes) -> None:
    assert changes(old, new) == ()


@pytest.mark.parametrize(
    ("old", "new", "other", "expected"),
    [
        # The same line stands in a code block above: the one that was meant is known by the lines before it.
        (
            b"```\nx\n```\n# H\nx\n",
            b"```\nx\n```\n# H\n",
            b"```\nx\n```\n# H\nx\nagent\n",
            b"```\nx\n```\n# H\nagent\n",
        ),
        (b"```\nx\n```\nx\n", b"```\nx\n```\nx\ny\n", b"```\nx\n```\nx\nagent\n", b"```\nx\n```\nx\ny\nagent\n"),
        (b"x\n```\nx\n```\n", b"```\nx\n```\n", b"x\n```\nx\n```\nagent\n", b"```\nx\n```\nagent\n"),
    ],
)
def test_of_equal_lines_the_one_that_was_changed_is_changed_again(
    old: bytes, new: bytes, other: bytes, expected: bytes
) -> None:
    assert apply(changes(old, new), other) == expected


def test_lines_that_end_with_carriage_returns_alone_are_lines() -> None:
    assert apply(changes(b"a\rb\r", b"a\rx\rb\r"), b"a\rb\ragent\r") == b"a\rx\rb\ragent\r"


@pytest.mark.parametrize(
    ("old", "new", "other", "expected"),
    [
        (b"x\n", BOM + b"y\nx\n", b"x\nagent\n", b"x\nagent\ny\n"),
        (BOM + b"x\n", BOM + b"y\nx\n", BOM + b"x id=1\n", BOM + b"x id=1\ny\n"),
        (BOM + b"x\n", b"y\nx\n", BOM + b"x id=1\n", BOM + b"x id=1\ny\n"),
        (b"x\ny\n", BOM + b"y\n", b"x\ny\nagent\n", b"y\nagent\n"),
        (b"x\n", BOM + b"x\n", b"x id=1\n", b"x id=1\n"),
    ],
)
def test_a_byte_order_mark_is_part_of_no_line(old: bytes, new: bytes, other: bytes, expected: bytes) -> None:
    assert apply(changes(old, new, without_id), other, without_id) == expected
