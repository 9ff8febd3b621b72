"""Deletions and edits by people: the log keeps the words; model, pins and commands lose them."""

from __future__ import annotations

from pathlib import Path

import pytest

from actors.context.retraction import MOST_HELD, REVISIONS, REVISIONS_S
from domain.log.kept import digest
from domain.log.window import redacted_path
from messages.base import MessageId, RequestId, UserId
from messages.context import (
    KeptMessagesTold,
    MemoryPinned,
    PinMemory,
    PinUnknown,
    Quote,
    RestoreRedactions,
    TellKeptMessages,
)
from messages.model import CancelModel, StopReason
from messages.turn import EventsLogged
from tests.actors.context.retractions import (
    SECRET,
    copies,
    delete,
    edit,
    exchange,
    new_window,
    shown_to_model,
    tombstones,
)
from tests.actors.context.rig import CHANNEL, Rig, bash_call, of_type, texts


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    return Rig(tmp_path)


def test_a_deleted_message_and_what_came_of_it_are_forgotten_and_the_log_keeps_them(rig: Rig) -> None:
    rig.say(SECRET, 1)
    rig.answer("let me look", bash_call("echo 41000"))
    rig.finish_command("41000")
    rig.answer("41000 it is")
    rig.deliver()
    delete(rig, 1)

    assert SECRET in [event.content for event in rig.events()]
    assert "41000" not in shown_to_model(rig, "what was it?", 2)
    assert all(b"41000" not in copy for copy in copies(rig))
    (logged,) = tombstones(rig)
    assert (logged["message_id"], logged["why"]) == ("1", "deleted")
    rig.stop()


def test_subscribers_are_told_again_of_a_retraction_right_before_a_kill(rig: Rig, tmp_path: Path) -> None:
    exchange(rig, SECRET, 1)
    rig.listener.drain()
    delete(rig, 1)
    told = of_type(EventsLogged, rig.listener.drain())
    rig.kill()

    again = Rig(tmp_path)
    again.say("hello", 2)
    heard = of_type(EventsLogged, again.listener.drain())

    assert [each.meta_json for report in heard for each in report.events] == [told[0].events[0].meta_json]
    again.stop()


def test_a_new_life_forgets_it_too_and_makes_a_copy_that_is_missing(rig: Rig) -> None:
    exchange(rig, SECRET, 1)
    delete(rig, 1)
    (path,) = rig.logs()
    copy = rig.root / redacted_path(path.relative_to(rig.root).as_posix())
    rig.kill()
    copy.unlink()
    rig = Rig(rig.root)

    assert "41000" not in shown_to_model(rig, "what was it?", 2)
    assert all(b"41000" not in copy for copy in copies(rig))
    rig.stop()


def test_what_is_said_later_stands_in_the_copy_as_well(rig: Rig) -> None:
    exchange(rig, SECRET, 1)
    delete(rig, 1)
    exchange(rig, "something else", 2)
    exchange(rig, "41000 again", 3)
    delete(rig, 3)

    (copy,) = copies(rig)
    assert b"something else" in copy
    assert b"41000" not in copy
    rig.stop()


def test_an_answer_that_was_deleted_is_forgotten_alone(rig: Rig) -> None:
    shown = exchange(rig, "what is it?", 1, SECRET)
    delete(rig, int(shown))

    seen = shown_to_model(rig, "and now?", 2)
    assert "what is it?" in seen
    assert "41000" not in seen
    assert all(b"41000" not in copy for copy in copies(rig))
    rig.stop()


def test_a_quotation_of_the_answer_to_a_deleted_message_is_forgotten_with_it(rig: Rig) -> None:
    shown = exchange(rig, "what is it?", 1, SECRET)
    rig.say("is that so?", 2, quote=Quote(message_id=MessageId(shown), author_name="Agent", text=SECRET))
    rig.answer("yes")
    rig.deliver()
    delete(rig, 1)

    seen = shown_to_model(rig, "and now?", 3)
    assert "is that so?" in seen
    assert "41000" not in seen
    assert all(b"41000" not in copy for copy in copies(rig))
    rig.stop()


def test_a_quotation_of_a_deleted_message_is_forgotten_with_it_and_the_rest_stays(rig: Rig) -> None:
    quote = Quote(message_id=MessageId("1"), author_name="Bob", text=SECRET)
    rig.say("is that so?", 2, quote=quote)
    rig.answer("yes")
    rig.deliver()
    assert "41000" in shown_to_model(rig, "really?", 3)
    delete(rig, 1)

    seen = shown_to_model(rig, "and now?", 4)
    assert "is that so?" in seen
    assert "41000" not in seen
    assert all(b"41000" not in copy and b"is that so?" in copy for copy in copies(rig))
    rig.stop()


def test_a_turn_whose_message_is_deleted_is_given_up_and_what_waits_goes_on_without_it(rig: Rig) -> None:
    rig.say(SECRET, 1)
    rig.requests()
    rig.say("more of 41000", 2)
    rig.say("good morning", 3)
    delete(rig, 1, 2)

    (request,) = rig.requests()
    assert "good morning" in texts(request)[-1]
    assert "41000" not in "\n".join(texts(request))
    rig.stop()


