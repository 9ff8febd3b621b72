"""Configuration of the facts: decisions of the settings, and addresses of other actors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from domain.facts.pace import TURNS_A_CALL
from messages.base import Address
from messages.embedder import FACTS_EMBEDDER, RERANKER
from messages.facts import FACT_INDEX
from messages.model import MODEL


@dataclass(frozen=True, slots=True, kw_only=True)
class FactsConfig:
    """The operator's decisions."""

    root: Path
    """`facts.memory_path`, absolute."""
    api_base: str
    key_name: str = ""
    model: str = ""
    """Model for facts and summaries; empty for the model of the answer."""
    default_top_k: int = 5
    score_threshold: float = 0.35
    recency_weight: float = 0.2
    mmr_lambda: float = 0.7
    reranks: bool = False
    inject_chars: int = 8_000
    read_deadline_s: float = 1.0
    max_entries: int = 500
    enable_summarization: bool = True
    content_type: str = "conversation"
    turns_a_call: int = TURNS_A_CALL
    """Number of turns for one call for facts and summaries; 1 for calls at each turn."""
    pipelines: int = 4
    enable_git_versioning: bool = False
    start_watcher: bool = False
    ingest_discord: bool = False
    is_current_space: Callable[[str], bool] = bool
    """True if vectors of a space are from the embedding model in force, as far as the space's name tells."""
    embedder: Address = FACTS_EMBEDDER
    index: Address = FACT_INDEX
    reranker: Address = RERANKER
    model_actor: Address = MODEL
    commit_again_s: float = 60.0
    """Seconds before a failed commit is repeated."""
    snapshot_s: float = 30.0
    """Between two writings of `memory_index.json`."""
