"""Packed answers: unpacked for the reader, whatever the header says; the client gets the bytes unchanged."""

from __future__ import annotations

import zlib
from collections.abc import Callable

_GZIP = b"\x1f\x8b"
_PLAIN = (b'{"', b"{\n", b"{\r", b"{ ", b"da", b"ev", b"id", b": ", b"\xef\xbb")
"""Beginnings of unpacked answers."""
_BOTH_FORMS = 32 + zlib.MAX_WBITS
"""gzip or zlib, by their first bytes."""
_MOST_AT_ONCE = 4 * 1024 * 1024
"""Most unpacked bytes of one piece of an answer: a decompression bomb is no answer."""


class PackingError(ValueError):
    """The bytes cannot be unpacked; the text gives the reason."""


class Unpacker:
    """Unpacks gzip and deflate as pieces come; a label is wrong where the first bytes say so."""

    def __init__(self, encoding: str) -> None:
        """Begin.

        Args:
            encoding: `Content-Encoding`; empty for none.
        """
        names = [name.strip().lower() for name in encoding.split(",")]
        self._names = [name for name in names if name not in ("", "identity")]
        self._begun = bytearray()
        self._unpack: Callable[[bytes], bytes] | None = None

    def feed(self, data: bytes) -> bytes:
        """Unpack further bytes.

        Raises:
            PackingError: the bytes cannot be unpacked.
        """
        if self._unpack is None:
            self._begun += data
            if len(self._begun) < len(_GZIP):
                return b""
            data = bytes(self._begun)
            self._unpack = self._way(data)
        try:
            return self._unpack(data)
        except zlib.error as error:
            raise PackingError(f"it cannot be unpacked: {error}") from error

    def end(self) -> bytes:
        """Remaining bytes, too few to tell the form."""
        return bytes(self._begun) if self._unpack is None else b""

    def _way(self, data: bytes) -> Callable[[bytes], bytes]:
        if data.startswith(_GZIP):
            return _Inflater(_BOTH_FORMS)
        if not self._names or data.lstrip().startswith(_PLAIN):
            return bytes
        if self._names == ["deflate"]:
            is_zlib = data[0] & 15 == zlib.DEFLATED and int.from_bytes(data[:2]) % 31 == 0
            return _Inflater(_BOTH_FORMS if is_zlib else -zlib.MAX_WBITS)
        raise PackingError(f"it is packed as {', '.join(self._names)[:40]}")


class _Inflater:
    """Inflater of several members, one behind the other."""

    def __init__(self, bits: int) -> None:
        self._bits = bits
        self._inflate = zlib.decompressobj(bits)

    def __call__(self, data: bytes) -> bytes:
        """Unpack further bytes."""
        out = bytearray()
        while data:
            if self._inflate.eof:
                self._inflate = zlib.decompressobj(self._bits)
            out += self._inflate.decompress(data, _MOST_AT_ONCE - len(out))
            if self._inflate.unconsumed_tail or len(out) >= _MOST_AT_ONCE:
                raise PackingError(f"a piece of it is more than {_MOST_AT_ONCE} bytes, unpacked")
            data = self._inflate.unused_data
        return bytes(out)
