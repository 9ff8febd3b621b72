"""Listings of the models that tests name, made by one process that imports litellm once.

Without it an agent has each model listed by a process of its own, which takes some seconds to import litellm.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from actors.http_client.litellm_library import ENVIRONMENT
from actors.model.kept_routes import keep
from actors.model.litellm_child import cut_off, listing_of
from tests.patience import PATIENCE_S

MODELS = (
    *(f"anthropic/claude-{name}" for name in ("sonnet-4-20250514", "sonnet-4-5")),
    "bedrock/converse/us.anthropic.claude-sonnet-4-20250514-v1:0",
    "deepseek/deepseek-chat",
    *(f"gemini/gemini-2.5-{name}" for name in ("flash", "pro")),
    *(f"hosted_vllm/{name}" for name in ("Qwen/Mine", "Qwen/Qwen3-8B", "a", "b", "c", "loopback", "m", "mine")),
    *(f"hosted_vllm/{name}" for name in ("mistral-small", "other", "qwen3:8b", "smollm2", "test", "x")),
    "nobody-knows-this",
    "ollama/x",
    "ollama_chat/qwen3:8b",
    *(f"openai/{name}" for name in ("gpt-4.1-mini", "gpt-4o", "gpt-5-codex", "hostile", "loopback", "o3-mini")),
    *(f"openai/{name}" for name in ("owl", "special", "test", "usual", "x")),
    "openrouter/test",
    "xai/grok-3",
)
"""Names in litellm's naming; another name costs its first agent a process."""
_ROOT = Path(__file__).parents[3]


def keep_listings() -> None:
    """Have all models listed in the folder that the environment names; takes as long as one."""
    environment = {**os.environ, "PYTHONPATH": str(_ROOT)}
    command = [sys.executable, "-P", "-m", __name__]
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, timeout=2 * PATIENCE_S, check=True)


def main() -> None:
    """List the models as `actors.model.litellm_child` does, without a network."""
    os.environ.update(ENVIRONMENT)
    cut_off()
    import litellm

    for model in MODELS:
        keep(model, listing_of(litellm, model), None)
    os._exit(0)  # as there: threads of litellm's would be waited for


if __name__ == "__main__":
    main()
