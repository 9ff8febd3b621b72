"""Row of the windows' workspaces, with all contributions; loaded only if the layer is switched on."""

from __future__ import annotations

from functools import cache

from actors.kernel import Actor, ActorSpec
from actors.part import SHIPPED_SKILLS, Part, Parts, Plan, Verb
from actors.skill_files.folders import skill_roots
from actors.workspace.checks import findings
from actors.workspace.commands import COMMANDS, COMPACT
from actors.workspace.config import FOLDER, WorkspaceConfig
from actors.workspace.shared_looks import SharedLooks
from actors.workspace.skills.lives import SkillLives
from actors.workspace.subagents.config import SubagentConfig
from actors.workspace.subagents.definitions import Definitions
from actors.workspace.table import WorkspaceTable
from domain.turn.prompt import FILES_BLOCK, HANDOVER_PREFIX
from domain.workspace.subagents.prompt import subagent_prompt
from messages.base import Window
from messages.workspace import (
    SUBAGENT_KIND,
    WAIT_S,
    WORKSPACE_KIND,
    ChildRole,
    ListSubagents,
    RunSubagent,
    StopSubagent,
    WaitSubagent,
    workspace_of,
)

IDLE_S = 300.0
"""Seconds without a turn after which a workspace leaves memory; the data stay on the disk."""
MOST_IDLE = 1_000
"""Workspaces without a turn that stay in memory, as many as windows do."""
DEFINITIONS = "sub-agents"
"""Folder of the operator's own sub-agents."""
_VERBS = {
    "subagent.run": Verb(workspace_of, RunSubagent, in_lanes=False),
    "subagent.wait": Verb(workspace_of, WaitSubagent, answer_s=WAIT_S + 5.0, in_lanes=False),
    "subagent.stop": Verb(workspace_of, StopSubagent, answer_s=20.0, in_lanes=False),
    "subagent.list": Verb(workspace_of, ListSubagents, in_lanes=False),
}


def workspace_part(plan: Plan, parts: Parts) -> Part:
    """Actors that keep the windows' files of working state, one per window."""
    settings, table = plan.settings, plan.settings.table(WorkspaceTable)
    runs = table.subagents and settings.shell.enabled

    @cache
    def config() -> WorkspaceConfig:
        return workspace_config(plan)

    @cache
    def shared_looks() -> SharedLooks:
        roots = skill_roots((), settings.data_root, settings.skills.folders, trusts_data=plan.trusts_data)
        lives = SkillLives(parts.skills, roots)
        return SharedLooks(lives, Definitions((config().root / DEFINITIONS, SHIPPED_SKILLS / "subagents")))

    def build(key: str) -> Actor:
        from actors.workspace.actor import WorkspaceActor

        return WorkspaceActor(Window.from_key(key), config(), shared_looks())

    compacts = table.compaction and plan.lives
    runs_hooks = settings.shell.enabled and plan.lives
    return Part(
        spec=ActorSpec(
            WORKSPACE_KIND,
            build,
            idle_s=IDLE_S if plan.lives else None,
            most_idle=MOST_IDLE if plan.lives else None,
            is_made_up_for=True,
        ),
        per_window=workspace_of,
        contributes=True,
        explains=(*((HANDOVER_PREFIX,) if compacts else ()), *((FILES_BLOCK,) if table.recall or runs_hooks else ())),
        prepares_compaction=compacts,
        subscribes=plan.lives,
        forgets=plan.lives,
        describes=False,
        commands=(*COMMANDS, *((COMPACT,) if compacts else ())) if plan.lives else (),
        verbs={**_VERBS} if runs else {},
        checks=(lambda: findings(config(), shared_looks()),),
        skills=(SHIPPED_SKILLS / "subagent",) if runs else (),
    )


def subagent_part(plan: Plan) -> Part:
    """Runs of sub-agents, an actor for each."""
    settings, shell = plan.settings, plan.settings.shell

    def prompt(window: Window, role: ChildRole, *, can_run: bool) -> str:
        return subagent_prompt(role, str(plan.workdir_of(window)) if can_run else None)

    @cache
    def config() -> SubagentConfig:
        return SubagentConfig(
            system_prompt=prompt,
            workspace_of=workspace_of,
            can_run=shell.enabled,
            default_timeout_s=shell.timeout_s,
            max_timeout_s=shell.max_timeout_s,
            max_history_tokens=settings.model.max_history_tokens,
        )

    def build(key: str) -> Actor:
        from actors.workspace.subagents.child import SubagentActor

        return SubagentActor(key, config())

    return Part(spec=ActorSpec(SUBAGENT_KIND, build, idle_s=IDLE_S), describes=False)


def workspace_config(plan: Plan) -> WorkspaceConfig:
    """Configuration by the settings."""
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
