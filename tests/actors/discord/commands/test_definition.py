from __future__ import annotations

from typing import Any

import pytest

from actors.discord.commands.answer import fit, one_line
from actors.discord.commands.definition import definitions
from actors.discord.commands.offer import choices
from domain.text.characters import units
from domain.text.splitting import LIMIT

OPTION: dict[str, Any] = {"type": 3, "name": "what", "description": "d", "required": True}


def command(**more: Any) -> dict[str, Any]:
    return {"type": 1, "name": "find", "description": "d", "options": [OPTION]} | more


def test_what_discord_adds_to_a_list_is_no_difference() -> None:
    listed = command(
        id="1",
        version="2",
        application_id="3",
        nsfw=False,
        default_member_permissions=None,
        contexts=None,
        options=[OPTION | {"autocomplete": False, "choices": [], "channel_types": [], "min_length": None}],
    )
    assert definitions([listed]) == definitions([command()])
    assert definitions([{"name": "m", "type": 3, "description": ""}]) == definitions([{"name": "m", "type": 3}])


def test_the_order_of_commands_is_no_difference_that_of_options_is_one() -> None:
    a, b = command(), command(name="other")
    assert definitions([a, b]) == definitions([b, a])
    first, second = OPTION, OPTION | {"name": "where"}
    assert definitions([command(options=[first, second])]) != definitions([command(options=[second, first])])


@pytest.mark.parametrize(
    "changed",
    [
        command(type=3),
        command(name="seek"),
        command(description="other"),
        command(options=[]),
        *(
            command(options=[OPTION | part])
            for part in (
                {"type": 4},
                {"name": "which"},
                {"description": "other"},
                {"required": False},
                {"autocomplete": True},
                {"choices": [{"name": "a", "value": "a"}]},
                {"min_length": 1},
                {"max_length": 9},
                {"options": [OPTION]},
            )
        ),
    ],
)
def test_whatever_people_can_notice_is_a_difference(changed: dict[str, Any]) -> None:
    assert definitions([changed]) != definitions([command()])


def test_an_answer_that_fits_is_left_as_it_is() -> None:
    text = "x" * LIMIT
    assert fit(text) == (text, "")


@pytest.mark.parametrize("text", ["word " * 1000, "line\n" * 1000, "\U0001f600" * 1500, "```py\n" + "x = 1\n" * 500])
def test_an_answer_that_does_not_fit_is_cut_and_comes_whole_besides(text: str) -> None:
    shown, whole = fit(text)
    assert units(shown) <= LIMIT
    assert shown.endswith("attached file.")
    assert shown.count("```") % 2 == 0
    assert whole == text


def test_one_line_shows_words_as_they_are_written() -> None:
    assert one_line("a *b*\n\n_c_", 100) == r"a \*b\* \_c\_"
    assert one_line("word " * 100, 20) == "word word word word…"


def test_what_begins_as_typed_is_offered_first() -> None:
    offered = choices(["make tea", "Tea", "coffee", "x" * 101], "te")
    assert [choice.value for choice in offered] == ["Tea", "make tea"]
