from __future__ import annotations

import pytest

from actors.cli.setup.models import RECIPES, full_name, key_of, needs_key, recipe_of
from actors.settings.secret import is_secret_name

BY_WORD = {recipe.word: recipe for recipe in RECIPES}


def test_a_models_kind_is_seen_from_its_settings(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str, str]] = [
        ("offline", "", "offline"),
        ("openai/gpt-5", "", "openai"),
        ("hosted_vllm/llama3.1", "http://127.0.0.1:11434/v1", "ollama"),
        ("hosted_vllm/Qwen/Qwen2.5", "http://10.0.0.1:8000/v1", "vllm"),
        ("mistral/large", "", "other"),
        ("gpt-4o", "", "other"),
        ("", "", "other"),
    ]
    for model, api_base, word in cases:
        with subtests.test(model=model, api_base=api_base):
            assert recipe_of(model, api_base).word == word


def test_a_key_has_the_name_that_litellm_looks_for(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str]] = [
        ("gemini/x", "GEMINI_API_KEY"),
        ("hosted_vllm/x", "HOSTED_VLLM_API_KEY"),
        ("together_ai/x/y", "TOGETHER_AI_API_KEY"),
        ("ollama_chat/x", ""),
        ("gpt-4o", "OPENAI_API_KEY"),
        ("claude-opus-4", "ANTHROPIC_API_KEY"),
        ("something", ""),
    ]
    for model, key in cases:
        with subtests.test(model=model, key=key):
            assert key_of(model) == key
            assert not key or is_secret_name(key)


def test_the_tables_keys_are_the_ones_of_their_models(subtests: pytest.Subtests) -> None:
    cases: list[object] = [recipe for recipe in RECIPES if recipe.key]
    for recipe in cases:
        with subtests.test(recipe=recipe):
            assert recipe.key == key_of(recipe.model)  # type: ignore[attr-defined]


def test_a_key_is_needed_where_a_provider_is_known_to_want_one() -> None:
    assert needs_key("openai/x", "")
    assert not needs_key("openai/x", "http://127.0.0.1:1/v1")
    assert not needs_key("hosted_vllm/x", "http://127.0.0.1:1/v1")
    assert not needs_key("bedrock/x", "")


def test_a_name_without_its_provider_is_completed(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str, str]] = [
        ("anthropic", "claude-opus-4", "anthropic/claude-opus-4"),
        ("anthropic", "anthropic/claude-opus-4", "anthropic/claude-opus-4"),
        ("vllm", "Qwen/Qwen2.5-7B", "hosted_vllm/Qwen/Qwen2.5-7B"),
        ("vllm", "hosted_vllm/Qwen/Qwen2.5-7B", "hosted_vllm/Qwen/Qwen2.5-7B"),
        ("other", "gpt-4o", "gpt-4o"),
    ]
    for word, said, name in cases:
        with subtests.test(word=word, said=said):
            assert full_name(BY_WORD[word], said) == name


def test_what_is_no_name_is_named(subtests: pytest.Subtests) -> None:
    cases: list[str] = ["", "two words", "hosted_vllm/NAME", "a" * 201, "n\u00e4me"]
    for said in cases:
        with subtests.test(said=said):
            with pytest.raises(
                ValueError, match="the model's name is required, one word, such as hosted_vllm/NAME"
            ) as caught:
                full_name(BY_WORD["vllm"], said)
            assert repr(said) in str(caught.value)
