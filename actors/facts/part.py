"""Layer of facts: settings and rows; while the layer is off, no other module of the room is loaded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from actors.facts.embedding import embedder_row
from actors.facts.reranking.part import reranker_row
from actors.facts.table import FactsTable
from actors.gateway.part import gateway_row
from actors.kernel import Actor, ActorSpec
from actors.part import Finding, Layer, Level, Part, Parts, Plan
from messages.facts import FACT_INDEX


def table_of(plan: Plan) -> FactsTable:
    """The layer's settings."""
    return plan.settings.table(FactsTable)


def index_row(plan: Plan, _parts: Parts) -> Part:
    """Row of the sole owner of the index."""

    def build(_key: str) -> Actor:
        from actors.facts.index.actor import FactIndexActor

        return FactIndexActor(plan.settings.data_root if plan.lives else None)

    return Part(spec=ActorSpec(FACT_INDEX.kind, build), checks=(lambda: _look(plan),))


def _look(plan: Plan) -> Iterator[Finding]:
    from actors.facts.index.audit import audit, count_bare
    from actors.facts.index.database import SCHEMA
    from actors.memory.derived.audit import finding

    path = SCHEMA.path(plan.settings.data_root)
    report = finding(
        "facts-index",
        path,
        audit,
        none_yet="nothing is indexed yet: the index is made from the files when the layer starts",
        remedy="delete the file, and the next start rebuilds it",
    )
    if report.level is Level.OK and path.exists() and (bare := count_bare(path)):
        waits = "they wait for one, or are set aside, since the embedding model fails with their text alone"
        detail = f"{report.detail}; {bare} entries have no vector: {waits}; the next start tries again"
        report = replace(report, level=Level.WARN, detail=detail)
    yield report


def row(plan: Plan, _parts: Parts) -> Part | None:
    """Row of the owner of the files; None for the one turn of a command line, which keeps no data."""
    if not plan.lives:
        return None
    from actors.facts.row import facts_part

    return facts_part(plan)


def recall_row(plan: Plan, _parts: Parts) -> Part | None:
    """Row of the reader."""
    if not plan.lives:
        return None
    from actors.facts.row import recall_part

    return recall_part(plan)


INNER_ROWS = (index_row, embedder_row, reranker_row, recall_row, row)
"""Rows of the actors that keep and find entries."""
LAYER = Layer(name="facts", table=FactsTable, rows=(*INNER_ROWS, gateway_row(table_of)))
