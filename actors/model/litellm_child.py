"""Program that prints litellm's listing of a model: provider, address, form, prices.

The program runs in a process of its own, so the caller need not load litellm (140 MB). The process has no network and
no key.
"""

from __future__ import annotations

import logging
import os
import re
import socket
import sys
import warnings
from typing import Any, NoReturn

import msgspec

from actors.http_client.litellm_library import ENVIRONMENT
from actors.linux.processes import die_with_parent
from actors.model.route import Listing, Tier

SPEAKERS = frozenset(
    {"openai", "hosted_vllm", "cerebras", "deepseek", "groq", "llamafile", "lm_studio", "together_ai", "xai"}
)
"""Providers whose requests and answers in litellm are OpenAI's, unchanged."""
_OPENAI = "https://api.openai.com/v1"
_ABOVE = re.compile(r"_above_([0-9]+)k_tokens$")
_SCALE = 1000


def main() -> None:
    """Write the listing of the model in the arguments to stdout; null for a model that litellm does not know."""
    model = sys.argv[3]
    die_with_parent(int(sys.argv[2]))  # which may be killed at any moment
    os.environ.update(ENVIRONMENT)
    answer, sys.stdout = sys.stdout, sys.stderr
    cut_off()
    import litellm

    answer.buffer.write(msgspec.json.encode(listing_of(litellm, model)))
    answer.flush()
    os._exit(0)  # litellm leaves threads behind that a normal end would wait for


def cut_off() -> None:
    """Let no code of this process reach the network: some of litellm's providers would ask theirs at once."""

    def refuse(*_: object, **__: object) -> NoReturn:
        raise OSError("this process has no network")

    socket.getaddrinfo = refuse
    socket.socket.connect = refuse  # type: ignore[method-assign]
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)


def listing_of(library: Any, model: str) -> Listing | None:
    """Listing of a model by litellm's public tables; None for a model unknown to litellm."""
    try:
        name, provider, _, address = library.get_llm_provider(model)
    except Exception:  # noqa: BLE001 - whatever it is, litellm will say it again to a person
        return None
    prices = library.model_cost.get(model) or library.model_cost.get(name) or {}
    has_other_form = provider == "openai" and (
        prices.get("mode", "chat") != "chat"
        or library.OpenAIOSeriesConfig().is_model_o_series_model(name)
        or _needs_responses(library, name)
    )
    sees_images = bool(library.supports_vision(model=model))
    calls_tools = not prices or bool(library.supports_function_calling(model=model))
    if provider not in SPEAKERS or has_other_form:
        return Listing(
            provider=provider, name=name, speaks_openai=False, sees_images=sees_images, calls_tools=calls_tools
        )
    return Listing(
        provider=provider,
        name=name,
        address=address or "",
        streams_usage="stream_options" in (library.get_supported_openai_params(name, provider) or ()),
        sees_images=sees_images,
        calls_tools=calls_tools,
        tiers=_tiers(library, model, prices),
    )


def _needs_responses(library: Any, name: str) -> bool:
    """True if litellm switches a model to OpenAI's Responses API for tools: `responses/…`, gpt-5.4 and later.

    Chat completions refuse tools for a thinking model, unless thinking is switched off.
    """
    offered = {"type": "function", "function": {"name": "bash", "parameters": {}}}
    listed, _ = library.main.responses_api_bridge_check(name, "openai", tools=[offered], api_base=_OPENAI)
    return bool(listed.get("mode") == "responses")


def _tiers(library: Any, model: str, prices: dict[str, Any]) -> tuple[Tier, ...]:
    """Prices of a token, by litellm's own calculation."""
    if not prices:
        return ()
    tiers = []
    try:
        library.cost_per_token(model=model, prompt_tokens=1, completion_tokens=1)
    except Exception:  # noqa: BLE001 - another provider's price for a model of the same name
        return ()
    for limit in sorted({0, *(int(number[1]) * _SCALE for key in prices if (number := _ABOVE.search(key)))}):
        prompt = limit + _SCALE
        of_prompt, of_completion = library.cost_per_token(model=model, prompt_tokens=prompt, completion_tokens=_SCALE)
        of_cached, _ = library.cost_per_token(model=model, prompt_tokens=prompt, cache_read_input_tokens=prompt)
        tiers.append(Tier(limit, of_prompt / prompt, of_completion / _SCALE, of_cached / prompt))
    return tuple(tiers)


if __name__ == "__main__":
    main()
