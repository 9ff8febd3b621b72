"""Usage of a model from the metadata of events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from messages.model import Usage


def usage_of(meta: Mapping[str, Any]) -> Usage:
    """Usage reported in an event's metadata; zero without a report."""
    return Usage(
        prompt_tokens=int(meta.get("prompt_tokens", 0)),
        completion_tokens=int(meta.get("completion_tokens", 0)),
        cost_usd=float(meta.get("cost_usd", 0.0)),
        cached_tokens=int(meta.get("cached_tokens", 0)),
    )
