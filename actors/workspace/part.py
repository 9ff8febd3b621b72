"""Layer of workspaces: its settings and its row, of which nothing else is loaded while it is switched off."""

from __future__ import annotations

from actors.part import Layer, Part, Parts, Plan
from actors.workspace.table import WorkspaceTable


def row(plan: Plan, _parts: Parts) -> Part:
    """The part, made when the layer is on."""
    from actors.workspace.row import workspace_part

    return workspace_part(plan)


LAYER = Layer(name="workspace", table=WorkspaceTable, rows=(row,))
