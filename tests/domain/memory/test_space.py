from __future__ import annotations

import pytest

from domain.memory.space import Provider, Space, embedding_space, folder_model, is_of_model


@pytest.mark.req("S0-23")
def test_the_space_follows_from_the_settings_and_what_is_there(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str, bool, bool, str]] = [
        ("auto", "", True, True, "google/gemini-embedding-001/768"),
        ("auto", "", False, True, "local/all-MiniLM-L6-v2/384"),
        ("auto", "", False, False, "hashed-words-v1/384"),
        ("auto", "text-embedding-9", False, True, "local/all-MiniLM-L6-v2/384"),
        ("google", "", False, False, "google/gemini-embedding-001/768"),
        ("google", "text-embedding-9", True, True, "google/text-embedding-9/768"),
        ("local", "", True, True, "local/all-MiniLM-L6-v2/384"),
        ("local", "", True, False, "hashed-words-v1/384"),
        ("litellm", "openai/text-embedding-3-small", True, True, "litellm/openai/text-embedding-3-small/768"),
    ]
    for provider, model, key, extra, name in cases:
        with subtests.test(provider=provider, model=model, key=key, extra=extra, name=name):
            assert embedding_space(provider, model, 768, has_google_key=key, has_local_extra=extra).name == name


def test_litellm_needs_a_model() -> None:
    with pytest.raises(ValueError, match=r"embedder\.model is empty"):
        embedding_space("litellm", "", 768, has_google_key=True, has_local_extra=True)


def test_an_unknown_provider_is_refused() -> None:
    with pytest.raises(ValueError, match="'openai' must be auto, google, local or litellm"):
        embedding_space("openai", "", 768, has_google_key=True, has_local_extra=True)


def test_a_space_is_known_as_its_models(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str, str]] = [
        ("openai/text-embedding-3-small/1536", "text-embedding-3-small", ""),
        ("openai/BAAI/bge-small-en/384", "BAAI/bge-small-en", ""),
        ("openai//models/bge/384", "/models/bge", ""),
        ("local/all-MiniLM-L6-v2/384", "local", ""),
        ("hashed-words-v1/384", "local", ""),
        ("local/bge@0a1b/384", "/models/bge", "bge"),
    ]
    for name, model, folder in cases:
        with subtests.test(name=name, model=model, folder=folder):
            assert is_of_model(name, model, folder=folder)


def test_a_space_of_another_model_is_known_as_such(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str, str]] = [
        ("openai/text-embedding-3-large/3072", "text-embedding-3-small", ""),
        ("openai/text-embedding-3-small-x/1536", "text-embedding-3-small", ""),
        ("openai/BAAI/bge-small-en/384", "BAAI", ""),
        ("openai/text-embedding-3-small", "text-embedding-3-small", ""),
        ("google/text-embedding-3-small/1536", "text-embedding-3-small", ""),
        ("local/all-MiniLM-L6-v2/384", "BAAI/bge-small-en", ""),
        ("hashed-words-v1/384", "BAAI/bge-small-en", ""),
        ("local/bge@0a1b/384", "local", ""),
        ("openai/local/384", "local", ""),
        ("local/all-MiniLM-L6-v2/384", "/models/bge", "bge"),
        ("local/bge-large@0a1b/384", "/models/bge", "bge"),
        ("openai//models/bge/384", "/models/bge", "bge"),
        ("", "local", ""),
        ("", "text-embedding-3-small", ""),
    ]
    for name, model, folder in cases:
        with subtests.test(name=name, model=model, folder=folder):
            assert not is_of_model(name, model, folder=folder)


def test_a_servers_space_and_a_folders_are_named_as_they_are_known() -> None:
    assert is_of_model(Space(Provider.OPENAI, "a/b", 3).name, "a/b")
    assert is_of_model(Space(Provider.LOCAL, folder_model("bge", "0a1b"), 3).name, "/x/bge", folder="bge")
