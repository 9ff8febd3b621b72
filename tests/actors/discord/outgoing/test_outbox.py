from __future__ import annotations

import socket
import time
from typing import Any

import pytest

from domain.policy.channel_rules import ChannelRule
from domain.policy.memory_switch import MemorySwitch, MemorySwitches
from lab.playground.server import PlaygroundServer
from lab.playground.world import defaults
from lab.playground.world.records import ChannelKind
from messages.base import MessageId, Surface, Window
from messages.context import RuntimePosted
from messages.discord import Delivered, DeliveryFailed, DeliveryRefused, ShowProgress
from tests.actors.discord.conftest import StartLife
from tests.actors.discord.life import GENERAL, Life, thread_window, timing
from tests.patience import PATIENCE_S, eventually

SEND = r"POST /channels/\d+/messages$"


def sends(playground: PlaygroundServer) -> list[dict[str, object]]:
    return [record.payload for record in playground.requests("POST", "/messages")]


def test_a_text_is_shown_and_its_delivery_reported(life: Life) -> None:
    (shown,) = life.delivered("hello")
    (message,) = life.playground.messages(defaults.GENERAL_ID)
    assert (message["id"], message["content"]) == (shown, "hello")


@pytest.mark.req("S0-31")
def test_a_window_is_told_what_others_had_shown_there_and_not_what_it_said_itself(life: Life) -> None:
    life.post("an answer", reply_to=GENERAL.address)
    (shown,) = life.delivered("⏰ tea", nonce="tea")
    (again,) = life.delivered("⏰ tea", nonce="tea", look_first=True)
    told = life.told.wait(3)
    assert shown == again
    assert [message for message in told if not isinstance(message, Delivered)] == [
        RuntimePosted(window=GENERAL, by="edge", text="⏰ tea", message_ids=(MessageId(shown),), is_late=is_late)
        for is_late in (False, True)
    ]


def test_a_window_is_told_what_others_had_shown_before_they_count_the_text_as_shown(life: Life) -> None:
    """Killed in between, the sender asks again, and the window hears of the text; otherwise no log would have it."""
    messages: list[object] = []
    life.system.overhear(lambda _to, message: messages.append(message))
    life.delivered("⏰ tea", nonce="tea")
    life.told.wait(1)
    kinds = [type(message) for message in messages if isinstance(message, RuntimePosted | Delivered)]
    assert kinds == [RuntimePosted, Delivered]


@pytest.mark.req("X-251")
def test_where_memory_is_off_the_window_is_told_so_with_what_others_had_shown(start_life: StartLife) -> None:
    off = MemorySwitch(place=str(defaults.GENERAL_ID), number=1, is_off=True, by="operator")
    life = start_life(switches=MemorySwitches((off,)))
    thread = thread_window(life.playground.create_thread(defaults.GENERAL_ID, "in that channel"))
    for window in (GENERAL, thread):
        life.delivered("⏰ tea", window)
    posted = [message for message in life.told.wait(2) if isinstance(message, RuntimePosted)]
    assert [(each.window, each.is_off_record) for each in posted] == [(GENERAL, True), (thread, True)]


@pytest.mark.req("X-251")
def test_the_same_holds_in_an_archived_thread_that_this_life_never_met(
    playground: PlaygroundServer, start_life: StartLife
) -> None:
    """Discord names no archived threads at the start, so nothing says in which channel the thread is."""
    off = MemorySwitch(place=str(defaults.GENERAL_ID), number=1, is_off=True, by="operator")
    number = playground.create_thread(defaults.GENERAL_ID, "of an earlier life")
    playground.change_thread(number, archived=True)
    life = start_life(switches=MemorySwitches((off,)))
    life.delivered("⏰ tea", thread_window(number))
    (posted,) = life.told.wait(1)
    assert posted.is_off_record


@pytest.mark.req("X-251")
@pytest.mark.parametrize("is_online", [True, False], ids=["online", "logged in only"])
def test_the_same_holds_where_the_settings_switch_memory_off_in_the_category(
    playground: PlaygroundServer, start_life: StartLife, is_online: bool
) -> None:
    """Before a session is open, Discord has named no channels."""
    category = playground.create_channel("quiet", kind=ChannelKind.CATEGORY)
    number = playground.create_channel("notes", parent_id=category)
    thread = playground.create_thread(number, "of an earlier life")
    playground.change_thread(thread, archived=True)
    options: dict[str, Any] = {"channels": (str(number),), "tables": {str(category): ChannelRule(memory="off")}}
    with socket.create_server(("127.0.0.1", 0)) as mute:
        if not is_online:
            options |= {"gateway_url": f"ws://127.0.0.1:{mute.getsockname()[1]}", "wait": False}
        life = start_life(**options)
        for window in (thread_window(thread), Window(surface=Surface.DISCORD_CHANNEL, id=str(number))):
            life.delivered("⏰ tea", window)
    posted = [message for message in life.told.wait(2) if isinstance(message, RuntimePosted)]
    assert [each.is_off_record for each in posted] == [True, True]


