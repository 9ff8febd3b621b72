"""What looks like a command of Discord is taken for one, however it is spelled; and the word that stops a turn."""

from __future__ import annotations

import pytest

from domain.turn.typed_command import says_stop, slash_command


@pytest.mark.req("X-26")
def test_a_command_is_one_in_any_spelling_that_looks_like_it(subtests: pytest.Subtests) -> None:
    cases: list[str] = [
        "/remember",
        "/remember tea",
        "/remember: tea",
        "/remember.",
        "/REMEMBER tea",
        "/Remember\ntea",
        " \n\t/remember tea",
        "\uff0fremember tea",
        "\uff0f\uff32\uff25\uff2d\uff25\uff2d\uff22\uff25\uff32 tea",
        "\ufeff/remember tea",
        "\u200b /remember tea",
        "/\u200bremember\u00a0tea",
        "/r\u0435member tea",
        " " * 1_000 + "/remember tea",
        "\u2215remember tea",
        "\u2044remember tea",
        "/remember...",
        "/remember\u2026 tea",
        "/remember@bot tea",
        "/remember(tea)",
        "/remember`",
    ]
    for text in cases:
        with subtests.test(text=text):
            assert slash_command(text) == "remember"


def test_words_that_begin_with_no_name_behind_a_slash_are_none(subtests: pytest.Subtests) -> None:
    cases: list[str] = [
        "",
        "/",
        "remember",
        "what does /remember do?",
        "/remember/me",
        "/remember.md is empty",
        "// remember",
        "/1",
        "/remember* is what?",
        "/remember's end",
    ]
    for text in cases:
        with subtests.test(text=text):
            assert slash_command(text) == ""


def test_the_word_alone_stops(subtests: pytest.Subtests) -> None:
    cases: list[str] = [
        "stop",
        "Stop",
        "STOP!!",
        " *stop*. ",
        "_stop_",
        "/stop",
        "<@910000000000000001> stop",
        "¡stop!",
    ]
    for text in cases:
        with subtests.test(text=text):
            assert says_stop(text)


def test_anything_else_does_not(subtests: pytest.Subtests) -> None:
    cases: list[str] = ["", "stop it", "don't stop", "stops", "s t o p", "stop stop", "stop" + "!" * 200, "停"]
    for text in cases:
        with subtests.test(text=text):
            assert not says_stop(text)
