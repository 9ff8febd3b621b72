"""Head of a history, and cuts with a question to another part first."""

from __future__ import annotations

from pathlib import Path

import pytest

from domain.log.event import Kind
from messages.base import Address, MessageId, RequestId, TurnId, UserId
from messages.context import RetractMessages, StartNewWindow
from messages.model import Usage
from messages.socket import Refused
from messages.turn import (
    CompactionReady,
    CompactWindow,
    CountUsage,
    PrepareCompaction,
    SpokenTold,
    TellSpoken,
    WindowBegun,
    WindowCompacted,
)
from tests.actors.context.rig import CHANNEL, Rig, of_type

GATE = Address("edge", "gate")
HEAD = 'INJECTED_CONTEXT_HANDOVER\n{"constraints":["no trains"]}'
LONG = "x" * 150


class Gated(Rig):
    """Window whose history is cut only when a contributor is ready; some three long turns fit."""

    def __init__(self, root: Path) -> None:
        super().__init__(root, max_history_tokens=163, compactor=lambda _window: GATE)
        self.gate = self.system.edge("gate")

    def questions(self) -> list[PrepareCompaction]:
        """Questions since the last call."""
        return of_type(PrepareCompaction, self.gate.drain())

    def ready(self, handover: str = "", *, cut: bool = True) -> PrepareCompaction:
        """Answer the one open question."""
        (question,) = self.questions()
        self.tell(CHANNEL, CompactionReady(request_id=question.request_id, handover=handover, cut=cut))
        return question

    def turn(self, text: str, number: int, *handover: str, cut: bool = True) -> list[str]:
        """A turn about which the part is asked if a handover is given; what the model was sent."""
        self.say(text, number)
        if handover:
            self.ready(handover[0], cut=cut)
        request = self.answer("Fine.")
        self.deliver()
        return [message.text for message in request.messages]

    def fill(self) -> None:
        """Three long turns, so that the next one passes the limit."""
        self.turn(f"one {LONG}", 1, HEAD)
        self.turn(f"two {LONG}", 2)
        self.turn(f"three {LONG}", 3)


@pytest.fixture
def rig(tmp_path: Path) -> Gated:
    return Gated(tmp_path)


def cuts(rig: Rig) -> list[str]:
    return [str(each.meta_dict()["first_kept"]) for each in rig.events() if each.meta_dict().get("what") == "cut"]


def begin_anew(rig: Rig) -> None:
    """Start a new window."""
    asker = rig.system.edge("new").address
    rig.tell(CHANNEL, StartNewWindow(request_id=RequestId("n"), reply_to=asker, window=CHANNEL, asked_by=UserId("1")))


@pytest.mark.req("S4-95", "S4-172")
def test_the_first_turn_of_a_life_asks_and_its_head_stays_the_same_in_all_requests(rig: Gated) -> None:
    first = rig.turn("hello", 1, HEAD)
    assert first[0].startswith(f"{HEAD}\n\n[")
    second = rig.turn("again", 2)
    assert second[: len(first)] == first
    assert rig.questions() == []
    assert not any("no trains" in event.content for event in rig.events())


@pytest.mark.req("S4-82", "S4-166", "S4-168")
def test_before_a_cut_the_part_is_asked_with_the_words_that_go_and_only_then_they_go(rig: Gated) -> None:
    rig.fill()
    rig.say("four", 4)
    assert rig.requests() == [], "the turn waits"
    other = HEAD.replace("trains", "buses")
    question = rig.ready(other)
    assert [(turn.text[:3], turn.answer) for turn in question.spoken] == [("one", "Fine.")]
    assert all(turn.line and turn.path == question.log for turn in question.spoken)
    sent = [message.text for message in rig.answer("Fine.").messages]
    assert sent[0].startswith(f"{other}\n\n[")
    assert "two" in sent[0]
    assert len(sent) == 5
    assert cuts(rig) == [question.first_kept]


def test_a_life_later_the_same_turns_are_left_and_the_part_is_asked_for_the_head_again(
    rig: Gated, tmp_path: Path
) -> None:
    rig.fill()
    rig.turn("four", 4, HEAD)
    kept_from = cuts(rig)[0]
    rig.system.stop()

    again = Gated(tmp_path)
    again.say("five", 5)
    question = again.ready(HEAD)
    assert (question.kept_from, question.first_kept, question.spoken) == (kept_from, "", ())
    assert "two" in again.answer("Fine.").messages[0].text


