"""The agent's own secrets taken out of text, in any common disguise: no text may hold a secret's bytes."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable
from urllib.parse import quote, quote_plus

from domain.text.lookalike import as_seen

REMOVED = "[secret removed]"
SHORTEST_SECRET = 8
"""Characters; anything shorter would be found in innocent text."""
_SHORTEST_CORE = 8
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")
_TO_URL_SAFE = str.maketrans("+/", "-_")


class Scrubber:
    """Filter for a fixed set of secrets: as they are, reversed, URL-encoded, in hex and in base64 at any offset."""

    def __init__(self, secrets: Iterable[str]) -> None:
        secrets = frozenset(secret for secret in secrets if len(secret) >= SHORTEST_SECRET)
        forms = {form for secret in secrets for form in disguises(secret)}
        longest_first = sorted(forms, key=lambda form: (-len(form), form))
        self._pattern = re.compile("|".join(map(re.escape, longest_first))) if forms else None
        self._bare = frozenset(bare for secret in secrets if len(bare := _bare(secret)) >= SHORTEST_SECRET)

    def scrub(self, text: str) -> str:
        """`text` with every secret replaced by a note."""
        return text if self._pattern is None else self._pattern.sub(REMOVED, text)

    def finds(self, text: str) -> bool:
        """True if `text` holds a secret, also with separators, markup, hidden or look-alike letters in the secret."""
        if self._pattern is None:
            return False
        bare = _bare(text)
        return self._pattern.search(text) is not None or any(secret in bare for secret in self._bare)


def disguises(secret: str) -> frozenset[str]:
    """Every form in which `secret` is searched for.

    Base64 spreads a byte over two characters, so only the parts independent of the surrounding bytes are used.
    """
    raw = secret.encode("utf-8", "surrogatepass")
    percent = "".join(f"%{byte:02x}" for byte in raw)
    forms = {
        secret,
        secret[::-1],
        quote(raw, safe=""),
        quote_plus(raw),
        percent,
        percent.upper(),
        raw.hex(),
        raw.hex().upper(),
        raw.hex(" "),
    }
    for offset in range(3):
        core = _base64_core(raw, offset)
        if len(core) >= _SHORTEST_CORE:
            forms |= {core, core.translate(_TO_URL_SAFE)}
    return frozenset(forms)


def _bare(text: str) -> str:
    """Letters and digits of a text, as a reader sees the text."""
    return "".join(filter(str.isalnum, as_seen(_ESCAPED.sub(lambda match: chr(int(match[1], 16)), text))))


def _base64_core(raw: bytes, offset: int) -> str:
    """The base64 characters that depend on `raw` alone when `offset` bytes (mod 3) stand before `raw`."""
    encoded = base64.b64encode(bytes(offset) + raw).decode("ascii")
    begin = -(-offset * 8 // 6)
    end = (offset + len(raw)) * 8 // 6
    return encoded[begin:end]
