"""`/new`: a window begins anew, and what was said before stays in its log."""

from __future__ import annotations

from messages.base import RequestId, UserId
from messages.context import NewWindowStarted, StartNewWindow
from messages.model import CancelModel
from tests.actors.context.rig import CHANNEL, THREAD, Rig, of_type, reply, texts


def start(rig: Rig) -> NewWindowStarted:
    edge = rig.system.edge("asker")
    command = StartNewWindow(
        request_id=RequestId("n"), reply_to=edge.address, window=CHANNEL, asked_by=UserId("910000000000000021")
    )
    rig.tell(CHANNEL, command)
    (started,) = of_type(NewWindowStarted, edge.drain())
    return started


def test_history_is_empty_and_a_new_log_is_begun_at_once(rig: Rig) -> None:
    rig.say("old", 1)
    rig.answer("yes")
    rig.deliver()
    before = rig.logs()[0].read_bytes()
    started = start(rig)
    assert len(rig.logs()) == 2
    assert rig.logs()[1] == rig.root / started.path
    rig.say("new", 2)
    assert texts(rig.answer("ok")) == ["new"]
    assert rig.logs()[0].read_bytes() == before
    assert not rig.logs()[0].stat().st_mode & 0o222


def test_a_running_turn_is_aborted_and_its_late_answer_dropped(rig: Rig) -> None:
    rig.say("old", 1)
    rig.say("waiting", 2)
    (request,) = rig.requests()
    start(rig)
    assert of_type(CancelModel, rig.model.drain()) == [CancelModel(request_id=request.request_id)]
    rig.tell(CHANNEL, reply(request, "late"))
    assert rig.posts() == []
    assert rig.kinds() == []
    old = rig.logs()[0].read_text()
    assert old.count('"what":"aborted"') == 2


def test_a_message_of_the_old_window_is_not_news_in_the_new_one(rig: Rig) -> None:
    rig.say("old", 1)
    rig.answer("yes")
    rig.deliver()
    start(rig)
    rig.say("old", 1)
    assert rig.kinds() == []


def test_other_windows_stay_as_they_are(rig: Rig) -> None:
    rig.say("in the thread", 5, THREAD)
    rig.answer("yes")
    start(rig)
    rig.say("still there?", 6, THREAD)
    assert texts(rig.answer("yes")) == ["in the thread", "yes", "still there?"]


def test_it_opens_the_first_log_of_a_window_that_has_none(rig: Rig) -> None:
    start(rig)
    assert len(rig.logs()) == 1
