from __future__ import annotations

import threading

import pytest

from lab.playground.world import defaults
from messages.discord import Delivered
from tests.actors.discord.conftest import StartLife
from tests.actors.discord.life import Life, thread_window, timing
from tests.patience import eventually

TYPING = "/typing"


def calls(life: Life) -> int:
    return len(life.playground.requests("POST", TYPING))


def rest(life: Life) -> int:
    """Calls after two of the longest pauses between calls."""
    threading.Event().wait(0.4)
    return calls(life)


@pytest.mark.req("X-162")
def test_typing_shows_at_once_and_again_until_it_is_off(life: Life) -> None:
    life.type(True)
    eventually(lambda: calls(life) >= 3)
    life.type(False)
    life.delivered("a sign that it was heard")
    count = calls(life)
    assert rest(life) == count


def test_an_answer_ends_typing(life: Life) -> None:
    life.type(True)
    eventually(lambda: calls(life) >= 1)
    life.delivered("here it is")
    count = calls(life)
    assert rest(life) == count
    assert not life.playground.is_bot_typing(defaults.GENERAL_ID)


def test_a_call_under_way_does_not_show_after_the_answer(life: Life) -> None:
    life.playground.inject("delay", TYPING, delay_s=0.3)
    life.type(True)
    eventually(lambda: len(life.playground.requests("POST", TYPING)) + life.playground.counters()["faults_fired"] > 0)
    life.delivered("here it is")
    assert not life.playground.is_bot_typing(defaults.GENERAL_ID)


def test_typing_twice_is_typing_once(start_life: StartLife) -> None:
    life = start_life(timing=timing(typing_every_s=30.0))
    life.type(True)
    life.type(True)
    eventually(lambda: calls(life) >= 1)
    assert rest(life) == 1


def test_typing_that_was_forgotten_ends_by_itself(start_life: StartLife) -> None:
    life = start_life(timing=timing(typing_every_s=0.1, typing_limit_s=0.25))
    life.type(True)
    eventually(lambda: calls(life) >= 1)  # on a busy machine the lease may end before the next
    threading.Event().wait(0.3)
    count = calls(life)
    assert rest(life) == count <= 4
    life.type(True)
    eventually(lambda: calls(life) > count)


def test_typing_that_fails_disturbs_nothing(life: Life) -> None:
    life.playground.inject("503", TYPING, times=2)
    life.type(True)
    life.delivered("an answer")
    life.type(True)
    eventually(lambda: any(record.status == 204 for record in life.playground.requests("POST", TYPING)))


def test_typing_in_a_channel_that_is_gone_is_not_tried_again(life: Life) -> None:
    life.type(True, thread_window(123))
    eventually(lambda: calls(life) >= 1)
    assert rest(life) == 1


def test_channels_type_independently(life: Life) -> None:
    thread = life.playground.create_thread(defaults.GENERAL_ID, "aside")
    life.type(True)
    life.type(True, thread_window(thread))
    life.playground.wait_for_typing(thread)
    life.playground.wait_for_typing(defaults.GENERAL_ID)
    assert isinstance(life.outcome(life.post("done", thread_window(thread))), Delivered)
    assert not life.playground.is_bot_typing(thread)
    assert life.playground.is_bot_typing(defaults.GENERAL_ID)
