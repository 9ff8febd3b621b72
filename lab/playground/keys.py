"""Keys of a playground: proof that a caller is the playground's bot, or the playground's starter."""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field
from secrets import token_urlsafe

_BYTES = 32


def _random() -> str:
    return token_urlsafe(_BYTES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Keys:
    """Random tokens, new for every playground; who does not know one of them has no business here.

    A loopback address is open to every user of the machine, so being on it shows nothing.
    """

    person: str = field(default_factory=_random, repr=False)
    """Of who started it: all that the page does, and the page itself."""
    bot: str = field(default_factory=_random, repr=False)
    """The bot's token, the only one that is accepted."""
    address: str = field(default_factory=_random, repr=False)
    """In addresses that are called without a header, as Discord's clients do: the gateway's and attachments'."""

    def signature(self, path: str) -> str:
        """Proof that the playground issued the address with `path`."""
        return hmac.new(self.address.encode(), path.encode(), "sha256").hexdigest()


def is_same(candidate: str | None, key: str) -> bool:
    """True if `candidate` is `key`; compares in constant time."""
    return hmac.compare_digest((candidate or "").encode(errors="replace"), key.encode())
