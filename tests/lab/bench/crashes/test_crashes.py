"""Campaign of crashes of the whole agent, and its verdict on each fault."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from actors.kernel import ActorSpec
from lab.bench.crashes.run import CRASHES, Case, make_agent, measure, rows_of
from lab.bench.crashes.saboteur import Saboteur
from lab.bench.crashes.sample import sample
from lab.playground.server import PlaygroundServer
from lab.playground.world.defaults import GENERAL_ID
from tests.patience import PATIENCE_S


@pytest.mark.req("C-37")
@pytest.mark.crashes
@pytest.mark.slow
def test_the_model_comes_back_from_a_crash_at_each_type_and_every_question_is_answered() -> None:
    progress: list[str] = []
    rows = measure(progress.append, kinds=("model",))

    assert [*rows] == ["model"]
    assert (rows["model"]["failed"], rows["model"]["crashes"]) == (0, rows["model"]["answered"])
    assert rows["model"]["ratio"] > 0
    assert {f"model at {name}" for name in ("ModelRequest", "ModelReply", "ModelDelta")} <= {
        line.partition(" (")[0] for line in progress
    }


@pytest.mark.req("C-37")
def test_every_kind_of_actor_of_a_whole_agent_can_be_crashed_at_every_type_that_it_understands(tmp_path: Path) -> None:
    saboteur = Saboteur()
    with PlaygroundServer() as server:
        online = threading.Event()
        agent = make_agent(server, tmp_path, online, saboteur)
        register, kinds = agent.system.register, set[str]()

        def register_noted(spec: ActorSpec) -> None:
            kinds.add(spec.kind)
            register(spec)

        agent.system.register = register_noted  # type: ignore[method-assign]
        agent.start()
        try:
            assert online.wait(PATIENCE_S)
            progress = server.say(GENERAL_ID, "run: echo quiet")
            server.wait_for_reply(GENERAL_ID, after=progress, timeout_s=PATIENCE_S)
        finally:
            agent.stop()
    saboteur.look_at_unbuilt()

    assert {"context", "discord", "feed", "socket"} <= kinds
    assert saboteur.understood.keys() == kinds
    assert all(saboteur.understood.values())
    for each in {each for types in saboteur.understood.values() for each in types}:
        assert type(sample(each)) is each


GOOD = Case("model", "ModelRequest", has_crashed=True, restart_s=0.2, is_answered=True)
QUIET = [0.01] * 10


def test_kinds_are_sound_only_if_all_is_restarted_answered_and_unfelt() -> None:
    assert CRASHES.is_sound(rows_of("model", [GOOD], QUIET, QUIET), quick=False)
    wrong = {
        "felt": rows_of("model", [GOOD], QUIET, [0.021] * 10),
        "no crash": rows_of("model", [], QUIET, QUIET),
        "not measured": rows_of("model", [GOOD], QUIET, []),
        "slow": rows_of("model", [replace(GOOD, restart_s=1.1)], QUIET, QUIET),
        "not restarted": rows_of("model", [replace(GOOD, restart_s=None)], QUIET, QUIET),
        "not crashed": rows_of("model", [replace(GOOD, has_crashed=False)], QUIET, QUIET),
        "not answered": rows_of("model", [GOOD, replace(GOOD, is_answered=False)], QUIET, QUIET),
    }
    assert [name for name, rows in wrong.items() if CRASHES.is_sound(rows, quick=False)] == []
    assert [*wrong["not answered"]] == ["model", "model at ModelRequest"]
