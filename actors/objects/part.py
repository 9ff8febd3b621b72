"""Layer of objects: settings and rows; while the layer is off, no other module of the room is loaded."""

from __future__ import annotations

from collections.abc import Iterator

from actors.kernel import Actor, ActorSpec
from actors.objects.table import ObjectsTable
from actors.part import Finding, Layer, Part, Parts, Plan
from messages.objects import OBJECT_STORE

MIB = 1024 * 1024


def row(plan: Plan, _parts: Parts) -> Part:
    """Row of the actors that word results, an actor per window."""
    from actors.objects.row import objects_part

    return objects_part(plan)


def store_row(plan: Plan, _parts: Parts) -> Part:
    """Row of the single actor that owns the store."""
    from actors.objects.row import STORE_VERBS

    def build(_key: str) -> Actor:
        from actors.objects.store.actor import ObjectStoreActor
        from actors.objects.store.bounds import StoreLimits

        table = plan.settings.table(ObjectsTable)
        limits = StoreLimits(window_bytes=table.window_mib * MIB, total_bytes=table.total_mib * MIB)
        return ObjectStoreActor(plan.settings.data_root if plan.lives else None, limits)

    return Part(
        spec=ActorSpec(OBJECT_STORE.kind, build),
        forgets=plan.lives,
        checks=(lambda: _look(plan),),
        operator_verbs={**STORE_VERBS},
    )


def _look(plan: Plan) -> Iterator[Finding]:
    from actors.memory.derived.audit import finding
    from actors.objects.store.audit import audit
    from actors.objects.store.database import SCHEMA

    yield finding(
        "objects",
        SCHEMA.path(plan.settings.data_root),
        audit,
        none_yet="nothing is kept yet: the first command of a conversation begins it",
        remedy="an unreadable file is moved aside, and a new one begins",
    )


LAYER = Layer(name="objects", table=ObjectsTable, rows=(store_row, row))
