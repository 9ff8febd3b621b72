"""Rows of the facts, with all their imports; loaded only if the layer is switched on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from actors.facts.config import FactsConfig
from actors.facts.table import FactsTable
from actors.facts.words import ADDED, FORGOTTEN, HITS, LISTED
from actors.kernel import Actor, ActorSpec
from actors.part import Part, Plan, Verb, folder_of
from domain.memory.space import is_of_model
from messages.facts import FACT_RECALL, FACTS, AddEntry, ForgetEntry, ListEntries, SearchEntries

VERBS = {
    "facts.add": Verb(FACTS, AddEntry, words=ADDED),
    "facts.list": Verb(FACTS, ListEntries, words=LISTED),
    "facts.forget": Verb(FACTS, ForgetEntry, words=FORGOTTEN),
}
RECALL_VERBS = {"facts.search": Verb(FACT_RECALL, SearchEntries, words=HITS)}


def facts_part(plan: Plan) -> Part:
    """Part of the actor that writes the files."""

    def build(_key: str) -> Actor:
        from actors.facts.actor import FactsActor

        return FactsActor(facts_config(plan))

    return Part(
        spec=ActorSpec(FACTS.kind, build, is_eager=True, is_made_up_for=True),
        subscribes=plan.settings.table(FactsTable).ingest_discord,
        forgets=plan.lives,
        operator_verbs={**VERBS},
    )


def recall_part(plan: Plan) -> Part:
    """Part of the actor that reads, for waiting requests."""

    def build(_key: str) -> Actor:
        from actors.facts.recall import FactRecallActor

        return FactRecallActor(facts_config(plan))

    return Part(
        spec=ActorSpec(FACT_RECALL.kind, build),
        operator_verbs={**RECALL_VERBS},
    )


def facts_config(plan: Plan) -> FactsConfig:
    """Configuration of the layer, from the settings."""
    table = plan.settings.table(FactsTable)
    return FactsConfig(
        root=memory_path(plan.settings.data_root, table),
        api_base=table.openai_base_url,
        key_name=table.upstream_key if table.upstream_key in plan.secrets else "",
        model=table.model,
        default_top_k=table.default_top_k,
        score_threshold=table.score_threshold,
        recency_weight=table.recency_weight,
        mmr_lambda=table.mmr_lambda,
        reranks=table.reranker != "none",
        inject_chars=table.inject_chars,
        read_deadline_s=table.read_deadline_s,
        max_entries=table.max_entries,
        enable_summarization=table.enable_summarization,
        content_type=table.content_type,
        turns_a_call=table.turns_a_call,
        pipelines=table.pipelines,
        enable_git_versioning=table.enable_git_versioning,
        start_watcher=table.start_watcher,
        is_current_space=_is_space(plan),
    )


def memory_path(data_root: Path, table: FactsTable) -> Path:
    """The folder of the files, absolute."""
    return (data_root / Path(table.memory_path).expanduser()).absolute()


def _is_space(plan: Plan) -> Callable[[str], bool]:
    """Predicate over a space's name: True if its vectors are from the embedding model, as far as the name tells."""
    model = plan.settings.table(FactsTable).embedding_model
    folder = folder_of(model, plan.settings.data_root)
    return lambda name: is_of_model(name, model, folder="" if folder is None else folder.name)
