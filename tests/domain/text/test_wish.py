"""The one line by which a model asks to see more of a record."""

from __future__ import annotations

import pytest

from domain.text.wish import may_become_wish, wish, wish_line
from messages.turn import Reference

THERE = Reference(path="logs/discord-thread/910000000000000099/20260130T142355Z_0001.md", line=12)


def test_the_line_alone_is_a_wish(subtests: pytest.Subtests) -> None:
    for around_it in ["{}", " {}\n", "`{}`", "\n{}"]:
        with subtests.test(around_it=around_it):
            assert wish(around_it.format(f"EXPAND path={THERE.path} line=12")) == THERE


def test_the_line_that_requests_show_is_a_wish() -> None:
    assert wish(wish_line(THERE)) == THERE


def test_a_beginning_is_known() -> None:
    assert may_become_wish("\n`EXPAND pa")
    assert not may_become_wish("I EXPAND")


def test_anything_else_is_an_answer(subtests: pytest.Subtests) -> None:
    for answer in [
        "EXPAND",
        "EXPAND path=x",
        "EXPAND path=x line=0",
        "EXPAND path=x line=-1",
        "EXPAND path=x line=1 please",
        "expand path=x line=1",
        "I will EXPAND path=x line=1",
        "EXPAND path=x line=1\nEXPAND path=y line=2",
        "EXPAND path=" + "x" * 400 + " line=1",
        "",
    ]:
        with subtests.test(answer=answer):
            assert wish(answer) is None