@pytest.mark.req("X-251")
def test_the_same_holds_though_other_channels_become_known_while_the_text_is_on_its_way(
    playground: PlaygroundServer, start_life: StartLife
) -> None:
    """So it is at each start where the settings name a category."""
    category = playground.create_channel("heard", kind=ChannelKind.CATEGORY)
    number = playground.create_channel("notes", parent_id=category)
    thread = playground.create_thread(number, "of an earlier life")
    playground.change_thread(thread, archived=True)
    off = MemorySwitch(place=str(number), number=1, is_off=True, by="operator")
    life = start_life(channels=(str(category),), switches=MemorySwitches((off,)))
    playground.inject("delay", SEND, delay_s=PATIENCE_S)
    request = life.post("⏰ tea", thread_window(thread))
    eventually(lambda: playground.counters()["faults_fired"] == 1)
    life.say("hello", playground.create_channel("new", parent_id=category))
    life.texts(1)
    playground.clear_faults()
    assert isinstance(life.outcome(request), Delivered)
    (posted,) = [message for message in life.told.wait(2) if isinstance(message, RuntimePosted)]
    assert posted.is_off_record


def test_a_text_pings_nobody_embeds_nothing_and_carries_its_nonce(life: Life) -> None:
    life.delivered("@everyone see https://example.org", nonce="n" * 20)
    (payload,) = sends(life.playground)
    assert payload["allowed_mentions"] == {"parse": [], "replied_user": False}
    assert payload["flags"] == 4
    assert (payload["nonce"], payload["enforce_nonce"]) == ("n" * 20 + ".0", True)
    assert "message_reference" not in payload


def test_a_long_text_is_shown_in_parts_in_order(life: Life) -> None:
    words = [f"word{number}" for number in range(1200)]
    shown = life.delivered(" ".join(words))
    assert len(shown) > 3
    assert [message["id"] for message in life.playground.messages(defaults.GENERAL_ID)] == list(shown)
    assert " ".join(life.shown()).split() == words


def test_an_answer_names_its_question_only_when_something_came_between(life: Life) -> None:
    first = life.say("first")
    life.messages.wait(1)
    life.delivered("to first", answers_message_id=str(first))
    second, third = life.say("second"), life.say("third")
    life.messages.wait(3)
    life.delivered("long " * 900, answers_message_id=str(second))
    life.delivered("to third", answers_message_id=str(third))
    references = [payload.get("message_reference") for payload in sends(life.playground)]
    assert [isinstance(r, dict) and str(r["message_id"]) for r in references] == [
        False,
        str(second),
        False,
        False,
        str(third),
    ]


def test_an_answer_to_a_deleted_question_is_shown_all_the_same(life: Life) -> None:
    question = life.say("question")
    life.say("another")
    life.messages.wait(2)
    life.playground.delete(defaults.GENERAL_ID, question)
    life.delivered("answer", answers_message_id=str(question))
    assert life.shown() == ["answer"]


@pytest.mark.parametrize("fault", ["503", "abort-before", "abort-after", "429-user", "429-global", "429-without-via"])
def test_trouble_on_the_way_neither_loses_nor_doubles_nor_reorders(life: Life, fault: str) -> None:
    life.playground.inject(fault, SEND, times=2, retry_after_s=0.05)
    requests = [life.post(text) for text in ("one", "two", "three")]
    assert all(isinstance(life.outcome(request), Delivered) for request in requests)
    assert life.shown() == ["one", "two", "three"]


@pytest.mark.parametrize("fault", ["500", "html"])
def test_what_discord_py_retries_is_shown_once(life: Life, fault: str) -> None:
    life.playground.inject(fault, SEND)
    life.delivered("once")
    assert life.shown() == ["once"]


def test_a_server_that_hangs_is_given_up_and_asked_again(start_life: StartLife) -> None:
    life = start_life(timing=timing(call_timeout_s=1.0))
    life.playground.inject("delay", SEND, delay_s=30.0)
    life.delivered("once")
    assert life.shown() == ["once"]


