"""Ids of entries: UUIDs made from texts, so equal texts give equal ids."""

from __future__ import annotations

import hashlib


def uuid_of(text: str) -> str:
    """UUID in the form of version 4, made from `text`, and as unguessable as `text`."""
    digest = bytearray(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:16])
    digest[6] = digest[6] & 0x0F | 0x40
    digest[8] = digest[8] & 0x3F | 0x80
    spelt = digest.hex()
    return "-".join((spelt[:8], spelt[8:12], spelt[12:16], spelt[16:20], spelt[20:]))


def id_of_path(path: str) -> str:
    """Id of a file without an id, or with another file's id."""
    return uuid_of(f"path {path}")
