from __future__ import annotations

import pytest

from domain.memory.injection import Memory, inject
from domain.offline.memory import Reminded, memories_of, quotes
from domain.offline.model import answer
from messages.model import ChatMessage, Role

CAT = Memory("logs/discord-channel/1/a.md", 7, "My cat is called Pixel.")
TEA = Memory("logs/discord-channel/1/a.md", 21, "I like green tea.")


def block(*memories: Memory) -> str:
    return inject(memories, frozenset()).block


def test_the_memories_of_a_request_are_read_as_they_were_injected() -> None:
    assert memories_of(f"{block(CAT, TEA)}\n\nWhat is my cat's name?") == (
        Reminded(CAT.text, CAT.path, CAT.line),
        Reminded(TEA.text, TEA.path, TEA.line),
    )


@pytest.mark.parametrize(
    "text", ["", "hello", "INJECTED_CONTEXT_RELEVANT_MEMORIES", "INJECTED_CONTEXT_RELEVANT_MEMORIES\nno json\n\nhello"]
)
def test_where_no_block_is_there_are_no_memories(text: str) -> None:
    assert memories_of(text) == ()


def test_a_question_brings_back_what_shares_a_word_with_it_and_says_where_it_stands() -> None:
    said = quotes("What are my cats called?", memories_of(block(TEA, CAT)))
    assert "> My cat is called Pixel.\n-# logs/discord-channel/1/a.md:7" in said
    assert "tea" not in said


def test_neither_a_statement_nor_a_question_about_something_else_brings_anything_back() -> None:
    memories = memories_of(block(CAT))
    assert quotes("My cat is asleep.", memories) == ""
    assert quotes("How is the weather?", memories) == ""


def test_the_offline_model_answers_a_question_with_what_it_remembers() -> None:
    prompt = f"{block(CAT)}\n\n[2026-11-22 14:03 UTC] Alice:\nWhat is my cat called?"
    said = answer("", (ChatMessage(role=Role.USER, text=prompt),), ())
    assert "> My cat is called Pixel." in said.text