def test_a_call_cut_off_in_a_global_limit_leaves_later_calls_working(start_life: StartLife) -> None:
    life = start_life(timing=timing(call_timeout_s=1.0))
    life.playground.inject("429-global", SEND, retry_after_s=20)
    life.delivered("despite the limit")
    assert life.shown() == ["despite the limit"]


def test_a_channel_that_is_gone_refuses_for_good(life: Life) -> None:
    reply = life.not_delivered("hello?", Window(surface=Surface.DISCORD_CHANNEL, id="123"))
    assert isinstance(reply, DeliveryRefused)
    assert "404" in reply.reason


def test_an_archived_thread_opens_again_and_a_locked_one_refuses(life: Life) -> None:
    thread = life.playground.create_thread(defaults.GENERAL_ID, "old")
    life.playground.change_thread(thread, archived=True)
    life.delivered("awake", thread_window(thread))
    life.playground.change_thread(thread, archived=True, locked=True)
    assert isinstance(life.not_delivered("not this", thread_window(thread)), DeliveryRefused)
    assert life.shown(thread) == ["awake"]


def test_a_blank_text_and_a_window_outside_discord_are_refused(life: Life) -> None:
    assert isinstance(life.not_delivered(" \n "), DeliveryRefused)
    assert isinstance(life.not_delivered("x", Window(surface=Surface.CLI, id="cli")), DeliveryRefused)


def test_a_text_that_never_gets_through_fails_and_the_next_one_is_shown(life: Life) -> None:
    life.playground.inject("503", SEND, times=4)
    reply = life.not_delivered("lost")
    assert isinstance(reply, DeliveryFailed)
    assert "503" in reply.reason
    assert "lost" not in reply.reason
    life.delivered("found")
    assert life.shown() == ["found"]


def test_a_failed_text_told_again_shows_only_the_parts_that_are_missing(life: Life) -> None:
    text = "alpha " * 300 + "\n\n" + "omega " * 300
    life.playground.inject("delay", SEND)
    life.playground.inject("503", SEND, times=4)
    assert isinstance(life.not_delivered(text, nonce="same"), DeliveryFailed)
    assert len(life.shown()) == 1
    life.delivered(text, nonce="same")
    assert [part[:5] for part in life.shown()] == ["alpha", "omega"]


def test_a_request_told_twice_is_carried_out_and_answered_once(life: Life) -> None:
    life.playground.inject("delay", SEND, delay_s=0.2)
    request = life.post("once")
    life.post("once", request_id=request)
    assert isinstance(life.outcome(request), Delivered)
    life.delivered("afterwards")
    assert life.shown() == ["once", "afterwards"]
    assert life.edge.drain() == []


def test_a_text_told_again_after_its_delivery_is_not_sent_again(life: Life) -> None:
    first = life.delivered("once", nonce="same")
    assert life.delivered("once", nonce="same") == first
    assert len(sends(life.playground)) == 1


@pytest.mark.slow
def test_a_slow_channel_delays_no_other(life: Life) -> None:
    thread = life.playground.create_thread(defaults.GENERAL_ID, "quick")
    life.playground.inject("delay", f"POST /channels/{defaults.GENERAL_ID}/messages$", delay_s=3.0)
    slow = life.post("slow")
    life.delivered("quick", thread_window(thread))
    assert life.shown() == []
    assert isinstance(life.outcome(slow), Delivered)


def test_what_an_earlier_life_has_shown_is_not_shown_again(start_life: StartLife) -> None:
    text = "first half " * 150 + "\n\n" + "second half " * 150 + "\n\n" + "third part " * 150
    life = start_life()
    question = str(life.say("question"))
    life.playground.inject("delay", SEND, times=2)
    life.playground.inject("503", SEND, times=4)
    assert isinstance(life.not_delivered(text, nonce="first-life", answers_message_id=question), DeliveryFailed)
    life.stop()
    second = start_life()
    shown = second.delivered(text, nonce="another", answers_message_id=question, look_first=True)
    assert [part[:5] for part in second.shown()] == ["first", "secon", "third"]
    assert [message["id"] for message in second.playground.messages(defaults.GENERAL_ID)[1:]] == list(shown)


def test_a_like_text_that_answered_something_else_does_not_count(start_life: StartLife) -> None:
    life = start_life()
    first, second = life.say("one?"), life.say("two?")
    life.messages.wait(2)
    life.delivered("yes", nonce="a", answers_message_id=str(first))
    life.stop()
    start_life().delivered("yes", nonce="b", answers_message_id=str(second), look_first=True)
    assert life.shown() == ["yes", "yes"]


