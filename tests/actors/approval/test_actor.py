"""Questions to people: asked once, decided by the right person, over after an hour, kept over a kill."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from actors.kernel import ManualClock
from actors.linux.disk import RealDisk
from domain.policy import approval as wording
from domain.policy.approval import APPROVAL_S, MOST_OPEN
from messages.base import Address, MessageId, RequestId, Surface, TurnId, UserId, Window
from messages.discord import Delivered, DeliveryFailed, DeliveryRefused
from messages.forget import DerivedForgotten
from messages.shell import (
    ApprovalDecided,
    ApprovalGranted,
    ApprovalRefused,
    ApprovalsListed,
    AskersLost,
    ListApprovals,
    QuestionDeleted,
    WithdrawApproval,
)
from messages.socket import Refused
from messages.status import DescribeYourself, SelfDescription
from messages.turn import TurnEnded
from tests.actors.approval.rig import ASKER, OPERATOR, STRANGER, WINDOW, Rig
from tests.forget_requests import files_with, forget_request


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    made = Rig(tmp_path / "approvals")
    yield made
    made.system.stop()


def notes(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "approvals").iterdir())


def refusal(rig: Rig, request_id: RequestId) -> str:
    answer = rig.answer(request_id)
    assert isinstance(answer, ApprovalRefused), answer
    return answer.reason


@pytest.mark.req("X-236")
@pytest.mark.parametrize("person", [ASKER, OPERATOR, UserId("")])
def test_who_asked_or_an_operator_lets_it_be_done_once(rig: Rig, tmp_path: Path, person: UserId) -> None:
    asked = rig.ask("make")
    post = rig.show()
    assert (post.window, post.answers_message_id, post.mention_user_id) == (WINDOW, "900000000000000001", ASKER)
    assert [button.custom_id for button in post.buttons] == [f"allow:{post.nonce}", f"refuse:{post.nonce}"]
    assert rig.is_waiting(asked)

    decided = rig.decide(post, person)

    assert isinstance(decided, ApprovalDecided)
    assert (decided.granted, decided.is_awaited) == (True, True)
    assert isinstance(rig.answer(asked), ApprovalGranted)
    (end,) = rig.drain_ended_buttons()
    assert (end.message_id, "Allowed by" in end.text) == ("77", True)
    assert notes(tmp_path) == []
    assert isinstance(rig.decide(post, person), Refused)
    again = rig.ask("make")
    assert rig.is_waiting(again)


def test_a_refusal_reaches_the_asker_in_words(rig: Rig) -> None:
    asked = rig.ask()
    rig.decide(rig.show(), grants=False)
    assert refusal(rig, asked) == wording.REFUSED
    asked = rig.ask()
    rig.decide(rig.show(), grants=False, reason="no terminal")
    assert refusal(rig, asked) == "no terminal"


@pytest.mark.req("X-236")
def test_a_strangers_press_is_refused_and_the_asker_hears_nothing_of_it(rig: Rig) -> None:
    asked = rig.ask()
    post = rig.show()
    for grants in (True, False):
        answer = rig.decide(post, STRANGER, grants=grants)
        assert isinstance(answer, Refused)
        assert answer.reason == wording.NOT_YOURS
    assert rig.is_waiting(asked)
    assert rig.drain_ended_buttons() == []
    rig.decide(post)
    assert isinstance(rig.answer(asked), ApprovalGranted)


@pytest.mark.req("X-236")
def test_without_an_answer_it_is_refused_after_an_hour_and_the_buttons_go(rig: Rig, tmp_path: Path) -> None:
    asked = rig.ask()
    post = rig.show()
    rig.advance(APPROVAL_S - 1)
    assert rig.is_waiting(asked)
    rig.advance(1)
    assert refusal(rig, asked) == wording.TIMED_OUT
    (end,) = rig.drain_ended_buttons()
    assert "No answer within an hour" in end.text
    assert isinstance(rig.decide(post), Refused)
    assert notes(tmp_path) == []


@pytest.mark.req("X-236")
def test_a_question_outlives_a_kill_and_its_press_counts_for_who_asks_again(rig: Rig, tmp_path: Path) -> None:
    rig.ask("make")
    first = rig.show()
    rig.clock.advance(600)

    again = Rig(tmp_path / "approvals", rig.clock)  # the first process says no more
    post = again.show("77")
    assert (post.nonce, post.text, post.look_first) == (first.nonce, first.text, True)
    asked = again.ask("make", is_again=True)
    assert again.drain_posts() == []
    assert again.is_waiting(asked)
    again.decide(post)
    assert isinstance(again.answer(asked), ApprovalGranted)
    assert notes(tmp_path) == []
    again.system.stop()


def test_a_press_between_two_lives_of_the_asker_counts_once(rig: Rig, tmp_path: Path) -> None:
    rig.ask("make")
    rig.drain_posts()
    second = Rig(tmp_path / "approvals", rig.clock)
    post = second.show()
    decided = second.decide(post)
    assert isinstance(decided, ApprovalDecided)
    assert not decided.is_awaited
    assert isinstance(second.decide(post, grants=False), Refused)

    third = Rig(tmp_path / "approvals", rig.clock)
    assert third.drain_posts() == []
    assert isinstance(third.answer(third.ask("make", is_again=True)), ApprovalGranted)
    assert notes(tmp_path) == []
    unknown = third.answer(third.ask("make", is_again=True))
    assert isinstance(unknown, ApprovalRefused)
    assert unknown.is_unknown
    for each in (second, third):
        each.system.stop()


@pytest.mark.req("X-236")
def test_the_hour_goes_on_while_the_agent_is_down(rig: Rig, tmp_path: Path) -> None:
    rig.ask("make")
    rig.drain_posts()
    again = Rig(tmp_path / "approvals", ManualClock(rig.clock.now() + timedelta(seconds=APPROVAL_S + 5)))
    post = again.show()
    assert isinstance(again.decide(post), Refused)
    assert refusal(again, again.ask("make", is_again=True)) == wording.TIMED_OUT
    assert again.state.open == {}
    assert notes(tmp_path) == []
    again.system.stop()


@pytest.mark.req("X-236")
def test_a_question_outlives_the_host_of_its_asker(rig: Rig) -> None:
    lost = rig.ask("make")
    post = rig.show()
    rig.tell(AskersLost(askers=(Address("another"),)))
    assert isinstance(rig.answer(rig.ask("make", is_again=True)), ApprovalRefused)
    rig.tell(AskersLost(askers=(rig.asker.address,)))
    decided = rig.decide(post)
    assert isinstance(decided, ApprovalDecided)
    assert not decided.is_awaited
    assert rig.is_waiting(lost)
    assert isinstance(rig.answer(rig.ask("make", is_again=True)), ApprovalGranted)


def test_an_asker_that_is_lost_before_its_window_said_who_asked_hears_nothing(rig: Rig) -> None:
    rig.is_silent = True
    lost = rig.ask()
    rig.tell(AskersLost(askers=(rig.asker.address,)))
    rig.advance(30)
    assert rig.is_waiting(lost)


def test_what_nobody_asks_for_again_goes_a_minute_after_the_start(rig: Rig, tmp_path: Path) -> None:
    rig.ask("make")
    again = Rig(tmp_path / "approvals", ManualClock(rig.clock.now() + timedelta(seconds=APPROVAL_S + 5)))
    again.show()
    again.advance(60)
    assert notes(tmp_path) == []
    assert "No answer within an hour" in again.drain_ended_buttons()[0].text
    again.system.stop()


def test_another_act_or_another_turn_is_asked_anew(rig: Rig) -> None:
    first = rig.ask("make")
    rig.tell(WithdrawApproval(request_id=first))
    rig.show()
    rig.ask("make install")
    assert len(rig.drain_posts()) == 1
    rig.turn = TurnId("turn2")
    rig.ask("make")
    assert len(rig.drain_posts()) == 1


def test_two_who_ask_the_same_at_once_are_asked_about_one_by_one(rig: Rig) -> None:
    first, second = rig.ask("make"), rig.ask("make")
    one, other = rig.drain_posts()
    rig.decide(one)
    assert isinstance(rig.answer(first), ApprovalGranted)
    assert rig.is_waiting(second)
    rig.decide(other)
    assert isinstance(rig.answer(second), ApprovalGranted)


def test_the_end_of_the_turn_ends_its_questions_only(rig: Rig) -> None:
    asked = rig.ask()
    post = rig.show()
    rig.tell(TurnEnded(window=WINDOW, turn_id=TurnId("turn0"), outcome="aborted", events=()))
    assert rig.is_waiting(asked)
    rig.tell(TurnEnded(window=WINDOW, turn_id=TurnId("turn1"), outcome="aborted", events=()))
    assert refusal(rig, asked) == wording.TURN_OVER
    assert "The turn is over" in rig.drain_ended_buttons()[0].text
    assert isinstance(rig.decide(post), Refused)


def test_an_asker_that_waits_no_longer_hears_nothing(rig: Rig) -> None:
    asked = rig.ask()
    post = rig.show()
    rig.tell(WithdrawApproval(request_id=asked))
    rig.decide(post)
    assert rig.is_waiting(asked)


@pytest.mark.req("X-236")
def test_a_grant_that_the_asker_withdraws_unread_counts_for_who_asks_again(rig: Rig, tmp_path: Path) -> None:
    first = rig.ask("make")
    rig.decide(rig.show())
    assert notes(tmp_path) == []
    rig.tell(WithdrawApproval(request_id=first))
    (note,) = notes(tmp_path)
    again = Rig(tmp_path / "approvals", rig.clock)
    assert list(again.state.open) == [note.removesuffix(".json")], "a kill does not lose it either"
    again.system.stop()

    other, second = rig.ask("make install"), rig.ask("make")
    assert isinstance(rig.answer(second), ApprovalGranted)
    assert rig.is_waiting(other)
    assert rig.is_waiting(rig.ask("make")), "the grant counts once"


@pytest.mark.parametrize("is_forgotten", [True, False])
def test_no_grant_of_an_ended_or_forgotten_turn_counts_later(rig: Rig, tmp_path: Path, *, is_forgotten: bool) -> None:
    request_id = rig.ask("make")
    rig.decide(rig.show())
    if is_forgotten:
        rig.tell(forget_request(rig.asker.address, WINDOW, "turn1"))
    else:
        rig.tell(TurnEnded(window=WINDOW, turn_id=TurnId("turn1"), outcome="answered", events=()))
    rig.tell(WithdrawApproval(request_id=request_id))
    assert notes(tmp_path) == []
    assert rig.state.open == {}


def test_a_question_that_cannot_be_shown_is_refused_with_the_reason(rig: Rig, tmp_path: Path) -> None:
    asked = rig.ask()
    (post,) = rig.drain_posts()
    reason = "the thread is locked"
    rig.tell(DeliveryRefused(request_id=post.request_id, reason=reason, for_now=True))
    assert refusal(rig, asked) == wording.NOT_SHOWN.format(reason=reason)
    assert notes(tmp_path) == []


def test_a_question_that_failed_to_be_shown_is_posted_again_after_a_look(rig: Rig) -> None:
    asked = rig.ask()
    (post,) = rig.drain_posts()
    rig.tell(DeliveryFailed(request_id=post.request_id, reason="no connection"))
    assert rig.is_waiting(asked)
    rig.advance(30)
    again = rig.show()
    assert (again.nonce, again.look_first) == (post.nonce, True)
    rig.advance(60)
    assert rig.drain_posts() == []


@pytest.mark.req("X-236")
def test_a_question_of_which_the_surface_reports_nothing_is_posted_again_after_a_look(rig: Rig) -> None:
    request_id = rig.ask()
    (post,) = rig.drain_posts()
    rig.advance(59)
    assert rig.drain_posts() == []
    rig.advance(1)
    assert rig.is_waiting(request_id)
    again = rig.show()
    assert (again.request_id, again.nonce, again.look_first) == (post.request_id, post.nonce, True)
    rig.advance(600)
    assert rig.drain_posts() == []


def test_a_question_that_is_decided_before_it_is_shown_is_not_posted_again(rig: Rig) -> None:
    request_id = rig.ask()
    (post,) = rig.drain_posts()
    rig.tell(WithdrawApproval(request_id=request_id))
    assert isinstance(rig.decide(post, UserId("")), ApprovalDecided)
    rig.advance(60)
    assert rig.drain_posts() == []


def test_a_question_that_is_decided_before_it_is_shown_loses_its_buttons_then_and_counts(rig: Rig) -> None:
    request_id = rig.ask("make")
    (post,) = rig.drain_posts()
    rig.tell(WithdrawApproval(request_id=request_id))
    assert isinstance(rig.decide(post, UserId("")), ApprovalDecided)
    rig.tell(Delivered(request_id=post.request_id, message_ids=(MessageId("77"),)))
    (end,) = rig.drain_ended_buttons()
    assert (end.message_id, "Allowed by" in end.text) == ("77", True)
    assert isinstance(rig.answer(rig.ask("make")), ApprovalGranted)


def test_a_decision_made_before_a_question_could_be_shown_counts_though_nobody_can_be_shown_the_question(
    rig: Rig,
) -> None:
    request_id = rig.ask("make")
    (post,) = rig.drain_posts()
    rig.tell(WithdrawApproval(request_id=request_id))
    assert isinstance(rig.decide(post, UserId("")), ApprovalDecided)
    rig.tell(DeliveryRefused(request_id=post.request_id, reason="gone"))
    assert isinstance(rig.answer(rig.ask("make")), ApprovalGranted)


def test_a_deleted_question_is_refused_and_another_message_is_no_matter(rig: Rig) -> None:
    asked = rig.ask()
    rig.show("77")
    rig.tell(QuestionDeleted(message_id=MessageId("78")))
    assert rig.is_waiting(asked)
    rig.tell(QuestionDeleted(message_id=MessageId("77")))
    assert refusal(rig, asked) == wording.DELETED
    assert rig.drain_ended_buttons() == []


def test_a_question_that_is_over_before_it_is_shown_loses_its_buttons_then(rig: Rig) -> None:
    rig.ask()
    (post,) = rig.drain_posts()
    rig.decide(post, UserId(""))
    assert rig.drain_ended_buttons() == []
    rig.tell(Delivered(request_id=post.request_id, message_ids=(MessageId("77"),)))
    assert [end.message_id for end in rig.drain_ended_buttons()] == ["77"]


def test_a_window_has_so_many_open_questions_and_no_more(rig: Rig) -> None:
    for number in range(MOST_OPEN):
        assert rig.is_waiting(rig.ask(f"make {number}"))
    assert refusal(rig, rig.ask("one more")) == wording.TOO_MANY.format(most=MOST_OPEN)


def test_a_window_that_says_nothing_holds_up_no_asker_for_long(rig: Rig) -> None:
    rig.is_silent = True
    asked = rig.ask()
    rig.advance(30)
    assert refusal(rig, asked) == wording.NO_ASKER


class FullDisk(RealDisk):
    is_full = False
    is_stuck = False

    def write(self, fd: int, data: bytes, /) -> int:
        if self.is_full:
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().write(fd, data)

    def unlink(self, path: Path, /) -> None:
        if self.is_stuck and not path.name.startswith("."):
            raise OSError(errno.EIO, "Input/output error")
        super().unlink(path)


def test_what_cannot_be_stored_is_not_asked_and_what_cannot_be_used_up_is_not_granted(tmp_path: Path) -> None:
    disk = FullDisk()
    rig = Rig(tmp_path / "approvals", disk=disk)
    disk.is_full = True
    assert refusal(rig, rig.ask()) == wording.NOT_STORED.format(reason="No space left on device")
    disk.is_full = False
    asked = rig.ask()
    post = rig.show()
    disk.is_stuck = True
    assert isinstance(rig.decide(post), Refused)
    assert refusal(rig, asked) == wording.NOT_STORED.format(reason="Input/output error")
    rig.system.stop()


def test_a_note_that_is_none_is_passed_over(tmp_path: Path) -> None:
    folder = tmp_path / "approvals"
    folder.mkdir(mode=0o700)
    (folder / "x.json").write_text("{")
    (folder / ".y.json.new").write_text("a draft left by a kill")
    rig = Rig(folder)
    assert rig.state.open == {}
    assert [path.name for path in folder.iterdir()] == ["x.json"]
    assert rig.is_waiting(rig.ask())
    rig.system.stop()


def test_of_a_single_turn_nothing_is_kept(tmp_path: Path) -> None:
    rig = Rig(None)
    asked = rig.ask()
    rig.decide(rig.show())
    assert isinstance(rig.answer(asked), ApprovalGranted)
    assert [*tmp_path.iterdir()] == []
    rig.system.stop()


def test_an_operator_is_told_the_open_questions(rig: Rig) -> None:
    rig.ask("make")
    rig.tell(ListApprovals(request_id=RequestId("list"), reply_to=rig.asker.address))
    listed = rig.answer(RequestId("list"))
    assert isinstance(listed, ApprovalsListed)
    assert [(each.text, each.asked_by) for each in listed.approvals] == [("make", ASKER)]
    rig.tell(DescribeYourself(request_id=RequestId("describe"), reply_to=rig.asker.address))
    described = rig.answer(RequestId("describe"))
    assert isinstance(described, SelfDescription)
    assert described.figures == (("questions_open", 1),)


@pytest.mark.req("X-250")
@pytest.mark.parametrize("whole", [False, True])
def test_a_question_of_a_forgotten_turn_is_refused_and_leaves_no_note(tmp_path: Path, whole: bool) -> None:
    rig = Rig(tmp_path / "approvals")
    rig.ask("echo quagmire")
    rig.turn = TurnId("turn2")
    rig.ask("make")
    assert files_with(tmp_path, "quagmire")

    rig.tell(forget_request(rig.asker.address, WINDOW, *(() if whole else ("turn1",)), whole=whole))

    refused, *_, answer = rig.asker.drain()
    assert isinstance(refused, ApprovalRefused)
    assert isinstance(answer, DerivedForgotten)
    assert answer.count == 1 + whole
    assert files_with(tmp_path, "quagmire") == []
    assert len(files_with(tmp_path, "make")) == 1 - whole
    elsewhere = Window(surface=Surface.DISCORD_CHANNEL, id="910000000000000019")
    rig.tell(forget_request(rig.asker.address, elsewhere, "turn2", whole=True))
    assert len(files_with(tmp_path, "make")) == 1 - whole
