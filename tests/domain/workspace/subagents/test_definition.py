"""Contents of a definition of a sub-agent."""

from __future__ import annotations

from typing import Any

import pytest

from domain.workspace.subagents.definition import BODY_CHARS, SubagentDefinition, read_definition
from messages.workspace import ChildRole

LEAST = {"name": "researcher", "description": "Looks things up."}


def usable(**fields: Any) -> SubagentDefinition:
    reading = read_definition(LEAST | fields, "You look.\n")
    assert reading.faults == ()
    assert reading.definition is not None
    return reading.definition


def faults(fields: object = None, body: str = "", **more: Any) -> tuple[str, ...]:
    reading = read_definition(LEAST | more if fields is None else fields, body)
    assert reading.definition is None
    return reading.faults


@pytest.mark.req("S4-104")
def test_a_name_and_a_description_are_enough_and_isolated_is_the_default() -> None:
    assert usable() == SubagentDefinition(
        name="researcher", description="Looks things up.", body="You look.", mode="isolated", memory="relevant"
    )
    assert usable().role == ChildRole(name="researcher", body="You look.")


def test_everything_can_be_said() -> None:
    definition = usable(
        tools=["read", "bash"],
        model="openai/small",
        maxTurns=3,
        maxToolCalls=0,
        maxWallTimeSec=12.5,
        bashTimeoutSec=7,
        contextMode="contextual",
        memory="session",
        paths=["src", "docs/a b"],
        color="unknown keys are ignored",
    )
    assert (definition.mode, definition.memory, definition.paths) == ("contextual", "session", ("src", "docs/a b"))
    assert definition.role == ChildRole(
        name="researcher",
        body="You look.",
        can_run=True,
        model="openai/small",
        max_turns=3,
        max_calls=0,
        max_wall_s=12.5,
        bash_timeout_s=7.0,
    )


def test_read_and_bash_both_mean_bash_and_an_empty_list_none(subtests: pytest.Subtests) -> None:
    for tools, can_run in [(["bash"], True), ("read", True), ([], False), (None, False), ("", False)]:
        with subtests.test(tools=tools, can_run=can_run):
            assert usable(tools=tools).can_run is can_run


def test_a_description_is_made_one_line() -> None:
    assert usable(description="Looks\n  things\tup.\x00").description == "Looks things up."


@pytest.mark.req("S4-107")
def test_there_are_exactly_two_modes() -> None:
    assert faults(contextMode="channel") == ("contextMode 'channel': must be one of isolated, contextual",)
    assert faults(contextMode=None) == ("contextMode none: must be one of isolated, contextual",)


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"name": None}, "name none: is required: 1 to 64 of a-z, 0-9 and single hyphens between them"),
        ({"name": "A b"}, "name 'A b': is required: 1 to 64 of a-z, 0-9 and single hyphens between them"),
        ({"name": "a" * 65}, f"name '{'a' * 58}…: is required: 1 to 64 of a-z, 0-9 and single hyphens between them"),
        ({"description": " "}, "description ' ': is required"),
        ({"description": "x" * 1_025}, "description of 1025 characters: at most 1024 are allowed"),
        ({"tools": ["bash", "edit"]}, "tools 'edit': each must be one of read, bash"),
        ({"tools": 7}, "tools 7: must be a list, each of it one of read, bash"),
        ({"tools": [None]}, "tools none: each must be one of read, bash"),
        ({"model": 3}, "model 3: must be text of at most 200 characters on one line"),
        ({"maxTurns": 0}, "maxTurns 0: must be a whole number from 1 to 200"),
        ({"maxTurns": True}, "maxTurns True: must be a whole number from 1 to 200"),
        ({"maxToolCalls": 1.5}, "maxToolCalls 1.5: must be a whole number from 0 to 1000"),
        ({"maxWallTimeSec": "5"}, "maxWallTimeSec '5': must be a number from 1 to 3600"),
        ({"maxWallTimeSec": float("nan")}, "maxWallTimeSec nan: must be a number from 1 to 3600"),
        ({"bashTimeoutSec": 601}, "bashTimeoutSec 601: must be a number from 1 to 600"),
        ({"memory": "all"}, "memory 'all': must be one of none, session, relevant"),
        ({"paths": [""]}, "paths '': each must be at most 300 characters"),
        ({"paths": ["a\nb"]}, "paths 'a\\nb': each must be on one line"),
        ({"paths": ["\ud800"]}, "paths '\\ud800': each must be on one line"),
        ({"maxTurns": 16**80}, "maxTurns <a number of some 97 digits>: must be a whole number from 1 to 200"),
        ({"paths": ["x"] * 51}, "paths: 51 are given, at most 50 are allowed"),
    ],
)
def test_faults_name_the_value_and_the_rule(fields: dict[str, Any], fault: str) -> None:
    assert faults(**fields) == (fault,)


def test_all_faults_are_told() -> None:
    assert len(faults({"maxTurns": 0, "memory": 1}, "x" * (BODY_CHARS + 1))) == 5


def test_what_is_no_front_matter_is_refused(subtests: pytest.Subtests) -> None:
    odd: tuple[object, ...] = (None, [], "name: x")
    for fields in odd:
        with subtests.test(fields=fields):
            (fault,) = read_definition(fields, "").faults
            assert fault.endswith("must be `key: value` lines")
