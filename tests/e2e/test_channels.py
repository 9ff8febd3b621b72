"""Categories, settings of single channels, and settings that cannot work, told at the start and by doctor."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from actors.cli.setup.survey import survey_findings
from actors.cli.try_it import playground_connection
from actors.part import Level
from actors.settings.load import load
from lab.loopback_model.server import LoopbackModel
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import BOT_ID, ELSEWHERE_ID, GENERAL_ID, GUILD_ID, YOU_ID
from lab.playground.world.records import ChannelKind
from tests.e2e.stage import Stage, bot_texts

SEND = 1 << 11


@pytest.fixture
def begin(server: PlaygroundServer, tmp_path: Path) -> Iterator[Callable[..., Stage]]:
    """Starts an agent in some channels; ended with the test."""
    begun: list[Stage] = []

    def start(*channels: int, **given: Any) -> Stage:
        begun.append(Stage(server, tmp_path / "data", channels=channels, **given))
        return begun[-1]

    yield start
    for stage in begun:
        stage.stop()


@pytest.mark.req("X-210")
def test_the_channels_of_a_category_are_heard_with_those_that_are_made_or_moved_there_later(
    server: PlaygroundServer, begin: Callable[..., Stage]
) -> None:
    """openclaw#83653, hermes-agent#38540, hermes-agent-mt#160."""
    category = server.create_channel("Ops", kind=ChannelKind.CATEGORY)
    inside = server.create_channel("alerts", parent_id=category)
    thread = server.create_thread(inside, "incident")
    stage = begin(category)
    assert "\none" in stage.ask("run: echo one", inside)
    assert "\ntwo" in stage.ask("run: echo two", thread)
    later = server.create_channel("later", parent_id=category)
    assert "\nthree" in stage.ask("run: echo three", later)
    server.move_channel(ELSEWHERE_ID, category)
    assert "\nfour" in stage.ask("run: echo four", ELSEWHERE_ID)
    server.move_channel(inside, None)
    server.say(inside, "run: echo unheard")
    server.say(GENERAL_ID, "run: echo unheard")
    assert "\nfive" in stage.ask("run: echo five", later)
    assert not any("unheard" in text for place in (inside, GENERAL_ID) for text in bot_texts(server, place))


def test_what_is_said_while_away_in_a_channel_made_meanwhile_is_answered(
    server: PlaygroundServer, begin: Callable[..., Stage]
) -> None:
    category = server.create_channel("Ops", kind=ChannelKind.CATEGORY)
    inside = server.create_channel("alerts", parent_id=category)
    old = server.create_channel("old")
    server.say(old, "run: echo ancient")
    stage = begin(category)
    stage.ask("run: echo one", inside)
    stage.stop()
    server.wait_until_online(online=False)
    made = server.create_channel("made", parent_id=category)
    said = server.say(made, "run: echo missed")
    begin(category)
    assert "\nmissed" in str(server.wait_for_reply(made, after=said)["content"])


@pytest.mark.req("X-210")
def test_instructions_and_model_of_a_channel_count_in_its_threads_and_nowhere_else(
    server: PlaygroundServer, begin: Callable[..., Stage]
) -> None:
    """hermes-agent#9254, typeclaw#1378, nakama#203: threads inherit from their channel."""
    thread = server.create_thread(GENERAL_ID, "talk")
    with LoopbackModel() as model:
        stage = begin(
            GENERAL_ID,
            ELSEWHERE_ID,
            **{
                "model.name": "openai/usual",
                "model.api_base": f"{model.api_base}",
                "model.choices": ["openai/special", "openai/third"],
                f"channels.{GENERAL_ID}": {"instructions": "Answer in rhyme.", "model": "openai/special"},
            },
        )
        for place in (GENERAL_ID, thread, ELSEWHERE_ID):
            stage.ask("hello", place)
        model.wait_for_requests(3)
        asked = [
            (str(each.body["model"]), "Answer in rhyme." in str(each.body["messages"][0])) for each in model.requests()
        ]
    assert asked == [("special", True), ("special", True), ("usual", False)]


def test_status_says_what_holds_in_a_channel(server: PlaygroundServer, begin: Callable[..., Stage]) -> None:
    table = {"answer": "mentions", "threads": "auto", "instructions": "Be brief."}
    begin(GENERAL_ID, ELSEWHERE_ID, **{f"channels.{GENERAL_ID}": table})
    thread = server.create_thread(GENERAL_ID, "talk")

    def status(place: int) -> str:
        answer = server.wait_for_answer(server.slash(place, "status").id)
        assert answer is not None
        return str(answer["content"]).partition("\n")[0]

    words = (
        "Here I answer mentions of me and replies to me, in a thread for each question of a channel, by 9 characters of "
        f"instructions (settings of channels.{GENERAL_ID})."
    )
    assert [words in status(place) for place in (GENERAL_ID, thread, ELSEWHERE_ID)] == [True, True, False]
    assert "Here I" not in status(ELSEWHERE_ID)


LIVE = [
    ("quiet", "the bot lacks Send Messages"),
    ("server", "is the server 'Playground'"),
    ("bot", "is the bot itself"),
    ("nothing", "is no channel of a server that the bot is in ('Playground')"),
    ("role", "is the role 'Crew'"),
]
"""Id in the place of a channel's, and words about it."""


@pytest.mark.req("X-210")
def test_ids_that_cannot_work_are_said_once_at_the_start_and_by_doctor_without_a_call_of_the_agent(
    server: PlaygroundServer, begin: Callable[..., Stage], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    quiet, role = server.create_channel("quiet"), server.add_role("Crew")
    server.overwrite(quiet, BOT_ID, deny=SEND, is_member=True)
    known = {"quiet": quiet, "server": GUILD_ID, "bot": BOT_ID, "nothing": 910000000000000098, "role": role}
    ids = [known[case] for case, _ in LIVE]
    begin(GENERAL_ID, *ids)
    told = [each.getMessage() for each in caplog.records if each.getMessage().startswith("discord.channels")]
    failures = [case for case, words in LIVE if sum(words in line for line in told) != 1]
    calls = {record.path for record in server.requests("GET")}
    assert not failures, told
    assert not any("/members" in path or path.startswith("/users/9") for path in calls), calls

    people = {"discord.allowed_users": [str(YOU_ID), str(BOT_ID), str(role)]}
    given = people | {"discord.channels": [str(GENERAL_ID), *map(str, ids)], "data_root": str(tmp_path)}
    settings = load(environ={}, overrides=given)
    connection = replace(playground_connection(server), channels=settings.discord.channels)
    found = [each for each in survey_findings(settings, connection, datetime.now(UTC)) if each.level is not Level.OK]
    expected = [words for _, words in LIVE] + ["is the bot itself, which ignores", "and not the id of an account"]
    assert [words for words in expected if not any(words in each.detail for each in found)] == []
