"""Recovery of a window by the next life after a crash or a kill."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from actors.context.actor import REOPEN_AFTER_S
from actors.context.log import scan
from actors.context.log.journal import Journal, LogPosition, LogUnwritable
from actors.context.log.recovery import CalledOffError, survey
from domain.log.event import Event, Kind
from domain.log.tail import TailState
from messages.base import MessageId, RequestId, UserId, Window
from messages.context import ResumeWindow, StartNewWindow, StopTurn
from messages.discord import PostMessage, UserMessageNotLogged
from messages.model import StopReason
from messages.socket import Refused
from messages.turn import TurnEnded
from tests.actors.context.durability import disk_of
from tests.actors.context.rig import CHANNEL, THREAD, Rig, bash_call, of_type, texts


def resume(root: Path, window: Window = CHANNEL) -> Rig:
    """The next life, told of the window as the starting agent tells it."""
    rig = Rig(root)
    rig.tell(window, ResumeWindow(window=window, reply_to=rig.surface.address))
    return rig


@pytest.mark.req("S0-39")
def test_history_is_rebuilt_from_the_log(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.say("one", 1)
    rig.answer("", bash_call("ls"), stop=StopReason.TOOL_CALLS)
    rig.finish_command("files")
    rig.answer("1")
    rig.deliver()
    rig.say("two", 2)
    before = rig.answer("2")
    rig.deliver()
    rig.stop()
    again = Rig(tmp_path)
    again.say("three", 3)
    (request,) = again.requests()
    assert request.messages[: len(before.messages)] == before.messages
    assert request.system_prompt == before.system_prompt
    assert len(again.logs()) == 1
    again.stop()


@pytest.mark.req("X-24", "X-141")
def test_a_turn_cut_short_is_taken_up_again_and_answered_once(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.say("hello", 1)
    rig.kill()
    again = resume(tmp_path)
    assert texts(again.answer("hi")) == ["hello"]
    assert again.deliver().text == "hi"
    assert again.kinds() == [Kind.USER, Kind.SYSTEM, Kind.AGENT, Kind.DELIVERY]
    again.say("hello", 1)
    assert again.requests() == []
    again.stop()


def test_a_command_that_was_running_is_not_run_again(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.say("do it", 1)
    rig.answer("", bash_call("pay the bill"), stop=StopReason.TOOL_CALLS)
    assert len(rig.commands()) == 1
    rig.kill()
    again = resume(tmp_path)
    assert again.commands() == []
    assert "Interrupted" in again.answer("I was interrupted.").messages[-1].text
    again.stop()


def test_messages_that_waited_are_answered_after_the_one_that_ran(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.say("one", 1)
    rig.say("two", 2)
    rig.kill()
    again = resume(tmp_path)
    assert texts(again.answer("1")) == ["one"]
    assert texts(again.answer("2")) == ["one", "1", "two"]
    again.stop()


@pytest.mark.req("X-24")
def test_a_turn_that_is_interrupted_twice_is_given_up_with_a_notice(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.say("hello", 1)
    rig.say("next", 2)
    rig.kill()
    resume(tmp_path).kill()
    third = resume(tmp_path)
    assert "interrupted twice" in third.deliver().text
    assert texts(third.answer("yes"))[-1] == "next"
    third.stop()


@pytest.mark.req("X-143")
def test_an_answer_that_was_not_confirmed_is_shown_after_a_look(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.say("hello", 1)
    rig.answer("hi")
    (lost,) = rig.posts()
    rig.kill()
    again = resume(tmp_path)
    assert again.requests() == []
    post = again.deliver()
    assert (post.text, post.nonce, post.look_first) == ("hi", lost.nonce, True)
    again.kill()
    third = resume(tmp_path)
    assert third.posts() == []
    third.stop()
    again.stop()


def test_subscribers_are_told_again_of_a_turn_whose_answer_nobody_has_seen_at_a_kill(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.say("do it", 1)
    rig.answer("working", bash_call("make"), stop=StopReason.TOOL_CALLS)
    rig.finish_command("made")
    rig.answer("done")
    (ended,) = of_type(TurnEnded, rig.listener.drain())
    rig.kill()

    again = resume(tmp_path)
    assert of_type(TurnEnded, again.listener.drain()) == [ended]
    again.deliver()
    again.kill()

    last = resume(tmp_path)
    assert of_type(TurnEnded, last.listener.drain()) == []
    last.stop()


@pytest.mark.parametrize("how", ["answered", "aborted"])
def test_subscribers_hear_of_a_turn_whose_last_event_the_log_took_after_all(tmp_path: Path, how: str) -> None:
    rig = Rig(tmp_path)
    rig.say("do it", 1)

    def refuse_to_sync(call: str, _data: bytes) -> None:
        if call == "sync":
            rig.disk.before = lambda _call, _data: None
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    rig.disk.before = refuse_to_sync
    if how == "answered":
        rig.answer("done")
    else:
        stop = StopTurn(request_id=RequestId("s"), reply_to=rig.surface.address, window=CHANNEL, asked_by="Ann")
        rig.tell(CHANNEL, stop)
    assert of_type(TurnEnded, rig.listener.drain()) == []
    rig.advance(REOPEN_AFTER_S)

    (ended,) = of_type(TurnEnded, rig.listener.drain())
    assert (ended.outcome, ended.events[0].text) == (how, "do it")
    rig.stop()


def test_a_survey_finds_the_windows_that_owe_something_and_only_those(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for number, answered in enumerate([False, True]):
        with subtests.test(answered=answered):
            root = tmp_path / str(number)
            root.mkdir()
            rig = Rig(root)
            rig.say("hello", 41)
            rig.answer("hi")
            rig.deliver()
            rig.say("in the thread", 42, THREAD)
            if answered:
                rig.answer("yes")
                rig.deliver()
            rig.kill()
            recovery = survey(root)
            assert recovery.unfinished == (() if answered else (THREAD,))
            assert recovery.last_seen == {CHANNEL.address.key: "41", THREAD.address.key: "42"}


def test_a_pipe_in_a_logs_place_keeps_no_other_window_from_being_found(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    rig = Rig(tmp_path)
    rig.say("hello", 41)
    rig.say("in the thread", 42, THREAD)
    (place,) = rig.logs()
    rig.kill()
    place.unlink()
    os.mkfifo(place)
    recovery = survey(tmp_path)

    assert recovery.unfinished == (THREAD,)
    assert f"{place} cannot be read: it is not a regular file" in caplog.text


def test_a_pipe_in_a_logs_place_is_refused_in_its_window_and_in_no_other(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.say("hello", 41)
    (place,) = rig.logs()
    rig.kill()
    place.unlink()
    os.mkfifo(place)
    again = Rig(tmp_path)
    again.say("hello?", 43)
    refused = again.deliver().text
    asked_here = again.requests()
    again.say("in the thread", 44, THREAD)
    asked_there = again.answer("yes")
    again.stop()

    assert "not a regular file" in refused
    assert asked_here == []
    assert texts(asked_there) == ["in the thread"]


def test_a_survey_of_an_empty_data_root_finds_nothing(tmp_path: Path) -> None:
    recovery = survey(tmp_path)
    assert (recovery.unfinished, recovery.last_seen) == ((), {})


def windows_without_end(root: Path, count: int) -> list[Window]:
    """Many windows, each with a question that has no answer."""
    rig = Rig(root)
    windows = [Window(surface=THREAD.surface, id=str(10**17 + number)) for number in range(count)]
    for number, window in enumerate(windows):
        rig.say("hello", 100 + number, window)
    rig.kill()
    return windows


def test_every_window_without_an_end_is_found(tmp_path: Path) -> None:
    windows = windows_without_end(tmp_path, 7)
    recovery = survey(tmp_path)
    assert sorted(recovery.unfinished, key=lambda window: window.id) == windows
    assert recovery.last_seen == {window.address.key: str(100 + number) for number, window in enumerate(windows)}


def test_a_survey_that_is_called_off_looks_at_no_more(tmp_path: Path) -> None:
    windows_without_end(tmp_path, 7)
    looked: list[str] = []

    def read(path: str) -> TailState:
        looked.append(path)
        return scan.read_tail_state(path)

    with pytest.raises(CalledOffError):
        survey(tmp_path, lambda: len(looked) == 3, read=read)
    assert len(looked) == 3


@pytest.mark.crashes
def test_an_actor_that_crashes_mid_turn_comes_back_and_answers_once(tmp_path: Path) -> None:
    failing = [True]

    class Fragile(Journal):
        def write(self, event: Event, *, sync: bool) -> LogPosition:
            if event.kind is Kind.AGENT and failing.pop() is True:
                failing.append(False)
                raise RuntimeError("a defect")
            if not failing:
                failing.append(False)
            return super().write(event, sync=sync)

    rig = Rig(tmp_path, journal=lambda window: Fragile(tmp_path, window, 100_000, disk_of(tmp_path)))
    rig.say("hello", 1)
    rig.answer("lost with the crash")
    rig.advance(1)
    rig.answer("hi")
    assert rig.deliver().text == "hi"
    assert rig.kinds() == [Kind.USER, Kind.SYSTEM, Kind.AGENT, Kind.DELIVERY]
    rig.stop()


class TestUnwritable:
    """A log without room for a write."""

    def rig(self, root: Path, is_full: Callable[[], bool]) -> Rig:
        class Full(Journal):
            def write(self, event: Event, *, sync: bool) -> LogPosition:
                if is_full():
                    self.close()
                    raise LogUnwritable(root, "the disk is full")
                return super().write(event, sync=sync)

        return Rig(root, journal=lambda window: Full(root, window, 100_000, disk_of(root)))

    def test_the_person_is_told_and_not_answered_and_it_resumes_by_itself(self, tmp_path: Path) -> None:
        full = [True]
        rig = self.rig(tmp_path, lambda: full[0])
        rig.say("hello", 1)
        assert rig.requests() == []
        assert "disk is full" in rig.deliver().text
        full[0] = False
        rig.say("again", 2)
        assert texts(rig.answer("yes")) == ["again"]
        assert rig.deliver().text == "yes"
        rig.stop()

    def test_a_message_that_cannot_be_stored_is_answered_once_when_it_is_found_again(self, tmp_path: Path) -> None:
        full = [True]
        rig = self.rig(tmp_path, lambda: full[0])
        rig.say("hello", 1)
        replies = rig.surface.drain()
        assert UserMessageNotLogged(window=CHANNEL, message_id=MessageId("1")) in replies
        assert "answer this message later" in next(each.text for each in replies if isinstance(each, PostMessage))
        full[0] = False
        rig.say("hello", 1)
        assert texts(rig.answer("yes")) == ["hello"]
        assert rig.deliver().text == "yes"
        rig.say("hello", 1)
        assert rig.requests() == []
        rig.stop()

    def test_no_later_answer_is_promised_to_a_command_that_cannot_be_stored(self, tmp_path: Path) -> None:
        """Discord's history holds no commands, so no look finds a command again."""
        rig = self.rig(tmp_path, lambda: True)
        rig.say("the words of a skill", 1, typed_chars=0)
        assert "so I do not answer now: the disk is full" in rig.deliver().text
        rig.stop()

    def test_a_turn_that_waits_for_space_counts_as_unfinished_but_not_as_work_in_progress(self, tmp_path: Path) -> None:
        full = [False]
        rig = self.rig(tmp_path, lambda: full[0])
        rig.say("hello", 1)
        (mailbox,) = [mailbox for mailbox in rig.system.mailboxes() if mailbox.address == CHANNEL.address]
        states = list[tuple[bool, bool]]()

        def note_state() -> None:
            assert mailbox.actor is not None
            states.append((mailbox.actor.in_progress, mailbox.actor.is_unfinished))

        note_state()
        full[0] = True
        rig.answer("hi")
        note_state()
        full[0] = False
        rig.advance(REOPEN_AFTER_S)
        note_state()
        assert states == [(True, False), (False, True), (True, False)]
        rig.stop()

    def test_an_answer_that_cannot_be_stored_is_not_shown_until_it_can(self, tmp_path: Path) -> None:
        full = [False]
        rig = self.rig(tmp_path, lambda: full[0])
        rig.say("hello", 1)
        full[0] = True
        rig.answer("not stored")
        assert rig.posts() == []
        full[0] = False
        rig.advance(60)
        rig.answer("stored")
        assert rig.deliver().text == "stored"
        rig.stop()

    def test_other_windows_go_on(self, tmp_path: Path) -> None:
        broken = tmp_path / "logs" / CHANNEL.surface.value
        broken.mkdir(parents=True)
        (broken / CHANNEL.id).write_text("a file where a folder belongs")
        rig = Rig(tmp_path)
        rig.say("hello", 1)
        assert "cannot store" in rig.deliver().text
        rig.say("hello", 2, THREAD)
        rig.answer("hi")
        assert rig.deliver().text == "hi"
        rig.stop()

    def test_notices_of_different_reasons_have_the_same_mark(self, tmp_path: Path) -> None:
        """A later life recognises the notice by the mark."""

        def notice(error_number: int) -> PostMessage:
            def fails(call: str, _data: bytes) -> None:
                if call in ("make_folder", "write"):
                    raise OSError(error_number, os.strerror(error_number))

            rig = Rig(tmp_path)
            rig.disk.before = fails
            rig.say("hello", 1)
            (post,) = rig.posts()
            rig.kill()
            return post

        first, second = notice(errno.ENOSPC), notice(errno.EIO)
        assert first.text != second.text
        assert first.mark == second.mark
        assert first.text.startswith(first.mark)

    def test_a_new_window_is_refused_with_the_reason(self, tmp_path: Path) -> None:
        broken = tmp_path / "logs"
        broken.write_text("a file where a folder belongs")
        rig = Rig(tmp_path)
        asker = rig.system.edge("asker")
        command = StartNewWindow(
            request_id=RequestId("n"), reply_to=asker.address, window=CHANNEL, asked_by=UserId("1")
        )
        rig.tell(CHANNEL, command)
        (refused,) = of_type(Refused, asker.drain())
        assert "Not a directory" in refused.reason
        assert str(tmp_path) not in refused.reason
        rig.stop()
