"""Messages that come while a turn runs, where they may join it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from domain.log.event import Kind
from messages.base import Address
from messages.context import ResumeWindow
from messages.discord import ReactionKind, ShowReaction
from messages.model import ModelRequest, StopReason
from messages.turn import PrepareTurn, TurnContribution, TurnEnded
from tests.actors.context.rig import CHANNEL, Rig, bash_call, of_type, texts


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    """A window whose turns can be joined."""
    made = Rig(tmp_path, mid_turn="steer", reacts=True)
    yield made
    made.stop()


def begin_command(rig: Rig, **how: Any) -> None:
    """A turn whose command runs."""
    rig.say("do it", 1, **how)
    rig.answer("working", bash_call("make"), stop=StopReason.TOOL_CALLS)


@pytest.mark.req("S0-98e")
def test_they_join_before_the_next_model_call_behind_the_results(rig: Rig) -> None:
    begin_command(rig)
    rig.say("in blue", 2)
    rig.say("and large", 3)
    assert rig.requests() == []
    rig.finish_command("made")
    assert texts(rig.answer("done")) == ["do it", "working", "made", "in blue", "and large"]
    assert rig.requests() == []
    post = rig.deliver()
    assert (post.text, post.answers_message_id) == ("done", "1")
    assert rig.events()[-1].meta_dict()["open"] == 0


def test_all_commands_of_a_round_end_first(rig: Rig) -> None:
    rig.say("both", 1)
    rig.answer("", bash_call("a", "1"), bash_call("b", "2"), stop=StopReason.TOOL_CALLS)
    rig.finish_command("A")
    rig.say("hurry", 2)
    rig.finish_command("B")
    assert texts(rig.answer("done"))[-3:] == ["A", "B", "hurry"]


def test_one_that_comes_while_the_model_writes_its_answer_is_the_next_turn(rig: Rig) -> None:
    rig.say("hello", 1)
    rig.say("and you?", 2)
    assert texts(rig.answer("hi")) == ["hello"]
    assert texts(rig.answer("fine")) == ["hello", "hi", "and you?"]


def test_without_the_setting_they_wait(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    begin_command(rig)
    rig.say("in blue", 2)
    rig.finish_command("made")
    assert texts(rig.answer("done")) == ["do it", "working", "made"]
    assert texts(rig.answer("blue"))[-1] == "in blue"
    rig.stop()


@pytest.mark.parametrize("how", [{"may_run": False}, {"audience": "others"}])
def test_one_that_may_do_less_or_is_read_by_others_waits(rig: Rig, how: dict[str, Any]) -> None:
    begin_command(rig)
    rig.say("mine", 2, **how)
    rig.say("later", 3)
    rig.finish_command("made")
    assert texts(rig.answer("done")) == ["do it", "working", "made"]
    assert texts(rig.answer("2"))[-1] == "mine"
    assert texts(rig.answer("3"))[-1] == "later"


def test_later_requests_begin_with_the_same_bytes_also_after_a_restart(rig: Rig, tmp_path: Path) -> None:
    begin_command(rig)
    rig.say("in blue", 2)
    rig.finish_command("made")
    joined = rig.answer("done")
    rig.deliver()
    rig.say("more", 3)
    living = rig.answer("ok")
    assert living.messages[: len(joined.messages)] == joined.messages
    rig.kill()
    again = Rig(tmp_path, mid_turn="steer")
    again.tell(CHANNEL, ResumeWindow(window=CHANNEL, reply_to=again.surface.address))
    again.say("still there?", 4)
    assert again.answer("yes").messages[: len(living.messages)] == living.messages
    again.stop()


def test_a_restart_before_the_boundary_loses_none_and_one_behind_it_doubles_none(rig: Rig, tmp_path: Path) -> None:
    begin_command(rig)
    rig.say("in blue", 2)
    rig.kill()
    second = Rig(tmp_path, mid_turn="steer")
    second.tell(CHANNEL, ResumeWindow(window=CHANNEL, reply_to=second.surface.address))
    second.answer("again", bash_call("make", "call-2"), stop=StopReason.TOOL_CALLS)
    second.finish_command("made")
    assert texts(second.answer("done"))[-3:] == ["again", "made", "in blue"]
    second.deliver()
    assert second.requests() == []
    assert second.kinds().count(Kind.USER) == 2
    second.stop()


def test_subscribers_and_reactions_hear_of_what_joined(rig: Rig) -> None:
    begin_command(rig)
    rig.say("in blue", 2)
    rig.finish_command("made")
    rig.answer("done")
    rig.deliver()
    (ended,) = of_type(TurnEnded, rig.listener.drain())
    assert [event.text for event in ended.events if event.kind == "user"] == ["do it", "in blue"]
    shown = of_type(ShowReaction, rig.surface.drain())
    assert [one.message_id for one in shown if one.kind is ReactionKind.ANSWERED] == ["1", "2"]


def test_subscribers_hear_of_what_joined_before_a_kill(rig: Rig, tmp_path: Path) -> None:
    begin_command(rig)
    rig.say("in blue", 2)
    rig.finish_command("made")
    rig.kill()

    again = Rig(tmp_path, mid_turn="steer")
    again.tell(CHANNEL, ResumeWindow(window=CHANNEL, reply_to=again.surface.address))
    again.answer("done")

    (ended,) = of_type(TurnEnded, again.listener.drain())
    assert [event.text for event in ended.events if event.kind == "user"] == ["do it", "in blue"]
    again.stop()


class Remembering(Rig):
    """A window whose turns can be joined, and a memory that the test speaks for."""

    def __init__(self, root: Path) -> None:
        super().__init__(root, mid_turn="steer", contributors=(Address("edge", "memory"),))
        self.memory = self.system.edge("memory")

    def remember(self, words: str) -> PrepareTurn:
        """Contribute `words` to the only turn in preparation, and return its question."""
        (prepare,) = of_type(PrepareTurn, self.memory.drain())
        contribution = TurnContribution(
            request_id=prepare.request_id,
            contributor="edge/memory",
            block=f'INJECTED_CONTEXT_MEMORY\n{{"a":"{words}"}}',
        )
        self.tell(CHANNEL, contribution)
        return prepare


def blocks(request: ModelRequest) -> list[tuple[str, str]]:
    """Blocks, each with the words behind it."""
    pairs = [message.text.split("\n\n", 1) for message in request.messages if message.text.startswith("INJECTED")]
    return [(block, said.rpartition("\n")[2]) for block, said in pairs]


@pytest.mark.req("S0-98e", "X-142")
def test_what_joins_has_memories_of_its_own_in_the_place_of_the_turns(tmp_path: Path) -> None:
    rig = Remembering(tmp_path)
    rig.say("do it", 1)
    assert rig.remember("it").text == "do it"
    working = rig.answer("working", bash_call("make"), stop=StopReason.TOOL_CALLS)
    assert blocks(working) == [('INJECTED_CONTEXT_MEMORY\n{"a":"it"}', "do it")]
    rig.say("in blue", 2)
    rig.say("and large", 3, author="Bob")
    rig.finish_command("made")
    assert rig.requests() == []
    prepare = rig.remember("blue")

    assert (prepare.text, prepare.author_name) == ("in blue\n\nand large", "Bob")
    request = rig.answer("more", bash_call("paint", "call-2"), stop=StopReason.TOOL_CALLS)
    assert blocks(request) == [('INJECTED_CONTEXT_MEMORY\n{"a":"blue"}', "and large")]
    rig.finish_command("painted")
    assert rig.memory.drain() == [], "nothing new was said"
    later = rig.answer("done")
    assert later.messages[: len(request.messages)] == request.messages
    rig.stop()


def test_a_memory_that_is_late_holds_up_what_joins_no_longer_than_any_turn(tmp_path: Path) -> None:
    rig = Remembering(tmp_path)
    rig.say("do it", 1)
    rig.remember("it")
    rig.answer("working", bash_call("make"), stop=StopReason.TOOL_CALLS)
    rig.say("in blue", 2)
    rig.finish_command("made")
    (late,) = of_type(PrepareTurn, rig.memory.drain())
    rig.advance(6)
    (request,) = rig.requests()
    assert (texts(request)[-1], blocks(request)) == ("in blue", [])
    contribution = TurnContribution(request_id=late.request_id, contributor="edge/memory", block="")
    rig.tell(CHANNEL, contribution)
    assert rig.requests() == []
    rig.stop()


def test_a_turn_that_is_picked_up_looks_for_memories_of_what_joined_it(tmp_path: Path) -> None:
    rig = Remembering(tmp_path)
    rig.say("do it", 1)
    rig.remember("it")
    rig.answer("working", bash_call("make"), stop=StopReason.TOOL_CALLS)
    rig.say("in blue", 2)
    rig.finish_command("made")
    rig.remember("blue")
    rig.answer("more", bash_call("paint", "call-2"), stop=StopReason.TOOL_CALLS)
    rig.kill()
    again = Remembering(tmp_path)
    again.tell(CHANNEL, ResumeWindow(window=CHANNEL, reply_to=again.surface.address))
    assert again.remember("blue").text == "in blue"
    assert blocks(again.answer("done")) == [('INJECTED_CONTEXT_MEMORY\n{"a":"blue"}', "in blue")]
    again.stop()
    rig.stop()
