"""Look-up of hosts' names in separate threads: a name whose servers never answer delays only its own request.

A thread waiting for a name server cannot be ended; asyncio's own executor has only a few threads, shared by all.
"""

from __future__ import annotations

import socket

from aiohttp.abc import AbstractResolver, ResolveResult

from actors.kernel import Bulkhead

LOOKUP_S = 8.0
"""Seconds, more than the five after which the C library asks a silent server once more."""
LOOKUPS_AT_ONCE = 128
"""Most concurrent look-ups: more than the pages of all slots can leave behind within `LOOKUP_S` when giving way."""


class Names(AbstractResolver):
    """Resolver of names for a connector; lives on a single loop."""

    def __init__(self) -> None:
        """Begin without look-ups."""
        self._threads = Bulkhead("web-names", LOOKUPS_AT_ONCE)

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """The addresses of `host`, as numbers.

        Raises:
            OSError: the name has no address, is malformed, or is not resolved in time.
        """
        try:
            addresses = await self._threads.run(host, LOOKUP_S, _look_up, host, port, family)
        except UnicodeError:
            raise OSError(None, "that is no name of a host") from None
        except TimeoutError:
            raise OSError(None, f"the name was not found within {LOOKUP_S:g} seconds") from None
        return [
            ResolveResult(hostname=host, host=address, port=port, family=kind, proto=protocol, flags=_NUMERIC)
            for kind, protocol, address in addresses
        ]

    async def close(self) -> None:
        """Leave unfinished look-ups to themselves."""


_NUMERIC = socket.AI_NUMERICHOST | socket.AI_NUMERICSERV


def _look_up(host: str, port: int, family: socket.AddressFamily) -> list[tuple[int, int, str]]:
    addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, family=family, flags=socket.AI_ADDRCONFIG)
    return [(kind, protocol, str(place[0])) for kind, _, protocol, _, place in addresses]
