"""Layer of objects: its settings and its row, of which nothing else is loaded while it is switched off."""

from __future__ import annotations

from actors.objects.table import ObjectsTable
from actors.part import Layer, Part, Parts, Plan

MIB = 1024 * 1024


def row(plan: Plan, _parts: Parts) -> Part:
    """The part, made when the layer is on."""
    from actors.objects.row import objects_part

    return objects_part(plan)


def kept_bytes(plan: Plan) -> tuple[int, int]:
    """How many bytes of texts are kept of one window, and of all."""
    table = plan.settings.table(ObjectsTable)
    return table.window_mib * MIB, table.total_mib * MIB


LAYER = Layer(name="objects", table=ObjectsTable, rows=(row,))
