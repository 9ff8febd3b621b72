"""Messages without an answer, messages of people without commands, and answered messages."""

from __future__ import annotations

from pathlib import Path

import pytest

from actors.context.log.recovery import survey
from domain.log.event import Kind
from messages.base import Address, MessageId, UserId
from messages.context import Quote, ResumeWindow
from messages.discord import UserMessageLogged
from messages.model import StopReason
from messages.turn import EventsLogged, PrepareTurn
from tests.actors.context.rig import CHANNEL, Rig, bash_call, of_type, texts


class TestOverheard:
    """Logged messages without an answer."""

    def test_it_is_logged_and_told_and_not_answered(self, rig: Rig) -> None:
        rig.say("between us", 1, wants_answer=False, audience="everyone")
        assert rig.requests() == []
        assert rig.surface.drain() == [UserMessageLogged(window=CHANNEL, message_id=MessageId("1"))]
        assert rig.events()[0].meta_dict()["overheard"] is True
        (news,) = of_type(EventsLogged, rig.listener.drain())
        assert [(event.id, event.text, event.line) for event in news.events] == [
            (rig.events()[0].id, "between us", _line(rig, "between us"))
        ]
        assert news.audience == "everyone"

    def test_later_requests_show_it_in_its_place_and_share_their_prefix(self, rig: Rig) -> None:
        rig.say("first", 1, wants_answer=False)
        rig.say("second", 2)
        rig.say("third", 3, wants_answer=False)
        before = rig.answer("2")
        rig.say("fourth", 4)
        after = rig.answer("4")
        assert texts(before) == ["first", "second"]
        assert texts(after) == ["first", "second", "2", "third", "fourth"]
        assert after.messages[:2] == before.messages

    def test_a_restart_keeps_it_so(self, rig: Rig, tmp_path: Path) -> None:
        rig.say("first", 1, wants_answer=False)
        rig.say("second", 2)
        before = rig.answer("2")
        rig.deliver()
        rig.say("third", 3, wants_answer=False)
        rig.kill()
        assert survey(tmp_path).unfinished == ()
        again = Rig(tmp_path)
        again.tell(CHANNEL, ResumeWindow(window=CHANNEL, reply_to=again.surface.address))
        assert again.requests() == []
        again.say("third", 3)
        assert again.requests() == []
        again.say("fourth", 4)
        request = again.answer("4")
        assert texts(request) == ["first", "second", "2", "third", "fourth"]
        assert request.messages[:2] == before.messages
        again.stop()

    def test_a_window_with_a_turn_still_open_is_found_behind_it(self, rig: Rig, tmp_path: Path) -> None:
        rig.say("answer me", 1)
        rig.say("by the way", 2, wants_answer=False)
        rig.kill()
        assert survey(tmp_path).unfinished == (CHANNEL,)

    def test_why_it_is_not_answered_is_a_notice_that_is_delivered_once(self, rig: Rig, tmp_path: Path) -> None:
        rig.say("again and again", 1, wants_answer=False, refusal="Too many; later.")
        (post,) = rig.posts()
        assert (post.text, post.answers_message_id, post.turn_id) == ("Too many; later.", "1", "")
        rig.kill()
        again = Rig(tmp_path)
        again.tell(CHANNEL, ResumeWindow(window=CHANNEL, reply_to=again.surface.address))
        repeated = again.deliver()
        assert (repeated.nonce, repeated.look_first) == (post.nonce, True)
        assert again.kinds() == [Kind.USER, Kind.DELIVERY]
        again.say("now?", 2)
        assert texts(again.answer("yes")) == ["again and again", "now?"]
        again.stop()

    def test_it_does_not_disturb_a_running_turn(self, rig: Rig) -> None:
        rig.say("one", 1)
        rig.say("aside", 2, wants_answer=False, refusal="Not you.")
        rig.answer("1")
        assert [rig.deliver().text, rig.deliver().text] == ["Not you.", "1"]


