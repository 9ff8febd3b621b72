from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.text.markdown.comments import Comments
from tests.pace import paced_s

PIECES = st.sampled_from(["a", "\n", "`", "``", "```", "<!--", "-->", "<!-- c -->", " "])


def without_comments(text: str, *, whole_note: bool = False) -> list[str]:
    """The lines of a text without its comments, looked for line by line."""
    comments, hidden_to, at, visible = Comments(text, whole_note=whole_note), 0, 0, list[str]()
    for line in text.split("\n"):
        end, place, words = at + len(line), max(at, hidden_to), ""
        while place < end:
            comment = comments.first(place, end, at)
            words += text[place : comment.begin if comment else end]
            place = hidden_to = max(hidden_to, comment.end if comment else end)
        visible.append(words)
        at = end + 1
    return visible


def test_a_comment_is_gone_and_what_only_looks_like_one_stays(subtests: pytest.Subtests) -> None:
    for text, lines in [
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
        ("<!---->x<!--->y<!-->z", ["xyz"]),
        ("\\<!-- a -->", ["\\<!-- a -->"]),
        ("a %% b %%", ["a %% b %%"]),
        ("", [""]),
    ]:
        with subtests.test(text=text):
            assert without_comments(text) == lines


@given(st.lists(PIECES, max_size=30).map("".join))
def test_no_line_is_gone_and_nothing_that_is_no_comment(text: str) -> None:
    lines = without_comments(text)

    assert len(lines) == text.count("\n") + 1
    assert all(line in whole or "<!--" in text for line, whole in zip(lines, text.split("\n"), strict=True))
    if "-->" not in text:
        assert lines == text.split("\n")


def test_in_a_note_percent_signs_count_and_what_begins_a_line_may_stay_open(subtests: pytest.Subtests) -> None:
    for text, lines in [
        ("%%\none\n\ntwo\n%%\nthree", ["", "", "", "", "", "three"]),
        ("one %%two%% three", ["one  three"]),
        ("one %% two\nthree %% four", ["one ", " four"]),
        ("50%% one\n\n50%% two", ["50%% one", "", "50%% two"]),
        ("`%%` one\n%%", ["`%%` one", ""]),
        ("%% never\nclosed", ["", ""]),
        ("<!-- never\nclosed", ["", ""]),
        ("<!-- once\nmore <!-- closed -->!", ["", "!"]),
        ("one <!-- never\nclosed", ["one <!-- never", "closed"]),
    ]:
        with subtests.test(text=text):
            assert without_comments(text, whole_note=True) == lines


def test_a_text_that_was_written_to_cost_time_costs_little(subtests: pytest.Subtests) -> None:
    for text in [
        "<!--",
        "`a` <!--\n",
        "```\n```\n",
        "`a`\n```\n```\n",
        "<!-- a -->",
        "`` ` ",
        "` <!-- ` -->",
        "<!-- a --> ` ",
        "%% a %%\n",
        "a %%",
    ]:
        with subtests.test(text=text):
            for whole in (text * (50_000 // len(text)), text * (50_000 // len(text)) + "\n<!-- end -->"):
                assert paced_s(partial(without_comments, whole), enough_s=1.0) < 1.0
                assert paced_s(partial(without_comments, whole, whole_note=True), enough_s=1.0) < 1.0
