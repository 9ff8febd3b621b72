"""First request of a life: it begins as the last one of the life before, however slowly the layers' actors answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from messages.base import Address, Message
from messages.model import ModelRequest, StopReason
from messages.turn import CompactionReady, PrepareCompaction, PrepareTurn, RequestWorded, TurnContribution, WordRequest
from tests.actors.context.rig import CHANNEL, Rig, bash_call, reply

HEAD = 'INJECTED_CONTEXT_HANDOVER\n{"constraints":["no trains"]}'
NOTE = 'INJECTED_CONTEXT_OBJECTS\n{"news":["f1 has changed"]}'
RULES = "Files of this conversation: SESSION.md."
SLOW_S = 12.0
"""Seconds of an answer on a machine at load 40; at rest it takes a few milliseconds."""


class Layered(Rig):
    """A window with a contributor, a part that words results and one that hands over; a test answers for all three."""

    def __init__(self, root: Path) -> None:
        super().__init__(
            root,
            contributors=(Address("edge", "layer"),),
            wording=lambda _window: Address("edge", "worder"),
            compactor=lambda _window: Address("edge", "gate"),
        )
        self.layers = [self.system.edge(name) for name in ("gate", "layer", "worder")]

    def answer_layers(self, delay_s: float) -> None:
        """Answer each open question of the layers after a time, until no question is open."""
        while questions := [message for layer in self.layers for message in layer.drain()]:
            self.advance(delay_s)
            for question in questions:
                self.tell(CHANNEL, answer_of(question))

    def end(self, text: str = "Fine.") -> ModelRequest:
        """Answer of the model, and its delivery; the request."""
        request = self.answer(text)
        self.deliver()
        return request


def answer_of(question: Message) -> Message:
    """Answer of a layer."""
    match question:
        case PrepareCompaction():
            return CompactionReady(request_id=question.request_id, handover=HEAD)
        case PrepareTurn():
            name = "edge/layer"
            return TurnContribution(request_id=question.request_id, contributor=name, block="", instructions=RULES)
        case WordRequest():
            calls = [call for turn in question.turns for call in turn.calls]
            return RequestWorded(
                request_id=question.request_id,
                results=tuple((call.event, f"[output: {call.text}]") for call in calls),
                notes=((question.turns[0].turn_id, NOTE),),
            )
        case _:
            raise AssertionError(question)


def live(root: Path) -> tuple[Layered, ModelRequest]:
    """A life with two turns, the first with a command, and its last request."""
    rig = Layered(root)
    rig.say("Look at the kiln.", 1)
    rig.answer_layers(0.0)
    rig.answer("", bash_call("ls"), stop=StopReason.TOOL_CALLS)
    rig.finish_command("kiln.txt")
    rig.answer_layers(0.0)
    rig.end()
    rig.say("And now?", 2)
    rig.answer_layers(0.0)
    last = rig.end()
    assert last.messages[0].text.startswith(HEAD)
    assert RULES in last.system_prompt
    assert NOTE in last.messages[0].text
    assert any("[output: kiln.txt]" in message.text for message in last.messages)
    return rig, last


@pytest.mark.req("X-227")
def test_the_first_request_after_a_restart_begins_as_the_last_one_before_though_answers_are_slow(
    tmp_path: Path, subtests: pytest.Subtests
) -> None:
    for delay_s in (0.0, 2.0, SLOW_S):
        with subtests.test(delay_s=delay_s):
            root = tmp_path / f"{delay_s:g}"
            root.mkdir()
            rig, last = live(root)
            rig.system.stop()

            again = Layered(root)
            again.say("Go on.", 3)
            again.answer_layers(delay_s)
            first = again.end()

            assert first.system_prompt == last.system_prompt
            assert first.messages[: len(last.messages)] == last.messages


@pytest.mark.req("X-227")
def test_layers_that_do_not_answer_delay_one_turn_of_a_life_for_long_and_a_window_without_a_history_not_at_all(
    tmp_path: Path,
) -> None:
    rig, _ = live(tmp_path)
    rig.system.stop()

    again = Layered(tmp_path)
    waits = []
    for number in range(3, 9):
        again.say("Go on.", number)
        began_s = again.clock.monotonic()
        while not (asked := again.requests()):
            again.advance(0.25)
        waits.append(again.clock.monotonic() - began_s)
        again.system.tell(CHANNEL.address, reply(asked[0], "Fine."))
        again.system.run()
        again.deliver()

    config = again.config
    assert waits[0] == pytest.approx(3 * config.first_deadline_s)
    assert max(waits[1:]) <= config.compaction_glance_s + config.prepare_deadline_s + config.wording_deadline_s
    assert waits[-1] == pytest.approx(config.compaction_glance_s)
