from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from lab.playground.server import PlaygroundServer
from lab.playground.world import defaults
from messages.base import Address, MessageId, RequestId
from messages.context import ReviseMessage, RuntimePosted, UserMessage
from messages.discord import MemorySwitched, StopIntake, SwitchMemory, UserMessageLogged
from tests.actors.discord.conftest import StartLife
from tests.actors.discord.life import DISCORD, GENERAL, Life, thread_window, timing
from tests.patience import eventually

YOU, GUEST = str(defaults.YOU_ID), str(defaults.GUEST_ID)


def foreign_event(playground: PlaygroundServer, channel_id: int, **changes: Any) -> dict[str, Any]:
    """A MESSAGE_CREATE for a channel that the bot was never told of."""
    like = playground.messages(defaults.GENERAL_ID)[-1]
    member = {"roles": [], "flags": 0, "joined_at": like["timestamp"]}
    return like | {"channel_id": str(channel_id), "guild_id": str(defaults.GUILD_ID), "member": member} | changes


def test_what_is_said_in_the_channel_is_told_to_its_window(life: Life) -> None:
    before = datetime.now(UTC)
    first = life.say("`hello` <@1>  \n")
    second = life.say("and this", reply_to=first, user=defaults.GUEST_ID, attachments=[("b.txt", b"12345")])
    told = life.messages.wait(2)
    assert all(isinstance(message, UserMessage) for message in told)
    assert told[0].window == GENERAL
    assert (told[0].message_id, told[0].author_id, told[0].author_name) == (str(first), YOU, "You")
    assert told[0].text == life.playground.messages(defaults.GENERAL_ID)[0]["content"]
    assert before - timedelta(seconds=1) < told[0].sent_at <= datetime.now(UTC)
    assert told[0].reply_to == DISCORD
    assert told[0].reply_to_message_id == ""
    assert (told[1].message_id, told[1].reply_to_message_id, told[1].author_id) == (str(second), str(first), GUEST)
    (file,) = told[1].attachments
    assert file.size_bytes == 5
    assert file.url.startswith(life.playground.origin)
    assert file.url.partition("?")[0].endswith("/b.txt")


def test_a_message_of_attachments_only_is_told(life: Life) -> None:
    life.say("", attachments=[("x.png", b"1")])
    (told,) = life.messages.wait(1)
    assert told.text == ""
    assert [file.filename for file in told.attachments] == ["x.png"]


def test_a_burst_keeps_its_order(life: Life) -> None:
    said = [f"message {number}" for number in range(60)]
    for text in said:
        life.say(text)
    assert life.texts(60) == said


@pytest.mark.req("S0-09")
def test_each_thread_of_the_channel_is_a_window_of_its_own(life: Life) -> None:
    starter = life.say("starter")
    one = life.playground.create_thread(defaults.GENERAL_ID, "one", message_id=starter)
    two = life.playground.create_thread(defaults.GENERAL_ID, "two")
    life.say("in one", one)
    life.say("in two", two)
    told = life.messages.wait(4)
    by_window = {window: [each.text for each in told if each.window == window] for window in {m.window for m in told}}
    assert by_window == {
        GENERAL: ["starter"],
        thread_window(one): ["starter", "in one"],
        thread_window(two): ["in two"],
    }


def test_a_starter_that_its_window_is_slow_to_log_is_told_to_the_thread_too(life: Life) -> None:
    life.logs = False
    starter = life.say("starter")
    thread = life.playground.create_thread(defaults.GENERAL_ID, "one", message_id=starter)
    life.say("in one", thread)
    life.say("elsewhere")
    assert life.texts(2) == ["starter", "elsewhere"]

    life.edge.tell(DISCORD, UserMessageLogged(window=GENERAL, message_id=MessageId(str(starter))))

    told = [(message.window, message.text) for message in life.messages.wait(4)[2:]]
    assert told == [(thread_window(thread), "starter"), (thread_window(thread), "in one")]


@pytest.mark.req("S0-09", "X-50")
def test_nothing_else_is_told(start_life: StartLife) -> None:
    life = start_life(allowed_users=frozenset({YOU}))
    thread = life.playground.create_thread(defaults.ELSEWHERE_ID, "not ours")
    life.say("elsewhere", defaults.ELSEWHERE_ID)
    life.say("thread elsewhere", thread)
    life.say("a stranger", user=defaults.GUEST_ID)
    life.say("a direct message", life.playground.open_dm())
    life.delivered("the bot itself")
    life.playground.edit(defaults.GENERAL_ID, life.say("said once"), "edited")
    notice = foreign_event(life.playground, defaults.GENERAL_ID, id="1", content="a notice", type=6)
    life.playground.dispatch("MESSAGE_CREATE", notice)
    hook = foreign_event(life.playground, defaults.GENERAL_ID, id="2", content="a webhook", webhook_id="7")
    life.playground.dispatch("MESSAGE_CREATE", hook)
    life.say("the end")
    assert life.texts(2) == ["said once", "the end"]


@pytest.mark.req("X-50")
def test_another_bot_is_not_heard_even_where_everybody_is(life: Life) -> None:
    life.say("beep", user=life.playground.add_user("robot", bot=True))
    life.say("the end")
    assert life.texts(1) == ["the end"]


