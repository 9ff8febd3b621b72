from __future__ import annotations

import pytest

from actors.cli.setup.models import RECIPES, full_name, key_of, needs_key, recipe_of
from actors.settings.secret import is_secret_name

BY_WORD = {recipe.word: recipe for recipe in RECIPES}


@pytest.mark.parametrize(
    ("model", "api_base", "word"),
    [
        ("offline", "", "offline"),
        ("openai/gpt-5", "", "openai"),
        ("hosted_vllm/llama3.1", "http://127.0.0.1:11434/v1", "ollama"),
        ("hosted_vllm/Qwen/Qwen2.5", "http://10.0.0.1:8000/v1", "vllm"),
        ("mistral/large", "", "other"),
        ("gpt-4o", "", "other"),
        ("", "", "other"),
    ],
)
def test_a_models_kind_is_seen_from_its_settings(model: str, api_base: str, word: str) -> None:
    assert recipe_of(model, api_base).word == word


@pytest.mark.parametrize(
    ("model", "key"),
    [
        ("gemini/x", "GEMINI_API_KEY"),
        ("hosted_vllm/x", "HOSTED_VLLM_API_KEY"),
        ("together_ai/x/y", "TOGETHER_AI_API_KEY"),
        ("ollama_chat/x", ""),
        ("gpt-4o", "OPENAI_API_KEY"),
        ("claude-opus-4", "ANTHROPIC_API_KEY"),
        ("something", ""),
    ],
)
def test_a_key_has_the_name_that_litellm_looks_for(model: str, key: str) -> None:
    assert key_of(model) == key
    assert not key or is_secret_name(key)


@pytest.mark.parametrize("recipe", [recipe for recipe in RECIPES if recipe.key], ids=lambda recipe: recipe.word)
def test_the_tables_keys_are_the_ones_of_their_models(recipe: object) -> None:
    assert recipe.key == key_of(recipe.model)  # type: ignore[attr-defined]


def test_a_key_is_needed_where_a_provider_is_known_to_want_one() -> None:
    assert needs_key("openai/x", "")
    assert not needs_key("openai/x", "http://127.0.0.1:1/v1")
    assert not needs_key("hosted_vllm/x", "http://127.0.0.1:1/v1")
    assert not needs_key("bedrock/x", "")


@pytest.mark.parametrize(
    ("word", "said", "name"),
    [
        ("anthropic", "claude-opus-4", "anthropic/claude-opus-4"),
        ("anthropic", "anthropic/claude-opus-4", "anthropic/claude-opus-4"),
        ("vllm", "Qwen/Qwen2.5-7B", "hosted_vllm/Qwen/Qwen2.5-7B"),
        ("vllm", "hosted_vllm/Qwen/Qwen2.5-7B", "hosted_vllm/Qwen/Qwen2.5-7B"),
        ("other", "gpt-4o", "gpt-4o"),
    ],
)
def test_a_name_without_its_provider_is_completed(word: str, said: str, name: str) -> None:
    assert full_name(BY_WORD[word], said) == name


@pytest.mark.parametrize("said", ["", "two words", "hosted_vllm/NAME", "a" * 201, "n\u00e4me"])
def test_what_is_no_name_is_named(said: str) -> None:
    with pytest.raises(ValueError, match="the model's name is required, one word, such as hosted_vllm/NAME") as caught:
        full_name(BY_WORD["vllm"], said)
    assert repr(said) in str(caught.value)
