"""Words of answers that are kept, and the reasons for those that are not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from domain.facts.answer import kept_words, problem_of
from domain.text.answer.stream import AnswerStream


def event(finish: str | None = None, **delta: Any) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return b"data: " + json.dumps({"choices": [choice]}).encode() + b"\n\n"


DONE = b"data: [DONE]\n\n"
END = event("stop") + DONE


def read(data: bytes, most_chars: int | None = None) -> AnswerStream:
    answer = AnswerStream(most_chars=most_chars)
    answer.feed(data)
    answer.end()
    return answer


@pytest.mark.req("X-224")
def test_an_answer_is_kept_only_if_it_is_whole_and_all_of_it_was_read() -> None:
    half = event(content="Half of ")
    cases: list[tuple[bytes, str]] = [
        (half + END, ""),
        (half + DONE, ""),
        (half + event("stop"), ""),
        (half + event("length"), ""),
        (half, "it has no end"),
        (half + b'data: {"error": "x"}\n\n' + DONE, "reported an error"),
        (half + event("error") + DONE, "its server ended it by 'error'"),
        (half + event("insufficient_system_resource"), "by 'insufficient_system_resource'"),
        (half + b'data: {"cho\n\n' + END, "a part of it is not JSON"),
        (b"<html>down</html>", "it holds no answer in OpenAI's format"),
        (b"", "it holds no answer in OpenAI's format"),
        (b"[]", "it holds no answer in OpenAI's format"),
        (b'{"choices": []}', "it holds no answer in OpenAI's format"),
        (b'{"choices": [{"message": {"content": "a"}, "finish_reason": "error"}]}', "ended it by 'error'"),
        (b'{"choices": [{"message": {"content": "a"}}]}', ""),
    ]
    failures = [
        (data, problem_text)
        for data, problem in cases
        if (problem not in (problem_text := problem_of(read(data)))) or bool(problem) != bool(problem_text)
    ]
    assert not failures
    assert "longer than" in problem_of(read(half + END, most_chars=3))


@pytest.mark.req("X-224")
def test_thoughts_are_not_kept_and_a_refusal_is() -> None:
    gpt = "<|channel|>analysis<|message|>Hm<|end|><|start|>assistant<|channel|>final<|message|>You live in Oslo."
    cases: list[tuple[bytes, tuple[str, ...], str]] = [
        (event(content="<think>Where?</think>You live in Oslo."), (), "You live in Oslo."),
        (event(content="<thi") + event(content="nk>Where?</think>\n\nOslo."), (), "Oslo."),
        (event(content="Where?</think>\nOslo."), (), "Oslo."),
        (event(content="<think>never closed"), (), ""),
        (event(content=gpt), (), "You live in Oslo."),
        (event(reasoning_content="Where?") + event(content="Oslo."), (), "Oslo."),
        (event(content=[{"type": "thinking", "thinking": "Hm"}, {"type": "text", "text": "Oslo."}]), (), "Oslo."),
        (event(content="<think> opens it."), ("What does <think> do?",), "<think> opens it."),
        (event(content="Oslo.<|im_end|>"), (), "Oslo."),
        (event(refusal="I will ") + event(refusal="not."), (), "I will not."),
        (event(content="a\ud83d") + event(content="\ude00b\ud83d"), (), "a😀b\ufffd"),
    ]
    retained_words = [kept_words(read(data + END), texts) for data, texts, _ in cases]
    assert retained_words == [words for _, _, words in cases]
