from __future__ import annotations

import contextlib
import functools
from typing import Any

import pytest

from actors.discord.commands.dispatcher import NO_ANSWER, WENT_WRONG
from lab.playground.acts.interactions import InteractionOutcome
from lab.playground.server import PlaygroundServer
from lab.playground.world import defaults
from messages.base import RequestId, Surface, UserId
from messages.context import NewWindowStarted, StartNewWindow, TurnStopped, UserMessage
from messages.socket import Refused
from tests.actors.discord.commands.caller import ALL
from tests.actors.discord.conftest import StartLife
from tests.actors.discord.life import DISCORD, GENERAL, Life, thread_window, timing
from tests.patience import eventually

DEFERRED = 5


def answer(playground: PlaygroundServer, outcome: InteractionOutcome) -> str:
    message = playground.wait_for_answer(outcome.id)
    assert message is not None
    return str(message["content"])


def test_new_is_asked_of_the_window_and_answered_to_the_asker_only(life: Life) -> None:
    outcome = life.playground.slash(defaults.GENERAL_ID, "new")
    assert (outcome.callback, outcome.ephemeral) == (DEFERRED, True)
    assert answer(life.playground, outcome).startswith("New window")
    (told,) = life.told.now()
    assert told == StartNewWindow(
        request_id=told.request_id, reply_to=DISCORD, window=GENERAL, asked_by=UserId(str(defaults.YOU_ID))
    )
    assert life.playground.messages(defaults.GENERAL_ID) == []


def test_new_in_a_thread_is_the_threads(life: Life) -> None:
    thread = life.playground.create_thread(defaults.GENERAL_ID, "aside")
    assert answer(life.playground, life.playground.slash(thread, "new")).startswith("New window")
    assert [message.window for message in life.told.now()] == [thread_window(thread)]


def test_new_keeps_its_place_among_the_messages(life: Life) -> None:
    life.say("old")
    life.playground.slash(defaults.GENERAL_ID, "new")
    life.say("new")
    assert [type(message) for message in life.told.wait(3)] == [UserMessage, StartNewWindow, UserMessage]


def test_new_elsewhere_and_by_strangers_is_politely_refused(start_life: StartLife) -> None:
    life = start_life(allowed_users=frozenset({str(defaults.YOU_ID)}))
    foreign = life.playground.slash(defaults.ELSEWHERE_ID, "new")
    assert "am not active in this channel" in answer(life.playground, foreign)
    stranger = life.playground.slash(defaults.GENERAL_ID, "new", user=defaults.GUEST_ID)
    assert "not on the list" in answer(life.playground, stranger)
    assert (foreign.ephemeral, stranger.ephemeral) == (True, True)
    assert life.told.now() == []


def test_a_refused_window_says_why(life: Life) -> None:
    life.grants_windows = False
    outcome = life.playground.slash(defaults.GENERAL_ID, "new")
    (asked,) = life.told.wait(1)
    life.tell(Refused(request_id=asked.request_id, reason="the disk is full"))
    assert "the disk is full" in answer(life.playground, outcome)


def test_a_slow_window_is_acknowledged_at_once_excused_and_reported_when_it_comes(life: Life) -> None:
    life.grants_windows = False
    outcome = life.playground.slash(defaults.GENERAL_ID, "new")
    (asked,) = life.told.wait(1)
    assert "takes longer" in answer(life.playground, outcome)
    life.tell(NewWindowStarted(request_id=asked.request_id, path="logs/x"))
    eventually(lambda: life.playground.answers(outcome.id)[0]["content"].startswith("New window"))
    assert len(life.playground.answers(outcome.id)) == 1


def test_a_reply_that_nobody_waits_for_changes_nothing(life: Life) -> None:
    life.tell(NewWindowStarted(request_id=RequestId("unknown"), path="logs/x"))
    life.delivered("still here")


def test_an_answer_that_is_lost_is_given_again(life: Life) -> None:
    life.playground.inject("503", "PATCH /webhooks")
    assert answer(life.playground, life.playground.slash(defaults.GENERAL_ID, "new")).startswith("New window")


def test_an_answer_never_comes_so_the_wait_is_ended_with_words(start_life: StartLife) -> None:
    life = start_life(timing=timing(command_life_s=0.2))
    life.grants_windows = False
    outcome = life.playground.slash(defaults.GENERAL_ID, "new")
    eventually(lambda: life.playground.answers(outcome.id)[0]["content"] == NO_ANSWER)


