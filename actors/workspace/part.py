"""Layer of workspaces: its settings and its row; no other module of the room is loaded while the layer is off."""

from __future__ import annotations

from actors.part import Layer, Part, Parts, Plan
from actors.workspace.table import WorkspaceTable


def row(plan: Plan, parts: Parts) -> Part:
    """The windows' workspaces, made when the layer is on."""
    from actors.workspace.row import workspace_part

    return workspace_part(plan, parts)


def runs_row(plan: Plan, _parts: Parts) -> Part | None:
    """Runs of sub-agents, if switched on and able to run."""
    if not plan.settings.table(WorkspaceTable).subagents or not plan.settings.shell.enabled:
        return None
    from actors.workspace.row import subagent_part

    return subagent_part(plan)


LAYER = Layer(name="workspace", table=WorkspaceTable, rows=(row, runs_row))
