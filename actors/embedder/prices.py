"""Prices of embeddings and rerankings, from the list in litellm's package; litellm is not imported."""

from __future__ import annotations

import json
import logging
import math
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

log = logging.getLogger(__name__)

_FILE = "model_prices_and_context_window_backup.json"


class Price(NamedTuple):
    """US dollars."""

    per_token: float
    per_call: float
    """Price of a search at a reranking service."""


@cache
def price_of(model: str) -> Price:
    """Price of a model's calls; zero for an unlisted model. Reads the list, for 40 ms, once a model.

    Args:
        model: As litellm names it, or without its provider.
    """
    prices = _prices()
    for name in (model, model.partition("/")[2], f"gemini/{model}"):
        listed = prices.get(name)
        if isinstance(listed, dict):
            return Price(_amount(listed.get("input_cost_per_token")), _amount(listed.get("input_cost_per_query")))
    return Price(0.0, 0.0)


def _prices() -> dict[str, object]:
    spec = find_spec("litellm")
    folders = (spec.submodule_search_locations or ()) if spec is not None else ()
    for folder in folders:
        try:
            listed = json.loads((Path(folder) / _FILE).read_bytes())
        except (OSError, ValueError):
            log.warning("litellm's price list cannot be read, so embeddings are entered at no cost", exc_info=True)
            continue
        return listed if isinstance(listed, dict) else {}
    return {}


def _amount(price: object) -> float:
    return float(price) if isinstance(price, int | float) and math.isfinite(price) and price > 0 else 0.0
