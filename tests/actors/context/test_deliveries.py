"""Delivery of answers to Discord: confirmations, failures and retries."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from actors.context.deliveries import HOLD_S, LAST_RETRY_S, OVERDUE_S, Deliveries
from domain.log.event import Kind
from domain.turn.debt import Debt
from messages.base import Address, EventId, MessageId, RequestId, TurnId
from messages.context import ResumeWindow
from messages.discord import Delivered, DeliveryFailed, DeliveryRefused, PostMessage
from tests.actors.context.rig import CHANNEL, Rig
from tests.actors.context.test_new_window import start


def test_a_failed_delivery_is_tried_again_later_after_a_look(rig: Rig) -> None:
    rig.say("hello", 1)
    rig.answer("hi")
    (post,) = rig.posts()
    rig.tell(CHANNEL, DeliveryFailed(request_id=post.request_id, reason="no network"))
    assert rig.posts() == []
    rig.advance(5)
    again = rig.deliver()
    assert (again.nonce, again.text, again.look_first) == (post.nonce, "hi", True)
    rig.advance(1000)
    assert rig.posts() == []


def test_a_refused_delivery_is_logged_and_not_tried_again(rig: Rig) -> None:
    rig.say("hello", 1)
    rig.answer("hi")
    (post,) = rig.posts()
    rig.tell(CHANNEL, DeliveryRefused(request_id=post.request_id, reason="the channel is gone"))
    rig.advance(1000)
    assert rig.posts() == []
    assert rig.events()[-1].meta_dict()["refused"] == "the channel is gone"


def test_a_confirmation_that_comes_twice_is_logged_once(rig: Rig) -> None:
    rig.say("hello", 1)
    rig.answer("hi")
    post = rig.deliver()
    rig.tell(CHANNEL, Delivered(request_id=post.request_id, message_ids=(MessageId("5"),)))
    assert rig.kinds().count(Kind.DELIVERY) == 1


def fail(rig: Rig) -> PostMessage:
    """The one text that is out cannot be shown; the post."""
    (post,) = rig.posts()
    rig.tell(CHANNEL, DeliveryFailed(request_id=post.request_id, reason="no network"))
    return post


def ask_and_answer(rig: Rig, *words: str) -> None:
    for number, word in enumerate(words, 1):
        rig.say(word, number)
        rig.answer(f"answer to {word}")


def test_a_later_text_waits_for_the_older_one(rig: Rig) -> None:
    ask_and_answer(rig, "one", "two")
    assert fail(rig).text == "answer to one"
    assert rig.posts() == []
    rig.advance(5)
    assert [rig.deliver().text, rig.deliver().text] == ["answer to one", "answer to two"]


def test_one_that_is_refused_lets_the_next_pass(rig: Rig) -> None:
    ask_and_answer(rig, "one", "two")
    (post,) = rig.posts()
    rig.tell(CHANNEL, DeliveryRefused(request_id=post.request_id, reason="no permission"))
    assert rig.deliver().text == "answer to two"


def test_one_that_has_failed_for_long_holds_up_nobody_for_ever(rig: Rig) -> None:
    ask_and_answer(rig, "one", "two", "three")
    shown: list[str] = []
    for _ in range(200):
        for post in rig.posts():
            if post.text == "answer to one":
                reply: Delivered | DeliveryFailed = DeliveryFailed(request_id=post.request_id, reason="no")
            else:
                shown.append(post.text)
                reply = Delivered(request_id=post.request_id, message_ids=(MessageId(str(len(shown))),))
            rig.tell(CHANNEL, reply)
        if shown:
            assert rig.clock.monotonic() - rig.began_s >= HOLD_S
        rig.advance(5)
    assert shown == ["answer to two", "answer to three"]


def test_where_nothing_can_be_shown_for_hours_the_order_stays(rig: Rig) -> None:
    ask_and_answer(rig, "one", "two", "three")
    for _ in range(2000):
        for post in rig.posts():
            rig.tell(CHANNEL, DeliveryFailed(request_id=post.request_id, reason="an outage"))
        rig.advance(5)
    rig.say("four", 4)
    rig.requests()
    shown = []
    for _ in range(200):
        for post in rig.posts():
            shown.append(post.text)
            rig.tell(CHANNEL, Delivered(request_id=post.request_id, message_ids=(MessageId(str(len(shown))),)))
        rig.advance(5)
    assert shown == ["answer to one", "answer to two", "answer to three"]


def test_a_new_text_has_the_oldest_tried_before_it_passes(rig: Rig) -> None:
    ask_and_answer(rig, "one")
    while rig.clock.monotonic() - rig.began_s < HOLD_S + LAST_RETRY_S:
        for post in rig.posts():
            rig.tell(CHANNEL, DeliveryFailed(request_id=post.request_id, reason="an outage"))
        rig.advance(5)
    rig.posts()
    rig.say("two", 2)
    rig.answer("answer to two")
    assert [rig.deliver().text, rig.deliver().text] == ["answer to one", "answer to two"]


def test_a_text_of_which_nothing_is_heard_is_tried_again(rig: Rig) -> None:
    ask_and_answer(rig, "one")
    (lost,) = rig.posts()
    rig.advance(OVERDUE_S)
    rig.advance(5)
    again = rig.deliver()
    assert (again.nonce, again.look_first) == (lost.nonce, True)


def test_the_order_holds_over_a_restart_and_over_a_new_window(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    ask_and_answer(rig, "one", "two")
    start(rig)
    rig.say("three", 3)
    rig.answer("answer to three")
    rig.kill()
    again = Rig(tmp_path)
    again.tell(CHANNEL, ResumeWindow(window=CHANNEL, reply_to=again.surface.address))
    shown = [again.deliver() for _ in range(3)]
    assert [post.text for post in shown] == ["answer to one", "answer to two", "answer to three"]
    assert all(post.look_first for post in shown)
    assert again.posts() == []
    again.stop()


HOUR_S = 3_600


def refuse_for_now(rig: Rig, request_id: RequestId) -> None:
    """The surface may not speak in the channel, until people allow it again."""
    rig.tell(CHANNEL, DeliveryRefused(request_id=request_id, reason="403", for_now=True))


def test_what_people_may_allow_again_is_tried_for_hours(rig: Rig) -> None:
    rig.say("hello", 1)
    rig.answer("hi")
    (post,) = rig.posts()
    tries = 0
    for _ in range(5 * HOUR_S // 300):
        refuse_for_now(rig, post.request_id)
        rig.advance(300)
        (again,) = rig.posts()
        assert (again.nonce, again.look_first) == (post.nonce, True)
        tries += 1
    assert tries == 60
    rig.tell(CHANNEL, Delivered(request_id=post.request_id, message_ids=(MessageId("5"),)))
    assert rig.events()[-1].meta_dict()["message_ids"] == ["5"]


def test_what_people_allow_not_for_two_weeks_is_given_up(rig: Rig) -> None:
    rig.say("hello", 1)
    rig.answer("hi")
    (post,) = rig.posts()
    while "refused" not in rig.events()[-1].meta_dict():
        refuse_for_now(rig, post.request_id)
        rig.advance(6 * HOUR_S)
        assert rig.clock.monotonic() < 15 * 24 * HOUR_S
    assert rig.clock.monotonic() > 14 * 24 * HOUR_S
    rig.posts()
    rig.advance(1_000)
    assert rig.posts() == []


def test_a_text_says_which_messages_show_others(rig: Rig) -> None:
    """Without nonces in the channel's history, one with the same words would be taken for it."""
    rig.say("one?", 1)
    rig.say("two?", 2)
    rig.answer("yes")
    first = rig.deliver()
    rig.answer("yes")
    (second,) = rig.posts()
    assert (first.others, second.others) == ((), (MessageId("1000000000000000001"),))


