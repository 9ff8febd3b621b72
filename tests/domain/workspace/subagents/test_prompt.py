"""What a sub-agent is told."""

from __future__ import annotations

import pytest

from domain.workspace.subagents.prompt import last_words_wanted, subagent_prompt, task_prompt
from messages.workspace import ChildRole

ROLE = ChildRole(name="counter", body="You count {kilns}.", max_calls=7, max_turns=5, max_wall_s=90.0)


def test_the_system_prompt_says_who_it_is_and_what_it_may_do() -> None:
    prompt = subagent_prompt(ROLE, "/work/x")
    assert prompt.startswith("You are counter, a sub-agent")
    assert prompt.endswith("Your role\nYou count {kilns}.\n")
    for part in ("fresh shell in /work/x,", "call it 7 times, in at most 5 messages and 90 seconds"):
        assert part in prompt


def test_without_a_tool_or_a_role_it_says_less() -> None:
    prompt = subagent_prompt(ChildRole(name="counter", body=""), None)
    assert "bash" not in prompt
    assert prompt.endswith("You have no tool: answer from what the task says.\n")


@pytest.mark.req("S4-105", "S4-106")
def test_a_task_stands_alone_or_behind_what_is_known() -> None:
    assert task_prompt("count") == task_prompt("count", " \n") == "count"
    assert task_prompt("count", "Known.\n") == "Known.\n\nYour task:\ncount"


def test_the_last_question_names_the_limit() -> None:
    assert last_words_wanted("its time is over").startswith("Your work ends here: its time is over. No more commands")
