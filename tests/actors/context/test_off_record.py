"""Turns of a window without memory: answered like all others, and no word of them in any file."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from actors.context.log.recovery import survey
from domain.log.event import Kind
from domain.turn.debt import LOST
from messages.base import Address, MessageId, RequestId, UserId
from messages.context import (
    PinMemory,
    Quote,
    ResumeWindow,
    RetractMessages,
    ReviseMessage,
    RuntimePosted,
    StopTurn,
    TellUsage,
    UsageTold,
)
from messages.discord import Delivered
from messages.forget import ForgetEvents
from messages.model import CancelModel
from messages.status import RUNS
from messages.turn import PrepareTurn
from tests.actors.context.retractions import new_window
from tests.actors.context.rig import CHANNEL, Rig, of_type, texts

WORDS = ("aardvark", "bumblebee", "caterpillar", "dromedary")
"""Planted words, which no file may hold."""


def find_planted(root: Path) -> list[str]:
    """Files below a data root with a planted word, in any of their bytes."""
    files = (file for file in root.rglob("*") if file.is_file())
    return [str(file) for file in files if any(word.encode() in file.read_bytes() for word in WORDS)]


def resume(root: Path, *, is_asked: bool = True) -> Rig:
    """The next life, which picks the window up if its log says that anything is left."""
    unfinished = survey(root).unfinished
    assert (CHANNEL in unfinished) is is_asked
    rig = Rig(root)
    if unfinished:
        rig.tell(CHANNEL, ResumeWindow(window=CHANNEL, reply_to=rig.surface.address))
    return rig


@pytest.mark.req("X-251")
def test_a_turn_off_the_record_is_answered_and_no_file_has_a_word_of_it(tmp_path: Path) -> None:
    keeper = Address("keeper")
    rig = Rig(tmp_path, contributors=(keeper,))
    kept = rig.system.edge("keeper")
    rig.listener.follow(RUNS)
    rig.say(
        "my aardvark",
        1,
        is_off_record=True,
        quote=Quote(message_id=MessageId("9"), author_name="B", text="a bumblebee"),
    )
    request = rig.answer("the caterpillar")
    assert "aardvark" in texts(request)[-1]
    assert "bumblebee" in request.messages[-1].text
    assert request.tools == ()
    assert "Nothing said here is kept" in request.system_prompt
    assert rig.deliver().text == "the caterpillar"
    assert of_type(PrepareTurn, kept.drain()) == []
    assert rig.listener.drain() == []
    assert find_planted(tmp_path) == []
    assert rig.kinds() == [Kind.SYSTEM] * 3
    rig.stop()
    assert find_planted(tmp_path) == []
    resume(tmp_path, is_asked=False).stop()


@pytest.mark.req("X-251")
def test_neither_side_of_the_switch_is_shown_to_the_other(rig: Rig) -> None:
    rig.say("a giraffe", 1)
    rig.answer("tall")
    rig.deliver()
    rig.say("my aardvark", 2, is_off_record=True)
    assert texts(rig.answer("the caterpillar")) == ["my aardvark"]
    rig.deliver()
    rig.say("my dromedary", 3, is_off_record=True)
    assert texts(rig.answer("a bumblebee")) == ["my dromedary"]
    rig.deliver()
    rig.say("and now?", 4)
    assert texts(rig.answer("on again")) == ["a giraffe", "tall", "and now?"]
    rig.deliver()
    assert find_planted(rig.root) == []


@pytest.mark.req("X-251")
@pytest.mark.parametrize("after", ["question", "answer", "delivery"])
def test_a_kill_leaves_no_word_and_the_question_is_answered_by_a_notice_at_most_once(
    tmp_path: Path, after: str
) -> None:
    rig = Rig(tmp_path)
    rig.say("my aardvark", 1, is_off_record=True)
    nonce = ""
    if after != "question":
        rig.answer("the caterpillar")
    if after == "delivery":
        nonce = rig.deliver().nonce
    elif after == "answer":
        (post,) = rig.posts()
        nonce = post.nonce
    rig.kill()
    assert find_planted(tmp_path) == []
    again = resume(tmp_path, is_asked=after != "delivery")
    if after == "delivery":
        assert again.posts() == []
    else:
        notice = again.deliver()
        assert (notice.text, notice.answers_message_id, notice.look_first) == (LOST, "1", True)
        assert not nonce or notice.nonce == nonce  # by which an answer that was shown is known
    again.say("my aardvark", 1, is_off_record=True)
    assert again.requests() == []
    again.kill()
    third = resume(tmp_path, is_asked=False)
    assert (third.posts(), third.requests()) == ([], [])
    third.stop()
    assert find_planted(tmp_path) == []


@pytest.mark.req("X-251")
def test_messages_that_came_off_the_record_are_known_after_a_restart(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.say("a giraffe", 4)
    rig.answer("tall")
    rig.deliver()
    rig.say("my aardvark", 7, is_off_record=True, wants_answer=False)
    rig.stop()
    assert survey(tmp_path).last_seen == {CHANNEL.address.key: "7"}
    again = Rig(tmp_path)
    again.say("my aardvark", 7, is_off_record=True)
    assert again.requests() == []
    again.tell(CHANNEL, new_window(again))
    again.stop()
    third = Rig(tmp_path)
    third.say("my aardvark", 7, is_off_record=True)
    assert third.requests() == []
    third.stop()
    assert find_planted(tmp_path) == []


@pytest.mark.req("X-251")
def test_a_new_window_takes_over_no_word_of_an_answer_that_is_still_to_be_shown(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.say("my aardvark", 1, is_off_record=True)
    rig.answer("the caterpillar")
    rig.tell(CHANNEL, new_window(rig))
    assert rig.deliver().text == "the caterpillar"
    rig.stop()
    assert find_planted(tmp_path) == []
    resume(tmp_path, is_asked=False).stop()


@pytest.mark.req("X-251")
def test_a_new_window_and_a_kill_leave_a_notice_in_the_place_of_an_answer_not_shown(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.say("my aardvark", 1, is_off_record=True)
    rig.answer("the caterpillar")
    (post,) = rig.posts()
    rig.tell(CHANNEL, new_window(rig))
    rig.kill()
    again = resume(tmp_path)
    notice = again.deliver()
    assert (notice.text, notice.answers_message_id, notice.look_first) == (LOST, "1", True)
    assert notice.nonce == post.nonce
    again.kill()
    third = resume(tmp_path, is_asked=False)
    assert (third.posts(), third.requests()) == ([], [])
    third.stop()
    assert find_planted(tmp_path) == []


@pytest.mark.req("X-251")
@pytest.mark.parametrize("is_off_record", [True, False])
def test_an_answer_shown_after_a_new_window_hides_no_later_question_from_a_restart(
    tmp_path: Path, *, is_off_record: bool
) -> None:
    rig = Rig(tmp_path)
    rig.say("my aardvark", 1, is_off_record=True)
    rig.answer("the caterpillar")
    rig.tell(CHANNEL, new_window(rig))
    rig.say("and now?", 2, is_off_record=is_off_record)
    assert rig.deliver().text == "the caterpillar"
    rig.kill()
    again = resume(tmp_path, is_asked=True)
    if is_off_record:
        assert again.deliver().text == LOST
    else:
        again.answer("on again")
        assert again.deliver().text == "on again"
    again.stop()


def forget_first(rig: Rig) -> None:
    """Have the first message on the record forgotten."""
    question = next(event.id for event in rig.events() if event.kind is Kind.USER)
    command = ForgetEvents(
        request_id=RequestId("f"),
        reply_to=rig.surface.address,
        window=CHANNEL,
        forget_id="forget01",
        event_ids=(question,),
        by="operator",
        why="expired",
    )
    rig.tell(CHANNEL, command)


@pytest.mark.req("X-251")
def test_an_answer_off_the_record_is_shown_once_though_words_before_are_forgotten_meanwhile(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.say("a giraffe", 1)
    rig.answer("tall")
    rig.deliver()
    rig.say("my aardvark", 2, is_off_record=True)
    rig.answer("the caterpillar")
    (post,) = rig.posts()
    forget_first(rig)
    rig.tell(CHANNEL, TellUsage(request_id=RequestId("u"), reply_to=rig.surface.address, window=CHANNEL))
    assert [usage.prompt_tokens for usage in of_type(UsageTold, rig.surface.drain())] == [10]
    rig.tell(CHANNEL, Delivered(request_id=post.request_id, message_ids=(MessageId("9"),)))
    rig.kill()
    again = resume(tmp_path, is_asked=False)
    again.say("and now?", 3)
    assert again.posts() == []
    again.answer("well")
    again.deliver()
    again.stop()
    assert find_planted(tmp_path) == []


@pytest.mark.req("X-251")
@pytest.mark.parametrize("is_killed", [False, True])
def test_a_question_off_the_record_that_waits_is_answered_though_words_before_are_forgotten_meanwhile(
    tmp_path: Path, *, is_killed: bool
) -> None:
    rig = Rig(tmp_path)
    rig.say("a giraffe", 1)
    rig.answer("tall")
    rig.deliver()
    rig.say("a bear", 2)
    rig.requests()
    rig.say("my aardvark", 3, is_off_record=True)
    forget_first(rig)
    if is_killed:
        rig.kill()
        again = resume(tmp_path)
        assert again.deliver().text == LOST
        again.stop()
        return
    rig.answer("the caterpillar")
    assert rig.deliver().answers_message_id == "3"
    rig.stop()
    resume(tmp_path, is_asked=False).stop()
    assert find_planted(tmp_path) == []


@pytest.mark.req("X-251")
def test_a_message_that_is_deleted_while_it_is_answered_gets_no_answer(rig: Rig) -> None:
    rig.say("my aardvark", 1, is_off_record=True)
    rig.tell(CHANNEL, RetractMessages(window=CHANNEL, message_ids=(MessageId("1"),)))
    assert [type(each) for each in rig.model.drain()][-1] is CancelModel
    assert rig.posts() == []
    rig.say("on again", 2)
    assert texts(rig.answer("yes")) == ["on again"]
    rig.deliver()
    assert find_planted(rig.root) == []


@pytest.mark.req("X-251")
def test_an_edit_off_the_record_takes_old_words_back_and_brings_no_new_ones(rig: Rig) -> None:
    rig.say("a giraffe", 1)
    rig.answer("tall")
    rig.deliver()
    edit = ReviseMessage(window=CHANNEL, message_id=MessageId("1"), text="an aardvark", files=0, is_off_record=True)
    rig.tell(CHANNEL, edit)
    rig.say("and now?", 2)
    assert texts(rig.answer("nothing")) == ["and now?"]
    rig.deliver()
    rig.say("my bumblebee", 3, is_off_record=True)
    later = ReviseMessage(window=CHANNEL, message_id=MessageId("3"), text="a dromedary", files=0, is_off_record=True)
    rig.tell(CHANNEL, later)
    rig.advance(60)
    assert texts(rig.answer("a caterpillar")) == ["my bumblebee"]
    rig.deliver()
    assert find_planted(rig.root) == []


@pytest.mark.req("X-251")
@pytest.mark.parametrize("is_killed", [False, True])
def test_a_question_that_waits_is_answered_off_the_record_when_it_is_edited_after_the_switch(
    tmp_path: Path, *, is_killed: bool
) -> None:
    rig = Rig(tmp_path)
    rig.say("a giraffe", 1)
    rig.say("a bear", 2)
    edit = ReviseMessage(window=CHANNEL, message_id=MessageId("2"), text="my aardvark", files=0, is_off_record=True)
    rig.tell(CHANNEL, edit)
    rig.answer("tall")
    rig.deliver()
    if is_killed:
        rig.kill()
        again = resume(tmp_path)
        assert again.deliver().text == LOST
        again.stop()
    else:
        assert texts(rig.answer("the caterpillar")) == ["my aardvark"]
        assert rig.deliver().answers_message_id == "2"
        rig.stop()
    third = resume(tmp_path, is_asked=False)
    third.tell(CHANNEL, edit)  # as after a comparison with Discord
    assert (third.requests(), third.posts()) == ([], [])
    third.stop()
    assert find_planted(tmp_path) == []


@pytest.mark.req("X-251")
def test_a_stopped_turn_and_a_stop_by_word_leave_ids_only(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.say("my aardvark", 1, is_off_record=True, author="Dromedary aardvark")
    stop = StopTurn(
        request_id=RequestId("r"), reply_to=rig.surface.address, window=CHANNEL, asked_by="Dromedary aardvark"
    )
    rig.tell(CHANNEL, stop)
    rig.say("my bumblebee", 2, is_off_record=True)
    rig.say("stop", 3, is_off_record=True, author="aardvark")
    rig.stop()
    assert find_planted(tmp_path) == []
    resume(tmp_path, is_asked=False).stop()


@pytest.mark.req("X-251")
def test_a_stop_off_the_record_ends_a_turn_on_the_record(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.say("a giraffe", 1)
    rig.say("stop", 2, is_off_record=True)
    rig.stop()
    again = resume(tmp_path)
    assert again.requests() == []
    again.say("and now?", 3)
    assert len(again.requests()) == 1
    again.stop()


@pytest.mark.req("X-251")
def test_a_message_after_the_switch_waits_for_the_turn_before_and_joins_none(tmp_path: Path) -> None:
    rig = Rig(tmp_path, mid_turn="steer")
    rig.say("a giraffe", 1)
    rig.say("my aardvark", 2, is_off_record=True)
    assert texts(rig.answer("tall")) == ["a giraffe"]
    rig.deliver()
    assert texts(rig.answer("the caterpillar")) == ["my aardvark"]
    rig.deliver()
    rig.stop()
    assert find_planted(tmp_path) == []


@pytest.mark.req("X-251")
def test_a_posting_after_a_message_off_the_record_is_noted_without_its_words(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.say("my aardvark", 1, is_off_record=True, wants_answer=False)
    posted = RuntimePosted(window=CHANNEL, by="scheduler", text="feed the dromedary", message_ids=(MessageId("5"),))
    rig.tell(CHANNEL, posted)
    rig.stop()
    again = Rig(tmp_path)
    later = RuntimePosted(window=CHANNEL, by="scheduler", text="feed the bumblebee", message_ids=(MessageId("6"),))
    again.tell(CHANNEL, later)
    assert "5" in again.events()[-2].meta_json
    again.stop()
    assert find_planted(tmp_path) == []


@pytest.mark.req("X-251")
def test_a_posting_where_memory_is_off_is_noted_without_its_words(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.say("a word on the record", 1, wants_answer=False)
    posted = RuntimePosted(
        window=CHANNEL,
        by="scheduler",
        text="feed the dromedary",
        message_ids=(MessageId("5"),),
        is_off_record=True,
    )
    rig.tell(CHANNEL, posted)
    assert "5" in rig.events()[-1].meta_json
    later = msgspec.structs.replace(posted, message_ids=(MessageId("6"),), text="feed the ostrich", is_off_record=False)
    rig.tell(CHANNEL, later)
    assert rig.events()[-1].content == "feed the ostrich"
    rig.stop()
    assert find_planted(tmp_path) == []


@pytest.mark.req("X-251")
def test_what_a_turn_off_the_record_used_is_counted_over_a_restart(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.say("my aardvark", 1, is_off_record=True)
    rig.answer("the caterpillar")
    rig.deliver()
    assert [e.meta_dict().get("prompt_tokens") for e in rig.events()] == [None, 10, None]
    rig.stop()


def test_a_pin_on_the_record_is_made_as_ever_after_a_turn_off_the_record(rig: Rig) -> None:
    rig.say("my aardvark", 1, is_off_record=True)
    rig.answer("the caterpillar")
    rig.deliver()
    rig.say("a giraffe", 2)
    rig.answer("tall")
    rig.deliver()
    pin = PinMemory(
        request_id=RequestId("p"),
        reply_to=rig.surface.address,
        window=CHANNEL,
        asked_by=UserId("u"),
        asked_by_name="A",
    )
    rig.tell(CHANNEL, pin)
    assert rig.kinds()[-1] is Kind.PIN
    assert find_planted(rig.root) == []
