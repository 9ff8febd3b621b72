"""Rendezvous hashing: which host a window goes to; a change of hosts moves no more windows than it must. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b


def choose_host(key: str, hosts: Iterable[str]) -> str:
    """The host of those named that a window of this key goes to; the same for the same names in any order.

    Raises:
        ValueError: no host is named.
    """
    return max(hosts, key=lambda host: (blake2b(f"{host} {key}".encode(), digest_size=8).digest(), host))
