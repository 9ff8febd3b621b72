"""Route of a model: where litellm would send a request, in which form, and what an answer costs. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable

import msgspec

from domain.policy.spending import stated_usage
from messages.base import make_ready
from messages.model import Usage

_PLACEHOLDER = re.compile(r"agent-key-of-([A-Za-z0-9_]+)-here")


class Tier(msgspec.Struct, frozen=True):
    """Prices in dollars of requests that are longer than `above` tokens."""

    above: int
    of_prompt: float
    of_completion: float
    of_cached: float
    """Of a token of the prompt that the provider had kept."""


class Route(msgspec.Struct, frozen=True, kw_only=True):
    """Form of litellm's requests to one model; holds no key, but the place of a key."""

    address: str
    headers: dict[str, str]
    """With placeholders for keys."""
    model: str
    """As the server calls it."""
    fields: dict[str, object]
    """Further fields of a request that offers tools."""
    fields_without_tools: dict[str, object]
    sees_images: bool
    tiers: tuple[Tier, ...]
    """From the cheapest up; none for a model that is on no price list."""

    def headers_with(self, key_of: Callable[[str], str]) -> dict[str, str]:
        """The headers; `key_of` is asked for a key by the name of its variable."""
        return {name: _PLACEHOLDER.sub(lambda found: key_of(found[1]), value) for name, value in self.headers.items()}

    def key_names(self) -> tuple[str, ...]:
        """Variables whose keys stand in the headers."""
        return tuple(name for value in self.headers.values() for name in _PLACEHOLDER.findall(value))

    def usage(self, counted: object) -> Usage:
        """Usage of an answer as reported by the server, with the price."""
        usage = stated_usage(counted)
        return msgspec.structs.replace(
            usage, cost_usd=cost_usd(self.tiers, usage.prompt_tokens, usage.completion_tokens, usage.cached_tokens)
        )


def placeholder(name: str) -> str:
    """Placeholder for the key in the variable `name`, where the key itself must not be."""
    return f"agent-key-of-{name}-here"


def has_placeholder(text: str) -> bool:
    """True if the text has a key's placeholder."""
    return _PLACEHOLDER.search(text) is not None


def cost_usd(tiers: tuple[Tier, ...], prompt: int, completion: int, cached: int = 0) -> float:
    """Price of an answer; that of the highest tier which its prompt is above.

    Args:
        tiers: From the cheapest up.
        prompt: Its tokens.
        completion: Its tokens.
        cached: Of the prompt's tokens, how many the provider had kept.
    """
    price, kept = 0.0, min(cached, prompt)
    for tier in tiers:
        if prompt > tier.above or tier.above == 0:
            price = (prompt - kept) * tier.of_prompt + kept * tier.of_cached + completion * tier.of_completion
    return price


make_ready(__name__)
