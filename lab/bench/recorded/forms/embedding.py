"""Embeddings of OpenAI's form and of Google's batches: texts, and vectors. Pure.

Source:
    OpenAI's API reference, "Embeddings"; Google's, "batchEmbedContents".
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from lab.bench.recorded.archive import Exchange
from lab.bench.recorded.forms.generate import snake
from lab.bench.recorded.talk import LeftOutError

Vector = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Texts:
    """Request for vectors."""

    model: str
    texts: tuple[str, ...]
    is_query: bool = True
    dimensions: int = 0
    """0 for the model's own."""


def read_request(exchange: Exchange) -> Texts:
    """The texts of a request.

    Raises:
        LeftOutError: a request for vectors of images, or of tokens.
    """
    body: Mapping[str, Any] = snake(dict(exchange.request))
    if "requests" not in body:
        texts_or_text = body["input"]
        texts = (texts_or_text,) if isinstance(texts_or_text, str) else tuple(texts_or_text)
        if not all(isinstance(text, str) for text in texts):
            raise LeftOutError("vectors of input without text")
        return Texts(body["model"], texts, dimensions=body.get("dimensions") or body.get("output_dimension") or 0)
    parts = [each["content"]["parts"] for each in body["requests"]]
    if any(len(each) != 1 or "text" not in each[0] for each in parts):
        raise LeftOutError("vectors of input without text")
    first = body["requests"][0]
    return Texts(
        first["model"].removeprefix("models/"),
        tuple(each[0]["text"] for each in parts),
        is_query=first.get("task_type") != "RETRIEVAL_DOCUMENT",
        dimensions=first.get("output_dimensionality") or 0,
    )


def read_answer(exchange: Exchange) -> list[Vector]:
    """The vectors of an answer."""
    answer = json.loads(exchange.body)
    if "embeddings" in answer:
        return [np.asarray(each["values"], np.float32) for each in answer["embeddings"]]
    return [_vector(each["embedding"]) for each in sorted(answer["data"], key=lambda each: each.get("index", 0))]


def _vector(value: str | list[float]) -> Vector:
    return np.frombuffer(base64.b64decode(value), "<f4") if isinstance(value, str) else np.asarray(value, np.float32)
