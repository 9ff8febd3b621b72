"""Calls that models write as their text."""

from __future__ import annotations

import json
import time

import pytest

from domain.text.answer.written_call import may_become_call, without_template_end, written_calls

TOOLS = {"bash": {"command": "string", "timeout": "number"}, "read": {"path": "string"}}
LS = '{"command": "ls"}'
CALL = f'{{"name": "bash", "arguments": {LS}}}'
PWD = '{"name": "bash", "arguments": {"command": "pwd"}}'
ONE = (
    CALL,
    f"```json\n{CALL}\n```",
    f"```\n{CALL}\n```\n",
    f"~~~json\n{CALL}\n~~~",
    f"```tool_call\n{CALL}\n```",
    f"<tool_call>\n{CALL}\n</tool_call>",
    f"<tool_call>{CALL}",
    f"<tool_call>\n```json\n{CALL}\n```\n</tool_call>",
    f"<tool_call>bash{LS}</tool_call>",
    f"<tools>{CALL}</tools>",
    f"<|tool_call|>[{CALL}]",
    f"<|python_tag|>{CALL}",
    f"functools[{CALL}]",
    f"Action: {CALL}",
    f"[TOOL_CALLS][{CALL}]",
    f"[TOOL_CALLS]bash{LS}",
    f"[TOOL_CALLS]bash[ARGS]{LS}",
    f"<function=bash>{LS}</function>",
    "<function=bash>\n<parameter=command>\nls\n</parameter>\n</function>",
    "<tool_call>\n<function=bash>\n<parameter=command>\nls\n</parameter>\n</function>\n</tool_call>",
    "<tool_call>bash\n<arg_key>command</arg_key>\n<arg_value>ls</arg_value>\n</tool_call>",
    '<function_calls>\n<invoke name="bash">\n<parameter name="command">ls</parameter>\n</invoke>\n</function_calls>',
    '<minimax:tool_call>\n<invoke name="bash">\n<parameter name="command">ls</parameter>\n</invoke>\n</minimax:tool_call>',
    "<|tool_calls_section_begin|><|tool_call_begin|>functions.bash:0<|tool_call_argument_begin|>"
    f"{LS}<|tool_call_end|><|tool_calls_section_end|>",
    "<\uff5ctool▁calls▁begin\uff5c><\uff5ctool▁call▁begin\uff5c>function<\uff5ctool▁sep\uff5c>bash\n"
    f"```json\n{LS}\n```<\uff5ctool▁call▁end\uff5c><\uff5ctool▁calls▁end\uff5c>",
    '```tool_code\nprint(default_api.bash(command="ls"))\n```',
    '[bash(command="ls")]',
    f'{{"name": "bash", "parameters": {LS}}}',
    f'{{"tool": "bash", "args": {LS}}}',
    f'{{"action": "bash", "action_input": {LS}}}',
    f'{{"name": "functions.bash", "arguments": {LS}}}',
    f'{{"name": "bash", "arguments": {json.dumps(LS)}}}',
    f'{{"type": "function", "function": {{"name": "bash", "arguments": {json.dumps(LS)}}}}}',
    f'{{"tool_calls": [{{"id": "x", "function": {{"name": "bash", "arguments": {json.dumps(LS)}}}}}]}}',
    f'{{"bash": {LS}}}',
    '{"name": "bash", "command": "ls"}',
)
"""Texts for one call of `ls`."""
TWO = (
    f"{CALL}\n{PWD}",
    f"[{CALL}, {PWD}]",
    f"<tool_call>\n{CALL}\n</tool_call>\n<tool_call>\n{PWD}\n</tool_call>",
    f"```json\n{CALL}\n```\n\n```json\n{PWD}\n```",
    '[TOOL_CALLS]bash[ARGS]{"command": "ls"}[TOOL_CALLS]bash[ARGS]{"command": "pwd"}',
    '[bash(command="ls"), bash(command="pwd")]',
)
NONE = (
    f"I run {CALL}",
    f"```json\n{CALL}\n```\nThis lists the files.",
    f"{CALL} and so on",
    '{"name": "fly", "arguments": {}}',
    f'{CALL} {{"name": "fly", "arguments": {{}}}}',
    '{"name": "Ada", "age": 36}',
    LS,
    "```bash\nls\n```",
    "[1, 2]",
    "{}",
    "bash",
    "`ls`",
    "<b>bash</b>",
    "<tool_call>I would call bash</tool_call>",
    'bash(command="ls") lists the files',
    '{"name": "bash"}',
    '{"name": "bash", "arguments": {"command": "l',
)


@pytest.mark.req("X-213")
def test_a_text_that_is_a_call_is_one() -> None:
    """Among others ollama/ollama#13519, jundot/omlx#2565, Gitlawb/openclaude#433."""
    calls = {text: [(name, json.loads(cases)) for name, cases in written_calls(text, TOOLS)] for text in ONE}
    assert calls == {text: [("bash", {"command": "ls"})] for text in ONE}


def test_several_calls_in_one_text_stay_in_order() -> None:
    """sgomez/ollama-ai-provider#11: two objects without a comma."""
    commands = {text: [json.loads(call)["command"] for _, call in written_calls(text, TOOLS)] for text in TWO}
    assert commands == {text: ["ls", "pwd"] for text in TWO}


def test_a_text_with_anything_else_in_it_is_for_people() -> None:
    assert not [text for text in NONE if written_calls(text, TOOLS)]
    assert not [text for text in ONE if written_calls(text, {})]


def test_no_piece_of_a_call_is_shown_while_it_is_written() -> None:
    failures = [
        text[:size] for text in ONE + TWO for size in range(1, len(text)) if not may_become_call(text[:size], TOOLS)
    ]
    assert not failures


def test_a_text_for_people_is_shown_as_soon_as_it_can_be_no_call() -> None:
    for text in ("Hello", '{"rows": [1', "[link](x)", "```python\nimport os", "- [ ] item", "<b>x", "basho wrote"):
        assert not may_become_call(text, TOOLS), text


def test_values_in_tags_have_the_types_of_the_tool() -> None:
    text = "<function=bash><parameter=command>\ntrue\n</parameter><parameter=timeout>5</parameter></function>"
    assert written_calls(text, TOOLS) == (("bash", '{"command": "true", "timeout": 5}'),)


def test_lines_within_a_string_of_json_are_read() -> None:
    """Gitlawb/openclaude#287: a model leaves the ends of lines as they are."""
    ((_, arguments),) = written_calls('{"name": "bash", "arguments": {"command": "cat <<E\nx\nE"}}', TOOLS)
    assert json.loads(arguments) == {"command": "cat <<E\nx\nE"}


def test_ends_of_templates_are_no_text() -> None:
    cases = {"x</s>": "x", "x<|im_end|>\n": "x", "x <|eot_id|><|eot_id|>": "x", "a </s> b": "a </s> b", "x": "x"}
    assert {text: without_template_end(text) for text in cases} == cases


@pytest.mark.parametrize(
    "text",
    [
        "{" * 100_000,
        "[TOOL_CALLS]" * 20_000,
        "<tool_call>" * 20_000,
        "```json\n" * 20_000,
        '{"a":' * 50_000,
        "<function=bash><parameter=command>" * 10_000,
        CALL * 5_000,
    ],
    ids=lambda text: text[:12],
)
def test_any_text_is_read_in_little_time(text: str) -> None:
    before = time.process_time()
    written_calls(text, TOOLS)
    assert time.process_time() - before < 5
