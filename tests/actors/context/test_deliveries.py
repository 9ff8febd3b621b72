"""Answers on their way to Discord: what arrived, what failed, what is posted again."""

from __future__ import annotations

from domain.log.event import Kind
from messages.base import MessageId
from messages.discord import Delivered, DeliveryFailed, DeliveryRefused
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
