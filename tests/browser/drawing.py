"""Pictures made by code."""

from __future__ import annotations

import struct
import zlib


def drawn(width: int, height: int) -> bytes:
    """PNG of columns that rise from left to right."""
    rows = (
        b"\0" + b"".join(_colour(x * height >= (height - y - 1) * width, x // 8 % 2) for x in range(width))
        for y in range(height)
    )
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = (b"IHDR", header), (b"IDAT", zlib.compress(b"".join(rows))), (b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(map(_chunk, parts))


def _colour(is_inside: bool, shade: int) -> bytes:
    return (b"\x58\x65\xf2", b"\x7c\x8a\xff")[shade] if is_inside else b"\xf2\xf3\xf5"


def _chunk(part: tuple[bytes, bytes]) -> bytes:
    kind, data = part
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
