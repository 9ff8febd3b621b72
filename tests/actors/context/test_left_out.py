"""People are told what was left out of a request, before the answer to the request, and the model is not."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from domain.log.event import Kind
from messages.base import MessageId, RequestId
from messages.context import ResumeWindow, StopTurn
from messages.discord import Delivered
from messages.model import ToolCall
from tests.actors.context.rig import CHANNEL, Rig, bash_call, reply

NOTICE = "-# Left out, because the model's server refused it: 1 picture. /new begins a new conversation."


def answer_without(rig: Rig, left_out: str, text: str, *calls: ToolCall) -> None:
    """The model answers its open request, of which its server refused a part."""
    (request,) = rig.requests()
    answer = reply(request, text, *calls)
    rig.tell(CHANNEL, msgspec.structs.replace(answer, left_out=left_out))


def deliver_all(rig: Rig) -> list[str]:
    """Texts that people are shown, each delivered at once."""
    texts: list[str] = []
    while posts := rig.posts():
        for post in posts:
            texts.append(post.text)
            ids = (MessageId(str(1_000_000_000_000_000_000 + len(texts))),)
            rig.tell(CHANNEL, Delivered(request_id=post.request_id, message_ids=ids))
    return texts


def test_the_notice_comes_before_the_answer(rig: Rig) -> None:
    rig.say("look", 1)
    answer_without(rig, "1 picture", "fine")
    assert deliver_all(rig) == [NOTICE, "fine"]


@pytest.mark.req("X-205")
def test_the_notice_is_logged_and_no_request_holds_it(rig: Rig) -> None:
    rig.say("look", 1)
    answer_without(rig, "1 picture", "fine")
    deliver_all(rig)
    (logged,) = [event for event in rig.events() if event.kind is Kind.SYSTEM and "Left out" in event.content]
    assert logged.meta_dict()["what"] == "left-out"
    rig.say("and now?", 2)
    (request,) = rig.requests()
    assert not any("Left out" in message.text for message in request.messages)


def test_nothing_is_told_where_nothing_was_left_out(rig: Rig) -> None:
    rig.say("hello", 1)
    answer_without(rig, "", "fine")
    assert deliver_all(rig) == ["fine"]


def test_what_a_round_left_out_is_told_at_the_end_of_the_turn(rig: Rig) -> None:
    rig.say("do it", 1)
    answer_without(rig, "1 picture", "", bash_call("ls"))
    assert deliver_all(rig) == []
    rig.finish_command("done")
    answer_without(rig, "", "fine")
    assert deliver_all(rig) == [NOTICE, "fine"]


def test_an_empty_answer_does_not_hide_the_notice(rig: Rig) -> None:
    rig.say("look", 1)
    answer_without(rig, "1 picture", " ")
    notice, failure = deliver_all(rig)
    assert notice == NOTICE
    assert "empty answer" in failure


def test_a_turn_that_is_stopped_still_tells(rig: Rig) -> None:
    rig.say("do it", 1)
    answer_without(rig, "1 picture", "", bash_call("sleep 9"))
    rig.tell(
        CHANNEL, StopTurn(request_id=RequestId("s"), reply_to=rig.listener.address, window=CHANNEL, asked_by="Alice")
    )
    assert NOTICE in deliver_all(rig)


def test_a_notice_that_a_kill_kept_from_people_is_shown_in_the_next_life(tmp_path: Path) -> None:
    first = Rig(tmp_path)
    first.say("look", 1)
    answer_without(first, "1 picture", "fine")
    first.kill()
    second = Rig(tmp_path)
    second.tell(CHANNEL, ResumeWindow(window=CHANNEL, reply_to=second.surface.address))
    texts = deliver_all(second)
    second.stop()
    assert sorted(texts) == sorted([NOTICE, "fine"])
