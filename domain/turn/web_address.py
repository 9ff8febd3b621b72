"""Web addresses that people wrote: only these may be read, besides addresses found by a search.

An address says more than where to look: the author of a made-up address can put any text into it, and the host reads
this text. Therefore two addresses are equal only if the very same request is made for both.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from hashlib import blake2b
from unicodedata import normalize
from urllib.parse import quote, urlsplit

LONGEST = 4_000
"""Characters of an address."""
MOST_IN_TEXT = 200
"""Largest number of addresses taken from one text."""
MOST_KEPT = 2_000
"""Most addresses to keep; the oldest are forgotten first."""
MOST_SOURCES = 8
"""Largest number of kept messages with one address, the newest."""

_WRITTEN = re.compile(r"(?<![\w.@/-])(?:https?://|(?=(?:[\w-]{1,63}\.)+[^\W\d_]{2,}(?![\w@])))", re.IGNORECASE)
"""Beginning of an address: a scheme, or a host without a scheme."""
_HINT = re.compile(r"[\w-][.:][\w/-]")
"""Pattern in every text with an address, and in few other texts."""
_STRETCH = re.compile(r"[^\s<>\"`\\^{}|\x00-\x20\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]+")
_AFTER = ".,;:!?)]}'*_~\u2026\u3002\uff0c\uff09\u300d\u300f\u3011\u00bb\u201d\u2019"
"""Characters that a sentence or markdown may put behind an address, although an address may end in the same characters.
"""
_TRIMS = 8
_PORTS = {"http": 80, "https": 443}
_HOST = re.compile(r"[0-9a-z._-]{1,253}|\[[0-9a-f:.]{2,45}\]")
_KEPT_NOW = frozenset("ß\u1e9eς")
"""Letters replaced by Python's older rules for host names and kept by today's rules: different hosts."""
_SAFE = "%/:?#[]@!$&'()*+,;=-._~"


def normal_address(text: str) -> str:
    """Normal form of an address, the same for the same request, without fragment; empty if `text` is no address.

    Small letters in scheme and host, no port that goes without saying, a path, and whatever is not ASCII encoded.
    """
    text = text.strip()
    if not text.isprintable() or len(text) > LONGEST or re.search(r"[\s\\]", text):
        return ""
    try:
        parts = urlsplit(text)
        host, port = _ascii_host(parts.hostname or ""), parts.port
    except ValueError:
        return ""
    scheme = parts.scheme.lower()
    if scheme not in _PORTS or not _HOST.fullmatch(host) or "@" in parts.netloc:
        return ""
    place = host if port in (None, _PORTS[scheme]) else f"{host}:{port}"
    path, query = quote(parts.path or "/", safe=_SAFE), quote(parts.query, safe=_SAFE)
    return f"{scheme}://{place}{path}{'?' if query else ''}{query}"


def addresses_in(text: str) -> Iterator[str]:
    """Normal forms of the addresses in `text`; every reading of an address with an uncertain end."""
    for number, begin in enumerate(_WRITTEN.finditer(text)):
        if number >= MOST_IN_TEXT:
            return
        stretch = _STRETCH.match(text, begin.start(), begin.start() + LONGEST)
        if stretch is None:
            continue
        for reading in _readings(stretch[0]):
            for address in (reading,) if begin[0] else (f"https://{reading}", f"http://{reading}"):
                if normal := normal_address(address):
                    yield normal


class SeenAddresses:
    """The newest addresses added, in any spelling, in bounded space."""

    def __init__(self, most: int = MOST_KEPT) -> None:
        self._most = most
        self._sources: dict[bytes, tuple[str, ...]] = {}
        """Mark of an address -> the newest sources of the address."""

    def __contains__(self, address: str) -> bool:
        """True if the request for `address` equals the request for an added address."""
        normal = normal_address(address)
        return bool(normal) and _mark(normal) in self._sources

    def add_from(self, text: str, source: str = "") -> None:
        """Add every address in `text`, the text of the message `source`."""
        if _HINT.search(text):
            self._add(addresses_in(text), source)

    def add(self, addresses: Iterable[str]) -> None:
        """Add the valid addresses among `addresses`."""
        self._add(filter(None, map(normal_address, addresses)), "")

    def forget(self, sources: Container[str]) -> None:
        """Remove every address known only from messages among `sources`."""
        left = ((mark, tuple(each for each in known if each not in sources)) for mark, known in self._sources.items())
        self._sources = {mark: known for mark, known in left if known}

    def _add(self, normals: Iterable[str], source: str) -> None:
        for normal in normals:
            mark = _mark(normal)
            known = self._sources.pop(mark, ())
            self._sources[mark] = (*(each for each in known if each != source), source)[-MOST_SOURCES:]
        while len(self._sources) > self._most:
            del self._sources[next(iter(self._sources))]


def _mark(normal: str) -> bytes:
    return blake2b(normal.encode(), digest_size=16).digest()


def _ascii_host(host: str) -> str:
    host = host.rstrip(".") if not host.endswith("..") else host
    if ":" in host:
        return f"[{host.lower()}]"
    if host.isascii():
        return host.lower()
    older = host.encode("idna").decode("ascii")
    if _KEPT_NOW.isdisjoint(host):
        return older
    return ".".join(map(_ascii_label, normalize("NFKC", host.lower()).replace("\u3002", ".").split(".")))


def _ascii_label(label: str) -> str:
    return label if label.isascii() else f"xn--{label.encode('punycode').decode('ascii')}"


def _readings(stretch: str) -> Iterator[str]:
    """`stretch`, also without the punctuation at the end, and cut before a second part of a markdown link."""
    for text in dict.fromkeys((stretch, stretch.partition("](")[0], stretch.partition(")")[0])):
        reading = text
        for _ in range(_TRIMS):
            yield reading
            if not reading or reading[-1] not in _AFTER:
                break
            reading = reading[:-1]
