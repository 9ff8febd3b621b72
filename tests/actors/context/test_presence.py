"""Presence of a turn for people while the turn runs, without leftovers."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from actors.context.actor import REOPEN_AFTER_S
from actors.context.presence import STATUS_AFTER_S, TYPING_RENEWAL_S, command_status
from actors.discord.timing import Timing
from messages.base import Message, MessageId, RequestId
from messages.context import ResumeWindow, StopTurn
from messages.discord import (
    Delivered,
    DeliveryRefused,
    EndProgress,
    PostMessage,
    ReactionKind,
    ShowProgress,
    ShowReaction,
    ShowTyping,
)
from messages.model import ModelDelta, ModelFailed, StopReason
from tests.actors.context.retractions import new_window
from tests.actors.context.rig import CHANNEL, Rig, bash_call, of_type, reply


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    """A window whose surface shows answers while they are being written, and reactions."""
    made = Rig(tmp_path, streams=True, reacts=True)
    yield made
    made.stop()


def drain_surface(rig: Rig) -> list[Message]:
    """Messages to the surface since the last call."""
    return rig.surface.drain()


def progress(rig: Rig) -> list[tuple[str, str]]:
    """Text and status of each progress that was told since the last look."""
    return [(shown.text, shown.status) for shown in of_type(ShowProgress, drain_surface(rig))]


def delta(rig: Rig, request_id: RequestId, text: str) -> None:
    rig.tell(CHANNEL, ModelDelta(request_id=request_id, text=text))


def ask(rig: Rig, message_id: int = 1) -> RequestId:
    """Turn in wait for its model."""
    rig.say("hello", message_id)
    (request,) = rig.requests()
    drain_surface(rig)
    return request.request_id


def start_command(rig: Rig, text: str, command: str) -> None:
    """Turn with a finished command."""
    rig.say("do it", 1)
    rig.answer(text, bash_call(command), stop=StopReason.TOOL_CALLS)
    drain_surface(rig)


class TestProgress:
    """The running message."""

    def test_what_the_model_has_said_so_far_is_shown_under_the_turn_that_the_post_ends(self, rig: Rig) -> None:
        rig.say("hello", 1)
        (request,) = rig.requests()
        drain_surface(rig)
        delta(rig, request.request_id, "The ans")
        (shown,) = drain_surface(rig)
        assert isinstance(shown, ShowProgress)
        assert (shown.text, shown.status, shown.answers_message_id) == ("The ans", "", "1")
        rig.tell(CHANNEL, reply(request, "The answer."))
        (post,) = of_type(PostMessage, drain_surface(rig))
        assert post.turn_id == shown.turn_id == rig.events()[0].id

    def test_the_same_text_again_is_not_told_again(self, rig: Rig) -> None:
        request_id = ask(rig)
        delta(rig, request_id, "so far")
        delta(rig, request_id, "so far")
        assert progress(rig) == [("so far", "")]

    def test_nothing_is_shown_of_an_older_request(self, rig: Rig) -> None:
        ask(rig)
        delta(rig, RequestId("older"), "stale")
        assert progress(rig) == []

    def test_nothing_is_shown_where_the_surface_does_not_stream(self, tmp_path: Path) -> None:
        rig = Rig(tmp_path)
        request_id = ask(rig)
        delta(rig, request_id, "so far")
        assert drain_surface(rig) == []
        rig.stop()

    def test_a_wish_to_see_a_record_is_not_shown(self, tmp_path: Path) -> None:
        rig = Rig(tmp_path, streams=True, max_expansions=2)
        request_id = ask(rig)
        delta(rig, request_id, "EXPAND path=logs/x")
        assert drain_surface(rig) == []
        rig.stop()

    def test_a_command_that_ends_soon_is_never_shown(self, rig: Rig) -> None:
        start_command(rig, "Let me look.", "ls")
        rig.advance(STATUS_AFTER_S - 0.1)
        rig.finish_command("files")
        rig.advance(10.0)
        assert progress(rig) == []

    def test_a_command_that_lasts_is_shown_and_gives_way_to_the_answer(self, rig: Rig) -> None:
        start_command(rig, "Let me look.", "make all")
        rig.advance(STATUS_AFTER_S)
        assert progress(rig) == [("Let me look.", "running `make all`")]
        rig.finish_command("done")
        (request,) = rig.requests()
        delta(rig, request.request_id, "It works")
        assert progress(rig) == [("It works", "")]
        rig.tell(CHANNEL, reply(request, "It works."))
        rig.advance(10.0)
        assert progress(rig) == []

    def test_a_status_does_not_outlive_its_command(self, tmp_path: Path, subtests: pytest.Subtests) -> None:
        cases: list[tuple[str, tuple[str, str]]] = [("Let me look.", ("Let me look.", "")), ("", ("", "thinking"))]
        for number, (text, then) in enumerate(cases):
            with subtests.test(text=text, then=then):
                root = tmp_path / str(number)
                root.mkdir()
                rig = Rig(root, streams=True, reacts=True)
                start_command(rig, text, "make all")
                rig.advance(STATUS_AFTER_S)
                rig.finish_command("done")
                drain_surface(rig)
                rig.advance(STATUS_AFTER_S)
                assert progress(rig) == [then]
                rig.stop()

    def test_a_failure_takes_the_place_of_the_running_message(self, rig: Rig) -> None:
        request_id = ask(rig)
        delta(rig, request_id, "so f")
        (shown,) = of_type(ShowProgress, drain_surface(rig))
        rig.tell(CHANNEL, ModelFailed(request_id=request_id, reason="asleep", attempts=1))
        (post,) = of_type(PostMessage, drain_surface(rig))
        assert post.turn_id == shown.turn_id

    def test_a_turn_that_was_resumed_looks_for_the_message_it_left_and_begins_no_other(self, tmp_path: Path) -> None:
        first = Rig(tmp_path, streams=True)
        first.say("hello", 1)
        first.kill()
        rig = Rig(tmp_path, streams=True)
        rig.tell(CHANNEL, ResumeWindow(window=CHANNEL, reply_to=rig.surface.address))
        (request,) = rig.requests()
        delta(rig, request.request_id, "so far")
        rig.tell(CHANNEL, reply(request, "the answer"))
        told = drain_surface(rig)
        assert of_type(ShowProgress, told) == []
        (post,) = of_type(PostMessage, told)
        assert (post.look_first, post.turn_id) == (True, rig.events()[0].id)
        rig.stop()
        first.stop()


def test_a_status_line_is_short_and_cut_between_words() -> None:
    assert command_status("echo `date`\n  && ls") == "running `echo 'date' && ls`"
    secret = "s" * 90
    assert command_status(f"curl -H {secret} x") == "running `curl -H …`"
    assert len(command_status("word " * 100)) <= 100


class TestTyping:
    """The lease."""

    def test_it_is_renewed_before_it_ends_while_the_turn_runs(self, rig: Rig) -> None:
        assert Timing().typing_limit_s > TYPING_RENEWAL_S
        ask(rig)
        for _ in range(5):
            rig.advance(TYPING_RENEWAL_S)
            assert drain_surface(rig) == [ShowTyping(window=CHANNEL, on=True)]

    def test_it_ends_with_the_turn_however_that_ends(self, tmp_path: Path, subtests: pytest.Subtests) -> None:
        cases: list[str] = ["answered", "empty", "failed", "stopped"]
        for number, ending in enumerate(cases):
            with subtests.test(ending=ending):
                root = tmp_path / str(number)
                root.mkdir()
                rig = Rig(root, streams=True, reacts=True)
                rig.say("hello", 1)
                (request,) = rig.requests()
                drain_surface(rig)
                match ending:
                    case "answered":
                        rig.tell(CHANNEL, reply(request, "hi"))
                    case "empty":
                        rig.tell(CHANNEL, reply(request, ""))
                    case "failed":
                        rig.tell(CHANNEL, ModelFailed(request_id=request.request_id, reason="asleep", attempts=1))
                    case _:
                        stop = StopTurn(
                            request_id=RequestId("s"), reply_to=rig.surface.address, window=CHANNEL, asked_by="Alice"
                        )
                        rig.tell(CHANNEL, stop)
                assert of_type(ShowTyping, drain_surface(rig)) == [ShowTyping(window=CHANNEL, on=False)]
                rig.advance(10 * TYPING_RENEWAL_S)
                assert of_type(ShowTyping, drain_surface(rig)) == []
                rig.stop()

    def test_the_next_turn_has_a_lease_of_its_own(self, rig: Rig) -> None:
        rig.say("one", 1)
        rig.say("two", 2)
        rig.advance(TYPING_RENEWAL_S - 1)
        rig.answer("1")
        assert [typing.on for typing in of_type(ShowTyping, drain_surface(rig))] == [True, False, True]
        rig.advance(1)
        assert of_type(ShowTyping, drain_surface(rig)) == []
        rig.advance(TYPING_RENEWAL_S - 1)
        assert of_type(ShowTyping, drain_surface(rig)) == [ShowTyping(window=CHANNEL, on=True)]


class TestReactions:
    """Texts of messages."""

    def kinds(self, rig: Rig) -> list[tuple[str, ReactionKind]]:
        return [(shown.message_id, shown.kind) for shown in of_type(ShowReaction, drain_surface(rig))]

    def test_a_message_is_taken_and_answered_once_the_answer_is_seen(self, rig: Rig) -> None:
        rig.say("hello", 7)
        rig.answer("hi")
        shown = drain_surface(rig)
        assert [one.kind for one in of_type(ShowReaction, shown)] == [ReactionKind.TAKEN]
        (post,) = of_type(PostMessage, shown)
        rig.tell(CHANNEL, Delivered(request_id=post.request_id, message_ids=(MessageId("8"),)))
        assert self.kinds(rig) == [("7", ReactionKind.ANSWERED)]

    def test_a_message_whose_answer_is_refused_is_not_shown_as_answered(self, rig: Rig) -> None:
        rig.say("hello", 7)
        rig.answer("hi")
        (post,) = of_type(PostMessage, drain_surface(rig))
        rig.tell(CHANNEL, DeliveryRefused(request_id=post.request_id, reason="the channel is gone"))
        assert self.kinds(rig) == [("7", ReactionKind.FAILED)]

    def test_an_answer_that_an_earlier_life_owed_ends_its_sign_of_work(self, rig: Rig, tmp_path: Path) -> None:
        rig.say("hello", 7)
        rig.answer("hi")
        rig.kill()
        second = Rig(tmp_path, streams=True, reacts=True)
        second.tell(CHANNEL, ResumeWindow(window=CHANNEL, reply_to=second.surface.address))
        (post,) = of_type(PostMessage, drain_surface(second))
        second.tell(CHANNEL, Delivered(request_id=post.request_id, message_ids=(MessageId("8"),)))
        assert self.kinds(second) == [("7", ReactionKind.RESUMED), ("7", ReactionKind.ANSWERED)]
        second.stop()

    def test_a_failed_turn_and_those_that_are_stopped_say_so(self, rig: Rig) -> None:
        rig.say("one", 1)
        rig.answer("")
        rig.say("two", 2)
        rig.say("three", 3)
        drain_surface(rig)
        rig.say("stop", 4)
        assert sorted(self.kinds(rig)) == [("2", ReactionKind.FAILED), ("3", ReactionKind.FAILED)]

    def test_there_are_none_where_they_are_switched_off(self, tmp_path: Path) -> None:
        rig = Rig(tmp_path, streams=True)
        rig.say("hello", 1)
        rig.answer("hi")
        assert of_type(ShowReaction, drain_surface(rig)) == []
        rig.stop()


def test_a_new_window_ends_a_running_message_though_the_old_log_was_changed(rig: Rig) -> None:
    request_id = ask(rig)
    delta(rig, request_id, "I begin")
    turn_id = rig.events()[0].id
    with rig.logs()[0].open("ab") as file:
        file.write(b"I was here\n")
    drain_surface(rig)
    rig.tell(CHANNEL, new_window(rig))
    seen = drain_surface(rig)
    assert [(ended.turn_id, ended.answers_message_id) for ended in of_type(EndProgress, seen)] == [(turn_id, "1")]
    assert [(each.message_id, each.kind) for each in of_type(ShowReaction, seen)] == [("1", ReactionKind.FAILED)]


def test_a_stopped_turn_ends_its_progress_with_a_note(rig: Rig) -> None:
    ask(rig)
    rig.say("STOP!", 2, author="Bob")
    assert of_type(EndProgress, drain_surface(rig)) == [
        EndProgress(window=CHANNEL, turn_id=rig.events()[0].id, note="stopped by Bob")
    ]


def test_a_stopped_turn_whose_last_event_was_not_known_to_be_safe_ends_its_progress(rig: Rig) -> None:
    delta(rig, ask(rig), "I begin")
    failures = [OSError(errno.EIO, os.strerror(errno.EIO))]

    def fails(call: str, data: bytes) -> None:
        if call == "sync" and failures:
            raise failures.pop()

    rig.disk.before = fails
    command = StopTurn(request_id=RequestId("s"), reply_to=rig.surface.address, window=CHANNEL, asked_by="Bob")
    rig.tell(CHANNEL, command)
    rig.advance(REOPEN_AFTER_S + 1)
    seen = drain_surface(rig)
    assert [ended.turn_id for ended in of_type(EndProgress, seen)] == [rig.events()[0].id]
    assert ("1", ReactionKind.FAILED) in [(each.message_id, each.kind) for each in of_type(ShowReaction, seen)]
    failures.append(OSError(errno.EIO, os.strerror(errno.EIO)))
    rig.say("next", 2)
    rig.advance(REOPEN_AFTER_S + 1)
    assert of_type(EndProgress, drain_surface(rig)) == []


def test_a_turn_that_an_earlier_life_began_ends_what_that_life_showed_of_it(rig: Rig, tmp_path: Path) -> None:
    ask(rig)
    rig.kill()
    second = Rig(tmp_path, streams=True)
    second.tell(CHANNEL, ResumeWindow(window=CHANNEL, reply_to=second.surface.address))
    drain_surface(second)
    second.say("stop", 2)
    (ended,) = of_type(EndProgress, drain_surface(second))
    turn = rig.events()[0]
    assert (ended.turn_id, ended.look_first, ended.answers_message_id) == (
        turn.id,
        True,
        turn.meta_dict()["message_id"],
    )
    second.stop()
