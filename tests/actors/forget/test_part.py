from __future__ import annotations

from pathlib import Path

import pytest

from actors.bootstrap import agent_plan
from actors.forget.part import places_elsewhere
from actors.kernel import ActorSystem
from actors.parts import parts
from actors.settings.load import load
from domain.log.window_folders import REPLACED
from messages.forget import FORGET


@pytest.mark.req("X-247")
def test_only_the_operators_socket_can_forget_so_that_no_command_of_a_model_does(tmp_path: Path) -> None:
    plan = agent_plan(load(environ={}, folder=tmp_path), {}, ActorSystem(workers=0), None)
    (part,) = (part for part in parts(plan) if part.spec.kind == FORGET.kind)
    assert part.verbs == {}
    assert part.operator_verbs.keys() == {"forget.preview", "forget.carry-out", "forget.expired", "forget.list"}
    assert part.spec.is_eager


def test_the_places_that_are_not_reached_are_those_of_the_settings(tmp_path: Path) -> None:
    settings = load(environ={}, folder=tmp_path, overrides={"model.name": "openai/gpt", "embedder.provider": "google"})
    plan = agent_plan(settings, {}, ActorSystem(workers=0), None)
    said = " ".join(places_elsewhere(plan))
    assert all(name in said for name in ("Discord", "Backups", "`/empty`", "openai/gpt", "google"))


def test_what_a_restore_moved_aside_is_named(tmp_path: Path) -> None:
    settings = load(environ={}, folder=tmp_path, overrides={"data_root": str(tmp_path)})
    plan = agent_plan(settings, {}, ActorSystem(workers=0), None)
    assert "restore" not in " ".join(places_elsewhere(plan))
    (tmp_path / f"{REPLACED}20261130T000000Z").mkdir()
    assert "`replaced-…`" in " ".join(places_elsewhere(plan))