def test_a_reminder_of_like_words_with_another_nonce_is_shown_again(start_life: StartLife) -> None:
    life = start_life()
    life.delivered("stand-up!", nonce="monday")
    life.stop()
    second = start_life()
    second.delivered("stand-up!", nonce="monday", look_first=True)
    second.delivered("stand-up!", nonce="tuesday", look_first=True)
    assert second.shown() == ["stand-up!", "stand-up!"]


def test_a_drain_waits_for_what_is_to_be_shown(life: Life) -> None:
    life.playground.inject("delay", SEND, delay_s=0.4)
    request = life.post("last words")
    assert life.system.drain(PATIENCE_S).quiet
    assert isinstance(life.outcome(request, 0.1), Delivered)
    assert life.shown() == ["last words"]


def test_what_is_under_way_at_the_end_is_reported_as_failed(life: Life) -> None:
    life.playground.inject("503", SEND, times=100)
    request, behind = life.post("never"), life.post("behind it")
    eventually(lambda: len(sends(life.playground)) > 0)
    life.stop()
    assert isinstance(life.outcome(request, 0.1), DeliveryFailed)
    assert isinstance(life.outcome(behind, 0.1), DeliveryFailed)


def test_lone_surrogates_do_not_stop_a_text(life: Life) -> None:
    life.delivered("a\ud83d\ude00b\udc00")
    assert life.shown() == ["a\U0001f600b\ufffd"]


def test_all_of_a_window_is_posted_where_it_says(life: Life) -> None:
    thread = life.playground.create_thread(defaults.GENERAL_ID, "here")
    life.delivered("in the channel", GENERAL)
    life.delivered("in the thread", thread_window(thread))
    assert (life.shown(), life.shown(thread)) == (["in the channel"], ["in the thread"])


def long_text(words: int = 4000) -> str:
    return "# Title\n\n" + "\n".join(f"line {number} of a very long answer" for number in range(words))


def file_of(life: Life, message: dict[str, Any]) -> str:
    """Content of the one file of a message."""
    ((name, text),) = files_of(life, message).items()
    assert name == "answer.md"
    return text


def files_of(life: Life, message: dict[str, Any]) -> dict[str, str]:
    """Name -> text of each file of a message."""
    return {file["filename"]: _content_of(life, file) for file in message["attachments"]}


def _content_of(life: Life, file: dict[str, Any]) -> str:
    data = life.playground.run(lambda: life.playground.hub.files.get(int(file["id"])))
    assert data is not None
    return data.decode()


@pytest.mark.req("X-57")
def test_a_very_long_text_is_shown_as_its_beginning_with_a_file(life: Life) -> None:
    (shown,) = life.delivered(long_text())
    (message,) = life.playground.messages(defaults.GENERAL_ID)
    assert message["id"] == shown
    assert message["content"].startswith("# Title\n\nline 0 of")
    assert "is in answer.md" in message["content"]
    assert file_of(life, message) == long_text()


@pytest.mark.parametrize("fault", ["503", "abort-before", "abort-after", "429-user"])
def test_trouble_on_the_way_of_a_file_neither_loses_nor_doubles(life: Life, fault: str) -> None:
    life.playground.inject(fault, SEND, times=2, retry_after_s=0.05)
    life.delivered(long_text())
    assert [file_of(life, message) for message in life.playground.messages(defaults.GENERAL_ID)] == [long_text()]


def test_a_file_that_an_earlier_life_has_shown_is_not_shown_again(start_life: StartLife) -> None:
    life = start_life()
    question = str(life.say("question"))
    first = life.delivered(long_text(), nonce="first-life", answers_message_id=question)
    life.stop()
    second = start_life()
    assert second.delivered(long_text(), nonce="another", answers_message_id=question, look_first=True) == first
    assert len(life.shown()) == 1


def test_a_running_message_becomes_the_beginning_with_the_file(life: Life) -> None:
    life.tell(ShowProgress(window=GENERAL, turn_id="t1", text="so far", status=""))
    eventually(lambda: len(life.shown()) == 1)
    life.delivered(long_text(), turn_id="t1")
    (message,) = life.playground.messages(defaults.GENERAL_ID)
    assert message["content"].startswith("# Title")
    assert file_of(life, message) == long_text()
    assert message["components"] == []


