"""Configuration of local models: the size of their servers. Pure."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalModelConfig:
    """Configuration of a LocalModelActor."""

    threads: int = 0
    """Computing threads; 0 for a thread per processor of this process."""
    context_tokens: int = 8_192
    """Longest conversation, with its answer."""
    at_once: int = 2
    """Simultaneous answers; each has a context of its own."""
    cache_mib: int = 1_024
    """Memory for prompts of resting conversations, to save computing their beginnings again."""
    answer_tokens: int = 2_048
    """Longest answer."""
    start_timeout_s: float = 120.0
    """Time for loading the model."""
    health_s: float = 15.0
    """Time between two looks at the server's health, and the longest wait for a look."""

    def __post_init__(self) -> None:
        """Refuse invalid values.

        Raises:
            ValueError: a value breaks its rule; the text names both.
        """
        for name in ("context_tokens", "at_once", "answer_tokens", "start_timeout_s", "health_s"):
            if getattr(self, name) <= 0:
                raise ValueError(f"{name} {getattr(self, name)} must be > 0")
        for name in ("threads", "cache_mib"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} {getattr(self, name)} must be >= 0")

    def order(self, model: Path, key: str) -> dict[str, object]:
        """Order to the child program, as a JSON object."""
        return {
            "model": str(model),
            "key": key,
            "threads": self.threads or processors(),
            "context_tokens": self.context_tokens,
            "at_once": self.at_once,
            "cache_mib": self.cache_mib,
            "answer_tokens": self.answer_tokens,
        }


def processors() -> int:
    """Number of processors available to this process."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
