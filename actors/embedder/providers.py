"""Factory of backends: chooses the maker of a space's vectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path

from actors.embedder.backend import Backend
from actors.embedder.google import GoogleBackend
from actors.embedder.litellm_provider import LitellmBackend
from actors.embedder.openai_provider import OpenAIBackend
from actors.embedder.own import HashedBackend, LocalBackend
from domain.memory.space import GOOGLE_KEY, OPENAI_KEY, Provider, Space


def backend_of(
    space: Space, *, api_keys: Mapping[str, str], api_base: str, timeout_s: float, folder: Path | None = None
) -> Callable[[Callable[[], datetime]], Backend]:
    """Maker of the backend of `space`, called with the wall clock.

    Args:
        space: Provider, model and size.
        api_keys: By name, e.g. `GEMINI_API_KEY`, `OPENAI_API_KEY`.
        api_base: Empty for the provider's own address; only for backends that call a network.
        timeout_s: Longest wait for one call over a network.
        folder: Folder of a local model other than the installed model.
    """

    def make(now: Callable[[], datetime]) -> Backend:
        match space.provider:
            case Provider.GOOGLE:
                return GoogleBackend(
                    model=space.model,
                    dimensions=space.dimensions,
                    api_key=api_keys.get(GOOGLE_KEY, ""),
                    api_base=api_base,
                    timeout_s=timeout_s,
                    now=now,
                )
            case Provider.LITELLM:
                return LitellmBackend(
                    model=space.model,
                    dimensions=space.dimensions,
                    api_keys=api_keys,
                    api_base=api_base,
                    timeout_s=timeout_s,
                    now=now,
                )
            case Provider.OPENAI:
                return OpenAIBackend(
                    model=space.model,
                    api_key=api_keys.get(OPENAI_KEY, ""),
                    api_base=api_base,
                    timeout_s=timeout_s,
                    now=now,
                )
            case Provider.LOCAL:
                return LocalBackend(folder)
            case Provider.HASHED:
                return HashedBackend()

    return make
