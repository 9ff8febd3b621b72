"""Access to the gateway: clients by key or place, and their conversations."""

from __future__ import annotations

import hmac
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from actors.gateway.config import is_loopback
from actors.gateway.errors import GatewayError

DEFAULT = "default"
SHARED = "global"


@dataclass(frozen=True, slots=True)
class Caller:
    """Client of the gateway."""

    prefix: str = ""
    """Beginning of the names of the caller's conversations."""

    def conversation(self, memory_id: str | None) -> str:
        """Conversation of the given id.

        Raises:
            GatewayError: the conversation is another caller's.
        """
        if memory_id is None:
            return f"{self.prefix}{DEFAULT}"
        if not memory_id.startswith(self.prefix):
            raise GatewayError(
                403, f"memory_id {memory_id[:80]!r}: must begin with {self.prefix!r} for this key", "memory_id"
            )
        return memory_id

    @property
    def shared(self) -> str:
        """Conversation read in all of the caller's conversations."""
        return f"{self.prefix}{SHARED}"


class Door:
    """Guard of the address: keys where there are any, else only programs of this machine that are no web page."""

    def __init__(self, keys: Mapping[str, str], origins: Collection[str] = ()) -> None:
        """Begin with the given keys.

        Args:
            keys: Key -> prefix of `memory_id`.
            origins: Origins of apps and pages served without a key.
        """
        self._origins = frozenset(each.rstrip("/").casefold() for each in origins)
        self._keys = [(key.encode("utf-8", "surrogatepass"), prefix) for key, prefix in keys.items()]

    def caller(self, headers: Mapping[str, str]) -> Caller:
        """The client of a request.

        Raises:
            GatewayError: the client is not let in.
        """
        if self._keys:
            return self._by_key(headers.get("Authorization", ""))
        host = headers.get("Host", "")
        if not is_loopback(_hostname(f"//{host}")):
            raise GatewayError(403, f"Host {host[:80]!r}: without keys only loopback is served")
        origin = headers.get("Origin")
        if origin is not None and not is_loopback(_hostname(origin)) and not self.knows(origin):
            raise GatewayError(
                403,
                f"Origin {origin[:80]!r}: web pages of other places are not served without a key; "
                f"facts.origins = [{origin[:80]!r}] lets this one in",
            )
        # Pictures and the like, which a page asks for without an Origin.
        if origin is None and headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin", "same-site"):
            raise GatewayError(403, "web pages of other places are not served without a key")
        return Caller()

    def knows(self, origin: str) -> bool:
        """True if the operator lets an origin in."""
        return origin.casefold() in self._origins

    def shares_with(self, origin: str) -> bool:
        """True if a page of an origin may read answers: with keys each may, since browsers add no key."""
        return bool(self._keys) or self.knows(origin)

    def has_key(self, value: str) -> bool:
        """True if a header's value holds a key of the gateway."""
        return any(key and key in value.encode("utf-8", "surrogatepass") for key, _ in self._keys)

    def _by_key(self, authorization: str) -> Caller:
        scheme, _, credentials = authorization.strip().partition(" ")
        token = credentials.strip().encode("utf-8", "surrogatepass") if scheme.lower() == "bearer" else b""
        # All are compared, so that the time says nothing of which one was nearly right.
        prefixes = [prefix for key, prefix in self._keys if hmac.compare_digest(key, token)]
        if not prefixes:
            raise GatewayError(401, "a key of this gateway is required, as Authorization: Bearer …")
        return Caller(prefixes[0])


def _hostname(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""
