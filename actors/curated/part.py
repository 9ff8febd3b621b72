"""Layer of curated memory: settings and row; no other module of the layer is loaded while switched off."""

from __future__ import annotations

from actors.curated.table import CuratedTable
from actors.part import Layer, Part, Parts, Plan


def row(plan: Plan, _parts: Parts) -> Part:
    """The part, made when the layer is on."""
    from actors.curated.row import curated_part

    return curated_part(plan)


LAYER = Layer(name="curated", table=CuratedTable, rows=(row,))
