"""Row of local models in the table of parts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from actors.kernel import Actor, ActorSpec
from actors.part import Finding, Part, Parts, Plan, command
from messages.model import LOCAL_MODEL

IDLE_S = 3_600.0
"""Silence after which a model leaves memory; the next request loads the model again."""


def row(plan: Plan, _parts: Parts) -> Part:
    """The actors of local models, an actor for each model, started at the first request."""

    def build(key: str) -> Actor:
        from actors.local_model.actor import LocalModelActor
        from actors.local_model.config import LocalModelConfig
        from actors.local_model.store import Store

        table = plan.settings.local_model
        config = LocalModelConfig(
            threads=table.threads,
            context_tokens=table.context_tokens,
            at_once=table.at_once,
            cache_mib=table.cache_mib,
            start_timeout_s=table.start_timeout_s,
        )
        return LocalModelActor(key, config, Store(Path(table.folder).expanduser(), command()))

    return Part(
        spec=ActorSpec(LOCAL_MODEL, build, idle_s=IDLE_S),
        describes=False,
        checks=(lambda: _look(plan),),
    )


def _look(plan: Plan) -> Iterator[Finding]:
    from actors.local_model.checks import findings

    return findings(plan.settings, command())
