"""Settings of an agent in a campaign: all layers, room for all messages, and addresses on loopback."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

MODEL = "loopback"
LISTED_MODEL = f"hosted_vllm/{MODEL}"
"""Model name that makes the agent ask litellm, in a process of its own."""
DIMENSIONS = 8
DATA = "data"
CONFIG = "agent.toml"
_SECRETS = "secrets.env"
_CURATED = "curated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """Addresses for an agent, and its one channel."""

    discord_base: str
    gateway_url: str
    token: str
    channel_id: int
    model_base: str


def write_settings(folder: Path, around: Surroundings, *, asks_litellm: bool) -> None:
    """Write the settings and secrets of an agent with its data in `folder`."""
    base = json.dumps(around.model_base)
    model = f'name = "{LISTED_MODEL}"' if asks_litellm else f'name = "{MODEL}"\napi = "openai"'
    (folder / CONFIG).write_text(
        f"data_root = {json.dumps(str(folder / DATA))}\n"
        f'[discord]\napi_base = "{around.discord_base}"\ngateway_url = "{around.gateway_url}"\n'
        f'channels = ["{around.channel_id}"]\nallowed_users = ["*"]\ndms = true\nturns_per_user = 10000\n'
        f"[model]\n{model}\napi_base = {base}\n"
        f'[embedder]\nprovider = "litellm"\nmodel = "{LISTED_MODEL}"\napi_base = {base}\ndimensions = {DIMENSIONS}\n'
        "[layers]\ncurated = true\nobjects = true\nworkspace = true\nfacts = true\n"
        f"[curated]\nglobal_folder = {json.dumps(str(folder / _CURATED))}\n"
        "[workspace]\nrecall = true\nsubagents = true\n"
        f'[facts]\nopenai_base_url = {base}\ngateway_port = 0\nembedding_model = "{MODEL}"\nturns_a_call = 1\n'
        "max_entries = 100000\n"
    )
    secrets = folder / _SECRETS
    secrets.touch(mode=0o600)
    secrets.write_text(f"DISCORD_BOT_TOKEN={around.token}\n")
