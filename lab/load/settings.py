"""Settings of an agent under load: the product's defaults but for the addresses, and room for all messages."""

from __future__ import annotations

from lab.load.plan import Plan
from lab.load.stage import Addresses
from lab.playground.world.defaults import GENERAL_ID

MODEL = "hosted_vllm/loopback"
MOST_CALLS = 10_000
"""Limit of calls in the agent's settings."""


def agent_settings(addresses: Addresses, model_base: str, plan: Plan, more: str) -> str:
    """Text of agent.toml.

    Args:
        addresses: Addresses of the playground.
        model_base: Address of the loopback model.
        plan: Plan of the run, with room for a call of every thread at once.
        more: Further tables; `[discord]` and `[model]` are written here.
    """
    calls = min(MOST_CALLS, max(256, plan.threads))
    return (
        f'[discord]\napi_base = "{addresses.api_base}"\ngateway_url = "{addresses.gateway_url}"\n'
        f'channels = ["{GENERAL_ID}"]\nallowed_users = ["*"]\n'
        f"turns_per_user = {MOST_CALLS}\n"  # a hundred people say everything
        f'[model]\nname = "{MODEL}"\napi_base = "{model_base}"\nconcurrency = {calls}\n{more}{plan.more}'
    )


def floor_environment(addresses: Addresses, model_base: str) -> dict[str, str]:
    """Environment of the floor."""
    return {
        "FLOOR_API_BASE": addresses.api_base,
        "FLOOR_GATEWAY": addresses.gateway_url,
        "FLOOR_MODEL": MODEL,
        "FLOOR_MODEL_BASE": model_base,
    }
