from __future__ import annotations

import itertools
from typing import Any

import pytest

from lab.playground.world import defaults
from lab.playground.world.commands import CommandBook, command_data
from lab.playground.world.errors import ApiError
from lab.playground.world.interactions import Interaction, InteractionBook, InteractionKind
from lab.playground.world.state import World
from tests.lab.playground.fakes import HandClock


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def book(clock: HandClock) -> InteractionBook:
    return InteractionBook(clock, itertools.count(1).__next__)


def opened(book: InteractionBook, clock: HandClock) -> Interaction:
    world = World(clock)
    channel = world.channel(defaults.GENERAL_ID)
    return book.open(InteractionKind.COMMAND, world.user(defaults.YOU_ID), channel, {"name": "x"})


def command(name: str = "memory", **more: Any) -> dict[str, Any]:
    return {"name": name, "description": "d", "type": 1, "options": [], **more}


def test_an_interaction_is_acknowledged_within_three_seconds_and_once(book: InteractionBook, clock: HandClock) -> None:
    first, late = opened(book, clock), opened(book, clock)
    clock.advance(2.9)
    book.acknowledge(first.id, first.token, 4, {})
    with pytest.raises(ApiError) as twice:
        book.acknowledge(first.id, first.token, 4, {})
    clock.advance(0.2)
    with pytest.raises(ApiError) as too_late:
        book.acknowledge(late.id, late.token, 4, {})
    with pytest.raises(ApiError) as wrong:
        book.acknowledge(late.id, "guessed", 4, {})

    assert [(e.value.status, e.value.code) for e in (twice, too_late, wrong)] == [(400, 40060)] + [(404, 10062)] * 2


def test_a_token_lives_for_a_quarter_of_an_hour_after_the_callback(book: InteractionBook, clock: HandClock) -> None:
    interaction = opened(book, clock)
    with pytest.raises(ApiError) as unacknowledged:
        book.by_token(interaction.token)
    book.acknowledge(interaction.id, interaction.token, 5, {})
    clock.advance(899)
    alive = book.by_token(interaction.token)
    clock.advance(2)
    with pytest.raises(ApiError) as dead:
        book.by_token(interaction.token)

    assert alive is interaction
    assert unacknowledged.value.code == 10015
    assert (dead.value.status, dead.value.code) == (401, 50027)


def test_old_interactions_are_forgotten(book: InteractionBook, clock: HandClock) -> None:
    interaction = opened(book, clock)
    clock.advance(1801)
    opened(book, clock)

    with pytest.raises(ApiError):
        book.get(interaction.id)


def test_commands_keep_their_ids_when_they_are_replaced_by_name() -> None:
    book = CommandBook(itertools.count(1).__next__)
    before = {c["name"]: c["id"] for c in book.replace_all(None, [command("a"), command("b")])}
    after = {c["name"]: c["id"] for c in book.replace_all(None, [command("b"), command("c")])}

    assert before["b"] == after["b"]
    assert set(after) == {"b", "c"}


def test_the_guilds_command_wins_over_the_global_one_of_the_same_name() -> None:
    book = CommandBook(itertools.count(1).__next__)
    book.put(None, command(description="global"))
    book.put(defaults.GUILD_ID, command(description="guild"))

    assert [c["description"] for c in book.visible()] == ["guild"]
    assert book.find("memory")["guild_id"] == str(defaults.GUILD_ID)


def test_a_bad_command_is_refused_under_its_index_and_nothing_changes(subtests: pytest.Subtests) -> None:
    cases: list[dict[str, Any]] = [
        command("Upper"),
        command("with space"),
        command("x" * 33),
        command(description=""),
        command(description="x" * 101),
        command(options=[{"name": "o", "type": 3, "description": "d"}] * 26),
        command(options=[{"name": "O", "type": 3, "description": "d"}]),
        command(options=[{"name": "o", "type": 3, "description": ""}]),
    ]
    for bad in cases:
        with subtests.test(bad=bad):
            book = CommandBook(itertools.count(1).__next__)
            book.put(None, command("kept"))
            with pytest.raises(ApiError) as refused:
                book.replace_all(None, [command("fine"), bad])

            assert list(refused.value.errors or ()) == ["1"]
            assert [c["name"] for c in book.visible()] == ["kept"]


def test_options_are_typed_and_subcommands_nested() -> None:
    at = {"name": "at", "type": 1, "description": "d", "options": [
        {"name": "count", "type": 4, "description": "d", "required": True},
        {"name": "ratio", "type": 10, "description": "d"},
        {"name": "loud", "type": 5, "description": "d"},
        {"name": "text", "type": 3, "description": "d"},
    ]}  # fmt: skip
    full = {**command("remind", options=[at]), "id": "1"}
    data = command_data(full, ["at"], {"count": "3", "ratio": "0.5", "loud": "no", "text": "x"})

    assert data["options"][0]["name"] == "at"
    assert [entry["value"] for entry in data["options"][0]["options"]] == [3, 0.5, False, "x"]
    with pytest.raises(ValueError, match="'many' is not a number"):
        command_data(full, ["at"], {"count": "many"})
    with pytest.raises(ValueError, match="no subcommand 'on'"):
        command_data(full, ["on"], {})
