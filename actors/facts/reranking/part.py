"""Row of the reranker, for the layer of facts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from actors.facts.reranking.folder import lack_of
from actors.facts.table import FactsTable
from actors.kernel import Actor, ActorSpec
from actors.part import Finding, Level, Part, Parts, Plan
from messages.embedder import RERANKER


def reranker_row(plan: Plan, _parts: Parts) -> Part | None:
    """Row of the reranking actor; None if reranking is off."""
    table = plan.settings.table(FactsTable)
    if table.reranker == "none" or not plan.lives:
        return None
    is_folder = table.reranker == "onnx" and table.reranker_model
    model = str(_folder_path(plan, table.reranker_model)) if is_folder else table.reranker_model

    def build(_key: str) -> Actor:
        from actors.facts.reranking.actor import RerankerActor
        from actors.facts.reranking.judge import judge_of

        return RerankerActor(judge_of(table.reranker, model, plan.secrets))

    return Part(
        spec=ActorSpec(RERANKER.kind, build, is_eager=True, is_made_up_for=True),
        unusable=_problem_of(table, model),
        checks=(lambda: _look(table, model),),
    )


def _folder_path(plan: Plan, name: str) -> Path:
    try:
        return (plan.settings.data_root / Path(name).expanduser()).absolute()
    except RuntimeError:  # nobody's home
        return Path(name).absolute()


def _problem_of(table: FactsTable, model: str) -> str:
    """Reason why reranking by the settings is impossible; empty if possible."""
    if not model:
        return f"facts.reranker is {table.reranker!r}: facts.reranker_model must say which model"
    lack = lack_of(Path(model)) if table.reranker == "onnx" else ""
    return lack and f"facts.reranker is 'onnx', facts.reranker_model {table.reranker_model!r}: {lack}"


def _look(table: FactsTable, model: str) -> Iterator[Finding]:
    if not _problem_of(table, model):  # of which doctor tells itself
        yield Finding("reranker", Level.OK, f"{table.reranker}: {model}")
