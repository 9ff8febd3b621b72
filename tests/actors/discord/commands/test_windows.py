from __future__ import annotations

import re
import threading
from typing import Any

import pytest

from actors.discord.incoming import lookup
from domain.turn.discord.said import words_of
from lab.playground.gateway.protocol import Gateway
from lab.playground.world import defaults
from lab.playground.world.faults import Fault, FaultKind
from messages.context import (
    ChooseModel,
    MemoryPinned,
    MemoryUnpinned,
    ModelChosen,
    PinMemory,
    PinUnknown,
    RetractMessages,
    ReviseMessage,
    StopTurn,
    TellUsage,
    TurnStopped,
    UnpinMemory,
    UsageTold,
    UserMessage,
)
from messages.memory import DescribeMemory
from messages.model import DayUsage
from messages.socket import Refused
from tests.actors.discord.commands.caller import ALL, Caller, described, fields
from tests.actors.discord.conftest import StartLife
from tests.actors.discord.life import GENERAL, thread_window
from tests.patience import PATIENCE_S, eventually
from tests.real.people.reports import FORWARD, poll

CHANNEL = f"https://discord.com/channels/{defaults.GUILD_ID}/{defaults.GENERAL_ID}"
ONE_MESSAGE = r"GET /channels/\d+/messages/\d+"
YOU = {"window": GENERAL, "asked_by": str(defaults.YOU_ID)}


@pytest.fixture
def you(start_life: StartLife) -> Caller:
    return Caller(start_life(menu=ALL))


def delete_event(message_id: int) -> dict[str, str]:
    """Event of Discord about a deleted message of the channel."""
    return {"id": str(message_id), "channel_id": str(defaults.GENERAL_ID), "guild_id": str(defaults.GUILD_ID)}


def edit_event(message: dict[str, Any]) -> dict[str, Any]:
    """Event of Discord about an edited message."""
    edited = {"content": "tea is at six", "edited_timestamp": "2026-11-22T14:03:00+00:00"}
    return message | edited | {"guild_id": str(defaults.GUILD_ID)}


def test_stop_is_for_whichever_turn_runs_and_says_so(you: Caller) -> None:
    outcome = you.call("stop")
    asked = you.asked(StopTurn)
    assert fields(asked) == {"window": GENERAL, "asked_by": "You", "turn_id": ""}
    you.reply(TurnStopped(request_id=asked.request_id, turn_id="t"))
    assert you.said(outcome) == "Stopped."
    assert outcome.ephemeral


def test_stop_keeps_its_place_among_the_messages(you: Caller) -> None:
    you.life.say("first")
    you.call("stop")
    you.life.say("second")
    you.life.messages.wait(2)
    kinds = [type(message) for message in you.life.told.now() if isinstance(message, UserMessage | StopTurn)]
    assert kinds == [UserMessage, StopTurn, UserMessage]


def test_stop_where_nothing_runs_says_why_nothing_was_stopped(you: Caller) -> None:
    outcome = you.call("stop")
    you.reply(Refused(request_id=you.asked(StopTurn).request_id, reason="nothing is running"))
    assert you.said(outcome) == "Nothing was stopped: nothing is running."


def test_usage_is_told_of_the_window_it_is_asked_in(you: Caller) -> None:
    thread = you.life.playground.create_thread(defaults.GENERAL_ID, "aside")
    there = Caller(you.life, channel_id=thread)
    outcome = there.call("usage")
    asked = there.asked(TellUsage)
    assert asked.window == thread_window(thread)
    told = UsageTold(
        request_id=asked.request_id, model="usual", turns=3, prompt_tokens=12345, completion_tokens=678, cost_usd=0.0123
    )
    there.reply(told)
    said = there.said(outcome)
    assert said == "This conversation so far, with `usual`: 3 turns, 12,345 tokens read and 678 written, about $0.0123."


def test_usage_says_what_the_window_has_used_today_for_whatever_purpose(you: Caller) -> None:
    outcome = you.call("usage")
    today = DayUsage(calls=1, prompt_tokens=1_000, completion_tokens=20, cost_usd=0.5, estimated_tokens=7)
    told = UsageTold(
        request_id=you.asked(TellUsage).request_id,
        model="usual",
        turns=1,
        prompt_tokens=3,
        completion_tokens=2,
        cost_usd=0.0,
        today=today,
    )
    you.reply(told)
    assert you.said(outcome).splitlines() == [
        "This conversation so far, with `usual`: 1 turn, 3 tokens read and 2 written, at no cost that a provider has named.",
        "This window today (UTC), whatever it was for: 1 call, "
        "1,000 tokens read and 20 written (7 of them estimated), about $0.5000.",
    ]


