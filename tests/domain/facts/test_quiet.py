from __future__ import annotations

import pytest

from domain.facts.quiet import says_nothing


def test_words_that_only_keep_a_conversation_going_say_nothing(subtests: pytest.Subtests) -> None:
    cases: list[str] = [
        "",
        "  \n",
        "ok",
        "Thanks!",
        "thank you",
        "OK, go on…",
        "👍",
        "???",
        "danke",
        "はい",
        "Merci.",
        "no no no",
        "…",
        "OK 👍🏽",
        ":)",
        "谢谢",
    ]
    for text in cases:
        with subtests.test(text=text):
            assert says_nothing(text)


def test_anything_else_may_say_something(subtests: pytest.Subtests) -> None:
    cases: list[str] = [
        "I am Anne",
        "no meat please, ever again",
        "42",
        "call me Al",
        "vegan",
        "yes yes yes yes",
        "ok I moved to Oslo",
        "住在奥斯陆",
        "good, but vegan",
        "+1",
        "no, Anne",
        "½",
        "नमस्ते",
        "http://x",
    ]
    for text in cases:
        with subtests.test(text=text):
            assert not says_nothing(text)
