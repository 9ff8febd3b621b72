"""Encoding of a log: a header, then events, each a markdown block with a length and a place in a chain.

Every record ends in a line `<!-- end <name> bytes=<n> hash=<h> -->` and a blank line; `h` is BLAKE2b-8 over the hash
before and the record up to the end line. Stored content has no line like a record's first or last line
(`escape.must_escape`), so whatever happens to a file, text in the file never becomes an event. `parser` reads.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from hashlib import blake2b

from domain.log.escape import escape, fence_for, must_escape
from domain.log.event import Event, Header, require_valid
from domain.log.metadata import MetaValue, add_mark, meta_dict, meta_json
from domain.log.window import log_path
from messages.base import Surface, Window

FORMAT_VERSION = 1
FIRST_HASH = ""
"""Hash before the first record of a file."""

_SEAL = b"\n> [!seal] torn record above, %d bytes ignored\n"
_OPENED = re.compile(rb"## [^\n]+\n<!-- [^\n]+\n(`{3,})")


def chain(previous_hash: str, block: bytes) -> str:
    """Hash of a record whose bytes before the end marker are `block`: 16 hexadecimal digits."""
    return blake2b(previous_hash.encode("ascii") + block, digest_size=8).hexdigest()


def encode_event(event: Event, previous_hash: str) -> tuple[bytes, str]:
    """Record of `event`, to be written after the record with hash `previous_hash`, and the new record's hash.

    Raises:
        ValueError: as `domain.log.event.require_valid`.
    """
    require_valid(event)
    stored, meta = event.content, event.meta_json
    if must_escape(stored):
        stored, meta = escape(stored), add_mark(meta)
    body = stored.encode("utf-8")
    fence = fence_for(stored)
    head = f"## {_stamp(event.at)} {event.kind.value} {event.id}\n<!-- {meta} -->\n{fence}text\n"
    block = b"%b%b\n%b\n" % (head.encode("ascii"), body, fence.encode("ascii"))
    return _end_record(block, event.id, len(body), previous_hash)


def encode_header(header: Header, previous_hash: str = FIRST_HASH) -> tuple[bytes, str]:
    """First record of a file and the hash for the first event's chain.

    Raises:
        ValueError: as `domain.log.window.log_path`.
    """
    log_path(header.window, header.started_at, header.seq)
    window = header.window
    meta: dict[str, MetaValue] = {
        "context_id": window.id,
        "format": FORMAT_VERSION,
        "opened_by": header.opened_by,
        "seq": header.seq,
        "surface": window.surface.value,
        "window_start": _second(header.started_at),
    }
    if header.after is not None:
        meta["after"] = str(header.after)
    block = f"# {window.surface.value} {window.id}\n<!-- {meta_json(meta)} -->\n".encode("ascii")
    return _end_record(block, "header", len(block), previous_hash)


def encode_seal(torn: bytes, previous_hash: str) -> tuple[bytes, str]:
    """Note after a record cut short, to be written after `torn`, the bytes since the last whole record.

    The note begins with a line feed that may complete the torn record's last line. A record is therefore whole only
    without a seal directly behind. The note closes a fence possibly left open by the torn record.
    """
    block = seal_text(torn)
    digest = chain(previous_hash, torn + block)
    return block + _marker("seal", len(torn), digest), digest


def seal_text(torn: bytes) -> bytes:
    """Readable text of the seal over `torn`."""
    opened = _OPENED.match(torn)
    # No stored content has so long a run of backticks: a second one is the closing fence.
    is_open = opened is not None and torn.find(b"\n" + opened[1], opened.end()) < 0
    fence = b"\n" + opened[1] if opened is not None and is_open else b""
    return fence + _SEAL % len(torn)


def header_from(block: bytes) -> Header:
    """Header that `encode_header` spells as `block`, the record without the end marker.

    Raises:
        ValueError: not a header, or a header of another format version.
    """
    match = re.fullmatch(rb"# [^\n]+\n<!-- (\{[^\n]*\}) -->\n", block)
    if match is None:
        raise ValueError(f"header {block[:80]!r}: a heading and one line of metadata are expected")
    meta = meta_dict(match[1].decode("ascii"))
    if meta.get("format") != FORMAT_VERSION:
        raise ValueError(f"format version {meta.get('format')!r:.80}: {FORMAT_VERSION} is expected")
    surface, context_id, opened_by, seq = (meta.get(key) for key in ("surface", "context_id", "opened_by", "seq"))
    start = meta.get("window_start")
    if not (isinstance(context_id, str) and isinstance(opened_by, str) and isinstance(start, str)):
        raise ValueError(f"header {block[:80]!r}: context_id, opened_by and window_start must be text")
    if not isinstance(seq, int) or not isinstance(surface, str):
        raise ValueError(f"seq {seq!r:.80}, surface {surface!r:.80}: a whole number and text are expected")
    window = Window(surface=Surface(surface), id=context_id)
    after = meta.get("after")
    if after is not None and not (
        isinstance(after, str) and after.isdecimal() and after.isascii() and len(after) <= 20
    ):
        raise ValueError(f"after {after!r:.80}: a message id in decimal is expected")
    header = Header(
        window=window,
        started_at=datetime.fromisoformat(start),
        seq=seq,
        opened_by=opened_by,
        after=None if after is None else int(after),
    )
    log_path(window, header.started_at, seq)
    return header


def _end_record(block: bytes, name: str, size: int, previous_hash: str) -> tuple[bytes, str]:
    digest = chain(previous_hash, block)
    return block + _marker(name, size, digest), digest


def _marker(name: str, size: int, digest: str) -> bytes:
    return f"<!-- end {name} bytes={size} hash={digest} -->\n\n".encode("ascii")


def _stamp(at: datetime) -> str:
    return f"{at.isoformat(timespec='milliseconds')[:23]}Z"


def _second(at: datetime) -> str:
    return f"{at.astimezone(UTC).isoformat(timespec='seconds')[:19]}Z"
