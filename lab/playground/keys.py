"""Keys of a playground: proof of being the playground's bot, or the playground's starter."""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field
from secrets import token_urlsafe

_BYTES = 32


def _random() -> str:
    return token_urlsafe(_BYTES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Keys:
    """Random tokens, new for every playground; a caller without a token has no access.

    A loopback address is open to every user of the machine, so access to the address proves no identity.
    """

    person: str = field(default_factory=_random, repr=False)
    """Key of the playground's starter: for all acts of the page, and the page itself."""
    bot: str = field(default_factory=_random, repr=False)
    """Token of the bot, the only accepted token."""
    address: str = field(default_factory=_random, repr=False)
    """Key in addresses called without a header, as Discord's clients do: the gateway's and attachments'."""

    def signature(self, path: str) -> str:
        """Proof that the playground issued the address with `path`."""
        return hmac.new(self.address.encode(), path.encode(), "sha256").hexdigest()


def is_same(candidate: str | None, key: str) -> bool:
    """True if `candidate` is `key`; compares in constant time."""
    return hmac.compare_digest((candidate or "").encode(errors="replace"), key.encode())
