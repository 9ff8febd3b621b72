"""A skill that is called like a tool."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.text.answer.skill_call import bash_call, not_a_tool, skill_command
from messages.model import ToolCall

R = "/s/reminders.py"
REMINDERS = (
    f'{R} create --msg "take the bread out" --in-minutes 45',
    f'{R} create --msg "stand-up" --time 09:30 --recur daily',
    f'{R} create --msg "call Bob" --date 2026-12-01 --time 14:00',
    f'{R} modify "call Bob" --time 15:00',
    f'{R} delete "call Bob"',
    f"{R} list # all of them",
)
SEARCH = ('python3 -I /s/search.py "where did we want to eat"',)
SEND = ("'/my skills/send.py' report.csv",)


@pytest.mark.req("X-215")
def test_arguments_are_the_command_of_the_example_that_has_them() -> None:
    cases: tuple[tuple[tuple[str, ...], dict[str, object], str], ...] = (
        (REMINDERS, {"msg": "stretch", "in-minutes": 20}, f"{R} create --msg stretch --in-minutes 20"),
        (REMINDERS, {"action": "create", "msg": "a b", "in_minutes": "3"}, f"{R} create --msg 'a b' --in-minutes 3"),
        (REMINDERS, {"msg": "x", "time": "14:00"}, f"{R} create --msg x --time 14:00"),
        (REMINDERS, {"command": "list", "timeout": 120}, f"{R} list"),
        (REMINDERS, {"command": f"{R} delete rid_A"}, f"{R} delete rid_A"),
        (SEARCH, {"query": "door code; rm x"}, "python3 -I /s/search.py 'door code; rm x'"),
        (SEND, {"command": "echo hi > a.txt"}, "echo hi > a.txt"),
        (SEND, {"command": "a.csv"}, "'/my skills/send.py' a.csv"),
        (REMINDERS, {"command": "create --msg x; rm y"}, f"{R} create --msg x; rm y"),
        (SEND, {"file": "a b.csv"}, "'/my skills/send.py' 'a b.csv'"),
        # options of two examples of one verb
        (
            REMINDERS,
            {"msg": "x", "date": "2031-03-04", "time": "14:00", "recur": "none"},
            f"{R} create --msg x --date 2031-03-04 --time 14:00 --recur none",
        ),
        # the verb as a name
        (REMINDERS, {"list": None}, f"{R} list"),
        (REMINDERS, {"list": True}, f"{R} list"),
        (REMINDERS, {"delete": "the plumber"}, f"{R} delete 'the plumber'"),
        (REMINDERS, {"modify": "dentist", "time": "16:00"}, f"{R} modify dentist --time 16:00"),
        (REMINDERS, {"action": "modify", "id": "rid_A", "time": 1600}, f"{R} modify rid_A --time 1600"),
        (REMINDERS, {"action": "delete", "id": "rid_A", "why": "x"}, ""),
        (REMINDERS, {"action": "delete", "msg": "call Bob"}, f"{R} delete 'call Bob'"),
        (SEND, {"": "a.csv"}, "'/my skills/send.py' a.csv"),
        (SEND, {"file": None}, ""),
        (REMINDERS, {"minutes": 20}, ""),
        (REMINDERS, {"msg": {"text": "x"}}, ""),
        (REMINDERS, {}, ""),
        (REMINDERS, {"command": "sudo list"}, ""),
        ((), {"query": "x"}, ""),
    )
    failures = {
        str(arguments): command
        for skill, arguments, wanted in cases
        if (command := skill_command(skill, arguments)) != wanted
    }
    assert not failures


@given(st.dictionaries(st.text(max_size=9), st.text(max_size=20) | st.integers() | st.none() | st.booleans()))
def test_whatever_the_arguments_are_a_command_begins_with_the_skills_own_script(arguments: dict[str, object]) -> None:
    for skill, script in ((REMINDERS, R), (SEARCH, "python3 -I /s/search.py"), (SEND, "'/my skills/send.py'")):
        command = skill_command(skill, {name: each for name, each in arguments.items() if name != "command"})
        assert not command or command.startswith(script)


def test_a_call_of_a_skill_becomes_one_of_bash_and_any_other_stays() -> None:
    skills = {"reminders": REMINDERS}
    call = ToolCall(id="c1", name="reminders", arguments_json='{"command": "list"}')
    command = bash_call(call, skills)
    assert (command.id, command.name, json.loads(command.arguments_json)) == ("c1", "bash", {"command": f"{R} list"})
    for name, arguments in (("bash", "{}"), ("fly", "{}"), ("reminders", "{"), ("reminders", "[]")):
        other = ToolCall(id="c", name=name, arguments_json=arguments)
        assert bash_call(other, skills) is other
    assert not_a_tool("fly", skills) == ""
    assert REMINDERS[0] in not_a_tool("reminders", skills)


@pytest.mark.req("X-220")
def test_a_call_of_a_tool_that_writes_a_file_is_one_of_bash_if_it_says_nothing_else() -> None:
    cases = {
        ("write_file", '{"path": "a b.txt", "content": "it\'s"}'): """printf '%s\\n' 'it'"'"'s' > 'a b.txt'""",
        ("createFile", '{"filename": "a", "text": ""}'): "printf '%s\\n' '' > a",
        ("send-file", '{"file": "a", "content": "b; c"}'): "printf '%s\\n' 'b; c' > a",
        ("write_file", '{"path": "a", "content": "b", "mode": "append"}'): "",
        ("write_file", '{"path": "a", "content": ["b"]}'): "",
        ("write_file", '{"content": "b"}'): "",
        ("edit_file", '{"path": "a", "content": "b"}'): "",
        ("write_file", "["): "",
    }
    failures = {}
    for (name, arguments), wanted in cases.items():
        call = ToolCall(id="c", name=name, arguments_json=arguments)
        command = bash_call(call, {"send-file": SEND})
        if (command is call) != (not wanted) or (wanted and json.loads(command.arguments_json) != {"command": wanted}):
            failures[name, arguments] = command
    assert not failures
