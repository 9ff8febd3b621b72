"""Row of curated memory with all its parts; loaded only if the layer is switched on."""

from __future__ import annotations

from actors.curated.checks import findings
from actors.curated.commands import COMMANDS, words
from actors.curated.config import FOLDER, CuratedConfig, absolute, projects_of
from actors.curated.decisions import CuratedState
from actors.curated.table import CuratedTable
from actors.kernel import Actor, ActorSpec
from actors.part import SHIPPED_SKILLS, Part, Plan, Verb
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

VERBS = {
    "curated.add": Verb(CURATED, AddFact),
    "curated.fix": Verb(CURATED, FixFact),
    "curated.remove": Verb(CURATED, RemoveFact),
    "curated.archive": Verb(CURATED, ArchiveFact),
    "curated.move": Verb(CURATED, MoveFact),
    "curated.confirm": Verb(CURATED, ConfirmFact),
    "curated.recall": Verb(CURATED, RecallFacts, words=words(RecallFacts)),
    "curated.pages": Verb(CURATED, ListPages, words=words(ListPages)),
    "curated.status": Verb(CURATED, DescribeCurated, words=words(DescribeCurated)),
}
OPERATOR_VERBS = {
    "curated.remember": Verb(CURATED, RememberFact, words=words(RememberFact)),
    "curated.flush": Verb(CURATED, FlushFacts, words=words(FlushFacts)),
    "curated.verify": Verb(CURATED, VerifyPages, words=words(VerifyPages)),
    "curated.faults": Verb(CURATED, ListFaults, words=words(ListFaults)),
    "curated.traces": Verb(CURATED, ListTraces, words=words(ListTraces)),
    "curated.trace": Verb(CURATED, ShowTrace, words=words(ShowTrace)),
    "curated.stale": Verb(CURATED, ListStale, words=words(ListStale)),
    "curated.switch": Verb(CURATED, SwitchInjection, words=words(SwitchInjection)),
    "curated.import": Verb(CURATED, ImportClaude, words=words(ImportClaude)),
}


def curated_part(plan: Plan) -> Part:
    """Single writer of the memory folders."""
    can_run = plan.settings.shell.enabled
    return Part(
        spec=curated_spec(plan, lives=plan.lives),
        contributes=True,
        subscribes=plan.lives and plan.settings.table(CuratedTable).capture,
        hears_readers=plan.lives,
        forgets=plan.lives,
        verbs={**VERBS},
        operator_verbs={**OPERATOR_VERBS},
        commands=COMMANDS,
        checks=(lambda: findings(curated_config(plan)),),
        skills=(SHIPPED_SKILLS / "curated-memory",) if can_run else (),
    )


def curated_spec(plan: Plan, *, lives: bool) -> ActorSpec:
    """Specification of the actor.

    Args:
        plan: Plan of the agent.
        lives: True if the actor notes decisions, and finishes the work of an earlier life.
    """
    state = CuratedState()

    def build(_key: str) -> Actor:
        from actors.curated.actor import CuratedActor

        return CuratedActor(curated_config(plan, lives=lives), state)

    return ActorSpec(CURATED.kind, build)


def curated_config(plan: Plan, *, lives: bool = False) -> CuratedConfig:
    """Configuration from the settings."""
    settings, table = plan.settings, plan.settings.table(CuratedTable)
    projects, untrusted = projects_of(table)
    connection = plan.connection if lives else None
    return CuratedConfig(
        global_folder=absolute(table.global_folder),
        projects=projects,
        untrusted=untrusted,
        own_folder=settings.data_root / FOLDER,
        surface=plan.surface if connection is not None else None,
        channels=frozenset(connection.channels) if connection is not None else frozenset(),
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
