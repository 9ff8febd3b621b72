"""Configuration of the gateway: its address, its clients, and the server behind the gateway."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

from actors.http_server.places import Places
from actors.linux.tcp_peer import TABLES
from messages.base import Address
from messages.facts import FACT_RECALL, FACTS

PLACES = Places(most=1_000, most_of_one=500, stranger_s=10.0, idle_s=75.0)
SHORTEST_KEY = 16
"""Least number of characters of a client's key."""


class GatewayTable(Protocol):
    """Settings of the gateway's layer."""

    @property
    def openai_base_url(self) -> str:
        """The model's server."""

    @property
    def upstream_key(self) -> str:
        """Name of the secret for calls of the server."""

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
    def origins(self) -> tuple[str, ...]:
        """Apps and pages that are served without a key."""

    @property
    def open_paths(self) -> tuple[str, ...]:
        """Beginnings of paths outside `/v1` that keys open."""

    @property
    def block_place(self) -> str:
        """Message with the memories."""

    @property
    def read_deadline_s(self) -> float:
        """For the memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewayConfig:
    """The operator's decisions."""

    base_url: str
    """Address of the model's server, for example `http://127.0.0.1:11434/v1`."""
    upstream_key: str = field(default="", repr=False)
    address: str = "127.0.0.1"
    port: int = 8_100
    keys: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), repr=False)
    """Key shown by clients -> prefix of `memory_id`; without keys, clients of the agent's own user are let in."""
    origins: tuple[str, ...] = ()
    """Origins served without a key, besides loopback."""
    open_paths: tuple[str, ...] = ()
    """Beginnings of paths outside `/v1` for clients with a key."""
    block_place: str = "auto"
    """Message with the memories."""
    max_body_bytes: int = 32 * 1024 * 1024
    read_deadline_s: float = 1.0
    places: Places = PLACES
    """Bounds on connections; without keys one owner is every client, and may have all places."""
    most_held_bodies: int = 4
    """Number of largest request bodies whose bytes fit into memory at a time."""
    body_grace_s: float = 20.0
    """Longest wait for a client within a body."""
    least_body_bytes_per_s: int = 8_192
    """Least average rate of a body over the wait."""
    most_body_s: float = 600.0
    """Longest wait for a client in all of a body."""
    silence_s: float = 600.0
    """Longest wait for the next bytes of an answer: models think."""
    most_answer_bytes: int = 64 * 1024 * 1024
    """Most bytes of an answer read as a whole."""
    shutdown_s: float = 1.0
    """Longest wait for requests under way at the end."""
    own_uid: int = field(default_factory=os.geteuid)
    """User whose clients are served without a key, besides root."""
    uid_tables: tuple[Path, ...] = TABLES
    """Kernel tables with the user of each connection."""
    recall: Address = FACT_RECALL
    facts: Address = FACTS


def config_of(table: GatewayTable, secrets: Mapping[str, str], own_key: str = "") -> GatewayConfig:
    """Configuration by the settings, if `problem_of` finds no fault; `own_key` is the gateway's own key."""
    keys = {secrets[name]: prefix for prefix, name in table.keys.items()}
    return GatewayConfig(
        base_url=table.openai_base_url,
        upstream_key=secrets.get(table.upstream_key, ""),
        address=table.gateway_address,
        port=table.gateway_port,
        keys=MappingProxyType(keys or ({own_key: ""} if own_key else {})),
        max_body_bytes=int(table.max_body_mib * 1024 * 1024),
        origins=table.origins,
        open_paths=table.open_paths,
        block_place=table.block_place,
        read_deadline_s=table.read_deadline_s,
    )


def problem_of(table: GatewayTable, secrets: Mapping[str, str]) -> str:
    """Reason why the gateway cannot run, with a remedy; empty if it can."""
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
    """True if a host is this machine."""
    if host.casefold() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
