from __future__ import annotations

import pytest

from domain.curated.block import Shown, block
from domain.curated.page import Scope
from domain.turn.prompt import system_prompt
from messages.base import Surface, Window

CHANNEL = Window(surface=Surface.DISCORD_CHANNEL, id="910000000000000011")
EXCEPTED = "you need not, and cannot, save anything for yourself"


def shown(scope: Scope = Scope.GLOBAL, *, may_write: bool = True, index: str = "") -> Shown:
    return Shown(scope, f"/home/ann/{scope.value}", may_write, index)


def flat(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("window", [CHANNEL, Window(surface=Surface.CLI, id="1")], ids=["channel", "cli"])
def test_where_it_may_write_it_is_the_exception_to_the_sentence_that_it_saves_nothing(window: Window) -> None:
    before = flat(system_prompt(window, "/work")).casefold()
    told = block([shown()])
    assert EXCEPTED in before
    assert f"{EXCEPTED} has one exception: durable facts you do save" in flat(told)
    assert all(
        kind in flat(told)
        for kind in (
            "a correction from the user",
            "a build/test command",
            "a non-obvious constraint",
            "a decision and its rationale",
        )
    )


@pytest.mark.parametrize("may_run", [True, False])
def test_where_it_may_not_write_it_is_told_so_and_no_rule_of_writing(may_run: bool) -> None:
    told = flat(block([shown(may_write=False), shown(Scope.PROJECT, may_write=False)], may_run=may_run))
    assert "Nothing can be saved from this conversation" in told
    assert "you can only read it" in told
    assert not any(word in told for word in (EXCEPTED, "save it at once", "curated.py"))


def test_without_bash_it_is_told_of_no_way_to_read_or_write_files() -> None:
    told = block([shown(index="- one\n")], may_run=False)
    assert "which cannot be read here" in told
    assert not any(word in told for word in ("bash", "cat ", "curated.py"))
    assert told.endswith("### Global MEMORY.md\n- one")


def test_what_a_scope_shows_to_whom_is_said_of_those_that_there_are() -> None:
    alone, both = block([shown()]), block([shown(), shown(Scope.PROJECT)])
    assert "Global memory is shown in every conversation: nothing private of a person's, no secrets." in alone
    assert "Project memory" not in alone
    assert "read by your teammates in version control: factual, professional, no secrets." in both