def test_a_reply_that_makes_no_sense_leaves_nobody_waiting(life: Life, caplog: pytest.LogCaptureFixture) -> None:
    life.grants_windows = False
    outcome = life.playground.slash(defaults.GENERAL_ID, "new")
    (asked,) = life.told.wait(1)
    life.tell(TurnStopped(request_id=asked.request_id, turn_id="t"))
    assert answer(life.playground, outcome) == WENT_WRONG
    assert "reply TurnStopped" in caplog.text


@pytest.mark.parametrize("fault", ["503", "abort-before", "abort-after"])
def test_an_acknowledgement_that_is_lost_is_given_again_in_time(life: Life, fault: str) -> None:
    life.playground.inject(fault, "POST /interactions")
    outcome = life.playground.slash(defaults.GENERAL_ID, "new")
    assert (outcome.callback, outcome.ephemeral) == (DEFERRED, True)
    assert answer(life.playground, outcome).startswith("New window")
    assert len(life.told.now()) == 1


@pytest.mark.parametrize("fault", ["429-user", "abort-before", "abort-after", "html"])
def test_whatever_happens_to_an_answer_on_its_way_it_stands_there_once(life: Life, fault: str) -> None:
    life.playground.inject(fault, "PATCH /webhooks")
    outcome = life.playground.slash(defaults.GENERAL_ID, "new")
    assert answer(life.playground, outcome).startswith("New window")
    assert len(life.playground.answers(outcome.id)) == 1


def test_a_command_in_direct_messages_is_offered_where_these_are_answered(
    playground: PlaygroundServer, start_life: StartLife
) -> None:
    start_life(dms=True).stop()
    life = start_life(dms=True)
    dm = playground.open_dm()
    assert answer(playground, playground.slash(dm, "new")).startswith("New window")
    assert [message.window.surface for message in life.told.now()] == [Surface.DISCORD_DM]
    (put,) = [call for call in playground.requests("PUT", "/commands") if "/guilds/" not in call.path]
    assert {tuple(command["contexts"]) for command in put.payload} == {(1,)}


def test_commands_are_registered_once_and_not_at_every_start(
    playground: PlaygroundServer, start_life: StartLife
) -> None:
    start_life(menu=ALL).stop()
    start_life(menu=ALL).stop()
    assert len(playground.requests("PUT", "/commands")) == 1
    assert [call.path for call in playground.requests("PUT", "/commands") if "/guilds/" not in call.path] == []


def test_commands_are_registered_anew_when_anything_about_them_changed(
    playground: PlaygroundServer, start_life: StartLife
) -> None:
    start_life(menu=ALL).stop()
    (put,) = playground.requests("PUT", "/commands")
    parts: list[dict[str, Any]] = [{"name": "other"}, {"description": "other"}, {"options": []}]
    for number, part in enumerate(parts, 2):
        listed = [command | part if command["name"] == "skill" else command for command in put.payload]
        playground.run(functools.partial(playground.hub.commands.replace_all, defaults.GUILD_ID, listed))
        start_life(menu=ALL).stop()
        assert len(playground.requests("PUT", "/commands")) == number


def test_commands_that_cannot_be_registered_leave_the_conversation_working(
    playground: PlaygroundServer, start_life: StartLife
) -> None:
    playground.inject("503", "GET .*/commands")
    life = start_life()
    life.say("hello")
    assert life.texts(1) == ["hello"]


@pytest.mark.parametrize("fault", ["no-content", "unreadable", "truncated"])
@pytest.mark.parametrize("call", ["POST /interactions/", "PATCH /webhooks/"])
def test_an_answer_of_discords_that_cannot_be_read_loses_nothing(life: Life, fault: str, call: str) -> None:
    life.playground.inject(fault, call)
    outcome = life.playground.slash(defaults.GENERAL_ID, "new")
    assert answer(life.playground, outcome).startswith("New window")
    assert [type(message) for message in life.told.now()] == [StartNewWindow]


def test_a_command_is_acknowledged_no_further_while_nobody_is_let_in(life: Life) -> None:
    life.playground.inject("429-without-via", "POST /interactions/", times=100)
    before = life.playground.counters().get("status_429", 0)
    with contextlib.suppress(TimeoutError):
        life.playground.slash(defaults.GENERAL_ID, "new", timeout_s=4.0)
    assert life.playground.counters()["status_429"] == before + 1
