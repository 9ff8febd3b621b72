"""Answers on their way to Discord: what arrived, what failed, what is posted again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

from actors.context.deliveries import Deliveries
from domain.log.event import Kind
from domain.turn.debt import Debt
from messages.base import Address, EventId, MessageId, RequestId, TurnId
from messages.discord import Delivered, DeliveryFailed, DeliveryRefused, PostMessage
from tests.actors.context.rig import CHANNEL, Rig


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


HOUR_S = 3_600


def closed(rig: Rig, request_id: RequestId) -> None:
    """The surface may not speak in the channel, as long as nobody allows it again."""
    rig.tell(CHANNEL, DeliveryRefused(request_id=request_id, reason="403", for_now=True))


def test_what_somebody_may_allow_again_is_tried_for_hours(rig: Rig) -> None:
    rig.say("hello", 1)
    rig.answer("hi")
    (post,) = rig.posts()
    tries = 0
    for _ in range(5 * HOUR_S // 300):
        closed(rig, post.request_id)
        rig.advance(300)
        (again,) = rig.posts()
        assert (again.nonce, again.look_first) == (post.nonce, True)
        tries += 1
    assert tries == 60
    rig.tell(CHANNEL, Delivered(request_id=post.request_id, message_ids=(MessageId("5"),)))
    assert rig.events()[-1].meta_dict()["message_ids"] == ["5"]


def test_what_nobody_allows_for_hours_is_given_up(rig: Rig) -> None:
    rig.say("hello", 1)
    rig.answer("hi")
    (post,) = rig.posts()
    while "refused" not in rig.events()[-1].meta_dict():
        closed(rig, post.request_id)
        rig.advance(300)
        assert rig.clock.monotonic() < 7 * HOUR_S
    assert rig.clock.monotonic() > 6 * HOUR_S
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


def test_a_text_that_answers_nobody_is_looked_for_from_when_it_was_owed() -> None:
    at = datetime(2026, 1, 2, tzinfo=UTC)
    debts = [Debt(event_id=EventId("e"), text="x", at=at, answers_message_id="", turn=None, ended_turn=TurnId(""))]
    told: list[PostMessage] = []
    conversation = SimpleNamespace(debts=lambda: debts, shown_after=lambda _: ())
    host: Any = SimpleNamespace(
        conversation=conversation,
        tell=lambda _, message: told.append(message),
        after=lambda *_: None,
        monotonic=lambda: 0.0,
        surface=Address("surface"),
        address=CHANNEL.address,
        window=CHANNEL,
    )
    presence: Any = None
    Deliveries(host, presence).begin_all()
    assert [post.look_since for post in told] == [at - timedelta(minutes=5)]
