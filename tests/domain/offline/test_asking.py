"""What the offline model takes for a question."""

from __future__ import annotations

import pytest

from domain.offline.asking import question_of


def test_a_question_is_known_without_its_mark(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str, str]] = [
        ("Where is the spare key?", "spare key", ""),
        ("where is the spare key", "spare key", ""),
        ("where's the spare key", "spare key", ""),
        ("hey bot, where did we put the spare key", "put spare key", ""),
        ("<@123456789012345678> where is the spare key", "spare key", ""),
        ("and the spare key?", "spare key", ""),
        ("tell me about the spare key", "spare key", ""),
        ("please tell me where the spare key is", "spare key", ""),
        ("what did I say about the spare key", "spare key", "i"),
        ("what did Bob say about the party", "party", "bob"),
        ("what Bob said about the party?", "party", "bob"),
        ("what did we say about the party", "party", ""),
        ("do you know the door code", "door code", ""),
        ("do you still remember the door code", "door code", ""),
        ("can you remember the door code", "door code", ""),
        ("remind me where the spare key is", "remind spare key", ""),
        ("I forgot where the spare key is", "spare key", ""),
        ("I can't remember which bus goes home", "bus goes home", ""),
        ("who likes liquorice", "likes liquorice", ""),
        ("which colour is my bike", "bike", ""),
        ("what's my cat's name", "cat", ""),
        ("what is my name", "name", ""),
        ("how many eggs did we buy", "many eggs buy", ""),
        ("I am back. Where is Bob", "bob", ""),
    ]
    for prompt, about, by in cases:
        with subtests.test(prompt=prompt, about=about, by=by):
            question = question_of(prompt)

            assert question is not None
            assert {term.rstrip("eiy") for term in question.terms} <= {word.rstrip("eiys") for word in about.split()}
            assert question.by == by
            assert question.terms


def test_a_statement_asks_nothing(subtests: pytest.Subtests) -> None:
    cases: list[str] = [
        "",
        "hello",
        "The spare key is under the mat.",
        "What a day with the key",
        "When I get home I take the key",
        "where there is smoke there is fire",
        "I remember where the key is",
        "remember that the key is under the mat",
        "I know what you did",
        "How nice of you",
        "please tell Bob about the key",
        "I said where it is",
        "see https://example.org/?key=1 for it",
        "> where is the spare key?",
    ]
    for prompt in cases:
        with subtests.test(prompt=prompt):
            assert question_of(prompt) is None


def test_a_question_for_the_hour_is_about_nothing_that_was_said() -> None:
    question = question_of("what time is it")

    assert question is not None
    assert question.terms == frozenset()
