"""Messages whose events Discord never sends, sends late or sends twice: each is found in the history, and told once."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.playground.server import PlaygroundServer
from lab.playground.world import defaults
from tests.actors.discord.conftest import StartLife
from tests.actors.discord.incoming.gaps import HISTORY, kept, read_up_to
from tests.actors.discord.life import Life, timing, until

OFTEN = timing(look_every_s=0.3, look_pause_s=0.0)


def place(playground: PlaygroundServer, kind: str) -> int:
    """A channel of a kind."""
    match kind:
        case "channel":
            return defaults.GENERAL_ID
        case "thread":
            return playground.create_thread(defaults.GENERAL_ID, "in a thread")
        case _:
            return playground.open_dm()


KINDS = pytest.mark.parametrize("kind", ["channel", "thread", "direct"])


@pytest.mark.req("X-201")
@KINDS
def test_a_message_that_no_event_tells_is_found_without_a_new_session(
    playground: PlaygroundServer, start_life: StartLife, kind: str
) -> None:
    life = start_life(timing=OFTEN, dms=True)
    number = place(playground, kind)
    life.say("before", number)
    life.messages.wait(1)
    playground.gateway_faults(lose_messages=1)
    life.say("lost", number)
    life.say("after", number)
    assert sorted(life.texts(3)) == ["after", "before", "lost"]


@KINDS
def test_a_message_that_no_event_tells_and_none_follows_is_found(
    playground: PlaygroundServer, start_life: StartLife, kind: str
) -> None:
    life = start_life(timing=OFTEN, dms=True)
    number = place(playground, kind)
    life.say("before", number)
    life.messages.wait(1)
    playground.gateway_faults(lose_messages=1)
    life.say("lost", number)
    assert life.texts(2) == ["before", "lost"]


@KINDS
@pytest.mark.parametrize("is_killed", [False, True])
def test_the_next_life_finds_what_no_event_told(
    playground: PlaygroundServer, start_life: StartLife, tmp_path: Path, kind: str, is_killed: bool
) -> None:
    life = start_life(dms=True, **kept(tmp_path))
    number = place(playground, kind)
    life.say("before", number)
    life.messages.wait(1)
    playground.gateway_faults(lose_messages=1)
    life.say("lost", number)
    life.say("after", number)
    life.messages.wait(2)
    until(lambda: number in read_up_to(tmp_path))
    data = kept(tmp_path, dms=True)
    life.stop()
    second = start_life(**(data if is_killed else kept(tmp_path, dms=True)))
    until(lambda: "lost" in [message.text for message in second.messages.now()])


def test_a_new_session_and_a_resumed_one_find_what_no_event_told(life: Life) -> None:
    playground = life.playground
    life.say("before")
    life.messages.wait(1)
    playground.gateway_faults(lose_messages=1)
    life.say("lost")
    life.say("after")
    playground.drop(4000)
    until(lambda: playground.counters().get("resumes", 0) == 1)
    assert sorted(life.texts(3)) == ["after", "before", "lost"]
    playground.gateway_faults(lose_messages=1)
    life.say("lost again")
    life.say("after that")
    life.messages.wait(4)
    playground.op9(False)
    life.online.wait(2)
    assert sorted(life.texts(5)) == ["after", "after that", "before", "lost", "lost again"]


def test_an_event_that_comes_after_a_look_has_found_its_message_is_told_once(
    playground: PlaygroundServer, start_life: StartLife
) -> None:
    life = start_life(timing=OFTEN)
    life.say("before")
    life.messages.wait(1)
    playground.gateway_faults(delay_messages=1)
    life.say("late")
    life.say("after")
    life.messages.wait(3)
    playground.send_delayed()
    life.say("end")
    until(lambda: "end" in [message.text for message in life.messages.now()])
    assert sorted(life.texts(4)) == ["after", "before", "end", "late"]


def test_an_event_that_comes_twice_is_told_once(life: Life) -> None:
    life.playground.gateway_faults(double_messages=1)
    life.say("twice")
    life.say("end")
    assert life.texts(2) == ["twice", "end"]


def test_an_event_that_comes_while_a_look_is_under_way_is_told_once(
    playground: PlaygroundServer, start_life: StartLife
) -> None:
    life = start_life(timing=OFTEN)
    life.say("before")
    life.messages.wait(1)
    playground.gateway_faults(delay_messages=1)
    playground.inject("delay", HISTORY, delay_s=0.5)
    life.say("late")
    until(lambda: playground.counters()["faults_fired"] == 1)
    playground.send_delayed()
    life.say("end")
    until(lambda: "end" in [message.text for message in life.messages.now()])
    until(lambda: len(playground.requests("GET", "/messages")) > 4)
    assert sorted(life.texts(3)) == ["before", "end", "late"]


@KINDS
def test_a_message_that_its_window_could_not_log_is_passed_on_until_it_can(
    playground: PlaygroundServer, start_life: StartLife, tmp_path: Path, kind: str
) -> None:
    life = start_life(timing=OFTEN, **kept(tmp_path, dms=True))
    number = place(playground, kind)
    life.say("before", number)
    life.messages.wait(1)
    life.unstorable.add("on a full disk")
    life.say("on a full disk", number)
    life.say("after", number)
    assert life.texts(4).count("on a full disk") >= 2
    after = next(int(message.message_id) for message in life.messages.now() if message.text == "after")
    assert read_up_to(tmp_path).get(number, 0) < after
    life.unstorable.clear()
    until(lambda: read_up_to(tmp_path).get(number, 0) >= after)
    assert [message.text for message in life.messages.now()].count("after") == 1


def test_no_more_than_a_page_is_read_at_a_look(playground: PlaygroundServer, start_life: StartLife) -> None:
    life = start_life(timing=timing(look_every_s=0.5, look_pause_s=0.0))
    playground.gateway_faults(lose_messages=150)
    for number in range(150):
        life.say(str(number))
    assert life.texts(150) == [str(number) for number in range(150)]


@pytest.mark.parametrize("is_followed", [False, True])
def test_the_first_message_of_a_new_thread_is_found_though_no_event_tells_it(
    playground: PlaygroundServer, start_life: StartLife, is_followed: bool
) -> None:
    life = start_life(timing=OFTEN)
    thread = playground.create_thread(defaults.GENERAL_ID, "new")
    playground.gateway_faults(lose_messages=1)
    life.say("first", thread)
    if is_followed:
        life.say("second", thread)
    told = ["first", "second"] if is_followed else ["first"]
    assert sorted(life.texts(len(told))) == told
