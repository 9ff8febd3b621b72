"""Crashes of the whole agent: what the campaign does, and that it notices what is not as it must be."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from actors.kernel import ActorSpec
from lab.bench.crashes.run import Case, Felt, Outcome, run
from lab.bench.crashes.saboteur import Saboteur
from lab.bench.crashes.sample import sample
from lab.commands.bench_crashes import _agent
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID
from tests.patience import PATIENCE_S


def crash(tmp_path: Path, *only: str) -> Outcome:
    with PlaygroundServer() as server:
        online = threading.Event()
        return run(_agent(server, tmp_path, online), server, online, lambda _line: None, only)


@pytest.mark.req("C-37")
@pytest.mark.crashes
@pytest.mark.slow
def test_the_model_comes_back_from_a_crash_at_each_type_and_every_question_is_answered(tmp_path: Path) -> None:
    outcome = crash(tmp_path, "model")

    assert outcome.failed == ()
    assert outcome.escalation == ""
    assert {case.kind for case in outcome.cases} == {"model"}
    assert {"ModelRequest", "ModelReply", "ModelDelta"} <= {case.message_type for case in outcome.cases}
    assert outcome.felt["model"].probes > 0
    assert {"ModelRequest"} <= {case.message_type for case in outcome.cases if not case.made_up}


@pytest.mark.req("C-37")
def test_every_kind_of_actor_of_a_whole_agent_can_be_crashed_at_every_type_that_it_understands(tmp_path: Path) -> None:
    saboteur = Saboteur()
    with PlaygroundServer() as server:
        online = threading.Event()
        agent = _agent(server, tmp_path, online)
        register, kinds = agent.system.register, set[str]()

        def spoil(spec: ActorSpec) -> None:
            kinds.add(spec.kind)
            register(saboteur.spoilt(spec))

        agent.system.register = spoil  # type: ignore[method-assign]
        agent.start()
        try:
            assert online.wait(PATIENCE_S)
            said = server.say(GENERAL_ID, "run: echo quiet")
            server.wait_for_reply(GENERAL_ID, after=said, timeout_s=PATIENCE_S)
        finally:
            agent.stop()
    saboteur.look_at_unbuilt()

    assert {"context", "discord", "feed", "socket"} <= kinds
    assert saboteur.understood.keys() == kinds
    assert all(saboteur.understood.values())
    for each in {each for types in saboteur.understood.values() for each in types}:
        assert type(sample(each)) is each


def outcome(
    cases: tuple[Case, ...], beside_ms: float = 10.0, escalation: str = "", left_out: tuple[str, ...] = ()
) -> Outcome:
    felt = {"model": Felt(10.0, beside_ms, 500), "shell": Felt(10.0, 10.0, 500)}
    return Outcome(cases=cases, left_out=left_out, felt=felt, escalation=escalation)


GOOD = Case("model", "ModelRequest", made_up=False, has_crashed=True, restart_s=0.2, is_answered=True)


@pytest.mark.parametrize(
    ("made", "is_sound"),
    [
        (outcome((GOOD,)), True),
        (outcome((GOOD,), beside_ms=21.0), False),
        (outcome(()), False),
        (outcome((GOOD,), left_out=("web FetchPage: no plain value is known for it",)), False),
        (outcome((GOOD, Case("web", "FetchPage", False, True, 0.1, True))), False),
        (outcome((GOOD,), escalation="memory crashed 6 times"), False),
        (outcome((GOOD, Case("model", "ModelReply", False, True, 1.1, True))), False),
        (outcome((GOOD, Case("model", "ModelReply", False, True, None, True))), False),
        (outcome((GOOD, Case("model", "ModelReply", False, False, 0.1, True))), False),
        (outcome((GOOD, Case("model", "ModelReply", False, True, 0.1, False))), False),
    ],
)
def test_an_outcome_is_sound_only_if_all_is_restarted_answered_and_unfelt(made: Outcome, is_sound: bool) -> None:
    assert made.is_sound is is_sound
