from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.workspace.files.comments import Comments
from tests.pace import paced_s

PIECES = st.sampled_from(["a", "\n", "`", "``", "```", "<!--", "-->", "<!-- c -->", " "])


def without_comments(text: str) -> list[str]:
    """The lines of a text without its comments, as one who asks for the next from each one's end sees them."""
    comments, shown, at = Comments(text), "", 0
    while (span := comments.after(at)) is not None:
        shown += text[at : span[0]] + "\n" * text.count("\n", *span)
        at = span[1]
    return (shown + text[at:]).split("\n")


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("one <!-- m:1 --> two", ["one  two"]),
        ("one\n<!--\ntwo -->\nthree", ["one", "", "", "three"]),
        ("`<!-- x -->` two", ["`<!-- x -->` two"]),
        ("`<!--` one\n-->", ["`<!--` one", "-->"]),
        ("`` ` <!-- `` one -->", ["`` ` <!-- `` one -->"]),
        ("` <!-- x --> one", ["`  one"]),
        ("<!-- ` --> one ` two", [" one ` two"]),
        ("<!-- a --> `<!-- b -->` <!-- c -->!", [" `<!-- b -->` !"]),
        ("never <!-- closed\nat all", ["never <!-- closed", "at all"]),
        ("once <!-- open\nand <!-- closed -->", ["once <!-- open", "and "]),
        ("closed --> never open", ["closed --> never open"]),
        ("<!---->x<!--->y", ["x<!--->y"]),
        ("", [""]),
    ],
)
def test_a_comment_is_gone_and_what_only_looks_like_one_stays(text: str, lines: list[str]) -> None:
    assert without_comments(text) == lines


@given(st.lists(PIECES, max_size=30).map("".join))
def test_no_line_is_gone_and_nothing_that_is_no_comment(text: str) -> None:
    lines = without_comments(text)

    assert len(lines) == text.count("\n") + 1
    assert all(line in whole or "<!--" in text for line, whole in zip(lines, text.split("\n"), strict=True))
    if "-->" not in text:
        assert lines == text.split("\n")


def test_from_a_line_s_beginning_the_next_one_is_the_same_until_it_is_passed() -> None:
    text = "a\nb <!-- c -->\nd\n<!-- e -->\n"
    comments = Comments(text)

    assert [comments.after(at) for at in (0, 2)] == [(4, 14), (4, 14)]
    assert [comments.after(at) for at in (15, 17)] == [(17, 27), (17, 27)]
    assert comments.after(28) is None


@pytest.mark.parametrize(
    "text",
    ["<!--", "`a` <!--\n", "```\n```\n", "`a`\n```\n```\n", "<!-- a -->", "`` ` ", "` <!-- ` -->", "<!-- a --> ` "],
)
def test_a_text_that_was_written_to_cost_time_costs_little(text: str) -> None:
    for whole in (text * (200_000 // len(text)), text * (200_000 // len(text)) + "\n<!-- end -->"):
        assert paced_s(partial(without_comments, whole)) < 4.0
