"""Access to the gateway: which clients are let in, and which conversations they may name."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from actors.gateway.config import is_loopback
from actors.gateway.errors import GatewayError

DEFAULT = "default"
SHARED = "global"


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks."""

    prefix: str = ""
    """Of every conversation that it may name."""

    def conversation(self, memory_id: str | None) -> str:
        """The conversation that is meant.

        Raises:
            GatewayError: it is another's.
        """
        if memory_id is None:
            return f"{self.prefix}{DEFAULT}"
        if not memory_id.startswith(self.prefix):
            raise GatewayError(
                403, f"memory_id {memory_id[:80]!r}: this key is for those that begin with {self.prefix!r}", "memory_id"
            )
        return memory_id

    @property
    def shared(self) -> str:
        """The conversation that is read in all of the caller's."""
        return f"{self.prefix}{SHARED}"


class Door:
    """Guard of the address: keys where there are any, else only programs of this machine that are no web page."""

    def __init__(self, keys: Mapping[str, str]) -> None:
        """With these keys.

        Args:
            keys: Key -> prefix of `memory_id`.
        """
        self._keys = [(key.encode("utf-8", "surrogatepass"), prefix) for key, prefix in keys.items()]

    def caller(self, headers: Mapping[str, str]) -> Caller:
        """Who asks.

        Raises:
            GatewayError: nobody who is let in.
        """
        if self._keys:
            return self._by_key(headers.get("Authorization", ""))
        host = headers.get("Host", "")
        if not is_loopback(_hostname(f"//{host}")):
            raise GatewayError(403, f"Host {host[:80]!r}: without keys only loopback is served")
        origin = headers.get("Origin")
        if origin is not None and not is_loopback(_hostname(origin)):
            raise GatewayError(403, f"Origin {origin[:80]!r}: web pages of other places are not served without a key")
        # Pictures and the like, which a page asks for without an Origin.
        if origin is None and headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin", "same-site"):
            raise GatewayError(403, "web pages of other places are not served without a key")
        return Caller()

    def _by_key(self, authorization: str) -> Caller:
        scheme, _, shown = authorization.strip().partition(" ")
        given = shown.strip().encode("utf-8", "surrogatepass") if scheme.lower() == "bearer" else b""
        # All are compared, so that the time says nothing of which one was nearly right.
        found = [prefix for key, prefix in self._keys if hmac.compare_digest(key, given)]
        if not found:
            raise GatewayError(401, "a key of this gateway is required, as Authorization: Bearer …")
        return Caller(found[0])


def _hostname(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""