def test_a_text_carried_into_a_new_window_says_so_in_later_lives_too(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.say("one?", 1)
    rig.say("two?", 2)
    rig.say("three?", 3)
    rig.answer("yes")
    rig.deliver()
    rig.answer("yes")
    rig.answer("yes")
    (second,) = rig.posts()
    refuse_for_now(rig, second.request_id)
    start(rig)
    start(rig)
    rig.kill()
    again = Rig(tmp_path)
    again.tell(CHANNEL, ResumeWindow(window=CHANNEL, reply_to=again.surface.address))
    posts = [again.deliver() for _ in range(2)]
    first = MessageId("1000000000000000001")
    assert [first in post.others for post in posts] == [True, True]
    again.stop()


def test_a_text_that_answers_nobody_is_looked_for_from_when_it_was_owed() -> None:
    at = datetime(2026, 1, 2, tzinfo=UTC)
    debts = [Debt(event_id=EventId("e"), text="x", at=at, answers_message_id="", turn=None, ended_turn=TurnId(""))]
    told: list[PostMessage] = []
    conversation = SimpleNamespace(debts=lambda: debts, shown_after=lambda _: ())
    host: Any = SimpleNamespace(
        conversation=conversation,
        tell=lambda _, message: told.append(message),
        wait=lambda *_: None,
        monotonic=lambda: 0.0,
        surface=Address("surface"),
        address=CHANNEL.address,
        window=CHANNEL,
    )
    presence: Any = None
    Deliveries(host, presence).begin_all()
    assert [post.look_since for post in told] == [at - timedelta(minutes=5)]