def test_model_shows_and_chooses_within_the_operators_list(you: Caller) -> None:
    shown = you.call("model")
    asked = you.asked(ChooseModel)
    assert fields(asked) == YOU | {"model": ""}
    you.reply(ModelChosen(request_id=asked.request_id, model="usual", choices=("usual", "strong")))
    assert you.said(shown) == "`usual` answers here. You may choose `strong` instead."

    chosen = you.call("model", name="strong")
    asked = you.asked(ChooseModel, 2)
    assert asked.model == "strong"
    you.reply(ModelChosen(request_id=asked.request_id, model="strong", choices=("usual", "strong"), is_new=True))
    assert you.said(chosen).startswith("From now on `strong` answers here.")


def test_model_names_are_offered_while_one_types(you: Caller) -> None:
    assert you.complete("model", "name", "") == ["usual", "strong"]
    assert you.complete("model", "name", "STR") == ["strong"]


def test_without_a_choice_of_models_there_is_no_such_command(start_life: StartLife) -> None:
    you = Caller(start_life())
    for command in ("model", "memory search", "reminders", "skill"):
        with pytest.raises(ValueError, match="not registered"):
            you.call(command)


@pytest.mark.req("S0-84")
@pytest.mark.parametrize(
    ("what", "text", "message_id"),
    [
        ("tea is at five", "tea is at five", ""),
        ("123456789012345678", "", "123456789012345678"),
        (f"{CHANNEL}/123456789012345678", "", "123456789012345678"),
        (f" <{CHANNEL}/123456789012345678> ", "", "123456789012345678"),
        (f"see {CHANNEL}/123456789012345678", f"see {CHANNEL}/123456789012345678", ""),
        ("", "", ""),
    ],
)
def test_remember_takes_words_a_link_an_id_or_nothing(you: Caller, what: str, text: str, message_id: str) -> None:
    outcome = you.call("remember", **({"what": what} if what else {}))
    asked = you.asked(PinMemory)
    assert (asked.text, asked.message_id) == (text, message_id)
    assert (asked.window, asked.asked_by, asked.asked_by_name) == (GENERAL, str(defaults.YOU_ID), "You")
    assert asked.audience == f"{defaults.GUILD_ID}:{defaults.GENERAL_ID}:everyone"
    you.reply(MemoryPinned(request_id=asked.request_id, path="logs/x", line=7, text="tea is\nat *five*"))
    you.reply(described(you.asked(DescribeMemory).request_id, pins_here=18, pins_given=18))
    assert you.said(outcome) == r"Remembered:" "\n" r"> tea is at \*five\*" "\n-# path=logs/x line=7"


@pytest.mark.req("S0-85", "X-21")
@pytest.mark.parametrize("by_menu", [False, True])
def test_a_message_that_no_log_has_is_fetched_and_pinned_with_its_words(you: Caller, by_menu: bool) -> None:
    message = you.life.playground.say(defaults.GENERAL_ID, "tea is at five", user=defaults.GUEST_ID)
    outcome = you.menu("Remember", message) if by_menu else you.call("remember", what=str(message))
    asked = you.asked(PinMemory)
    you.reply(PinUnknown(request_id=asked.request_id, message_id=asked.message_id))
    again = you.asked(PinMemory, 2)
    assert (again.request_id, again.message_id, again.text) == (asked.request_id, str(message), "tea is at five")
    assert again.author_id == str(defaults.GUEST_ID)
    assert fields(again, "text", "author_id", "author_name") == fields(asked, "text", "author_id", "author_name")
    you.reply(MemoryPinned(request_id=asked.request_id, path="logs/x", line=7, text="tea is at five"))
    you.reply(described(you.asked(DescribeMemory).request_id))
    assert you.said(outcome).startswith("Remembered:\n> tea is at five")


