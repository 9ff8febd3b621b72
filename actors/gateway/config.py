"""Configuration of the gateway: where it listens, whom it lets in, and where it passes requests on to."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Protocol

from messages.base import Address
from messages.facts import FACT_RECALL, FACTS

SHORTEST_KEY = 16
"""Characters of a key that clients show."""


class GatewayTable(Protocol):
    """Settings of the layer that the gateway belongs to."""

    @property
    def openai_base_url(self) -> str:
        """The model's server."""

    @property
    def upstream_key(self) -> str:
        """Name of the secret that it is called with."""

    @property
    def gateway_address(self) -> str:
        """Host or IP address to listen on."""

    @property
    def gateway_port(self) -> int:
        """0 for any."""

    @property
    def keys(self) -> Mapping[str, str]:
        """Prefix of `memory_id` -> name of a secret."""

    @property
    def max_body_mib(self) -> float:
        """Of a request."""

    @property
    def read_deadline_s(self) -> float:
        """For the memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewayConfig:
    """The operator's decisions."""

    base_url: str
    """Of the model's server, such as `http://127.0.0.1:11434/v1`."""
    upstream_key: str = field(default="", repr=False)
    address: str = "127.0.0.1"
    port: int = 8_100
    keys: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), repr=False)
    """Key that clients show -> prefix of `memory_id`; none: whoever reaches the address is let in."""
    max_body_bytes: int = 32 * 1024 * 1024
    read_deadline_s: float = 1.0
    most_connections: int = 1_000
    """Of clients, at a time; another one is closed at once."""
    first_request_s: float = 10.0
    """After so long a connection without a whole head of a request is closed."""
    recall: Address = FACT_RECALL
    facts: Address = FACTS


def config_of(table: GatewayTable, secrets: Mapping[str, str]) -> GatewayConfig:
    """What the settings decide; only where there is no `problem_of` them."""
    return GatewayConfig(
        base_url=table.openai_base_url,
        upstream_key=secrets.get(table.upstream_key, ""),
        address=table.gateway_address,
        port=table.gateway_port,
        keys=MappingProxyType({secrets[name]: prefix for prefix, name in table.keys.items()}),
        max_body_bytes=int(table.max_body_mib * 1024 * 1024),
        read_deadline_s=table.read_deadline_s,
    )


def problem_of(table: GatewayTable, secrets: Mapping[str, str]) -> str:
    """Why there can be no gateway, and what to do; empty when there can."""
    if not table.openai_base_url:
        return (
            "facts.openai_base_url is empty: the address of the model's server is required while layers.facts is on, "
            "e.g. http://127.0.0.1:11434/v1"
        )
    if not table.keys and not is_loopback(table.gateway_address):
        return (
            f"facts.gateway_address {table.gateway_address!r} is not loopback: facts.keys must name at least one "
            "secret that clients show, e.g. { 'alice/' = 'ALICE_API_KEY' }"
        )
    return _problem_of_keys(table, secrets)


def _problem_of_keys(table: GatewayTable, secrets: Mapping[str, str]) -> str:
    owners: dict[str, str] = {}
    for prefix, name in table.keys.items():
        key = secrets.get(name, "")
        if len(key) < SHORTEST_KEY:
            return f"facts.keys: the secret {name} must be set, with at least {SHORTEST_KEY} characters"
        if name == table.upstream_key or key == secrets.get(table.upstream_key):
            return f"facts.keys: {name} is what the model's server is called with (facts.upstream_key): name another"
        if key in owners:
            return f"facts.keys: {name} and {owners[key]} are the same secret: each owner needs one"
        owners[key] = name
        for other in set(table.keys) - {prefix, ""}:
            if prefix and other.startswith(prefix):
                return f"facts.keys: the prefix {other!r} begins with the prefix {prefix!r} of {name}"
    return ""


def is_loopback(host: str) -> bool:
    """Whether a host is this machine, to itself."""
    if host.casefold() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