def test_the_bot_never_hears_itself_even_where_everybody_is_heard(life: Life) -> None:
    life.delivered("my own words")
    life.say("somebody's words")
    assert life.texts(1) == ["somebody's words"]
    life.playground.op9(False)
    life.online.wait(2)
    life.say("the end")
    assert life.texts(2) == ["somebody's words", "the end"]


def test_with_nobody_allowed_nobody_is_heard(start_life: StartLife) -> None:
    life = start_life(allowed_users=frozenset())
    seen = life.playground.last_event()
    life.say("hello?")
    life.delivered("an answer to nothing")
    assert life.playground.last_event() > seen
    assert [type(message) for message in life.told.wait(1)] == [RuntimePosted], "that it was shown, and nothing else"


def test_holders_of_an_allowed_role_are_heard(playground: PlaygroundServer, start_life: StartLife) -> None:
    role = playground.add_role("friends", defaults.GUEST_ID)
    life = start_life(allowed_users=frozenset(), allowed_roles=frozenset({str(role)}))
    life.say("no", user=defaults.YOU_ID)
    life.say("yes", user=defaults.GUEST_ID)
    assert [message.author_id for message in life.messages.wait(1)] == [GUEST]


def test_a_thread_that_discord_py_does_not_know_is_looked_up_and_order_is_kept(
    playground: PlaygroundServer, start_life: StartLife
) -> None:
    ours, foreign = (playground.create_thread(c, "old") for c in (defaults.GENERAL_ID, defaults.ELSEWHERE_ID))
    for thread in (ours, foreign):
        playground.change_thread(thread, archived=True)
    life = start_life()
    life.say("a model of a message")
    playground.inject("delay", f"GET /channels/{ours}$", delay_s=0.3)
    for number in range(5):
        for first, thread in ((1000, foreign), (2000, ours)):
            event = foreign_event(playground, thread, id=str(first + number), content=f"late {number}")
            playground.dispatch("MESSAGE_CREATE", event)
    life.say("meanwhile")
    assert life.texts(7)[:2] == ["a model of a message", "meanwhile"]
    assert [message.text for message in life.messages.now()[2:]] == [f"late {number}" for number in range(5)]
    assert {message.window for message in life.messages.now()[2:]} == {thread_window(ours)}
    assert len(playground.requests("GET", f"/channels/{ours}")) == 1


def test_a_lookup_that_fails_at_first_loses_nothing(playground: PlaygroundServer, start_life: StartLife) -> None:
    thread = playground.create_thread(defaults.GENERAL_ID, "old")
    playground.change_thread(thread, archived=True)
    life = start_life(timing=timing(gap_again_s=0.1))
    life.say("a model of a message")
    playground.inject("503", f"GET /channels/{thread}$", times=6)
    playground.dispatch("MESSAGE_CREATE", foreign_event(playground, thread, id="1000", content="patience"))
    assert life.texts(2)[1] == "patience"


def test_after_stop_intake_nothing_is_taken_but_posts_go_out(life: Life) -> None:
    life.say("before")
    life.messages.wait(1)
    life.tell(StopIntake())
    life.delivered("still speaking")
    life.say("after")
    outcome = life.playground.slash(defaults.GENERAL_ID, "new")
    answer = life.playground.wait_for_answer(outcome.id)
    assert answer is not None
    assert "shutting down" in answer["content"]
    assert [type(message) for message in life.told.wait(2)] == [UserMessage, RuntimePosted]


def test_a_channel_that_is_not_there_leaves_the_others_working(start_life: StartLife) -> None:
    life = start_life(channels=("123", str(defaults.GENERAL_ID)))
    life.say("hello")
    assert life.texts(1) == ["hello"]


def test_every_window_address_is_that_of_a_context(life: Life) -> None:
    life.say("hello")
    (told,) = life.messages.wait(1)
    assert told.window.address == Address("context", f"discord-channel/{defaults.GENERAL_ID}")
    eventually(lambda: Address("context", f"discord-channel/{defaults.GENERAL_ID}") in set(life.system))


@pytest.mark.req("X-251")
def test_new_words_of_a_question_are_off_the_record_where_memory_is_off_in_the_thread_alone(
    start_life: StartLife,
) -> None:
    """The question stands in the channel, its words in the log of the thread that was opened from it."""
    life = start_life(opens_threads=True)
    question = life.say("question")
    (message,) = life.messages.wait(1)
    thread = thread_window(question)
    assert (message.window, message.is_off_record) == (thread, False)
    request_id = RequestId(str(int(message.message_id) + 1))
    life.tell(SwitchMemory(request_id=request_id, reply_to=life.edge.address, window=thread, is_off=True))
    assert isinstance(life.outcome(request_id), MemorySwitched)

    life.playground.edit(defaults.GENERAL_ID, question, "new words")

    def edits() -> list[ReviseMessage]:
        return [each for each in life.told.now() if isinstance(each, ReviseMessage) and each.window == thread]

    (edit,) = eventually(edits)
    assert edit.is_off_record
