"""Models that a setup offers: each with its name for litellm, its key, and its address where it is one's own."""

from __future__ import annotations

import re
from typing import NamedTuple


class Recipe(NamedTuple):
    """One kind of model."""

    word: str
    about: str
    model: str
    key: str = ""
    """Name of the secret; empty for none."""
    api_base: str = ""


RECIPES = (
    Recipe("offline", "no language model: fixed rules, to see that everything else works", "offline"),
    Recipe("anthropic", "Claude, by Anthropic", "anthropic/claude-sonnet-4-5", "ANTHROPIC_API_KEY"),
    Recipe("openai", "GPT, by OpenAI", "openai/gpt-4.1-mini", "OPENAI_API_KEY"),
    Recipe("gemini", "Gemini, by Google", "gemini/gemini-2.5-flash", "GEMINI_API_KEY"),
    Recipe("ollama", "a model of your own, in Ollama", "hosted_vllm/llama3.1", "", "http://127.0.0.1:11434/v1"),
    Recipe("vllm", "a server of your own in OpenAI's form", "hosted_vllm/NAME", "", "http://127.0.0.1:8000/v1"),
    Recipe("other", "any other that litellm knows, such as mistral/mistral-large-latest", ""),
)


def key_of(model: str) -> str:
    """The name that litellm gives a provider's key, by the model's name; empty for none."""
    provider, slash, _ = model.partition("/")
    if not slash or provider in ("offline", "hosted_vllm", "ollama", "ollama_chat"):
        return ""
    return f"{re.sub(r'[^A-Z0-9]+', '_', provider.upper())}_API_KEY"