@pytest.mark.parametrize("runs", [False, True])
def test_where_files_are_forbidden_a_very_long_text_is_shown_in_messages(life: Life, runs: bool) -> None:
    if runs:
        life.tell(ShowProgress(window=GENERAL, turn_id="t1", text="so far", status=""))
        eventually(lambda: len(life.shown()) == 1)
    life.playground.inject("refused", "(POST|PATCH) ", times=2 if runs else 1, status=403)
    life.delivered(long_text(), turn_id="t1")
    messages = life.playground.messages(defaults.GENERAL_ID)
    assert len(messages) > 6
    assert "\n".join(message["content"] for message in messages).split() == long_text().split()
    assert not any(message.get("attachments") for message in messages)


EXACT = 'msg="pay \u202eecila ```"'


def test_what_a_text_only_spells_out_is_in_a_file_beside_it(life: Life) -> None:
    life.delivered("spelled out", exact=EXACT)
    (message,) = life.playground.messages(defaults.GENERAL_ID)
    assert message["content"] == "spelled out"
    assert files_of(life, message) == {"exact.txt": EXACT}


def test_a_text_too_long_for_messages_has_both_its_files(life: Life) -> None:
    life.delivered(long_text(), exact=EXACT)
    (message,) = life.playground.messages(defaults.GENERAL_ID)
    assert files_of(life, message) == {"answer.md": long_text(), "exact.txt": EXACT}


def test_where_files_are_forbidden_a_text_that_spells_something_out_is_shown_alone(life: Life) -> None:
    life.playground.inject("refused", SEND, status=403)
    life.delivered("spelled out", exact=EXACT)
    (message,) = life.playground.messages(defaults.GENERAL_ID)
    assert (message["content"], message["attachments"]) == ("spelled out", [])


@pytest.mark.parametrize(("fault", "is_for_now"), [("403", True), ("404", False), ("400", False)])
def test_a_refusal_says_whether_somebody_may_allow_it_again(life: Life, fault: str, is_for_now: bool) -> None:
    life.playground.inject("refused", SEND, status=int(fault))
    reply = life.not_delivered("hello")
    assert isinstance(reply, DeliveryRefused)
    assert reply.for_now == is_for_now
    life.delivered("hello again")


def test_a_channel_that_is_closed_is_told_of_once_and_once_when_it_is_open_again(
    life: Life, caplog: pytest.LogCaptureFixture
) -> None:
    life.playground.inject("refused", SEND, times=3, status=403)
    for _ in range(3):
        assert isinstance(life.not_delivered("hello", nonce="same"), DeliveryRefused)
    life.delivered("hello", nonce="same", look_first=True)
    life.delivered("more")
    assert life.shown() == ["hello", "more"]
    lines = [record.getMessage() for record in caplog.records]
    assert sum("is closed to the bot" in line for line in lines) == 1
    assert sum("is open to the bot again" in line for line in lines) == 1


@pytest.mark.parametrize("status", ["header", "body"])
def test_while_nobody_is_let_in_nobody_calls_and_all_is_shown_afterwards(life: Life, status: str) -> None:
    """Twenty-four channels that write at once cost a few refused calls, not some for each of them again and again."""
    threads = [life.playground.create_thread(defaults.GENERAL_ID, f"thread {number}") for number in range(24)]
    if status == "header":
        life.playground.inject("html", SEND, times=3, status=429, retry_after_s=0.4)
    else:
        life.playground.inject("429-without-via", SEND, times=3, retry_after_s=0.4)
    begin = time.monotonic()
    requests = [life.post("hello", thread_window(thread)) for thread in threads]
    assert all(isinstance(life.outcome(request), Delivered) for request in requests)
    assert time.monotonic() - begin >= 0.4
    assert [life.shown(thread) for thread in threads] == [["hello"]] * 24
    assert len(sends(life.playground)) == 24 + 3


def test_a_failed_text_keeps_its_place_when_it_is_told_again_before_the_next(life: Life) -> None:
    life.playground.inject("503", SEND, times=4)
    assert isinstance(life.not_delivered("one", nonce="aaaaaaaa"), DeliveryFailed)
    life.playground.inject("abort-after", SEND, times=2)
    requests = [
        life.post("one", nonce="aaaaaaaa", look_first=True),
        life.post("two", nonce="bbbbbbbb"),
        life.post("three", nonce="cccccccc"),
    ]
    assert all(isinstance(life.outcome(request), Delivered) for request in requests)
    assert life.shown() == ["one", "two", "three"]


@pytest.mark.req("X-246")
def test_a_window_is_told_for_which_message_others_had_a_text_shown(life: Life) -> None:
    asked = MessageId(str(life.playground.say(defaults.GENERAL_ID, "run it")))
    life.delivered("May I?", answers_message_id=asked)
    (posted,) = [message for message in life.told.wait(2) if isinstance(message, RuntimePosted)]
    assert posted.answers_message_id == asked
