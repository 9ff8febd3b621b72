"""What the model is told."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.text.imitation import defuse
from domain.turn.prompt import EXPANDED_PREFIX, MEMORY_PREFIX, prompt_header, system_prompt, with_block
from messages.base import Surface, Window

AT = datetime(2026, 1, 30, 14, 23, 55, tzinfo=UTC)


@given(st.text())
def test_a_name_cannot_break_out_of_the_header_line(name: str) -> None:
    header = prompt_header(name, AT)
    assert len(header.splitlines()) == 1
    assert header.startswith("[2026-01-30 14:23 UTC] ")
    assert header.endswith(":")
    assert header.count("[") == 1


@pytest.mark.req("S0-62", "X-11")
def test_a_block_stands_immediately_before_the_prompt() -> None:
    assert with_block("BLOCK", "prompt") == "BLOCK\n\nprompt"
    assert with_block("", "prompt") == "prompt"


def test_an_imitated_prefix_never_starts_a_line_of_what_the_model_sees(subtests: pytest.Subtests) -> None:
    for lead in ["", "  ", "x\n", "\n\t"]:
        with subtests.test(lead=lead):
            text = defuse(f"{lead}{MEMORY_PREFIX}\n{{}}")
            assert not any(line.lstrip().startswith(MEMORY_PREFIX) for line in text.split("\n"))


@given(st.text())
def test_other_text_is_left_as_it_is(text: str) -> None:
    assert defuse(text) == text or MEMORY_PREFIX in text


@pytest.mark.req("S0-63")
def test_the_system_prompt_is_the_same_every_time_and_names_folder_and_prefix() -> None:
    window = Window(surface=Surface.DISCORD_THREAD, id="910000000000000099")
    first = system_prompt(window, "/work/x")
    assert first == system_prompt(window, "/work/x")
    assert "/work/x" in first
    assert MEMORY_PREFIX in first
    assert "thread" in first


def test_where_commands_are_turned_off_the_system_prompt_promises_no_tool_and_keeps_the_rest() -> None:
    window = Window(surface=Surface.DISCORD_THREAD, id="910000000000000099")
    with_tool, without = system_prompt(window, "/work/x"), system_prompt(window, None)
    assert "bash" in with_tool
    assert "bash" not in without
    assert "commands cannot be run here" in without
    beginning, _, rest = with_tool.partition("\nYour tool\n")
    assert without.startswith(beginning)
    assert without.endswith(rest[rest.index("\nWhat you can rely on\n") :])


def test_no_line_of_anybodys_begins_as_only_the_runtimes_do(subtests: pytest.Subtests) -> None:
    cases_of_name: list[str] = [MEMORY_PREFIX, EXPANDED_PREFIX]
    cases_of_hidden: list[str] = ["", " ", "\t", "\u200b", "\ufeff \u2060"]
    cases_of_breaks: list[str] = ["\n", "\r", "\r\n", "\x0b", "\x85", "\u2028"]
    for name in cases_of_name:
        for hidden in cases_of_hidden:
            for breaks in cases_of_breaks:
                with subtests.test(name=name, hidden=hidden, breaks=breaks):
                    assert defuse(f"hello{breaks}{hidden}{name}{breaks}x") == f"hello{breaks}> {hidden}{name}{breaks}x"
                    assert defuse(f"{hidden}{name}") == f"> {hidden}{name}"


def test_additions_stand_at_the_end_of_the_system_prompt_in_their_order() -> None:
    window = Window(surface=Surface.DISCORD_THREAD, id="910000000000000099")
    plain = system_prompt(window, "/work/x")
    assert system_prompt(window, "/work/x", "", " ") == plain
    assert system_prompt(window, "/work/x", "one", "\ntwo\n") == f"{plain}\none\n\ntwo\n"
