"""Row of the windows' workspaces, with all that they bring; loaded only where the layer is switched on."""

from __future__ import annotations

from functools import cache

from actors.kernel import Actor, ActorSpec
from actors.part import Part, Plan
from actors.workspace.checks import findings
from actors.workspace.commands import COMMANDS, COMPACT
from actors.workspace.config import FOLDER, WorkspaceConfig
from actors.workspace.table import WorkspaceTable
from messages.base import Window
from messages.workspace import WORKSPACE_KIND, workspace_of

IDLE_S = 300.0
"""A workspace without a turn for so long leaves memory; the disk has what it knew."""
NOT_BOTH = (
    "workspace.compaction: cannot be true beside layers.objects, which shortens histories in its own way; "
    "set one of the two to false"
)


def workspace_part(plan: Plan) -> Part:
    """The actors that keep the windows' files of working state, one per window."""
    table = plan.settings.table(WorkspaceTable)

    @cache
    def config() -> WorkspaceConfig:
        return workspace_config(plan)

    def build(key: str) -> Actor:
        from actors.workspace.actor import WorkspaceActor

        return WorkspaceActor(Window.from_key(key), config())

    compacts = table.compaction and plan.lives
    return Part(
        spec=ActorSpec(WORKSPACE_KIND, build, idle_s=IDLE_S if plan.lives else None, is_made_up_for=True),
        unusable=NOT_BOTH if table.compaction and plan.settings.has_layer("objects") else "",
        per_window=workspace_of,
        contributes=True,
        readies_trims=compacts,
        subscribes=plan.lives,
        describes=False,
        commands=(*COMMANDS, *((COMPACT,) if compacts else ())) if plan.lives else (),
        checks=(lambda: findings(config()),),
    )


def workspace_config(plan: Plan) -> WorkspaceConfig:
    """What the settings decide."""
    settings, table = plan.settings, plan.settings.table(WorkspaceTable)
    return WorkspaceConfig(
        root=settings.data_root / FOLDER,
        lives=plan.lives,
        recall=table.recall,
        session=table.session,
        compaction=table.compaction and plan.lives,
        subagents=table.subagents,
        llm=table.llm,
        can_run=settings.shell.enabled,
        model_name=table.model,
        recall_chars=table.recall_chars,
        handover_chars=table.handover_chars,
        secrets=frozenset(plan.secrets.values()),
    )
