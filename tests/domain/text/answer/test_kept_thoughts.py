"""Fields of thoughts, put together from the pieces of a stream."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from domain.text.answer.kept_thoughts import BLOCKS, DETAILS, KeptThoughts


def pieces(*texts: str, signature: str = "") -> list[dict[str, Any]]:
    """Deltas of a block, as litellm gives them: the words, then the signature."""
    deltas: list[dict[str, Any]] = [{"type": "thinking", "thinking": text} for text in texts]
    return [*deltas, {"type": "thinking", "thinking": "", "signature": signature}] if signature else deltas


@pytest.mark.req("X-221")
def test_pieces_of_a_part_are_one_part_and_parts_stay_apart() -> None:
    """litellm#38809 and bedrock of req_llm#997: signed blocks follow one another, and each keeps its own signature."""
    one: dict[str, Any] = {"type": "thinking", "thinking": "I list.", "signature": "a"}
    two: dict[str, Any] = {"type": "thinking", "thinking": "Then I count.", "signature": "b"}
    hidden: dict[str, Any] = {"type": "redacted_thinking", "data": "c"}
    text: dict[str, Any] = {"type": "reasoning.text", "index": 0, "text": "I"}
    cases: dict[str, tuple[str, list[dict[str, Any]], list[dict[str, Any]]]] = {
        "one block": (BLOCKS, pieces("I ", "list.", signature="a"), [one]),
        "two blocks": (
            BLOCKS,
            [*pieces("I list.", signature="a"), *pieces("Then I count.", signature="b")],
            [one, two],
        ),
        "a signature alone": (BLOCKS, pieces(signature="a"), [one | {"thinking": ""}]),
        "redacted ones": (BLOCKS, [hidden, hidden | {"data": "d"}], [hidden, hidden | {"data": "d"}]),
        "between": (
            BLOCKS,
            [*pieces("I list.", signature="a"), hidden, *pieces("Then I count.", signature="b")],
            [one, hidden, two],
        ),
        "another type": (
            DETAILS,
            [text, text | {"type": "reasoning.summary"}],
            [text, text | {"type": "reasoning.summary"}],
        ),
        "another number": (DETAILS, [text, text | {"index": 1}], [text, text | {"index": 1}]),
        "no text": (DETAILS, [text, text | {"text": 7}], [text | {"text": 7}]),
        "an empty field": (
            DETAILS,
            [text | {"format": "f"}, text | {"format": None}],
            [text | {"format": "f", "text": "II"}],
        ),
    }
    failures = []
    for case, (name, deltas, wanted) in cases.items():
        thoughts = KeptThoughts()
        for delta in deltas:
            thoughts.add(name, [delta])
        if (parts := json.loads(thoughts.encode())[name]) != wanted:
            failures.append((case, parts))
    assert not failures


def test_values_of_other_forms_are_passed_over() -> None:
    thoughts = KeptThoughts()
    words: tuple[object, ...] = (None, 7, {"text": "x"}, "")
    parts: tuple[object, ...] = (None, "x", [None, "x", 7])
    for value in words:
        thoughts.add("reasoning", value)
    for value in parts:
        thoughts.add(BLOCKS, value)
    assert thoughts.encode([None, "x"]) == ""


@pytest.mark.req("X-235")
def test_thoughts_in_very_many_pieces_take_little_time() -> None:
    thoughts, before = KeptThoughts(), time.process_time()
    for _ in range(80_000):
        thoughts.add(BLOCKS, pieces("x" * 100))
    encoded = thoughts.encode()

    assert time.process_time() - before < 5
    assert json.loads(encoded)[BLOCKS] == [{"type": "thinking", "thinking": "x" * 8_000_000}]
