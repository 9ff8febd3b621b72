from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from actors.bootstrap import agent_plan
from actors.cluster.part import KIND
from actors.hosting import HostConfig
from actors.kernel import Actor, ActorSystem
from actors.model.config import ModelConfig
from actors.part import HostState
from actors.parts import parts, settings_tables
from actors.settings.load import load
from actors.settings.schema import Settings
from messages.base import Address, RequestId
from messages.status import DescribeYourself, SelfDescription

STATES = (HostState("h1", "running", 71, 12, 5, 3), HostState("h2", "lost", 72, 4, 0, 1))


class FakeHosts:
    is_busy = False
    lost = 1

    def states(self) -> tuple[HostState, ...]:
        return STATES


def settings(tmp_path: Path, **given: object) -> Settings:
    return load(environ={}, folder=tmp_path, overrides=given, tables=settings_tables())


def test_the_cluster_says_how_its_hosts_are_and_holds_up_a_drain_while_they_are_busy(tmp_path: Path) -> None:
    system, hosts = ActorSystem(workers=0), FakeHosts()
    plan = replace(agent_plan(settings(tmp_path), {}, system, None), hosts=hosts)
    (part,) = (part for part in parts(plan) if part.spec.kind == KIND)
    system.register(part.spec)
    system.start()
    edge = system.edge("test")
    system.tell(part.address, DescribeYourself(request_id=RequestId("r"), reply_to=edge.address))
    system.run()

    assert edge.receive(0) == SelfDescription(
        request_id=RequestId("r"),
        about="cluster",
        figures=(("hosts", 1), ("lost_hosts", 1), ("windows", 16)),
        operator_figures=(
            ("h1", "running, process 71: 12 windows, 5 in memory, 3 messages unhandled"),
            ("h2", "lost, process 72: 4 windows, 0 in memory, 1 messages unhandled"),
        ),
    )
    assert system.drain(0.5).quiet
    hosts.is_busy = True
    assert system.drain(0.1).unfinished == (Address(KIND),)
    system.stop()


def test_an_agent_without_hosts_has_no_such_part(tmp_path: Path) -> None:
    system = ActorSystem(workers=0)
    plan = agent_plan(settings(tmp_path), {}, system, None)

    assert KIND not in {part.spec.kind for part in parts(plan)}
    system.stop()


def test_settings_reach_a_host_as_they_are(tmp_path: Path) -> None:
    given = {"model.name": "offline", "discord.channels": ["910000000000000101"], "layers.facts": True}
    here = settings(tmp_path, **given)
    config = HostConfig.of(here, {"KEY": "secret"}, 2, 20)
    there = msgspec.msgpack.decode(config.to_bytes(), type=HostConfig)

    assert there.unpacked_settings() == here
    assert there.unpacked_settings().origin.folder == here.origin.folder
    assert there == config
    assert there.word
    assert there.word != HostConfig.of(here, {}, 2, 20).word


def test_the_models_limits_are_divided_among_hosts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[tuple[ModelConfig, Callable[[], float]]] = []

    def build(config: ModelConfig, spent_today: Callable[[], float]) -> Actor:
        made.append((config, spent_today))
        return Actor()

    monkeypatch.setattr("actors.model.actor.ModelActor", build)
    system = ActorSystem(workers=0)
    here = settings(tmp_path, **{"model.concurrency": 9, "model.daily_cost_usd": 6.0})
    plan = replace(agent_plan(here, {}, system, None), shares=2, spent_today=lambda: 3.0)
    (part,) = (part for part in parts(plan) if part.spec.kind == "model")
    part.spec.build("")
    ((config, spent_today),) = made

    assert config.concurrency == 4
    assert config.daily_cost_usd == 3.0
    assert spent_today() == 1.5
    system.stop()
