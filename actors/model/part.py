"""Row of the model actor in the table of parts."""

from __future__ import annotations

from collections.abc import Iterator

from actors.kernel import Actor, ActorSpec
from actors.linux.descriptors import share
from actors.part import Finding, Level, Part, Parts, Plan
from domain.offline.model import model_label
from messages.model import MODEL, is_local

_SHARE = 8
"""Inverse of the share of the process's descriptors available to connections to models."""
_FEWEST = 8


def row(plan: Plan, _parts: Parts) -> Part:
    """The single actor that calls language models."""
    model = plan.settings.model

    def build(_key: str) -> Actor:
        from actors.model.actor import ModelActor
        from actors.model.config import ModelConfig
        from actors.model.kept_routes import OWN_FOLDER

        config = ModelConfig(
            name=model.name,
            fallbacks=model.fallbacks,
            api_base=model.api_base,
            api=model.api,
            streams=model.streams,
            api_keys=plan.secrets,
            concurrency=max(1, min(model.concurrency // plan.shares, share(_SHARE, _FEWEST))),
            retries=model.retries,
            idle_timeout_s=model.idle_timeout_s,
            content_timeout_s=model.content_timeout_s,
            routes_folder=plan.settings.data_root / OWN_FOLDER if plan.lives else None,
            daily_cost_usd=model.daily_cost_usd / plan.shares,
        )
        spent = plan.spent_today
        return ModelActor(config, spent_today=None if spent is None else lambda: spent() / plan.shares)

    return Part(spec=ActorSpec(MODEL.kind, build, core=True), checks=(lambda: _look(plan),))


def _look(plan: Plan) -> Iterator[Finding]:
    if fallbacks := plan.settings.model.fallbacks:
        yield Finding("model", Level.OK, f"while it is down: {', then '.join(map(model_label, fallbacks))}")
    name = plan.settings.model.name
    if name == "offline" or plan.settings.model.api_base or is_local(name):
        yield Finding("model", Level.OK, model_label(name))
        return
    keys = sorted(key for key in plan.secrets if key.endswith("_API_KEY"))
    if keys:
        yield Finding("model", Level.OK, f"{model_label(name)}; keys set: {', '.join(keys)}")
    else:
        yield Finding("model", Level.WARN, f"{model_label(name)}: no provider key is set; see docs/models.md")