def test_the_model_is_called_off_when_the_message_is_deleted(rig: Rig) -> None:
    rig.say(SECRET, 1)
    rig.system.run()
    delete(rig, 1)

    assert of_type(CancelModel, rig.model.drain())
    rig.stop()


def test_what_an_earlier_window_said_is_found_and_taken_back_once(rig: Rig) -> None:
    exchange(rig, SECRET, 1)
    rig.tell(CHANNEL, new_window(rig))
    exchange(rig, "good morning", 2)
    for _ in range(3):
        delete(rig, 1, 99)

    assert len(tombstones(rig)) == 1
    assert all(b"41000" not in copy for copy in copies(rig))
    rig.stop()


def test_what_was_deleted_can_neither_be_pinned_nor_stays_a_pin(rig: Rig) -> None:
    exchange(rig, SECRET, 1)
    pin = PinMemory(
        request_id=RequestId("r1"),
        reply_to=rig.listener.address,
        window=CHANNEL,
        asked_by=UserId("21"),
        asked_by_name="Alice",
        message_id=MessageId("1"),
    )
    rig.tell(CHANNEL, pin)
    assert of_type(MemoryPinned, rig.listener.drain())
    delete(rig, 1)
    rig.listener.drain()
    rig.tell(CHANNEL, pin)
    answers = rig.listener.drain()
    assert of_type(PinUnknown, answers), "Discord has it no more either, and so it is refused there"
    assert not of_type(MemoryPinned, answers)
    rig.stop()


def test_an_edited_message_is_recalled_as_it_says_now(rig: Rig) -> None:
    exchange(rig, SECRET, 1)
    edit(rig, 1, "the salary is a secret")

    seen = shown_to_model(rig, "what was it?", 2)
    assert "the salary is a secret" in seen
    assert "41000" not in seen
    assert all(b"41000" not in copy for copy in copies(rig))
    edit(rig, 1, "the salary is a secret")
    assert [each["why"] for each in tombstones(rig)] == ["edited"]
    delete(rig, 1)
    assert "secret" not in shown_to_model(rig, "and now?", 3)
    rig.stop()


def test_what_no_log_has_but_as_a_quotation_and_a_pin_is_forgotten_there_when_it_is_edited(rig: Rig) -> None:
    rig.say("is that so?", 2, quote=Quote(message_id=MessageId("1"), author_name="Some bot", text=SECRET))
    rig.answer("yes")
    rig.deliver()
    pin = PinMemory(
        request_id=RequestId("r1"),
        reply_to=rig.listener.address,
        window=CHANNEL,
        asked_by=UserId("21"),
        asked_by_name="Alice",
        message_id=MessageId("1"),
        text=SECRET,
    )
    rig.tell(CHANNEL, pin)
    edit(rig, 1, SECRET)
    assert tombstones(rig) == []
    edit(rig, 1, "nothing to see here")

    seen = shown_to_model(rig, "and now?", 3)
    assert "is that so?" in seen
    assert "41000" not in seen
    assert all(b"41000" not in copy and b"is that so?" in copy for copy in copies(rig))
    assert sorted((each["why"], each.get("part", "")) for each in tombstones(rig)) == [
        ("edited", ""),
        ("edited", "quote"),
    ]
    rig.stop()


def test_an_edit_that_changes_no_word_changes_nothing(rig: Rig) -> None:
    exchange(rig, SECRET, 1)
    edit(rig, 1, SECRET)
    edit(rig, 77, "never heard of")

    assert tombstones(rig) == []
    rig.stop()


def test_an_edit_during_the_answer_is_noted_behind_it(rig: Rig) -> None:
    rig.say(SECRET, 1)
    edit(rig, 1, "never mind")
    assert tombstones(rig) == []
    rig.answer("fine")
    rig.deliver()

    assert len(tombstones(rig)) == 1
    assert "41000" not in shown_to_model(rig, "what was it?", 2)
    rig.stop()


def test_of_a_message_that_is_edited_again_and_again_the_log_grows_no_more(rig: Rig) -> None:
    exchange(rig, SECRET, 1)
    for number in range(REVISIONS + 1):
        edit(rig, 1, f"version {number} of it")
    size = sum(path.stat().st_size for path in rig.logs())
    for number in range(50):
        edit(rig, 1, f"afterwards {number}")

    assert sum(path.stat().st_size for path in rig.logs()) == size
    assert len(tombstones(rig)) == REVISIONS + 1
    assert not any(b"version" in copy or b"afterwards" in copy for copy in copies(rig))
    rig.advance(REVISIONS_S)
    shown_to_model(rig, "what was it?", 2)
    seen = shown_to_model(rig, "and now?", 3)
    assert "afterwards 49" in seen
    assert "version" not in seen
    delete(rig, 1)
    assert "afterwards" not in shown_to_model(rig, "and then?", 4)
    rig.stop()


