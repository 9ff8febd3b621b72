"""Row of the memory in the table of parts."""

from __future__ import annotations

import apsw  # noqa: F401 - before there is a second thread, as actors that open databases start side by side

from actors.kernel import Actor, ActorSpec
from actors.memory.checks import index_findings, search_findings
from actors.memory.recall.commands import COMMANDS, EXPORT, ME, REBUILT, SEARCH, STATS, WHY
from actors.part import SHIPPED_SKILLS, Part, Parts, Plan, Verb
from domain.turn.prompt import MEMORY_PREFIX
from messages.embedder import EMBEDDER
from messages.memory import MEMORY, DescribeMemory, ExplainMemory, RebuildMemory, SearchMemory
from messages.turn import ExpandReference

LEAST_LEFT_S = 0.5
"""Seconds before the deadline of a turn's preparation by which a question's vector must be there."""
REBUILD_S = 3_600.0
VERBS = {
    "memory.search": Verb(MEMORY, SearchMemory, words=SEARCH),
    "memory.me": Verb(MEMORY, SearchMemory, words=ME),
    "memory.expand": Verb(MEMORY, ExpandReference),
    "memory.why": Verb(MEMORY, ExplainMemory, words=WHY),
    "memory.stats": Verb(MEMORY, DescribeMemory, words=STATS),
    "memory.rebuild": Verb(MEMORY, RebuildMemory, answer_s=REBUILD_S, words=REBUILT),
}
_OF_SCRIPTS = ("memory.search", "memory.expand")


def row(plan: Plan, _parts: Parts) -> Part | None:
    """The single actor that owns the index; read-only in a command line's turn."""
    if not plan.settings.memory.enabled:
        return None
    return Part(
        spec=memory_spec(plan, read_only=not plan.lives),
        contributes=True,
        explains=(MEMORY_PREFIX,),
        refers=True,
        subscribes=plan.lives,
        forgets=plan.lives,
        hears_readers=plan.lives,
        verbs={name: VERBS[name] for name in _OF_SCRIPTS},
        operator_verbs={name: verb for name, verb in VERBS.items() if name not in _OF_SCRIPTS},
        commands=COMMANDS,
        presses=(EXPORT,),
        checks=(search_findings, lambda: index_findings(plan, memory_spec(plan, read_only=True, embeds=False))),
        skills=(SHIPPED_SKILLS / "memory-search",),
    )


def memory_spec(plan: Plan, *, read_only: bool = False, embeds: bool = True) -> ActorSpec:
    """Recipe of the actor; only without an `embedding_problem`.

    Args:
        plan: Settings and paths of the run.
        read_only: True to read the index only.
        embeds: True if there is an embedder.
    """

    def build(_key: str) -> Actor:
        from actors.memory import store
        from actors.memory.actor import MemoryActor
        from actors.memory.config import MemoryConfig
        from domain.memory.injection import Budget

        memory, space = plan.settings.memory, plan.space()
        opening = store.MemoryPlan(
            data_root=plan.settings.data_root,
            space=space.name,
            dimensions=space.dimensions,
            search=memory.search,
            scope=memory.scope,
            read_only=read_only,
            is_live=read_only and plan.is_held(),
            exclude_visible=memory.exclude_visible,
        )
        longest_s = max(LEAST_LEFT_S, plan.settings.contexts.prepare_deadline_s - LEAST_LEFT_S)
        config = MemoryConfig(
            plan=opening,
            budget=Budget(total_tokens=memory.total_tokens, item_tokens=memory.item_tokens, most=memory.max_memories),
            surface=plan.surface if plan.connection is not None and not read_only else None,
            query_timeout_s=min(memory.query_timeout_s, longest_s),
        )
        return MemoryActor(config, EMBEDDER if embeds else None)

    return ActorSpec(MEMORY.kind, build, core=True, is_slow_to_start=True, is_made_up_for=True)
