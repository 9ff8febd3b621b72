"""A message that comes again, whenever and in whichever log it stands: it is logged and answered once."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest

from actors.context.log.recovery import survey
from domain.log.event import Kind
from domain.log.parser import parse
from domain.turn.seen import SeenMessages
from messages.base import RequestId, UserId, Window
from messages.context import StartNewWindow
from messages.discord import UserMessageLogged
from tests.actors.context.rig import CHANNEL, THREAD, Rig, bash_call, of_type


def confirmed_ids(rig: Rig) -> list[int]:
    """Messages that the surface needs to look for no more, since the last look."""
    return [int(message.message_id) for message in of_type(UserMessageLogged, rig.surface.drain())]


def logged_words(rig: Rig, window: Window = CHANNEL) -> list[str]:
    """Words of people, by all of the window's logs."""
    events = [event.event for path in rig.logs(window) for event in parse(path.read_bytes()).events]
    return [event.content for event in events if event.kind is Kind.USER]


def new_window(rig: Rig) -> None:
    """A person starts a new window."""
    command = StartNewWindow(
        request_id=RequestId("new"), reply_to=rig.listener.address, window=CHANNEL, asked_by=UserId("you")
    )
    rig.tell(CHANNEL, command)


def test_the_surface_hears_of_what_is_logged_each_time(rig: Rig) -> None:
    rig.say("hello", 5)
    assert confirmed_ids(rig) == [5]
    rig.say("hello", 5)
    assert confirmed_ids(rig) == [5]
    assert logged_words(rig) == ["hello"]


def test_a_message_of_an_older_log_is_no_news(tmp_path: Path, subtests: pytest.Subtests) -> None:
    cases: list[bool] = [False, True]
    for number, restarts in enumerate(cases):
        with subtests.test(restarts=restarts):
            root = tmp_path / str(number)
            root.mkdir()
            rig = Rig(root)
            for number in (50, 40):
                rig.say(f"message {number}", number)
                rig.answer("answer")
                rig.deliver()
            new_window(rig)
            new_window(rig)
            if restarts:
                rig.kill()
                rig = Rig(rig.root)
            for number in (40, 50):
                rig.say(f"message {number}", number)
            assert rig.requests() == []
            assert confirmed_ids(rig)[-2:] == [40, 50]
            rig.say("late, and never heard", 45)
            rig.say("news", 60)
            assert logged_words(rig) == ["message 50", "message 40", "late, and never heard", "news"]
            rig.stop()
            rig.stop()


def test_a_log_that_does_not_say_what_was_before_it_is_asked_no_less(rig: Rig) -> None:
    rig.say("hello", 50)
    new_window(rig)
    rig.kill()
    newest = rig.logs()[-1]
    newest.write_bytes(b"")  # as a power loss leaves a file whose header was not on the disk
    again = Rig(rig.root)
    again.say("hello", 50)
    assert logged_words(again) == ["hello"]
    again.stop()


def test_more_messages_than_are_remembered_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("domain.turn.conversation.SeenMessages", functools.partial(SeenMessages, limit=4))
    rig = Rig(tmp_path)
    for number in range(100, 120, 2):
        rig.say(f"message {number}", number, wants_answer=False)
    rig.say("message 102", 102, wants_answer=False)
    rig.say("late", 103, wants_answer=False)
    assert logged_words(rig) == [*(f"message {number}" for number in range(100, 120, 2)), "late"]
    rig.stop()


class TestSurvey:
    """Newest message by each log, where no other place has it."""

    def test_it_is_not_derived_from_a_tail_of_bounded_length(self, rig: Rig) -> None:
        rig.say("hello", 41)
        rig.answer("", bash_call("cat long"))
        rig.finish_command("x" * 90_000)
        rig.answer("done")
        rig.kill()
        assert survey(rig.root).last_seen == {CHANNEL.address.key: "41"}

    def test_an_empty_window_knows_what_was_said_before_it(self, rig: Rig) -> None:
        rig.say("hello", 41)
        new_window(rig)
        rig.kill()
        assert survey(rig.root).last_seen == {CHANNEL.address.key: "41"}

    def test_one_window_says_nothing_of_another(self, rig: Rig) -> None:
        rig.say("hello", 41)
        rig.say("hello", 99, THREAD)
        rig.kill()
        assert survey(rig.root).last_seen == {CHANNEL.address.key: "41", THREAD.address.key: "99"}
