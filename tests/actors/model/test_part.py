"""Row of the model actor, by the settings."""

from __future__ import annotations

import resource
from pathlib import Path

import pytest

from actors.bootstrap import agent_plan
from actors.kernel import ActorSystem
from actors.model.config import ModelConfig
from actors.model.part import row
from actors.part import Parts
from actors.settings.schema import Settings


@pytest.mark.parametrize(("descriptors", "wished", "most"), [(256, 200, 32), (256, 20, 20), (4096, 200, 200)])
def test_calls_at_once_are_no_more_than_there_are_descriptors_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, descriptors: int, wished: int, most: int
) -> None:
    """The others wait in turn, instead of failing because no connection can be opened."""
    monkeypatch.setattr(resource, "getrlimit", lambda _which: (descriptors, descriptors))
    settings = Settings.model_validate({"data_root": tmp_path, "model": {"concurrency": wished}})
    given: list[ModelConfig] = []
    monkeypatch.setattr("actors.model.actor.ModelActor", lambda config, **_more: given.append(config))
    plan = agent_plan(settings, {}, ActorSystem(workers=0), None)
    row(plan, Parts(plan, ())).spec.build("")

    assert [config.concurrency for config in given] == [most]
    assert [config.routes_folder for config in given] == [tmp_path / "routes"]  # for the next start
