from __future__ import annotations

import pytest

from domain.turn.typed_command import STOP_PREFIX
from lab.playground.gateway.events import Event
from lab.playground.server import PlaygroundServer
from lab.playground.world import defaults
from messages.context import StopTurn, TurnStopped, UserMessage
from messages.discord import ShowProgress
from messages.scheduler import ListedReminder, ListReminders, RemindersListed
from messages.socket import Refused
from tests.actors.discord.commands.caller import ALL, Caller, fields
from tests.actors.discord.conftest import StartLife
from tests.actors.discord.life import GENERAL, Life
from tests.patience import eventually


def running(life: Life, turn_id: str = "turn1") -> str:
    """Id of the message that shows a running turn."""
    life.tell(ShowProgress(window=GENERAL, turn_id=turn_id, text="so far", status=""))
    eventually(lambda: len(life.shown()) == 1)
    return str(life.playground.messages(defaults.GENERAL_ID)[-1]["id"])


def test_the_button_below_a_running_message_stops_that_turn(life: Life) -> None:
    you = Caller(life)
    outcome = you.press(running(life), f"{STOP_PREFIX}turn1")
    asked = you.asked(StopTurn)
    assert fields(asked) == {"window": GENERAL, "asked_by": "You", "turn_id": "turn1"}
    assert outcome.ephemeral
    you.reply(TurnStopped(request_id=asked.request_id, turn_id="turn1"))
    assert you.said(outcome) == "Stopped."


def test_a_button_of_an_earlier_life_still_asks_and_is_politely_refused(start_life: StartLife) -> None:
    first = start_life()
    message_id = running(first)
    first.stop()
    you = Caller(start_life())
    outcome = you.press(message_id, f"{STOP_PREFIX}turn1")
    you.reply(Refused(request_id=you.asked(StopTurn).request_id, reason="that turn is over"))
    assert you.said(outcome) == "Nothing was stopped: that turn is over."
    assert outcome.ephemeral


@pytest.mark.slow
def test_a_press_does_not_wait_for_what_is_still_read_in_the_channel(
    playground: PlaygroundServer, start_life: StartLife
) -> None:
    life = start_life()
    message_id = running(life)
    playground.inject("delay", "GET /attachments", delay_s=3.0)
    life.say("look", attachments=[("notes.txt", b"words")])
    you = Caller(life)
    you.press(message_id, f"{STOP_PREFIX}turn1")
    you.asked(StopTurn)
    assert life.messages.now() == []
    life.messages.wait(1)
    assert [type(message) for message in life.told.now()] == [StopTurn, UserMessage]


def test_strangers_and_viewers_stop_nothing(playground: PlaygroundServer, start_life: StartLife) -> None:
    viewer = playground.add_user("Viewer")
    role = playground.add_role("viewers", viewer)
    life = start_life(allowed_users=frozenset({str(defaults.YOU_ID)}), viewer_roles=frozenset({str(role)}))
    message_id = running(life)
    stranger, looker = Caller(life, user=defaults.GUEST_ID), Caller(life, user=viewer)
    assert "not on the list" in stranger.said(stranger.press(message_id, f"{STOP_PREFIX}turn1"))
    assert "Viewers cannot use this" in looker.said(looker.press(message_id, f"{STOP_PREFIX}turn1"))
    assert life.told.now() == []


def test_a_press_that_discord_repeats_is_served_once(life: Life) -> None:
    you = Caller(life)
    message_id = running(life)
    seen = life.playground.last_event()
    outcome = you.press(message_id, f"{STOP_PREFIX}turn1")
    event = life.playground.wait_for(lambda event: event.name == "INTERACTION_CREATE", after=seen)
    life.playground.dispatch("INTERACTION_CREATE", event.payload)
    asked = you.asked(StopTurn)
    you.reply(TurnStopped(request_id=asked.request_id, turn_id="turn1"))
    assert you.said(outcome) == "Stopped."
    life.delivered("a message later")
    assert [each for each in life.told.now() if isinstance(each, StopTurn)] == [asked]


def test_where_nobody_keeps_reminders_any_more_their_buttons_say_so(start_life: StartLife) -> None:
    first = Caller(start_life(menu=ALL))
    answer = _reminders(first)
    first.life.stop()
    you = Caller(start_life())
    assert you.said(you.press(answer, "unremind:r1")) == "This button no longer works."


def _reminders(you: Caller) -> str:
    """Id of a list of reminders with a button for `r1`."""
    outcome = you.call("reminders")
    one = ListedReminder(id="r1", line="x", msg="tea", recur="none", next_due=None, next_local="")
    asked = you.asked(ListReminders)
    you.reply(RemindersListed(request_id=asked.request_id, reminders=(one,), left_out=0, invalid=()))
    return str(you.answer(outcome)["id"])


def test_a_press_that_names_its_channel_by_id_only_is_served(life: Life) -> None:
    """Discord calls both `channel` and `channel_id` optional."""
    message_id = running(life)
    feed = life.playground.hub.feed
    publish = feed.publish

    def without_channel(event: Event) -> None:
        if event.name == "INTERACTION_CREATE":
            event.payload.pop("channel")
        publish(event)

    life.playground.run(lambda: setattr(feed, "publish", without_channel))
    you = Caller(life)
    you.press(message_id, f"{STOP_PREFIX}turn1")
    assert you.asked(StopTurn).window == GENERAL
