"""Configuration of the model service: the answering model, its address, and the limits of its calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from domain.offline.model import OFFLINE_MODEL

NO_KEY = "none"
"""Key for self-hosted servers: litellm refuses to send an empty key."""
DELTA_INTERVAL_S = 1.2
"""Discord takes about five edits of a message in five seconds; this leaves room for all other calls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelConfig:
    """Configuration of a ModelActor."""

    name: str = OFFLINE_MODEL
    """Model for requests without a model name: in litellm's naming, or `offline`."""
    fallbacks: tuple[str, ...] = ()
    """Stand-ins, in this order, while the model is down, out of quota or without a valid key."""
    api_base: str = ""
    """Base address of the server of `name`, e.g. `http://127.0.0.1:8000/v1`; empty for the provider's own address.
    Requests that name another model of the same provider go there too."""
    api: str = ""
    """Form of requests to `api_base`: `openai`, or empty to ask litellm."""
    streams: bool = True
    """False to ask for whole answers."""
    api_keys: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), repr=False)
    """By litellm's name of the variable, e.g. `OPENAI_API_KEY`; before the environment."""
    concurrency: int = 256
    """Most calls in flight, >= 1."""
    retries: int = 3
    """Most retries of a failed call."""
    idle_timeout_s: float = 300.0
    """Longest silence of a server before the attempt counts as failed."""
    content_timeout_s: float = 0.0
    """Longest time without a word, thought or call while a server only keeps the connection awake; 0 for twice
    `idle_timeout_s`."""
    answer_timeout_s: float = 1_500.0
    """Longest time for an answer with all attempts, however often the server sends data."""
    delta_interval_s: float = DELTA_INTERVAL_S
    """Least time between two deltas of a request."""
    routes_folder: Path | None = None
    """Folder that keeps litellm's answers about models for later starts; None to ask at each start."""
    daily_cost_usd: float = 0.0
    """Cost of a day's calls (UTC) at which no further call begins; 0 for no cap."""

    @property
    def longest_without_content_s(self) -> float:
        """Bound for a stream without content."""
        return self.content_timeout_s or 2 * self.idle_timeout_s

    def is_own(self, model: str) -> bool:
        """True if requests to the model go to `api_base`."""
        return bool(self.api_base) and model.partition("/")[0] == self.name.partition("/")[0]

    def __post_init__(self) -> None:
        """Refuse invalid values.

        Raises:
            ValueError: a value breaks its rule; the text names both.
        """
        if not self.name.strip():
            raise ValueError(f"model name {self.name!r} must not be empty")
        if self.idle_timeout_s <= 0:
            raise ValueError(f"idle_timeout_s {self.idle_timeout_s} must be > 0")
        if self.content_timeout_s and self.content_timeout_s < self.idle_timeout_s:
            rule = f"must be 0 or at least idle_timeout_s {self.idle_timeout_s}"
            raise ValueError(f"content_timeout_s {self.content_timeout_s} {rule}")
        if self.answer_timeout_s <= 0:
            raise ValueError(f"answer_timeout_s {self.answer_timeout_s} must be > 0")
        if self.delta_interval_s < 0:
            raise ValueError(f"delta_interval_s {self.delta_interval_s} must be >= 0")
