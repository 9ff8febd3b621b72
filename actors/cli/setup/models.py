"""Models offered by a setup: each with the name for litellm, the key, and the address of an own server. Pure."""

from __future__ import annotations

import re
from typing import NamedTuple


class Recipe(NamedTuple):
    """Kind of model."""

    word: str
    about: str
    model: str
    """Name for litellm; `…/NAME` where only the owner knows the name."""
    key: str = ""
    """Name of the secret; empty without a secret."""
    api_base: str = ""
    """Address of the user's own server, whose key, if named, may be missing."""

    @property
    def provider(self) -> str:
        """Provider: the text before the slash in the names of its models."""
        return self.model.partition("/")[0]


OFFLINE, OTHER = "offline", "other"
RECIPES = (
    Recipe(OFFLINE, "no language model: fixed rules, to see that everything else works", OFFLINE),
    Recipe("anthropic", "Claude, by Anthropic", "anthropic/claude-sonnet-4-5", "ANTHROPIC_API_KEY"),
    Recipe("openai", "GPT, by OpenAI", "openai/gpt-4.1-mini", "OPENAI_API_KEY"),
    Recipe("gemini", "Gemini, by Google", "gemini/gemini-2.5-flash", "GEMINI_API_KEY"),
    Recipe("ollama", "a model of your own, in Ollama", "hosted_vllm/qwen3:8b", "", "http://127.0.0.1:11434/v1"),
    Recipe(
        "vllm",
        "a server of your own in OpenAI's form",
        "hosted_vllm/NAME",
        "HOSTED_VLLM_API_KEY",
        "http://127.0.0.1:8000/v1",
    ),
    Recipe(OTHER, "any other that litellm knows, such as mistral/mistral-large-latest", ""),
)
_WITHOUT_PROVIDER = (("gpt-", "OPENAI_API_KEY"), ("claude-", "ANTHROPIC_API_KEY"))


def recipe_of(model: str, api_base: str) -> Recipe:
    """Kind of a model, by the settings."""
    fits = [each for each in RECIPES if each.provider == model.partition("/")[0] and each.word != OTHER]
    return next((each for each in fits if each.api_base == api_base), fits[-1] if fits else RECIPES[-1])


def key_of(model: str) -> str:
    """Litellm's name for a provider's key, by the model's name; empty without a key."""
    provider, slash, _ = model.partition("/")
    if not slash:
        return next((key for begin, key in _WITHOUT_PROVIDER if model.startswith(begin)), "")
    if provider in ("ollama", "ollama_chat"):
        return ""
    return f"{re.sub(r'[^A-Z0-9]+', '_', provider.upper())}_API_KEY"


def needs_key(model: str, api_base: str) -> bool:
    """True if a call without a key is known to fail."""
    recipe = recipe_of(model, api_base)
    return bool(recipe.key) and not recipe.api_base and not api_base


def full_name(recipe: Recipe, answer: str) -> str:
    """A model's name with its provider, often left out by people.

    Raises:
        ValueError: the text is no name.
    """
    if not re.fullmatch("[!-~]{1,200}", answer) or answer.endswith("/NAME"):
        raise ValueError(
            f"{answer!r}: the model's name is required, one word, such as {recipe.model or 'provider/name'}"
        )
    is_short = "/" not in answer if not recipe.api_base else not answer.startswith(f"{recipe.provider}/")
    return f"{recipe.provider}/{answer}" if recipe.model and is_short else answer
