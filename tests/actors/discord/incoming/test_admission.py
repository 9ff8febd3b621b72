from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest

from actors.discord.incoming.admission import RATE_WINDOW_S
from actors.kernel import ManualClock
from lab.playground.server import PlaygroundServer
from lab.playground.world import defaults
from messages.base import MessageId, Surface, UserId, Window
from messages.context import Quote
from tests.actors.discord.conftest import StartLife
from tests.actors.discord.incoming.gaps import OFTEN
from tests.actors.discord.life import Life

BOT = f"<@{defaults.BOT_ID}>"


def test_every_message_is_answered_unless_told_otherwise(life: Life) -> None:
    life.say("hello")
    (told,) = life.messages.wait(1)
    assert (told.wants_answer, told.may_run, told.refusal) == (True, True, "")


def test_where_a_mention_is_required_others_are_only_noted(start_life: StartLife) -> None:
    life = start_life(answers_all=False)
    life.say("among ourselves")
    life.say(f"{BOT} what do you think?")
    assert [message.wants_answer for message in life.messages.wait(2)] == [False, True]


def test_a_reply_to_the_bot_is_for_the_bot(start_life: StartLife) -> None:
    life = start_life(answers_all=False)
    (shown,) = life.delivered("my words")
    life.say("what do you mean?", reply_to=int(shown))
    other = life.say("something")
    life.say("and that", reply_to=other)
    assert [message.wants_answer for message in life.messages.wait(3)] == [True, False, False]


def test_a_reply_carries_the_words_that_it_answers(life: Life) -> None:
    first = life.say("the first words")
    life.say("no", reply_to=first, user=defaults.GUEST_ID)
    told = life.messages.wait(2)
    assert told[0].quote is None
    assert told[1].quote == Quote(
        message_id=MessageId(str(first)),
        author_name="You",
        author_id=UserId(str(defaults.YOU_ID)),
        text="the first words",
    )


def test_a_viewer_is_answered_without_bash(playground: PlaygroundServer, start_life: StartLife) -> None:
    role = playground.add_role("viewers", defaults.GUEST_ID)
    allowed = frozenset({str(defaults.YOU_ID)})
    life = start_life(allowed_users=allowed, viewer_roles=frozenset({str(role)}))
    life.say("a member")
    life.say("a viewer", user=defaults.GUEST_ID)
    assert [(message.may_run, message.wants_answer) for message in life.messages.wait(2)] == [
        (True, True),
        (False, True),
    ]


def test_who_asks_too_much_is_noted_and_told_once(start_life: StartLife) -> None:
    life = start_life(turns_per_user=2)
    for number in range(4):
        life.say(f"message {number}")
    life.say("somebody else", user=defaults.GUEST_ID)
    told = life.messages.wait(5)
    assert [message.wants_answer for message in told] == [True, True, False, False, True]
    assert [bool(message.refusal) for message in told] == [False, False, True, False, False]
    assert "at most 2 messages" in told[2].refusal


@pytest.mark.parametrize("before", [0, 1])
def test_a_message_that_is_passed_on_until_it_is_logged_counts_once(start_life: StartLife, before: int) -> None:
    """A second attempt, however late, changes no decision; a notice is repeated, since nobody has seen the first."""
    life = start_life(turns_per_user=1, catchup_hours=1e-7, timing=OFTEN)
    for number in range(before):
        life.say(f"message {number}")
    life.messages.wait(before)
    life.unstorable.add("on a full disk")
    life.say("on a full disk")
    attempts = life.messages.wait(before + 3)[before:]
    assert [message.wants_answer for message in attempts] == [not before] * 3
    assert [bool(message.refusal) for message in attempts] == [bool(before)] * 3


def test_who_is_held_back_is_told_in_each_window_from_when_on_to_say_it_again(start_life: StartLife) -> None:
    clock = ManualClock(datetime.now(UTC))
    life = start_life(turns_per_user=1, clock=clock)
    thread = life.playground.create_thread(defaults.GENERAL_ID, "one")
    life.say("answered")
    life.messages.wait(1)
    clock.advance(60)
    life.say("held back")
    life.say("held back in a thread", thread)
    told = life.messages.wait(3)
    end = int(clock.now().timestamp() + RATE_WINDOW_S - 60) + 1
    assert [message.wants_answer for message in told] == [True, False, False]
    for held_back in told[1:]:
        assert f"before <t:{end}:T> (<t:{end}:R>). Please repeat after that" in held_back.refusal


def test_the_moment_that_was_named_is_late_enough_and_the_next_wait_is_told_anew(start_life: StartLife) -> None:
    clock = ManualClock(datetime.now(UTC))
    life = start_life(turns_per_user=1, clock=clock)
    life.say("answered")
    life.say("held back")
    (named,) = re.findall(r"<t:(\d+):T>", life.messages.wait(2)[1].refusal)
    clock.advance(int(named) - clock.now().timestamp())
    life.say("said again")
    life.say("too much again")
    told = life.messages.wait(4)
    assert [message.wants_answer for message in told] == [True, False, True, False]
    assert [bool(message.refusal) for message in told] == [False, True, False, True]
    assert named not in told[3].refusal


def test_what_was_missed_for_too_long_is_only_noted(playground: PlaygroundServer, start_life: StartLife) -> None:
    seen = playground.say(defaults.GENERAL_ID, "seen")
    playground.say(defaults.GENERAL_ID, "missed long ago")
    window = Window(surface=Surface.DISCORD_CHANNEL, id=str(defaults.GENERAL_ID))
    tiny = timedelta(microseconds=1) / timedelta(hours=1)
    life = start_life(last_seen={window.address.key: str(seen)}, catchup_hours=tiny)
    (told,) = life.messages.wait(1)
    assert (told.text, told.wants_answer) == ("missed long ago", False)


def test_direct_messages_are_a_window_where_they_are_wanted(start_life: StartLife) -> None:
    life = start_life(dms=True, answers_all=False)
    dm = life.playground.open_dm()
    life.say("between us", dm)
    (told,) = life.messages.wait(1)
    assert told.window == Window(surface=Surface.DISCORD_DM, id=str(dm))
    assert told.wants_answer
    assert told.audience == f"0:{dm}:private"
