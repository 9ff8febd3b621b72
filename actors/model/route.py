"""Routes of models: the address and form of requests, and the price of answers, from litellm's listing. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import msgspec

from domain.policy.spending import stated_usage
from messages.base import make_ready
from messages.model import Usage

_OPENAI = "https://api.openai.com/v1"
_PATH = "/chat/completions"
_STREAMED: Mapping[str, object] = {"stream": True}
_COUNTED: Mapping[str, object] = {"stream": True, "stream_options": {"include_usage": True}}
_RULE = "must begin with http:// or https:// and name a host, without user, query, fragment or spaces"
_USER = re.compile(r"//.*@")
_MOST_USD = 10**12
_TEXT_ALONE = {
    "openai": re.compile(r"openai/|(?:gpt-|chatgpt-|o\d)[^/]*$"),
    "anthropic": re.compile(r"anthropic/|claude-[^/]*$"),
    "gemini": re.compile(r"gemini/gemini-"),
    "vertex_ai": re.compile(r"vertex_ai(?:_beta)?/(?:gemini|claude)-|gemini-[^/]*$"),
}
"""Providers that serve their own models and encode text as text -> names of these models in litellm. Gateways, self-
hosted servers and providers of open models are not among the providers."""
_ELSEWHERE = ("API_BASE", "BASE_URL", "API_VERSION", "API_TYPE", "ENDPOINT", "ORGANIZATION", "ORG", "PROJECT")


class Tier(msgspec.Struct, frozen=True):
    """Prices in dollars of requests longer than `above` tokens."""

    above: int
    of_prompt: float
    of_completion: float
    of_cached: float
    """Price of a cached token of the prompt."""


class Listing(msgspec.Struct, frozen=True, kw_only=True):
    """Entry of litellm's tables for a model."""

    provider: str
    name: str
    """The model's name at its provider."""
    address: str = ""
    """Base address of the provider; empty if litellm has no address."""
    speaks_openai: bool = True
    """True if requests and answers are in OpenAI's form."""
    streams_usage: bool = True
    """True if a request may ask for usage at the end of a stream."""
    sees_images: bool = False
    calls_tools: bool = True
    """False if litellm knows the model, but no tool calls by the model."""
    tiers: tuple[Tier, ...] = ()
    """From the cheapest up; empty for a model without a price."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """Destination and form of requests without litellm."""

    address: str
    headers: Mapping[str, str] = field(repr=False)
    """With the key."""
    model: str
    """The model's name at the server."""
    fields: Mapping[str, object]
    """Further fields of a request."""
    sees_images: bool = False
    tiers: tuple[Tier, ...] | None = None
    """Prices; None if the server itself states the cost."""
    provider: str = ""
    """Provider called at its own address; empty for another server."""

    def usage(self, counted: object) -> Usage:
        """Usage of an answer as reported by the server, with the price."""
        usage = stated_usage(counted)
        if self.tiers is None:
            cost = _dollars(counted.get("cost") if isinstance(counted, dict) else None)
        else:
            cost = cost_usd(self.tiers, usage.prompt_tokens, usage.completion_tokens, usage.cached_tokens)
        return msgspec.structs.replace(usage, cost_usd=cost)


def refusal_of(api_base: str) -> str:
    """Reason why no server can be called at an address; empty for a valid address. Holds no password."""
    try:
        parts = urlsplit(api_base)
        fits = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        fits = False
    if fits and api_base.isprintable() and not re.search(r"[\s?#@\\]", api_base):
        return ""
    return f"api_base {_USER.sub('//…@', api_base)[:200]!r} {_RULE}"


def base_address(listing: Listing, api_base: str) -> str:
    """Base address of requests, `api_base` first; empty if unknown."""
    return api_base or listing.address or (_OPENAI if listing.provider == "openai" else "")


def route_to(listing: Listing, base: str, key: str, agent: str, *, streams: bool = True) -> Route:
    """Route in the form of litellm's own requests.

    Args:
        listing: Entry of a model in OpenAI's form.
        base: Base address.
        key: The provider's key.
        agent: Name of the client.
        streams: False to ask for whole answers.
    """
    base = base.rstrip("/")
    return Route(
        address=base if base.endswith(_PATH) else base + _PATH,
        headers={"user-agent": agent, "authorization": f"Bearer {key}"},
        model=listing.name,
        fields=(_COUNTED if listing.streams_usage else _STREAMED) if streams else {},
        sees_images=listing.sees_images,
        tiers=listing.tiers,
    )


def named_route(model: str, api_base: str, key: str) -> Route:
    """Route of a request that names its server: whole answers."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    return Route(address=api_base.rstrip("/") + _PATH, headers=headers, model=model, fields={})


def is_set_elsewhere(provider: str, variables: Collection[str]) -> bool:
    """True if a variable of the environment changes litellm's requests to the provider."""
    return any(f"{provider.upper()}_{end}" in variables for end in _ELSEWHERE)


def reads_text_alone(model: str, *, is_own_server: bool, variables: Collection[str]) -> bool:
    """True if the model's provider is known to encode text as text, so no word becomes a template mark.

    Args:
        model: litellm's name.
        is_own_server: True if its requests go to an address of the operator's.
        variables: Names of the environment; a variable may send requests elsewhere.
    """
    if is_own_server:
        return False
    provider = next((name for name, pattern in _TEXT_ALONE.items() if pattern.match(model)), "")
    return bool(provider) and not is_set_elsewhere(provider, variables)


def cost_usd(tiers: tuple[Tier, ...], prompt: int, completion: int, cached: int = 0) -> float:
    """Price of an answer: the price of the highest tier below its prompt.

    Args:
        tiers: From the cheapest up.
        prompt: Tokens of the prompt.
        completion: Tokens of the answer.
        cached: Number of the prompt's tokens cached by the provider.
    """
    price, cached_part = 0.0, min(cached, prompt)
    for tier in tiers:
        if prompt > tier.above or tier.above == 0:
            price = (
                (prompt - cached_part) * tier.of_prompt + cached_part * tier.of_cached + completion * tier.of_completion
            )
    return price


def _dollars(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0.0
    return float(value) if 0 <= value < _MOST_USD else 0.0


make_ready(__name__)
