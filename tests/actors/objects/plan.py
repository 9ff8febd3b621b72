"""A plan with the layer, as settings make it."""

from __future__ import annotations

from pathlib import Path

from actors.bootstrap import agent_plan
from actors.kernel import ActorSystem
from actors.part import Plan
from actors.parts import settings_tables
from actors.settings.load import load


def plan_of(root: Path, **given: object) -> Plan:
    """The plan of an agent that lives."""
    usual: dict[str, object] = {"data_root": str(root / "data"), "layers.objects": True}
    settings = load(environ={}, folder=root, overrides=usual | given, tables=settings_tables())
    return agent_plan(settings, {}, ActorSystem(workers=0), None)