class TestViewers:
    """People who are answered and may run nothing."""

    def test_their_turn_offers_no_tool_and_says_so_to_the_model(self, rig: Rig) -> None:
        rig.say("run it", 1, may_run=False)
        request = rig.answer("I cannot.")
        assert request.tools == ()
        assert "no tool" in request.system_prompt
        assert rig.events()[0].meta_dict()["viewer"] is True

    def test_a_call_all_the_same_is_not_run(self, rig: Rig) -> None:
        rig.say("run it", 1, may_run=False)
        rig.answer("", bash_call("rm -rf /"), stop=StopReason.TOOL_CALLS)
        assert rig.commands() == []
        request = rig.answer("I may not.")
        assert request.tools == ()
        assert "may not have commands run" in request.messages[-1].text
        assert rig.events()[3].meta_dict()["error"] is True

    def test_the_next_turn_of_somebody_else_has_the_tool(self, rig: Rig) -> None:
        rig.say("run it", 1, may_run=False)
        rig.answer("I cannot.")
        rig.say("run it", 2)
        assert len(rig.answer("ok").tools) == 1

    def test_a_restart_keeps_it_so(self, rig: Rig, tmp_path: Path) -> None:
        rig.say("run it", 1, may_run=False)
        rig.kill()
        again = Rig(tmp_path)
        again.tell(CHANNEL, ResumeWindow(window=CHANNEL, reply_to=again.surface.address))
        assert again.answer("no").tools == ()
        again.stop()


class TestQuotes:
    """Message that another message answers."""

    QUOTE = Quote(
        message_id=MessageId("500"),
        author_name="Bob [x]",
        author_id=UserId("8"),
        text="one\nINJECTED_CONTEXT_RELEVANT_MEMORIES\u2028three",
    )

    def test_an_answered_message_that_was_not_seen_stands_quoted_above_the_text(self, rig: Rig) -> None:
        rig.say("I disagree", 600, quote=self.QUOTE)
        assert texts(rig.answer("ok")) == [
            "> Bob (x) (@8) wrote:\n> one\n> INJECTED_CONTEXT_RELEVANT_MEMORIES\n> three\nI disagree"
        ]
        assert rig.events()[0].content == "I disagree"
        assert rig.events()[0].meta_dict()["quote"] == {
            "message_id": "500",
            "author": "Bob [x]",
            "author_id": "8",
            "text": self.QUOTE.text,
            "shown": False,
        }

    @pytest.mark.parametrize("message_id", ["1", "1000000000000000001"])
    def test_one_that_the_request_shows_anyway_does_not(self, rig: Rig, message_id: str) -> None:
        rig.say("hello", 1)
        rig.answer("hi")
        rig.deliver()
        rig.say("what?", 2, quote=Quote(message_id=MessageId(message_id), author_name="Somebody", text="hello or hi"))
        assert texts(rig.answer("ok"))[-1] == "what?"

    def test_what_was_decided_once_holds_in_every_later_request(self, tmp_path: Path) -> None:
        rig = Rig(tmp_path, max_history_tokens=100)
        rig.say("hello", 1)
        rig.answer("hi " * 70)
        rig.deliver()
        rig.say("what?", 2, quote=Quote(message_id=MessageId("1"), author_name="Alice", text="hello"))
        shown = rig.answer("well").messages[-1]
        assert shown.text.endswith("Alice:\nwhat?")
        rig.say("much " * 25, 3)
        request = rig.answer("ok")
        assert shown == request.messages[0]
        rig.kill()
        again = Rig(tmp_path, max_history_tokens=100)
        again.say("and?", 4, quote=Quote(message_id=MessageId("1"), author_name="Alice", text="hello"))
        assert texts(again.answer("ok"))[-1] == "> Alice (@unknown) wrote:\n> hello\nand?"
        again.stop()
        rig.stop()


def test_contributors_are_told_the_words_without_the_quote(tmp_path: Path) -> None:
    rig = Rig(tmp_path, contributors=(Address("edge", "memory"),))
    memory = rig.system.edge("memory")
    rig.say("I disagree", 600, quote=TestQuotes.QUOTE)
    (asked,) = of_type(PrepareTurn, memory.drain())
    assert asked.text == "I disagree"
    rig.stop()


def _line(rig: Rig, text: str) -> int:
    """The line of the heading of the event that says `text`."""
    lines = rig.logs()[0].read_text().split("\n")
    return max(number for number, line in enumerate(lines[: lines.index(text)], 1) if line.startswith("## "))
