"""The one line by which a model asks to see more of a record."""

from __future__ import annotations

from domain.text.wish import Wish, find_wish, may_become_wish, wish_line
from messages.turn import Reference

PATH = "logs/discord-thread/910000000000000099/20260130T142355Z_0001.md"
THERE = Wish(Reference(path=PATH, line=12))


def test_a_line_with_a_place_is_a_wish_however_it_is_written() -> None:
    line = f"EXPAND path={PATH} line=12"
    cases = (
        *(
            line,
            f" {line}\n",
            f"`{line}`",
            f"\n{line}",
            line.replace("EXPAND", "expand"),
            f"ExpAND path=/srv/data/{PATH} line=12",
        ),
        *(f'**EXPAND** path="{PATH}", line=12', f"- EXPAND: path: {PATH}, line: 12", f"EXPAND {PATH}:12"),
        *(f"EXPAND path=<{PATH}> line=<12>", f"I look it up.\n\n{line}", f"{line}\nIt was a cat.", f"> {line} please"),
    )
    failures = {case: wish for case in cases if (wish := find_wish(case)) != THERE}
    assert not failures
    assert find_wish(wish_line(THERE)) == THERE


def test_a_line_without_a_readable_place_is_a_wish_that_is_told_so() -> None:
    cases = (
        "EXPAND",
        "`EXPAND`",
        "EXPAND path=x",
        "EXPAND path=<path> line=<line>",
        "expand path=x line=0",
        "EXPAND line=4",
    )
    failures = {case: wish for case in cases if (wish := find_wish(case)) is None or wish.reference is not None}
    assert not failures
    assert wish_line(Wish(None, "EXPAND path=x")) == "EXPAND path=x"


def test_anything_else_is_an_answer() -> None:
    cases = (
        "",
        "I will expand the path.",
        "Expand the archive with tar.",
        "EXPANDED path=x line=1",
        "It expands to path=x.",
    )
    failures = {case: wish for case in cases if (wish := find_wish(case)) is not None}
    assert not failures


def test_where_people_write_of_such_lines_only_an_answer_that_is_nothing_else_is_a_wish() -> None:
    assert find_wish(f"The line is:\nEXPAND path={PATH} line=12", is_topic=True) is None
    assert find_wish(f"EXPAND path={PATH} line=12", is_topic=True) == THERE


def test_a_beginning_is_known() -> None:
    cases = {
        "\n`EXPAND pa": True,
        "EXPAND ": True,
        "expand path=lo": True,
        "I look.\nEXPAND pat": True,
        "I EXPAND": False,
        "Expand the": False,
        "": False,
    }
    failures = {case: wanted for case, wanted in cases.items() if may_become_wish(case) is not wanted}
    assert not failures
