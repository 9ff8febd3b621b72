"""Many messages that were missed: answers of an earlier life are looked for together, and typing costs little."""

from __future__ import annotations

import threading
import time

import pytest

from actors.discord.timing import Timing
from lab.playground.server import PlaygroundServer
from lab.playground.world import defaults
from lab.playground.world.state import NONCE_TTL_S
from messages.base import MessageId
from messages.discord import Delivered
from tests.actors.discord.conftest import StartLife
from tests.actors.discord.life import Life
from tests.e2e.stage import bot_texts, is_bot
from tests.patience import eventually
from tests.real.people.conftest import People

HISTORY = f"/channels/{defaults.GENERAL_ID}/messages"
MISSED = 400


def pages(playground: PlaygroundServer) -> int:
    """Pages of history that were read."""
    return len([record for record in playground.requests("GET", HISTORY) if record.path.endswith("/messages")])


@pytest.mark.slow
def test_the_answers_to_four_hundred_missed_messages_cost_one_look(
    playground: PlaygroundServer, start_life: StartLife
) -> None:
    life = start_life()
    life.delivered("an answer of the first life", nonce="first")
    life.stop()
    questions = [playground.say(defaults.GENERAL_ID, f"question {number}") for number in range(MISSED)]
    life = start_life(last_seen={f"discord-channel/{defaults.GENERAL_ID}": str(questions[0] - 1)})
    life.messages.wait(MISSED)
    before = pages(playground)
    for question in questions:
        life.delivered(f"answer to {question}", answers_message_id=MessageId(str(question)), nonce=str(question)[-18:])
    assert shown_of(life) == [f"answer to {question}" for question in questions]
    read = pages(playground) - before
    assert read <= MISSED // 100 + 2, read


def shown_of(life: Life) -> list[str]:
    return [text for text in life.shown() if text.startswith("answer to")]


def test_an_answer_whose_call_was_lost_is_found_though_the_channel_was_read_before(start_life: StartLife) -> None:
    """The look after a lost answer reads what came since the first look."""
    life = start_life()
    question = MessageId(str(life.say("question")))
    other = MessageId(str(life.say("another")))
    life.messages.wait(2)
    life.delivered("to another", nonce="other", answers_message_id=other, look_first=True)
    life.playground.inject("abort-after", r"POST /channels/\d+/messages$", times=4)
    life.not_delivered("the answer", nonce="lost", answers_message_id=question)
    world, clock = life.playground.hub.world, life.playground.hub.world.clock
    life.playground.run(lambda: setattr(world, "clock", lambda: clock() + NONCE_TTL_S + 1))
    life.delivered("the answer", nonce="lost", answers_message_id=question, look_first=True)
    assert life.shown() == ["to another", "the answer"]


def test_what_was_said_while_the_bot_was_not_in_the_server_is_passed_on_when_it_is_back(start_life: StartLife) -> None:
    life = start_life()
    life.say("before")
    life.messages.wait(1)
    server = life.playground
    guild = server.run(lambda: server.hub.payloads.guild(for_gateway=True))
    guild.pop("unavailable", None)  # as where a server takes the bot in
    server.run(lambda: server.hub.tell("GUILD_DELETE", {"id": str(defaults.GUILD_ID)}))
    server.gateway_faults(lose_messages=1)
    life.say("meanwhile")
    server.run(lambda: server.hub.tell("GUILD_CREATE", guild))
    assert life.texts(2) == ["before", "meanwhile"]


def test_a_session_asks_for_each_list_of_archived_threads_once(
    playground: PlaygroundServer, start_life: StartLife
) -> None:
    life = start_life(
        last_seen={f"discord-channel/{defaults.GENERAL_ID}": str(playground.say(defaults.GENERAL_ID, "x"))}
    )
    eventually(lambda: len(archives(playground)) >= 2)
    life.delivered("the session is under way")
    assert sorted(archives(playground)) == sorted(set(archives(playground)))


@pytest.mark.slow
def test_a_catch_up_of_130_messages_is_answered_whole_and_costs_few_calls_beside_the_answers(people: People) -> None:
    """NousResearch/hermes-agent#49290, omniaura/omniclaw#9: the whole agent, 26 people, calls that last 0.1 s."""
    server = people.server
    crowd = [server.add_user(f"Person {number}") for number in range(26)]
    people.start()
    people.ask("hello")
    people.stop()
    asked = [server.say(defaults.GENERAL_ID, f"question {number}", user=crowd[number % 26]) for number in range(130)]
    before, read = len(server.requests("POST", "/channels/")), pages(server)
    server.inject("delay", r"POST /channels/\d+/", times=10_000, delay_s=0.1)
    begin = time.monotonic()
    people.start()
    eventually(lambda: len(bot_texts(server)) == 131)
    took_s = time.monotonic() - begin
    answers = [each for each in server.messages(defaults.GENERAL_ID) if is_bot(each)][1:]
    assert [int(each["message_reference"]["message_id"]) for each in answers] == asked
    calls = [record.path.endswith("/typing") for record in server.requests("POST", "/channels/")[before:]]
    answered = [at for at, is_typing in enumerate(calls) if not is_typing]
    assert sum(calls[: answered[3]]) <= 4
    assert sum(calls) <= 40 + took_s / Timing().typing_every_s
    assert pages(server) - read <= 8


@pytest.mark.slow
def test_of_130_missed_messages_of_one_person_as_many_are_answered_as_the_settings_say(people: People) -> None:
    server = people.server
    people.start()
    people.ask("hello")
    people.stop()
    for number in range(130):
        server.say(defaults.GENERAL_ID, f"question {number}")
    people.start()
    eventually(lambda: len(bot_texts(server)) == 122)
    assert [text for text in bot_texts(server) if text != "Noted."] == [
        text for text in bot_texts(server) if text.startswith("I answer at most 120 messages of one person")
    ]


def archives(playground: PlaygroundServer) -> list[str]:
    """Paths of the calls for lists of archived threads."""
    return [record.path for record in playground.requests("GET", "/threads/archived")]


def test_turns_that_are_over_and_texts_that_wait_cost_few_signs_of_typing(life: Life) -> None:
    """NousResearch/hermes-agent#49290, omniaura/omniclaw#9, letta-ai/letta-code#4070: typing is shown after the reply."""
    life.playground.inject("delay", r"POST /channels/\d+/", times=10_000, delay_s=0.02)
    requests = [life.post(f"answer {number}") for number in range(130)]
    while len(life.shown()) < 100:
        life.type(True)
        threading.Event().wait(0.01)
        life.type(False)
    assert all(isinstance(life.outcome(request), Delivered) for request in requests)
    assert not life.playground.is_bot_typing(defaults.GENERAL_ID)
    assert len(life.playground.requests("POST", "/typing")) <= 4
