"""Row of the reranker, for the layer of facts."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from actors.embedder.reranking.model_folder import MODELS, TOKENIZER, model_file
from actors.kernel import Actor, ActorSpec
from actors.part import Part, Parts, Plan, Row
from messages.embedder import RERANKER


class RerankingTable(Protocol):
    """Settings of a layer that reranks."""

    @property
    def reranker(self) -> str:
        """`none`, `litellm` or `onnx`."""

    @property
    def reranker_model(self) -> str:
        """Litellm's name of it, or a folder."""


def reranker_row(table_of: Callable[[Plan], RerankingTable]) -> Row:
    """Row of the one actor that reranks; none where nothing is to be.

    Args:
        table_of: The layer's settings.
    """

    def row(plan: Plan, _parts: Parts) -> Part | None:
        table = table_of(plan)
        if table.reranker == "none" or not plan.lives:
            return None

        def build(_key: str) -> Actor:
            from actors.embedder.reranking.actor import RerankerActor, judge_of

            return RerankerActor(judge_of(table.reranker, table.reranker_model, plan.secrets))

        return Part(spec=ActorSpec(RERANKER.kind, build), unusable=problem_of(table))

    return row


def problem_of(table: RerankingTable) -> str:
    """Why nothing can be reranked as the settings want it; empty when it can."""
    name = table.reranker_model
    if not name:
        return f"facts.reranker is {table.reranker!r}: facts.reranker_model must say which model"
    if table.reranker == "litellm":
        return ""
    folder = Path(name).expanduser()
    missing = [library for library in ("onnxruntime", "tokenizers") if importlib.util.find_spec(library) is None]
    if missing:
        return f"facts.reranker is 'onnx': {' and '.join(missing)} must be installed (pip install {' '.join(missing)})"
    if model_file(folder) is None or not (folder / TOKENIZER).is_file():
        return f"facts.reranker_model {name!r}: must be a folder with {TOKENIZER} and one of {', '.join(MODELS)}"
    return ""
