"""Row of the facts' index, for the layer of facts."""

from __future__ import annotations

from collections.abc import Iterable

from actors.kernel import Actor, ActorSpec
from actors.part import Finding, Part, Parts, Plan
from messages.facts import FACT_INDEX


def fact_index_row(plan: Plan, _parts: Parts) -> Part:
    """The row of the one actor that owns the index."""

    def build(_key: str) -> Actor:
        from actors.memory.facts.actor import FactIndexActor

        return FactIndexActor(plan.settings.data_root if plan.lives else None)

    return Part(spec=ActorSpec(FACT_INDEX.kind, build), checks=(lambda: _findings(plan),))


def _findings(plan: Plan) -> Iterable[Finding]:
    from actors.memory.facts.checks import findings

    return findings(plan.settings.data_root)
