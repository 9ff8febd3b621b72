"""Unpacking of answers, by their first bytes and wherever these are cut."""

from __future__ import annotations

import gzip
import zlib

import pytest

from actors.gateway.packing import PackingError, Unpacker

PLAIN = b'data: {"choices": []}\n\n' * 50


def pack(data: bytes, bits: int) -> bytes:
    packer = zlib.compressobj(wbits=bits)
    return packer.compress(data) + packer.flush()


def unpack(data: bytes, encoding: str, most: int) -> bytes:
    unpacker = Unpacker(encoding)
    pieces = [unpacker.feed(data[at : at + most]) for at in range(0, len(data), most)]
    return b"".join(pieces) + unpacker.end()


@pytest.mark.req("X-224")
def test_packed_bytes_are_unpacked_whatever_the_label_says_and_wherever_they_are_cut() -> None:
    cases: dict[str, tuple[bytes, str]] = {
        "gzip": (gzip.compress(PLAIN), "gzip"),
        "two members": (gzip.compress(PLAIN[:100]) + gzip.compress(PLAIN[100:]), "x-gzip"),
        "no label": (gzip.compress(PLAIN), ""),
        "zlib": (pack(PLAIN, 15), "deflate"),
        "raw": (pack(PLAIN, -15), " Deflate "),
        "plain": (PLAIN, "gzip"),
        "identity": (PLAIN, "identity"),
        "one byte": (b"x", "gzip"),
        "nothing": (b"", "gzip"),
    }
    read = {name: {unpack(data, label, most) for most in (1, 7, 10_000)} for name, (data, label) in cases.items()}
    assert read == {name: {{"one byte": b"x", "nothing": b""}.get(name, PLAIN)} for name in cases}


@pytest.mark.req("X-224")
def test_bytes_that_cannot_be_unpacked_are_a_reason() -> None:
    cases: list[tuple[bytes, str, str]] = [
        (b"\x1b\x2f\x00", "br", "it is packed as br"),
        (b"\x28\xb5\x2f\xfd", "zstd", "it is packed as zstd"),
        (b"\x1f\x8bnonsense", "gzip", "it cannot be unpacked"),
        (gzip.compress(bytes(5_000_000)), "gzip", "more than 4194304 bytes, unpacked"),
    ]
    for data, label, reason in cases:
        with pytest.raises(PackingError, match=reason):
            unpack(data, label, 10_000_000)