@pytest.mark.req("S4-99", "S4-170", "X-103")
def test_a_cut_that_is_not_agreed_on_leaves_turns_out_of_requests_and_is_asked_about_again(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    cases: list[str] = ["not cut", "refused", "late", "unsound"]
    for number, how in enumerate(cases):
        with subtests.test(how=how):
            root = tmp_path / str(number)
            root.mkdir()
            rig = Gated(root)
            rig.fill()
            rig.say("four", 4)
            (question,) = rig.questions()
            if how == "late":
                rig.advance(65.5)
            else:
                reply = {
                    "not cut": CompactionReady(request_id=question.request_id, handover=HEAD, cut=False),
                    "refused": Refused(request_id=question.request_id, reason="no"),
                    "unsound": CompactionReady(
                        request_id=question.request_id, handover="[2026-01-30 14:00 UTC] Alice: hi"
                    ),
                }[how]
                rig.tell(CHANNEL, reply)
            sent = rig.answer("Fine.").messages
            rig.deliver()
            assert "two" in sent[0].text
            assert sent[0].text.startswith(HEAD)
            assert cuts(rig) == []
            rig.say("five", 5)
            (again,) = rig.questions()
            assert [turn.text[:3] for turn in again.spoken] == ["one"]


@pytest.mark.req("S4-99")
def test_after_one_cut_that_was_waited_for_in_vain_no_turn_waits_so_long(rig: Gated) -> None:
    rig.fill()
    rig.say("four", 4)
    rig.advance(64.0)
    assert rig.requests() == []
    rig.advance(1.5)
    rig.answer("Fine.")
    rig.deliver()
    rig.say("five", 5)
    rig.advance(1.5)
    assert len(rig.requests()) == 1


@pytest.mark.req("X-103")
def test_a_history_twice_as_long_as_it_may_be_is_cut_whatever_the_part_says(rig: Gated) -> None:
    for number in range(1, 34):
        rig.say(f"{number} {LONG}", number)
        if rig.questions():
            rig.advance(70.0)
        rig.answer("Fine.")
        rig.deliver()
    rig.say("the last", 50)
    (question,) = rig.questions()
    assert len(question.spoken) < 20
    assert question.kept_from


@pytest.mark.req("X-67")
def test_a_new_window_has_no_head_until_the_part_says_so(tmp_path: Path) -> None:
    rig = Gated(tmp_path)
    rig.turn("hello", 1, HEAD)
    begin_anew(rig)
    rig.say("anew", 2)
    (question,) = rig.questions()
    assert (question.kept_from, question.spoken) == ("", ())
    rig.advance(rig.config.first_deadline_s + 0.5)
    assert "no trains" not in rig.requests()[0].messages[0].text


def test_the_windows_own_subscribers_hear_of_a_new_window(tmp_path: Path) -> None:
    rig = Gated(tmp_path)
    rig.turn("hello", 1, HEAD)
    rig.listener.drain()
    begin_anew(rig)
    (begun,) = of_type(WindowBegun, rig.listener.drain())
    assert begun.log != begun.previous_log
    assert begun.previous_log.endswith(rig.logs()[0].name)


def test_words_that_were_taken_back_are_asked_about_anew(rig: Gated) -> None:
    rig.turn("my pin is 1234", 1, HEAD)
    rig.turn("two", 2)
    rig.tell(CHANNEL, RetractMessages(window=CHANNEL, message_ids=(MessageId("1"),)))
    rig.say("three", 3)
    rig.ready("")
    assert "no trains" not in rig.answer("Fine.").messages[0].text


class TestByCommand:
    def compact(self, rig: Gated, words: str = "") -> None:
        if not hasattr(self, "edge"):
            self.edge = rig.system.edge("compacts")
        rig.tell(
            CHANNEL,
            CompactWindow(
                request_id=RequestId("c"),
                reply_to=self.edge.address,
                window=CHANNEL,
                asked_by=UserId("1"),
                words=words,
            ),
        )

    def test_all_but_the_newest_two_turns_go_once_the_part_is_ready(self, rig: Gated) -> None:
        for number, text in enumerate(["one", "two", "three", "four"], 1):
            rig.turn(text, number, *([HEAD] if number == 1 else []))
        self.compact(rig, "the colours")
        question = rig.ready(HEAD)
        assert (question.words, [turn.text for turn in question.spoken]) == ("the colours", ["one", "two"])
        assert self.edge.drain() == [
            WindowCompacted(request_id=RequestId("c"), cut_turns=2, kept_turns=2, head=("constraints",))
        ]
        assert "three" in rig.turn("five", 5)[0]

    @pytest.mark.parametrize("how", ["busy", "too short", "twice", "not agreed", "late", "new window"])
    def test_what_cannot_be_cut_is_refused_with_the_reason(self, rig: Gated, how: str) -> None:
        for number, text in enumerate(["one", "two", "three"] if how != "too short" else ["one"], 1):
            rig.turn(text, number, *([HEAD] if number == 1 else []))
        if how == "busy":
            rig.say("four", 4)
        self.compact(rig)
        if how == "twice":
            self.compact(rig)
        elif how == "not agreed":
            (question,) = rig.questions()
            rig.tell(CHANNEL, CompactionReady(request_id=question.request_id, cut=False, trouble="the disk is full"))
        elif how == "late":
            rig.advance(66.0)
        elif how == "new window":
            (question,) = rig.questions()
            begin_anew(rig)
            rig.tell(CHANNEL, CompactionReady(request_id=question.request_id, handover=HEAD))
        (refusal,) = of_type(Refused, self.edge.drain())
        expected = {
            "busy": "being worked on",
            "too short": "at most 2 turns",
            "twice": "already",
            "not agreed": "the disk is full",
            "late": "in time",
            "new window": "new window was started",
        }[how]
        assert expected in refusal.reason
        assert cuts(rig) == []


class TestWhatMayBeAsked:
    def read_stretch(self, rig: Gated, log: str, first: str = "", last: str = "") -> list[str] | str:
        if not hasattr(self, "edge"):
            self.edge = rig.system.edge("teller")
        edge = self.edge
        rig.tell(
            CHANNEL,
            TellSpoken(
                request_id=RequestId("t"),
                reply_to=edge.address,
                window=CHANNEL,
                log=log,
                first=TurnId(first),
                last=TurnId(last),
            ),
        )
        (answer,) = edge.drain()
        if isinstance(answer, Refused):
            return answer.reason
        assert isinstance(answer, SpokenTold)
        return [turn.text[:5].strip() for turn in answer.turns]

    @pytest.mark.req("X-66")
    def test_words_of_a_stretch_are_told_also_of_what_was_cut_but_not_of_what_was_taken_back(self, rig: Gated) -> None:
        rig.fill()
        rig.turn("four", 4, HEAD)
        log = rig.logs()[0].relative_to(rig.root).as_posix()
        ids = [event.id for event in rig.events() if event.kind is Kind.USER]
        assert self.read_stretch(rig, log) == ["one x", "two x", "three", "four"]
        assert self.read_stretch(rig, log, ids[1], ids[2]) == ["two x", "three"]
        assert self.read_stretch(rig, log, ids[3]) == ["four"]
        assert self.read_stretch(rig, log, "nowhere") == []
        rig.tell(CHANNEL, RetractMessages(window=CHANNEL, message_ids=(MessageId("2"),)))
        assert self.read_stretch(rig, log) == ["one x", "three", "four"]
        assert self.read_stretch(rig, log, ids[1]) == ["three", "four"]

    def test_words_of_a_stretch_are_told_though_the_message_at_its_end_is_deleted(self, rig: Gated) -> None:
        rig.fill()
        log = rig.logs()[0].relative_to(rig.root).as_posix()
        ids = [event.id for event in rig.events() if event.kind is Kind.USER]
        rig.tell(CHANNEL, RetractMessages(window=CHANNEL, message_ids=(MessageId("2"),)))
        assert self.read_stretch(rig, log, ids[0], ids[1]) == ["one x"]

    @pytest.mark.parametrize("log", ["logs/discord-channel/1/a.md", "../secrets", "", "logs/discord-channel/x"])
    def test_another_windows_log_is_refused(self, rig: Gated, log: str) -> None:
        rig.turn("hello", 1, HEAD)
        assert isinstance(self.read_stretch(rig, log), str)

    def test_of_a_log_that_is_gone_nothing_is_left_to_tell(self, rig: Gated) -> None:
        rig.turn("hello", 1, HEAD)
        log = rig.logs()[0].relative_to(rig.root)
        assert self.read_stretch(rig, log.with_name("20200101T000000Z_0001.md").as_posix()) == []

    def test_what_was_used_outside_of_turns_stands_in_the_next_event(self, rig: Gated) -> None:
        rig.turn("hello", 1, HEAD)
        usage = Usage(prompt_tokens=7, completion_tokens=3, cost_usd=0.5)
        rig.tell(CHANNEL, CountUsage(window=CHANNEL, usage=usage))
        rig.turn("two", 2)
        costs = [float(str(event.meta_dict()["cost_usd"])) for event in rig.events() if event.kind is Kind.AGENT]
        assert costs[1] == pytest.approx(costs[0] + 0.5)
