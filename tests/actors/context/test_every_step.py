"""Each scenario, interrupted before each single step in every way: what was said is logged and answered once."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from domain.log.event import Kind
from messages.base import Address, RequestId, UserId
from messages.context import ChooseModel, NewWindowStarted, StartNewWindow, StopTurn, TurnStopped
from messages.socket import Refused
from tests.actors.context import durability
from tests.actors.context.rig import CHANNEL, texts
from tests.actors.context.steps import FAULTS, World

KINDS = ("kill", "torn", "power", "crash", "short", "broken", *FAULTS)
ALICE = UserId("910000000000000021")
MODELS = ("usual", "other")


def stop_button(world: World) -> None:
    world.ask(
        lambda: StopTurn(
            request_id=RequestId("s"), reply_to=world.asker.address, window=CHANNEL, asked_by="Alice", turn_id=""
        )
    )


def new_window(world: World) -> None:
    world.ask(
        lambda: StartNewWindow(request_id=RequestId("n"), reply_to=world.asker.address, window=CHANNEL, asked_by=ALICE)
    )


def choose(world: World) -> None:
    world.ask(
        lambda: ChooseModel(
            request_id=RequestId("m"), reply_to=world.asker.address, window=CHANNEL, asked_by=ALICE, model="other"
        )
    )


def is_stored(world: World, message_id: int) -> bool:
    """True if a message was logged; otherwise its sender was told so."""
    return any(
        event.kind is Kind.USER and event.meta_dict()["message_id"] == str(message_id)
        for log in world.logs()
        for event in log
    )


def require_answered(world: World, *message_ids: int) -> None:
    """Each was answered, once."""
    for message_id in message_ids:
        shown = world.answers_to(message_id)
        assert len(shown) == 1, (message_id, shown)


# scenarios


def answers(world: World) -> None:
    world.say("one", 1)
    world.failing_posts = 1
    world.say("two", 2)
    world.say("three", 3)
    world.finish()
    require_answered(world, 1, 2, 3)
    order = [post.text for post in world.shown.values() if post.text.startswith("answer")]
    assert order == [f"answer to {word}" for word in ("one", "two", "three") if f"answer to {word}" in order]


def commands(world: World) -> None:
    world.say("run it", 1)
    world.finish()
    require_answered(world, 1)
    if not world.plan:
        assert world.ran == ["run it, first", "run it, second"]


def refusal(world: World) -> None:
    world.say("not for you", 1, wants_answer=False, refusal="Not you.")
    world.say("aside", 2, wants_answer=False)
    world.finish()
    assert world.answers_to(1) == ["Not you."]
    assert world.asked == []


def stop_by_word(world: World) -> None:
    world.say("slow one", 1)
    world.say("two", 2)
    world.say("stop", 3, wants_answer=False)
    world.finish()
    require_stopped(world, 1, 2)
    world.say("four", 4)
    world.finish()
    require_answered(world, 4)


def stop_by_button(world: World) -> None:
    world.say("run it for ever", 1)
    world.say("two", 2)
    stop_button(world)
    world.finish()
    if any(isinstance(answer, TurnStopped) for answer in world.replies):
        require_stopped(world, 1, 2)
    world.wait(800)
    world.finish()


def require_stopped(world: World, message_id: int, *waiting: int) -> None:
    """The message and all behind it stay unanswered, and the log has the stop of the turn once."""
    log = world.logs()[-1]
    turn = next(event.id for event in log if event.meta_dict().get("message_id") == str(message_id))
    whats = [
        event.meta_dict()["what"]
        for event in log
        if event.meta_dict().get("turn") == turn and event.kind is Kind.SYSTEM
    ]
    ends = [what for what in whats if what != "resumed"]
    if ends == ["failed"] and len(world.plan) > 1:
        return  # It was interrupted twice, and given up before.
    assert ends == ["aborted"]
    for each in (message_id, *waiting):
        assert world.answers_to(each) == []


def new_window_with_debts(world: World) -> None:
    world.say("one", 1)
    choose(world)
    world.failing_posts = 2
    world.say("two", 2)
    world.say("three", 3)
    world.say("slow four", 4)
    new_window(world)
    began = [answer for answer in world.replies if isinstance(answer, NewWindowStarted)]
    world.say("five", 5)
    world.finish()
    require_answered(world, 1, 2, 3, 5)
    if any("answer to three" in post.text for post in world.shown.values()):
        shown = [post.text for post in world.shown.values() if post.text.startswith("answer")]
        assert shown == [
            text for text in ("answer to one", "answer to two", "answer to three", "answer to five") if text in shown
        ]
    last = next((request for request in world.asked if texts(request)[-1] == "five"), None)
    refused = [one for one in world.replies if isinstance(one, Refused) and "may later count as" not in one.reason]
    if began and last is not None:
        assert texts(last) == ["five"]
        assert [path.name for path in world.rig.logs()].index(Path(began[-1].path).name) > 0
    if refused and not began and is_stored(world, 1) and last is not None:
        assert "one" in texts(last), "it was refused, so nothing is forgotten"
    chosen = [answer for answer in world.replies if getattr(answer, "model", "") == "other"]
    if chosen and last is not None:
        assert last.model == "other"


def join_turn(world: World) -> None:
    world.say("run it for ever", 1)
    world.say("and that", 2)
    world.rig.shell.drain()
    world.wait(701)
    world.finish()
    assert world.answers_to(1) or world.answers_to(2)


def word_results(world: World) -> None:
    world.say("run it", 1)
    world.say("run it again", 2)
    world.finish()
    require_answered(world, 1, 2)
    assert world.worded


def off_record(world: World) -> None:
    world.say("one", 1)
    world.say("an aardvark", 2, is_off_record=True)
    world.failing_posts = 1
    world.say("a bumblebee", 3, is_off_record=True)
    world.say("an aardvark, aside", 4, is_off_record=True, wants_answer=False)
    world.say("five", 5)
    world.finish()
    require_answered(world, 1, 2, 3, 5)
    on_record = [texts(request) for request in world.asked if texts(request)[-1] in ("one", "five")]
    assert not [text for shown in on_record for text in shown if "aardvark" in text or "bumblebee" in text]
    files = [file for file in world.root.rglob("*") if file.is_file()]
    assert not [file for file in files for word in (b"aardvark", b"bumblebee") if word in file.read_bytes()]


SCENARIOS: dict[str, Callable[[World], None]] = {
    scenario.__name__: scenario
    for scenario in (
        answers,
        commands,
        refusal,
        stop_by_word,
        stop_by_button,
        new_window_with_debts,
        join_turn,
        word_results,
        off_record,
    )
}
DECIDED: dict[str, dict[str, Any]] = {
    "join_turn": {"mid_turn": "steer"},
    "new_window_with_debts": {"models": MODELS},
    "word_results": {"wording": lambda _window: Address("edge", "worder")},
}


def play(root: Path, name: str, plan: Mapping[int, str] | None = None) -> World:
    """The scenario, interrupted as planned, and all that must hold in the end."""
    root.mkdir()
    world = World(root, plan, **DECIDED.get(name, {}))
    SCENARIOS[name](world)
    world.require_order()
    assert durability.violations == []
    world.rig.disk.before = lambda _call, _data: None
    world.rig.stop()
    return world


@pytest.mark.req("C-38")
@pytest.mark.crashes
@pytest.mark.parametrize("name", SCENARIOS)
def test_whatever_step_is_the_last_all_comes_out_once(tmp_path: Path, name: str) -> None:
    """Interrupted before each step in each way that the step can be; of the failing calls one at a time, by turns."""
    calls = play(tmp_path / "whole", name).calls
    assert "write" in calls
    wrong: list[str] = []
    for at, call in enumerate(calls, 1):
        for kind in interruptions(call, at):
            try:
                play(tmp_path / f"{at}-{kind}", name, {at: kind})
            except AssertionError as error:
                wrong.append(f"{kind} at {at}, before {call}: {error}")
            durability.forget_disks()
    assert wrong == []


def interruptions(call: str, at: int) -> tuple[str, ...]:
    """Ways to interrupt a step."""
    if call == "tell":
        return "kill", "crash"
    one_call = tuple(FAULTS)[at % len(FAULTS)]
    if call == "write":
        return "kill", "torn", "power", "crash", "short", "broken", one_call
    return "kill", "power", "crash", "broken" if at % 2 else one_call


@pytest.mark.crashes
def test_several_interruptions_of_any_kind_come_to_the_same(tmp_path: Path) -> None:
    wrong: list[str] = []
    for seed in range(60):
        chance = random.Random(seed)
        name = chance.choice(list(SCENARIOS))
        steps = len(play(tmp_path / f"{seed}-whole", name).calls)
        plan = {chance.randint(1, steps): chance.choice(KINDS) for _ in range(chance.randint(2, 4))}
        try:
            play(tmp_path / f"{seed}-interrupted", name, plan)
        except AssertionError as error:
            wrong.append(f"{seed}: {name}, interrupted by {plan}: {error}")
        durability.forget_disks()
    assert wrong == []
