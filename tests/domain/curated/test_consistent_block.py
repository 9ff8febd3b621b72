from __future__ import annotations

import pytest

from domain.curated.block import ScopeBlock, block, store
from domain.curated.page import Scope
from domain.turn.prompt import system_prompt
from messages.base import Surface, Window

CHANNEL = Window(surface=Surface.DISCORD_CHANNEL, id="910000000000000011")
EXCEPTED = "you need not, and cannot, save anything for yourself"


def scope_block(scope: Scope = Scope.GLOBAL, *, may_write: bool = True, index: str = "") -> ScopeBlock:
    return ScopeBlock(scope, f"/home/ann/{scope.value}", may_write, index)


def flat(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("window", [CHANNEL, Window(surface=Surface.CLI, id="1")], ids=["channel", "cli"])
def test_the_system_prompt_has_a_place_to_save_into_exactly_where_it_may_write(window: Window) -> None:
    for may_write in (True, False):
        scopes = [scope_block(may_write=may_write)]
        prompt = flat(system_prompt(window, "/work", block(scopes), stores=[store(scopes)]))
        assert (EXCEPTED in prompt.casefold()) is not may_write
        assert ("you save with bash, once" in prompt) is may_write
        assert ("save it at once: a correction from the user" in prompt) is may_write
        assert "persistent memory, below: durable facts beyond this conversation. " in prompt
    scopes = [scope_block(may_write=False)]
    without = flat(system_prompt(window, "/work", block(scopes, may_run=False), stores=[store(scopes)], may_run=False))
    assert EXCEPTED in without.casefold()
    assert "Nothing can be saved there from this conversation" in without


@pytest.mark.parametrize("may_run", [True, False])
def test_where_it_may_not_write_it_is_told_so_and_no_rule_of_writing(may_run: bool) -> None:
    prompt = flat(block([scope_block(may_write=False), scope_block(Scope.PROJECT, may_write=False)], may_run=may_run))
    assert "Nothing can be saved there from this conversation" in prompt
    assert "you can only read it" in prompt
    assert not any(word in prompt for word in (EXCEPTED, "save it at once", "curated.py"))


def test_without_bash_it_is_told_of_no_way_to_read_or_write_files() -> None:
    prompt = block([scope_block(index="- one\n")], may_run=False)
    assert "which cannot be read here" in prompt
    assert not any(word in prompt for word in ("bash", "cat ", "curated.py"))
    assert prompt.endswith("### Global MEMORY.md\n- one")


def test_what_a_scope_shows_to_whom_is_said_of_those_that_there_are() -> None:
    alone, both = block([scope_block()]), block([scope_block(), scope_block(Scope.PROJECT)])
    assert "Global memory is shown in every conversation: nothing private of a person's, no secrets." in alone
    assert "Project memory" not in alone
    assert "read by your teammates in version control: factual, professional, no secrets." in both
