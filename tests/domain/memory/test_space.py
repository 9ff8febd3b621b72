from __future__ import annotations

import pytest

from domain.memory.space import embedding_space


@pytest.mark.req("S0-23")
@pytest.mark.parametrize(
    ("provider", "model", "key", "extra", "name"),
    [
        ("auto", "", True, True, "google/gemini-embedding-001/768"),
        ("auto", "", False, True, "local/all-MiniLM-L6-v2/384"),
        ("auto", "", False, False, "hashed-words-v1/384"),
        ("auto", "text-embedding-9", False, True, "local/all-MiniLM-L6-v2/384"),
        ("google", "", False, False, "google/gemini-embedding-001/768"),
        ("google", "text-embedding-9", True, True, "google/text-embedding-9/768"),
        ("local", "", True, True, "local/all-MiniLM-L6-v2/384"),
        ("local", "", True, False, "hashed-words-v1/384"),
        ("litellm", "openai/text-embedding-3-small", True, True, "litellm/openai/text-embedding-3-small/768"),
    ],
)
def test_the_space_follows_from_the_settings_and_what_is_there(
    provider: str, model: str, key: bool, extra: bool, name: str
) -> None:
    assert embedding_space(provider, model, 768, has_google_key=key, has_local_extra=extra).name == name


def test_litellm_needs_a_model() -> None:
    with pytest.raises(ValueError, match=r"embedder\.model is empty"):
        embedding_space("litellm", "", 768, has_google_key=True, has_local_extra=True)


def test_an_unknown_provider_is_refused() -> None:
    with pytest.raises(ValueError, match="'openai' must be auto, google, local or litellm"):
        embedding_space("openai", "", 768, has_google_key=True, has_local_extra=True)