@pytest.mark.req("S0-85")
@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (None, "there is no such message here."),
        (403, "I may not read what was said here before."),
        (503, "Discord does not give that message now; please try again."),
    ],
)
def test_a_message_that_discord_does_not_give_is_not_pinned(you: Caller, fault: int | None, said: str) -> None:
    if fault:
        you.life.playground.inject("refused", "GET .*/messages/", times=9, status=fault)
    outcome = you.call("remember", what="123456789012345678")
    asked = you.asked(PinMemory)
    you.reply(PinUnknown(request_id=asked.request_id, message_id=asked.message_id))
    assert you.said(outcome) == f"Not remembered: {said}"


@pytest.mark.parametrize("fault", ["503", "abort-before", "unreadable"])
def test_a_message_that_discord_does_not_give_at_once_is_asked_for_again(you: Caller, fault: str) -> None:
    message = you.life.playground.say(defaults.GENERAL_ID, "tea is at five", user=defaults.GUEST_ID)
    you.life.playground.inject(fault, ONE_MESSAGE)
    you.call("remember", what=str(message))
    asked = you.asked(PinMemory)
    you.reply(PinUnknown(request_id=asked.request_id, message_id=asked.message_id))
    assert you.asked(PinMemory, 2).text == "tea is at five"


def test_a_message_is_not_waited_for_while_discord_lets_nobody_in(
    you: Caller, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(lookup, "FETCH_S", 0.5)
    you.life.playground.inject("429-without-via", ONE_MESSAGE, retry_after_s=2)
    outcome = you.call("remember", what="123456789012345678")
    asked = you.asked(PinMemory)
    you.reply(PinUnknown(request_id=asked.request_id, message_id=asked.message_id))
    eventually(lambda: "try again" in you.said(outcome))
    assert "went wrong" not in caplog.text


def test_a_message_that_is_deleted_on_its_way_is_not_pinned(you: Caller) -> None:
    message = you.life.playground.say(defaults.GENERAL_ID, "tea is at five", user=defaults.GUEST_ID)
    outcome = you.call("remember", what=str(message))
    asked = you.asked(PinMemory)
    you.life.playground.dispatch("MESSAGE_DELETE", delete_event(message))
    you.asked(RetractMessages)
    you.reply(PinUnknown(request_id=asked.request_id, message_id=asked.message_id))
    assert you.said(outcome) == "Not remembered: there is no such message here."
    assert you.life.told.now().count(asked) == 1


def test_a_message_that_is_edited_on_its_way_is_pinned_with_its_new_words(you: Caller) -> None:
    playground = you.life.playground
    message = playground.say(defaults.GENERAL_ID, "tea is at five", user=defaults.GUEST_ID)
    old = next(each for each in playground.messages(defaults.GENERAL_ID) if each["id"] == str(message))
    you.call("remember", what=str(message))
    asked = you.asked(PinMemory)
    is_asked = threading.Event()

    def late(_: Gateway, request: str) -> Fault | None:
        if re.search(ONE_MESSAGE, request) is None:
            return None
        is_asked.set()
        return Fault(FaultKind.DELAY, re.compile(""), delay_s=1.0)

    playground.choose_faults(late)
    you.reply(PinUnknown(request_id=asked.request_id, message_id=asked.message_id))
    assert is_asked.wait(PATIENCE_S)
    playground.dispatch("MESSAGE_UPDATE", edit_event(old))
    assert you.asked(ReviseMessage).text == "tea is at six"
    assert you.asked(PinMemory, 2).text == "tea is at six"


def test_the_menu_of_a_message_that_is_gone_pins_nothing_and_of_an_edited_one_its_new_words(you: Caller) -> None:
    playground = you.life.playground
    gone, edited = (playground.say(defaults.GENERAL_ID, "tea is at five", user=defaults.GUEST_ID) for _ in range(2))
    old = next(each for each in playground.messages(defaults.GENERAL_ID) if each["id"] == str(edited))
    playground.dispatch("MESSAGE_DELETE", delete_event(gone))
    playground.dispatch("MESSAGE_UPDATE", edit_event(old))
    you.asked(ReviseMessage)
    assert you.said(you.menu("Remember", gone)) == "Not remembered: there is no such message here."
    you.menu("Remember", edited)
    assert you.asked(PinMemory).text == "tea is at six"


@pytest.mark.req("S0-68", "X-06")
def test_who_pins_more_than_there_is_room_for_is_told(you: Caller) -> None:
    outcome = you.call("remember", what="tea is at five")
    asked = you.asked(PinMemory)
    you.reply(MemoryPinned(request_id=asked.request_id, path="logs/x", line=7, text="tea is at five"))
    room = you.asked(DescribeMemory)
    assert room.window == GENERAL
    you.reply(described(room.request_id, pins_here=19, pins_given=18))
    assert "19 pins are more than there is room for: a turn is given 18" in you.said(outcome)


def test_a_link_to_another_channel_is_not_pinned_here(you: Caller) -> None:
    link = f"https://discord.com/channels/{defaults.GUILD_ID}/{defaults.ELSEWHERE_ID}/123456789012345678"
    assert "is in another channel" in you.said(you.call("remember", what=link))
    assert "is in another channel" in you.said(you.call("unremember", message=link))
    assert you.life.told.now()[1:] == []  # the list of skills apart


def test_a_pin_in_a_private_thread_is_for_those_who_read_it(you: Caller) -> None:
    thread = you.life.playground.create_thread(defaults.GENERAL_ID, "between us", private=True)
    there = Caller(you.life, channel_id=thread)
    there.call("remember", what="tea")
    assert there.asked(PinMemory).audience == f"{defaults.GUILD_ID}:{defaults.GENERAL_ID}:private"


def test_a_closed_channel_of_which_only_the_interaction_tells_is_not_taken_for_an_open_one(you: Caller) -> None:
    closed = {"id": str(defaults.GUILD_ID), "type": 0, "allow": "0", "deny": str(1 << 10)}
    channel = {
        "id": str(defaults.GENERAL_ID),
        "guild_id": str(defaults.GUILD_ID),
        "type": 0,
        "name": "x",
        "position": 1,
    }
    you.life.playground.dispatch("CHANNEL_UPDATE", channel | {"permission_overwrites": [closed]})
    you.life.say("among ourselves")
    label = f"{defaults.GUILD_ID}:{defaults.GENERAL_ID}:channel"
    assert you.life.messages.wait(1)[0].audience == label
    you.life.playground.dispatch("CHANNEL_DELETE", channel)
    you.call("remember", what="tea")
    assert you.asked(PinMemory).audience == label


def test_the_menu_of_a_message_pins_it_with_its_author_and_words(you: Caller) -> None:
    said = you.life.say("the cat is called Mia", user=defaults.GUEST_ID)
    outcome = you.menu("Remember", said)
    asked = you.asked(PinMemory)
    assert fields(asked, "audience") == YOU | {
        "asked_by_name": "You",
        "message_id": str(said),
        "text": "the cat is called Mia",
        "author_id": str(defaults.GUEST_ID),
        "author_name": "Guest",
    }
    you.reply(Refused(request_id=asked.request_id, reason="the disk is full."))
    assert you.said(outcome) == "Not remembered: the disk is full."
    assert outcome.ephemeral


def test_the_menu_of_a_message_that_discord_py_cannot_read_pins_all_that_it_says(you: Caller) -> None:
    """discordjs/discord.js#10328, nonebot/adapter-discord#77: an endless poll, a forward of a few fields."""
    playground = you.life.playground
    parts = (poll("When?", "Noon", expiry=None), {**FORWARD, "message_snapshots": [{"message": {"content": "late"}}]})
    for number, each in enumerate(parts, 1):
        you.menu("Remember", playground.say(defaults.GENERAL_ID, parts=each))
        pinned = you.asked(PinMemory, number)
        you.reply(Refused(request_id=pinned.request_id, reason="the disk is full."))
        assert pinned.text == words_of({"type": 0, "content": "", **each}, lambda _kind, _number: "").all


def test_unremember_takes_back_the_last_pin_or_the_one_that_is_named(you: Caller) -> None:
    outcome = you.call("unremember")
    asked = you.asked(UnpinMemory)
    assert fields(asked) == YOU | {"message_id": ""}
    you.reply(MemoryUnpinned(request_id=asked.request_id, path="logs/x", line=7, text="tea"))
    assert you.said(outcome) == "No longer kept in mind:\n> tea\n-# path=logs/x line=7"
    you.call("unremember", message=f"{CHANNEL}/123456789012345678")
    assert you.asked(UnpinMemory, 2).message_id == "123456789012345678"
    assert "by its link or its id" in you.said(you.call("unremember", message="the cat"))
