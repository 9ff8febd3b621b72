"""A model may ask for more of a memory, without a tool; people never see the request."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from actors.kernel import Edge
from domain.log.event import Kind
from domain.turn.prompt import EXPANDED_PREFIX
from messages.base import Address, RequestId, UserId
from messages.context import StartNewWindow
from messages.model import ModelRequest, Role, StopReason
from messages.socket import Refused
from messages.turn import ExpandReference, PrepareTurn, Reference, ReferenceExpanded, TurnContribution
from tests.actors.context.rig import CHANNEL, Rig, bash_call, of_type
from tests.actors.memory.rig import MemoryRig
from tests.actors.memory.test_memory_actor import THREAD, memories

PATH = "logs/discord-channel/910000000000000011/20260130T142355Z_0001.md"
WISH = f"EXPAND path={PATH} line=5"


class Window(Rig):
    """A window with one contributor, whose answers the test gives."""

    def __init__(self, root: Path, max_expansions: int = 2) -> None:
        super().__init__(root, contributors=(Address("edge", "memory"),), max_expansions=max_expansions)
        self.memory: Edge = self.system.edge("memory")

    def ask(self) -> None:
        """A question, for which the contributor names one place."""
        self.say("What was it?", 1)
        (prepare,) = of_type(PrepareTurn, self.memory.drain())
        contribution = TurnContribution(
            request_id=prepare.request_id,
            contributor=str(self.memory.address),
            block="INJECTED_CONTEXT_RELEVANT_MEMORIES\n{}",
            references=(Reference(path=PATH, line=5),),
        )
        self.system.tell(prepare.reply_to, contribution)
        self.system.run()

    def give(self, text: str = "the whole record") -> None:
        """The contributor shows what was asked for."""
        (wanted,) = of_type(ExpandReference, self.memory.drain())
        assert (wanted.path, wanted.line) == (PATH, 5)
        shown = ReferenceExpanded(request_id=wanted.request_id, path=PATH, line=5, first_line=1, last_line=9, text=text)
        self.system.tell(wanted.reply_to, shown)
        self.system.run()


@pytest.fixture
def window(tmp_path: Path) -> Iterator[Window]:
    made = Window(tmp_path)
    made.ask()
    yield made
    made.stop()


@pytest.mark.req("S0-83")
def test_the_second_call_holds_the_record_and_the_answer_is_all_that_is_logged_and_shown(window: Window) -> None:
    first = window.answer(WISH)
    window.give()
    second = window.answer("It was a cat.")

    assert second.messages[: len(first.messages)] == first.messages
    assert [message.role for message in second.messages[-2:]] == [Role.ASSISTANT, Role.USER]
    assert second.messages[-1].text.startswith(f"{EXPANDED_PREFIX}\n")
    assert "the whole record" in second.messages[-1].text
    assert second.system_prompt == first.system_prompt
    assert window.kinds() == [Kind.USER, Kind.AGENT]
    assert [post.text for post in window.posts()] == ["It was a cat."]
    assert not any("EXPAND" in log.read_text() for log in window.logs())
    assert window.commands() == []


def test_the_next_turns_history_knows_nothing_of_it(window: Window) -> None:
    window.answer(WISH)
    window.give()
    window.answer("It was a cat.")
    window.say("And then?", 2)
    window.advance(6)

    (request,) = window.requests()
    assert not any("EXPAND" in message.text for message in request.messages)


@pytest.mark.req("S0-83")
@pytest.mark.parametrize("wish", [f"EXPAND path={PATH} line=6", "EXPAND path=logs/x.md line=5"])
def test_only_places_of_this_turns_block_can_be_asked_for(window: Window, wish: str) -> None:
    window.answer(wish)

    assert of_type(ExpandReference, window.memory.drain()) == []
    assert "only places that this turn's block names" in window.answer("Sorry.").messages[-1].text
    assert [post.text for post in window.posts()] == ["Sorry."]


@pytest.mark.req("X-46")
def test_two_records_are_shown_a_third_wish_is_declined_and_a_fourth_ends_the_turn(window: Window) -> None:
    for _ in range(2):
        window.answer(WISH)
        window.give()
    window.answer(WISH)
    assert of_type(ExpandReference, window.memory.drain()) == []
    last = window.answer(WISH)

    assert "only 2 times" in last.messages[-1].text
    assert window.kinds() == [Kind.USER, Kind.SYSTEM]


def test_a_record_that_cannot_be_shown_is_told_to_the_model(window: Window) -> None:
    window.answer(WISH)
    (wanted,) = of_type(ExpandReference, window.memory.drain())
    window.system.tell(wanted.reply_to, Refused(request_id=wanted.request_id, reason="no memory there"))
    window.system.run()

    assert "no memory there" in window.answer("Sorry.").messages[-1].text


def test_a_memory_that_never_answers_delays_the_turn_only_for_a_while(window: Window) -> None:
    window.answer(WISH)
    window.advance(11)

    assert "could not be looked up in time" in window.answer("Sorry.").messages[-1].text


def test_a_record_stays_where_it_was_asked_for_when_tools_run_after_it(window: Window) -> None:
    window.answer(WISH)
    window.give()
    second = window.answer("", bash_call("ls"), stop=StopReason.TOOL_CALLS)
    window.finish_command("a b c")
    third = window.answer("done")

    assert third.messages[: len(second.messages)] == second.messages
    assert [message.role for message in third.messages[-2:]] == [Role.ASSISTANT, Role.TOOL]


def test_a_late_answer_changes_nothing(window: Window) -> None:
    shown = ReferenceExpanded(request_id=RequestId("old"), path=PATH, line=5, first_line=1, last_line=9, text="x")
    window.tell(CHANNEL, shown)

    assert len(window.requests()) == 1


def test_turned_off_the_line_is_an_answer_like_any_other(tmp_path: Path) -> None:
    window = Window(tmp_path, max_expansions=0)
    window.ask()
    request = window.answer(WISH)

    assert "EXPAND" not in request.system_prompt
    assert [post.text for post in window.posts()] == [WISH]
    window.stop()


def test_the_real_memory_shows_the_whole_record_of_what_it_injected(tmp_path: Path) -> None:
    rig = MemoryRig(tmp_path)
    rig.exchange("My cat is called Zorro. " + "She eats tuna and sleeps all day. " * 30, "Noted.", THREAD)
    request = rig.say("What does my cat eat?")
    (memory,) = [found for found in memories(request) if found["truncated"]]
    rig.answer(request, f"EXPAND path={memory['path']} line={memory['line']}")

    (second,) = of_type(ModelRequest, rig.model.drain())
    assert second.messages[-1].text.count("She eats tuna") == 30
    rig.stop()


@pytest.mark.req("S0-83", "X-212")
def test_a_record_of_the_windows_own_log_is_shown_by_the_short_path_that_the_block_names(tmp_path: Path) -> None:
    """The same path in another window is another log, and nothing is shown for it there."""
    rig = MemoryRig(tmp_path)
    rig.exchange("My cat is called Zorro. " + "She eats tuna and sleeps all day. " * 30, "Noted.")
    rig.tell(
        CHANNEL.address,
        StartNewWindow(request_id=RequestId("new"), reply_to=rig.asker.address, window=CHANNEL, asked_by=UserId("1")),
    )
    request = rig.say("What does my cat eat?")
    (memory,) = [found for found in memories(request) if found["truncated"]]
    assert memory["path"].startswith(".log/")
    rig.answer(request, f"EXPAND path={memory['path']} line={memory['line']}")

    (second,) = of_type(ModelRequest, rig.model.drain())
    assert second.messages[-1].text.count("She eats tuna") == 30
    rig.answer(second, "Tuna.")
    rig.asker.drain()
    refused = rig.ask(ExpandReference, THREAD, path=memory["path"], line=memory["line"])
    assert isinstance(refused, Refused)
    assert "no memory that may be shown here" in refused.reason
    rig.stop()
