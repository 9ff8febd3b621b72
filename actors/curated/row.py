"""Row of curated memory, with all that it brings; loaded only where the layer is switched on."""

from __future__ import annotations

from actors.curated.checks import findings
from actors.curated.commands import COMMANDS
from actors.curated.config import FOLDER, CuratedConfig, absolute, projects_of
from actors.curated.state import CuratedState
from actors.curated.table import CuratedTable
from actors.kernel import Actor, ActorSpec
from actors.part import SHIPPED_SKILLS, Part, Plan, Verb
from messages.base import Message
from messages.curated import (
    CURATED,
    AddFact,
    ArchiveFact,
    ConfirmFact,
    FixFact,
    FlushFacts,
    ImportClaude,
    MoveFact,
    RememberFact,
    RemoveFact,
    SwitchInjection,
    VerifyPages,
)
from messages.curated_view import (
    DescribeCurated,
    ListFaults,
    ListPages,
    ListStale,
    ListTraces,
    RecallFacts,
    ShowTrace,
)

_VERBS: dict[str, type[Message]] = {
    "add": AddFact,
    "fix": FixFact,
    "remove": RemoveFact,
    "archive": ArchiveFact,
    "move": MoveFact,
    "confirm": ConfirmFact,
    "remember": RememberFact,
    "flush": FlushFacts,
    "recall": RecallFacts,
    "pages": ListPages,
    "status": DescribeCurated,
    "faults": ListFaults,
}
_OPERATOR_VERBS: dict[str, type[Message]] = {
    "verify": VerifyPages,
    "traces": ListTraces,
    "trace": ShowTrace,
    "stale": ListStale,
    "switch": SwitchInjection,
    "import": ImportClaude,
}
IMPORT_S = 60.0


def curated_part(plan: Plan) -> Part:
    """The one actor that writes the memory folders."""
    can_run = plan.settings.shell.enabled
    return Part(
        spec=curated_spec(plan, lives=plan.lives),
        contributes=True,
        subscribes=plan.lives and plan.settings.table(CuratedTable).capture,
        hears_readers=plan.lives,
        verbs={f"curated.{name}": Verb(CURATED, message) for name, message in _VERBS.items()},
        operator_verbs={
            f"curated.{name}": Verb(CURATED, message, IMPORT_S) for name, message in _OPERATOR_VERBS.items()
        },
        commands=COMMANDS,
        checks=(lambda: findings(curated_config(plan)),),
        skills=(SHIPPED_SKILLS / "curated-memory",) if can_run else (),
    )


def curated_spec(plan: Plan, *, lives: bool) -> ActorSpec:
    """How the actor is made.

    Args:
        plan: What it is made from.
        lives: Whether it notes decisions, and finishes what an earlier life left.
    """
    state = CuratedState()

    def build(_key: str) -> Actor:
        from actors.curated.actor import CuratedActor

        return CuratedActor(curated_config(plan, lives=lives), state)

    return ActorSpec(CURATED.kind, build)


def curated_config(plan: Plan, *, lives: bool = False) -> CuratedConfig:
    """What the settings decide."""
    settings, table = plan.settings, plan.settings.table(CuratedTable)
    projects, untrusted = projects_of(table)
    return CuratedConfig(
        global_folder=absolute(table.global_folder),
        projects=projects,
        untrusted=untrusted,
        own_folder=settings.data_root / FOLDER,
        surface=plan.surface if plan.connection is not None and lives else None,
        dms=settings.discord.dms,
        lives=lives,
        can_run=settings.shell.enabled,
        no_memory=table.no_memory,
        dates=table.dates,
        stale_days=table.stale_days,
        local_notes=table.local_notes,
        claude_folder=absolute(table.claude_folder) if table.claude_folder else None,
        capture=table.capture,
        secrets=frozenset(plan.secrets.values()),
    )
