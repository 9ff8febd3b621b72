"""Embeddings through litellm."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from actors.embedder.backend import CallError, Counted, Limits, count_in
from actors.embedder.worker import Loading
from actors.http_client.bounded_answers import chain, refusal_in
from actors.http_client.litellm_library import import_litellm
from domain.memory.embedding import cut
from domain.policy.retrying import Fault, FaultKind, classify
from messages.embedder import TextRole

NO_KEY = "none"
"""For servers of one's own: OpenAI's client refuses to be made without a key."""
_SLACK = 1e-3
"""Tolerance for relevances outside [0, 1], since services round."""


class LitellmBackend:
    """Backend on litellm's embedding API, for any known provider; treats documents and queries alike."""

    def __init__(
        self,
        *,
        model: str,
        dimensions: int,
        api_keys: Mapping[str, str],
        api_base: str,
        timeout_s: float,
        now: Callable[[], datetime],
    ) -> None:
        """Begin without an import.

        Args:
            model: As litellm names it, e.g. `openai/text-embedding-3-small`.
            dimensions: Requested if litellm knows that the model supports the request.
            api_keys: By litellm's name of the variable, before the environment.
            api_base: Empty for the provider's own address.
            timeout_s: Longest wait for one call.
            now: The wall clock, aware.
        """
        self._model = model
        self._dimensions = dimensions
        self._api_keys = api_keys
        self._api_base = api_base
        self._timeout_s = timeout_s
        self._now = now
        self._library = Loading("embedder-load", import_litellm)
        self.limits = Limits(texts=64, chars=100_000, queries=4, documents=3, timeout_s=timeout_s)

    async def warm_up(self) -> None:
        """Import litellm."""
        await self._library.get()

    async def embed(self, texts: Sequence[str], role: TextRole) -> Sequence[object]:  # noqa: ARG002
        """Vectors of the model, in the order of their `index` if present."""
        library = await self._library.get()
        try:
            response = await library.aembedding(**self._arguments(library, texts))
        except Exception as error:
            raise CallError(fault_of(error, self._now())) from error
        usage = getattr(response, "usage", None)
        counts = {
            "prompt_tokens": getattr(usage, "prompt_tokens", 0),
            "total_tokens": getattr(usage, "total_tokens", 0),
        }
        return Counted(_in_order(response.data or ()), count_in(counts))

    async def close(self) -> None:
        """Close litellm's connections.

        litellm keeps connections for the whole process and cannot tell ours from the model actor's; the model actor
        opens others at need.
        """
        if (library := self._library.value_if_loaded()) is not None:
            await library.close_litellm_async_clients()
            library.in_memory_llm_clients_cache.flush_cache()

    def _arguments(self, library: Any, texts: Sequence[str]) -> dict[str, Any]:
        arguments: dict[str, Any] = {
            "model": self._model,
            "input": list(texts),
            "dimensions": self._dimensions,
            "encoding_format": "float",
            "drop_params": True,
            "num_retries": 0,
            "max_retries": 0,
            "timeout": self._timeout_s,
        }
        if self._api_base:
            arguments["api_base"] = self._api_base
        if key := self._key(library):
            arguments["api_key"] = key
        return arguments

    def _key(self, library: Any) -> str:
        """Key for litellm; empty to have litellm look into the environment."""
        _, provider, _, _ = library.get_llm_provider(self._model)
        name = f"{provider.upper()}_API_KEY"
        if key := self._api_keys.get(name):
            return key
        return NO_KEY if self._api_base and name not in os.environ else ""


class Scores(list[float]):
    """Relevances of a call, with the tokens counted by the service; None without a count."""

    def __init__(self, scores: Iterable[float], tokens: int | None) -> None:
        """Hold the scores of one call."""
        super().__init__(scores)
        self.tokens = tokens


class LitellmJudge:
    """Reranker on litellm's reranking API, for any known service."""

    are_logits = False

    def __init__(self, model: str, api_keys: Mapping[str, str], now: Callable[[], datetime]) -> None:
        """Begin without an import.

        Args:
            model: As litellm names it, e.g. `cohere/rerank-v3.5`.
            api_keys: By litellm's name of the variable, before the environment.
            now: The wall clock, aware.
        """
        self.model = model
        self._api_keys = api_keys
        self._now = now
        self._library = Loading("reranker-load", import_litellm)

    async def warm_up(self) -> None:
        """Import litellm."""
        await self._library.get()

    async def judge(self, query: str, texts: Sequence[str], deadline_s: float) -> Sequence[float]:
        """Relevance of each text to a query, in [0, 1], as the service says.

        Raises:
            CallError: the service did not answer.
            ValueError: the service leaves a text out, or a value is no relevance.
        """
        library = await self._library.get()
        arguments: dict[str, Any] = {
            "model": self.model,
            "query": cut(query),
            "documents": [cut(text) for text in texts],
            "return_documents": False,
            "timeout": deadline_s,
            "drop_params": True,
            "num_retries": 0,
        }
        try:
            _, provider, _, _ = library.get_llm_provider(self.model)
            if key := self._api_keys.get(f"{provider.upper()}_API_KEY"):
                arguments["api_key"] = key
            response = await library.arerank(**arguments)
        except Exception as error:
            raise CallError(fault_of(error, self._now())) from error
        return Scores(_relevances(response.results or (), len(texts)), _tokens_in(getattr(response, "meta", None)))

    async def close(self) -> None:
        """Close litellm's connections, as `LitellmBackend` does."""
        if (library := self._library.value_if_loaded()) is not None:
            await library.close_litellm_async_clients()
            library.in_memory_llm_clients_cache.flush_cache()


def _tokens_in(meta: object) -> int | None:
    """Tokens counted by a reranking service; most services count searches instead."""
    tokens = meta.get("tokens") if isinstance(meta, Mapping) else None
    return count_in({"prompt_tokens": tokens.get("input_tokens")}) if isinstance(tokens, Mapping) else None


def _relevances(results: Sequence[Any], count: int) -> list[float]:
    """Scores in the order of the texts.

    Raises:
        ValueError: the results are not one relevance for each text.
    """
    scores: dict[int, float] = {}
    for result in results:
        index, score = (result.get(name) for name in ("index", "relevance_score"))
        if type(index) is not int or not isinstance(score, int | float) or not -_SLACK <= score <= 1 + _SLACK:
            raise ValueError("the service gave a relevance that is not between 0 and 1")
        scores[index] = min(1.0, max(0.0, float(score)))
    if scores.keys() != set(range(count)):
        raise ValueError(f"the service judged {len(scores)} of {count} texts")
    return [scores[place] for place in range(count)]


def fault_of(error: Exception, now: datetime) -> Fault:
    """Fault that an exception of litellm stands for."""
    if reason := refusal_in(error, "the provider"):
        return Fault(FaultKind.BEYOND_BOUND, text=reason)
    links = chain(error)
    names = [kind.__name__ for link in links for kind in type(link).__mro__]
    responses = [response for link in links if (response := getattr(link, "response", None)) is not None]
    headers = next((dict(response.headers) for response in responses if response.headers), {})
    status = next((code for link in links if isinstance(code := getattr(link, "status_code", None), int)), None)
    return classify(names, status, " ".join(str(link) for link in links), headers, now)


def _in_order(data: Sequence[Any]) -> list[object]:
    items = [item if isinstance(item, Mapping) else dict(item) for item in data]
    places = [item.get("index") for item in items]
    if sorted(place for place in places if isinstance(place, int)) == list(range(len(items))):
        items.sort(key=lambda item: int(item["index"]))
    return [item.get("embedding") for item in items]
