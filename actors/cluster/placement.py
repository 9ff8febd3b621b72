"""Rendezvous hashing: the host of a window; a change of hosts moves as few windows as possible. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b


def choose_host(key: str, hosts: Iterable[str]) -> str:
    """The host among the named hosts for a window of this key; the same for the same names in any order.

    Raises:
        ValueError: no host is named.
    """
    return max(hosts, key=lambda host: (blake2b(f"{host} {key}".encode(), digest_size=8).digest(), host))
