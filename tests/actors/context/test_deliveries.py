"""Answers on their way to Discord: what arrived, what failed, what is posted again."""

from __future__ import annotations

from pathlib import Path

from actors.context.deliveries import HOLD_S, LAST_RETRY_S, OVERDUE_S
from domain.log.event import Kind
from messages.base import MessageId
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


def answered(rig: Rig, *words: str) -> None:
    for number, word in enumerate(words, 1):
        rig.say(word, number)
        rig.answer(f"answer to {word}")


def test_a_later_text_waits_for_the_older_one(rig: Rig) -> None:
    answered(rig, "one", "two")
    assert fail(rig).text == "answer to one"
    assert rig.posts() == []
    rig.advance(5)
    assert [rig.deliver().text, rig.deliver().text] == ["answer to one", "answer to two"]


def test_one_that_is_refused_lets_the_next_pass(rig: Rig) -> None:
    answered(rig, "one", "two")
    (post,) = rig.posts()
    rig.tell(CHANNEL, DeliveryRefused(request_id=post.request_id, reason="no permission"))
    assert rig.deliver().text == "answer to two"


def test_one_that_has_failed_for_long_holds_up_nobody_for_ever(rig: Rig) -> None:
    answered(rig, "one", "two", "three")
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
    answered(rig, "one", "two", "three")
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
    answered(rig, "one")
    while rig.clock.monotonic() - rig.began_s < HOLD_S + LAST_RETRY_S:
        for post in rig.posts():
            rig.tell(CHANNEL, DeliveryFailed(request_id=post.request_id, reason="an outage"))
        rig.advance(5)
    rig.posts()
    rig.say("two", 2)
    rig.answer("answer to two")
    assert [rig.deliver().text, rig.deliver().text] == ["answer to one", "answer to two"]


def test_a_text_of_which_nothing_is_heard_is_tried_again(rig: Rig) -> None:
    answered(rig, "one")
    (lost,) = rig.posts()
    rig.advance(OVERDUE_S)
    rig.advance(5)
    again = rig.deliver()
    assert (again.nonce, again.look_first) == (lost.nonce, True)


def test_the_order_holds_over_a_restart_and_over_a_new_window(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    answered(rig, "one", "two")
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
