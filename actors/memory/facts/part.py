"""Row of the facts' index, for the layer of facts."""

from __future__ import annotations

from actors.kernel import Actor, ActorSpec
from actors.part import Part, Parts, Plan
from messages.facts import FACT_INDEX


def fact_index_row(plan: Plan, _parts: Parts) -> Part:
    """The row of the one actor that owns the index."""

    def build(_key: str) -> Actor:
        from actors.memory.facts.actor import FactIndexActor

        return FactIndexActor(plan.settings.data_root if plan.lives else None)

    return Part(spec=ActorSpec(FACT_INDEX.kind, build))
