"""Calls in an answer, which people are not to see."""

from __future__ import annotations

import pytest

from domain.text.answer.slip import bare_answer, find_slip, is_about_calls

TOOLS = {"bash": {"command": "string", "timeout": "number"}}
SKILLS = ("reminders", "send-file")
LS = '{"command": "ls"}'


@pytest.mark.req("X-215")
def test_a_call_in_an_answer_is_found_in_each_form() -> None:
    call = f'{{"name": "bash", "arguments": {LS}}}'
    fence = f"```json\n{call}\n```"
    cases = {
        fence: (True, ("bash", LS)),
        f"I count them:\n\n{fence}\nThere are 5.": (False, ("bash", LS)),
        f"I look.\n{call}": (False, ("bash", LS)),
        f"{call}\nThat is it.": (False, ("bash", LS)),
        f"Sure!\n<tool_call>\n{call}\n</tool_call>": (False, ("bash", LS)),
        # the template in the file of Qwen2.5-Coder doubles the braces of its example, and the model repeats that
        f"{{{call}}}": (True, ("bash", LS)),
        '{{"name": "reminders", "arguments": {"minutes": 20}}}}': (True, ("reminders", '{"minutes": 20}')),
        '```json\n{"name": "write_file", "arguments": {"path": "x"}}\n```': (True, ("write_file", '{"path": "x"}')),
        '{"name": "send-file", "arguments": {"a.csv"}}': (True, ("send-file", '{"": "a.csv"}')),
        '```json\n{"name": "bash", "arguments": {"command": "ls", "timeout": 05}}\n```': (
            True,
            ("bash", '{"command": "ls", "timeout": "05"}'),
        ),
        "It says {'name': 'bash', 'arguments': {'command': 'ls'}}": (False, ("bash", LS)),
        'First:\n```json\n{"name": "bash", "arguments": {"command": "ls\n': (False, ("bash", '{"command": "ls')),
    }
    failures = {}
    for answer, (is_alone, wanted) in cases.items():
        slip = find_slip(answer, TOOLS, SKILLS)
        if slip is None or (slip.is_alone, slip.calls) != (is_alone, (wanted,)):
            failures[answer] = slip
    assert not failures


def test_data_and_code_for_people_are_no_calls() -> None:
    cases = (
        "",
        "There are 5 files.",
        '```json\n{"name": "Ada", "age": 3}\n```',
        'The setting is `{"name": "x", "arguments": ["a"]}`.',
        'Your schema:\n```json\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n```',
        "```bash\nls | wc -l\n```",
        "Use bash for that.",
        "[1, 2, 3]",
        "f(x) = {x}",
    )
    failures = {answer: slip for answer in cases if (slip := find_slip(answer, TOOLS, SKILLS)) is not None}
    assert not failures


def test_people_who_write_of_calls_may_be_shown_one() -> None:
    cases = {
        "How does a tool call look in JSON?": True,
        "What are function-calling models?": True,
        'Explain {"name": "x", "arguments": {}}': True,
        "What does the line EXPAND path=x do?": True,
        "Call Bob and expand the archive.": False,
        "": False,
    }
    failures = {text: wanted for text, wanted in cases.items() if is_about_calls(text) is not wanted}
    assert not failures


def test_what_a_model_sets_around_its_answer_is_taken_off() -> None:
    cases = {
        "<tool_response>\n7 files.\n</tool_response>": "7 files.",
        "The tag is <tool_response>.": "The tag is <tool_response>.",
        "[2026-01-30 14:24 UTC] you:\nGood morning!": "Good morning!",
        "[2026-01-30 14:24 UTC] Remembrancer: Hello": "Hello",
        "[2026-01-30 14:24 UTC] is when it was said.": "[2026-01-30 14:24 UTC] is when it was said.",
    }
    failures = {answer: bare for answer, wanted in cases.items() if (bare := bare_answer(answer)) != wanted}
    assert not failures
