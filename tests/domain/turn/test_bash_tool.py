from __future__ import annotations

import json
import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from domain.turn.bash_tool import (
    BASH_TOOL,
    MAX_ARGUMENTS_BYTES,
    MAX_COMMAND_BYTES,
    BashArguments,
    bash_tool,
    fault_of_command,
    fault_of_timeout,
    parse_arguments,
    shown_arguments,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["command", "timeout", "x"]), inner, max_size=3)
    ),
    max_leaves=8,
)


def fault(arguments_json: str) -> str:
    parsed = parse_arguments(arguments_json)
    assert isinstance(parsed, str)
    return parsed


@pytest.mark.req("S0-13", "S0-98a")
def test_the_tool_is_named_bash_and_requires_only_the_command() -> None:
    schema = json.loads(BASH_TOOL.parameters_json)
    assert BASH_TOOL.name == "bash"
    assert schema["required"] == ["command"]
    assert {name: rule["type"] for name, rule in schema["properties"].items()} == {
        "command": "string",
        "timeout": "number",
    }


@pytest.mark.req("S0-98", "S0-99")
def test_the_description_states_the_limits_that_are_in_force() -> None:
    description = bash_tool(30.0, 90.0).description
    for limit in ("2000 lines", "50.0 KB", "30 seconds", "at most 90"):
        assert limit in description
    assert "120 seconds" in BASH_TOOL.description
    assert "600" in BASH_TOOL.description


def test_well_formed_arguments_are_taken_and_unknown_keys_ignored() -> None:
    assert parse_arguments('{"command": "ls\\n-l"}') == BashArguments("ls\n-l", None)
    assert parse_arguments('{"command": "ls", "timeout": 3, "why": "to see"}') == BashArguments("ls", 3.0)
    assert parse_arguments('{"command": "ls", "timeout": 0.5}') == BashArguments("ls", 0.5)
    assert parse_arguments('{"command": "ls", "timeout": null}') == BashArguments("ls", None)


def test_arguments_that_cannot_be_used_are_refused_with_the_reason(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str]] = [
        ("", "not valid JSON"),
        ('{"command": "ls"', "not valid JSON"),
        ("[" * 100_000, "not valid JSON"),
        ('{"command": "ls", "timeout": ' + "9" * 5000 + "}", "not valid JSON"),
        ('["ls"]', "must be a JSON object with `command`, not an array"),
        ('"ls"', "not a string"),
        ("null", "not null"),
        ("{}", "`command` is missing"),
        ('{"command": null}', "`command` must be a string, not null"),
        ('{"command": ["ls"]}', "`command` must be a string, not an array"),
        ('{"command": ""}', "The command is empty"),
        ('{"command": " \\n\\t"}', "The command is empty"),
        ('{"command": "ls", "timeout": true}', "`timeout` must be a number of seconds, not a boolean"),
        ('{"command": "ls", "timeout": "5"}', "`timeout` must be a number of seconds, not a string"),
        ('{"command": "a\\u0000b"}', "NUL character at position 1"),
        ('{"command": "echo \\ud83d"}', "half a surrogate pair, U+D83D at position 5"),
    ]
    for arguments, reason in cases:
        with subtests.test(arguments=arguments, reason=reason):
            assert reason in fault(arguments)


def test_huge_arguments_are_refused_naming_their_size_and_the_limit() -> None:
    reason = fault(json.dumps({"command": "x" * 2_000_000}))
    assert "2000015 bytes" in reason
    assert str(MAX_ARGUMENTS_BYTES) in reason


def test_a_lone_surrogate_in_the_arguments_themselves_is_refused_too() -> None:
    assert "surrogate" in fault('{"command": "\ud83d"}')


def test_a_command_longer_than_the_system_takes_is_refused_naming_its_size() -> None:
    assert fault_of_command("x" * MAX_COMMAND_BYTES) == ""
    assert str(MAX_COMMAND_BYTES + 1) in fault_of_command("x" * (MAX_COMMAND_BYTES + 1))
    assert "131072 bytes" in fault_of_command("é" * 65_536)


def test_a_timeout_out_of_range_is_refused_naming_value_and_rule(subtests: pytest.Subtests) -> None:
    cases: list[float] = [0.0, -1.0, 600.5, math.inf, -math.inf, math.nan]
    for timeout_s in cases:
        with subtests.test(timeout_s=timeout_s):
            reason = fault_of_timeout(timeout_s)
            assert f"{timeout_s:g}" in reason
            assert "more than 0 and at most 600" in reason


def test_a_timeout_in_range_is_accepted(subtests: pytest.Subtests) -> None:
    for timeout_s in [0.001, 120.0, 600.0]:
        with subtests.test(timeout_s=timeout_s):
            assert fault_of_timeout(timeout_s) == ""


def test_a_timeout_beyond_all_floats_is_left_for_the_range_to_refuse() -> None:
    assert parse_arguments('{"command": "ls", "timeout": 1' + "0" * 400 + "}") == BashArguments("ls", math.inf)
    assert parse_arguments('{"command": "ls", "timeout": -1' + "0" * 400 + "}") == BashArguments("ls", -math.inf)


@given(st.text() | JSON.map(json.dumps))
@example('{"command": NaN, "timeout": Infinity}')
def test_whatever_a_model_writes_gives_arguments_or_a_reason(arguments: str) -> None:
    parsed = parse_arguments(arguments)
    if isinstance(parsed, BashArguments):
        assert fault_of_command(parsed.command) == ""
    else:
        assert parsed


@given(st.text(min_size=1), st.none() | st.floats(allow_nan=False) | st.integers(-1000, 1000))
def test_arguments_survive_the_way_through_json(command: str, timeout: float | None) -> None:
    parsed = parse_arguments(json.dumps({"command": command, "timeout": timeout}))
    assert parsed == (fault_of_command(command) or BashArguments(command, timeout))


def test_arguments_that_are_too_long_to_be_accepted_are_not_shown_again() -> None:
    longest = json.dumps({"command": "x" * (MAX_ARGUMENTS_BYTES - 20)})
    assert shown_arguments(longest) == longest
    rendered = shown_arguments(json.dumps({"command": "x" * 2_000_000}))
    assert "2000015 characters" in json.loads(rendered)["left_out"]
