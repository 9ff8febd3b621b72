"""Layer of facts: settings and rows; while the layer is off, no other module of the room is loaded."""

from __future__ import annotations

from actors.facts.table import FactsTable
from actors.part import Layer, Part, Parts, Plan


def table_of(plan: Plan) -> FactsTable:
    """The layer's settings."""
    return plan.settings.table(FactsTable)


def row(plan: Plan, _parts: Parts) -> Part | None:
    """The owner of the files; none for the one turn of a command line, which keeps nothing."""
    if not plan.lives:
        return None
    from actors.facts.row import facts_part

    return facts_part(plan)


def recall_row(plan: Plan, _parts: Parts) -> Part | None:
    """The reader."""
    if not plan.lives:
        return None
    from actors.facts.row import recall_part

    return recall_part(plan)


LAYER = Layer(name="facts", table=FactsTable, rows=(recall_row, row))
