"""Places of cache marks: what a provider is asked to keep stands where later requests are the same."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.model.wire import messages_of
from domain.policy.model_call.caching import (
    MOST_MARKS,
    cache_key,
    ends_to_mark,
    is_repeated,
    mark_messages,
    wants_marks,
)
from domain.turn.bash_tool import BASH_TOOL
from messages.base import Address, RequestId, Surface, Window
from messages.model import ChatMessage, ModelRequest, Role, ToolCall

CALL = ToolCall(id="call_1", name="bash", arguments_json="{}")
ROLES = {"u": Role.USER, "a": Role.ASSISTANT, "c": Role.ASSISTANT, "t": Role.TOOL}


def request_of(form: str, turn: int = 0, recent: int = 0, **fields: Any) -> ModelRequest:
    """A request whose messages are a letter each: a user's, an answer, a call without words, a result of a tool."""
    return ModelRequest(
        request_id=RequestId("r"),
        reply_to=Address("test"),
        window=Window(surface=Surface.DISCORD_THREAD, id="1"),
        system_prompt="You are an agent.",
        messages=tuple(
            ChatMessage(
                role=ROLES[letter],
                text="" if letter == "c" else f"{letter}{place}",
                tool_calls=(CALL,) if letter == "c" else (),
                tool_call_id="call_1" if letter == "t" else "",
            )
            for place, letter in enumerate(form)
        ),
        tools=(BASH_TOOL,),
        run_id="turn",
        turn_messages=turn,
        recent_messages=recent,
        **fields,
    )


def test_marks_stand_where_the_next_requests_are_the_same() -> None:
    cases = {
        "first turn": (request_of("u", 1, 1), (1,)),
        "second turn: behind the first, and at the end": (request_of("uau", 1, 3), (2, 3)),
        "third turn: also behind the first, which the second turn's request ended a part with": (
            request_of("uauau", 1, 3),
            (2, 4, 5),
        ),
        "a round of calls: the request before ended with the question": (request_of("uauct", 3, 5), (2, 3, 5)),
        "the second round: with the first result": (request_of("uauctct", 5, 7), (2, 5, 7)),
        "a long round before": (request_of("uact" * 4 + "u", 1, 5), (12, 16, 17)),
        "several results of one round": (request_of("ucttt", 5, 5), (1, 5)),
        "overheard messages before the question": (request_of("uauuu", 1, 5), (4, 5)),
        "outside a turn: the request before, and the end": (request_of("uctct"), (3, 5)),
        "nothing but a call before": (request_of("cu", 1, 2), (2,)),
    }
    failures = [
        f"{name}: {ends_to_mark(request)} instead of {ends}"
        for name, (request, ends) in cases.items()
        if ends_to_mark(request) != ends
    ]
    assert not failures


@given(st.text("uact", min_size=1, max_size=40), st.data())
def test_no_request_has_more_marks_than_a_provider_takes_and_no_word_is_changed(form: str, data: st.DataObject) -> None:
    """continuedev/continue#6937, anthropics/claude-code#54013: a fifth mark is refused, and so is one on an empty block."""
    turn = data.draw(st.integers(0, len(form)))
    request = request_of(form, turn, data.draw(st.integers(turn, len(form))))
    plain = messages_of(request)

    marked = mark_messages(plain, request)

    with_mark = [message for message in marked if "cache_control" in message]
    assert 1 <= len(with_mark) <= MOST_MARKS
    assert all(message["content"] for message in with_mark)
    assert [{name: part for name, part in each.items() if name != "cache_control"} for each in marked] == plain
    assert messages_of(request) == plain


def test_a_mark_on_a_message_with_a_picture_stands_on_its_last_part() -> None:
    parts: list[dict[str, Any]] = [
        {"type": "text", "text": "look"},
        {"type": "image_url", "image_url": {"url": "data:,"}},
    ]
    marked = mark_messages([{"role": "system", "content": "s"}, {"role": "user", "content": parts}], request_of("u"))

    assert [list(part) for part in marked[1]["content"]] == [["type", "text"], ["type", "image_url", "cache_control"]]
    assert "cache_control" not in parts[-1]


@pytest.mark.req("X-217")
def test_only_models_whose_provider_wants_marks_have_any() -> None:
    wants = {
        ("anthropic", "claude-sonnet-4-5"): True,
        ("bedrock", "eu.anthropic.claude-sonnet-4-5-20250929-v1:0"): True,
        ("bedrock", "amazon.nova-pro-v1:0"): True,
        ("bedrock", "meta.llama3-1-70b-instruct-v1:0"): False,
        ("vertex_ai", "claude-sonnet-4-5@20250929"): True,
        ("vertex_ai", "gemini-2.5-pro"): False,
        ("openrouter", "anthropic/claude-sonnet-4.5"): True,
        ("openrouter", "google/gemini-2.5-pro"): False,
        ("gemini", "gemini-2.5-flash"): False,
        ("openai", "gpt-4o"): False,
        ("openai", "claude-sonnet-4-5"): False,
        ("hosted_vllm", "claude-like"): False,
        ("ollama_chat", "qwen3"): False,
    }
    assert {case: wants_marks(*case) for case in wants} == wants


def test_a_key_for_the_cache_is_openais_alone_stable_and_tells_nothing() -> None:
    one, other = (Window(surface=Surface.DISCORD_THREAD, id=number) for number in ("123456789", "123456780"))

    assert cache_key("openai", one) == cache_key("openai", one) != cache_key("openai", other)
    assert len(cache_key("openai", one)) == 32
    assert one.id not in cache_key("openai", one)
    assert not any(cache_key(provider, one) for provider in ("anthropic", "hosted_vllm", "groq", "azure", ""))


def test_a_request_that_no_other_repeats_pays_for_no_cache() -> None:
    """A mark costs a quarter more for what it keeps: a summary's request is never repeated."""
    cases = {
        "a turn": (request_of("u"), True),
        "a summary": (ModelRequest(**{**_fields(request_of("u")), "run_id": "", "tools": ()}), False),
        "a worker's rounds": (ModelRequest(**{**_fields(request_of("u")), "run_id": ""}), True),
        "refused by the server": (request_of("u", asks_cache=False), False),
    }
    assert {name: is_repeated(request) for name, (request, _) in cases.items()} == {
        name: wanted for name, (_, wanted) in cases.items()
    }


def _fields(request: ModelRequest) -> dict[str, Any]:
    return {name: getattr(request, name) for name in request.__struct_fields__}