def test_what_is_deleted_before_its_new_words_were_noted_does_not_come_back(rig: Rig) -> None:
    exchange(rig, SECRET, 1)
    for number in range(REVISIONS + 2):
        edit(rig, 1, f"version {number} of it")
    delete(rig, 1)
    rig.advance(REVISIONS_S)
    shown_to_model(rig, "what was it?", 2)

    assert "version" not in shown_to_model(rig, "and now?", 3)
    rig.stop()


def test_so_many_messages_wait_for_their_new_words_and_no_more(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("actors.context.retraction.MOST_HELD", 2)
    exchange(rig, SECRET, 1)
    for number in range(REVISIONS):
        edit(rig, 1, f"version {number} of it")
    for message_id in (11, 12, 13):
        exchange(rig, f"number {message_id}", message_id)
        edit(rig, message_id, f"new words of {message_id}")
    rig.advance(REVISIONS_S)
    shown_to_model(rig, "what was it?", 20)
    seen = shown_to_model(rig, "and now?", 21)

    assert ["new words of 11" in seen, "new words of 12" in seen, "new words of 13" in seen] == [False, True, True]
    assert MOST_HELD > 2
    rig.stop()


def test_edits_during_an_answer_are_noted_once(rig: Rig) -> None:
    rig.say(SECRET, 1)
    for number in range(20):
        edit(rig, 1, f"version {number} of it")
    edit(rig, 1, SECRET)
    rig.answer("fine")
    rig.deliver()

    assert tombstones(rig) == []
    assert sum(path.read_bytes().count(b"edited while it is being answered") for path in rig.logs()) == 1
    assert "41000" in shown_to_model(rig, "what was it?", 2)
    rig.stop()


def test_subscribers_hear_of_it(rig: Rig) -> None:
    exchange(rig, SECRET, 1)
    rig.listener.drain()
    delete(rig, 1)

    (told,) = of_type(EventsLogged, rig.listener.drain())
    assert [event.kind for event in told.events] == ["tombstone"]
    rig.stop()


def test_copies_of_older_logs_are_made_again_when_asked_for(rig: Rig) -> None:
    exchange(rig, SECRET, 1)
    rig.tell(CHANNEL, new_window(rig))
    exchange(rig, "good morning", 2)
    delete(rig, 1)
    old = rig.root / redacted_path(rig.logs()[0].relative_to(rig.root).as_posix())
    old.unlink()
    rig.tell(CHANNEL, RestoreRedactions(window=CHANNEL))

    assert all(b"41000" not in copy for copy in copies(rig))
    rig.stop()


def test_an_edit_during_the_answer_is_not_forgotten_by_a_kill(rig: Rig) -> None:
    rig.say(SECRET, 1)
    edit(rig, 1, "never mind")
    rig.kill()

    again = Rig(rig.root)
    again.say("still there?", 2)
    again.answer("fine")
    again.deliver()
    again.answer("yes")
    again.deliver()

    assert [each["why"] for each in tombstones(again)] == ["edited"]
    assert not any(b"41000" in copy for copy in copies(again))
    again.stop()


def test_with_a_message_that_joined_a_turn_goes_what_was_answered_to_both(tmp_path: Path) -> None:
    rig = Rig(tmp_path, mid_turn="steer")
    rig.say("how much?", 1)
    rig.answer("working", bash_call("true"), stop=StopReason.TOOL_CALLS)
    rig.say(SECRET, 2)
    rig.finish_command("done")
    rig.answer("so it is 41000")
    rig.deliver()
    delete(rig, 2)

    assert not any(b"41000" in copy for copy in copies(rig))
    rig.stop()


def test_a_window_tells_of_which_messages_its_logs_hold_words(rig: Rig) -> None:
    shown = exchange(rig, "first", 1)
    rig.tell(CHANNEL, new_window(rig))
    exchange(rig, "second", 2)
    delete(rig, 2)
    request = TellKeptMessages(request_id=RequestId("k"), reply_to=rig.listener.address, window=CHANNEL)
    rig.tell(CHANNEL, request)

    (told,) = of_type(KeptMessagesTold, rig.listener.drain())
    held = {str(message.message_id): message.words for message in told.messages}
    assert held == {shown: "", "1": digest("first")}
    assert told.unfinished_turns == ()
    rig.stop()


def test_a_window_tells_which_turns_are_not_over_until_their_answer_is_shown(rig: Rig) -> None:
    def unfinished_turns() -> tuple[str, ...]:
        request = TellKeptMessages(request_id=RequestId("k"), reply_to=rig.listener.address, window=CHANNEL)
        rig.tell(CHANNEL, request)
        (told,) = of_type(KeptMessagesTold, rig.listener.drain())
        return told.unfinished_turns

    rig.say("first", 1)
    rig.say("second", 2)
    first, second = unfinished_turns()
    rig.answer("one")
    assert unfinished_turns() == (second, first)  # it is still to be shown
    rig.deliver()
    assert unfinished_turns() == (second,)
    rig.tell(CHANNEL, new_window(rig))
    assert first not in unfinished_turns()
    assert second not in unfinished_turns()
    rig.stop()
