"""Layer of objects: its settings and its row, of which nothing else is loaded while it is switched off."""

from __future__ import annotations

from actors.objects.table import ObjectsTable
from actors.part import Layer, Part, Parts, Plan


def row(plan: Plan, _parts: Parts) -> Part:
    """The part, made when the layer is on."""
    from actors.objects.row import objects_part

    return objects_part(plan)


LAYER = Layer(name="objects", table=ObjectsTable, rows=(row,))
