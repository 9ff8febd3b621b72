"""Forgotten records: events without their words, with the same number of bytes and lines in the log.

A forgotten record keeps the heading and the end marker with the hash of the bytes before, so the chain goes on.
Between heading and marker stand `<!-- {…}:<mark> -->` and blanks; with only a quotation forgotten, the content follows
unchanged. The metadata has structural keys alone and `forgot`, the id of the forget request, if there is room. The mark
is 9 characters of a digest over the hash before the record and the record's other bytes: each changed byte shows.
A sealed part of a torn record is forgotten with the text `forgot: <mark>` in the seal.
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64encode
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from hashlib import blake2b

from domain.log.event import Kind
from domain.log.metadata import MetaValue, add_mark, meta_dict, meta_json
from messages.base import EventId, Value, make_ready

FORGOT = "forgot"
"""Metadata key: id of the forget request; also the subject of the window's system event about a request."""
RETAINED_KEYS = (
    *("what", "message_id", "turn", "final", "event", "answers", "stops", "overheard", "open", "full_output"),
    "message_ids",
)
"""Metadata kept in a forgotten record: ids, states and the path of a kept output."""
HEAD = re.compile(
    rb"## ([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z) "
    rb"(user|agent|tool-call|tool-result|delivery|pin|tombstone|system) ([0-9A-Za-z_-]{1,64})\n"
    rb"<!-- (\{.*\}):([0-9A-Za-z_-]{9}) --> *\n"
)
_MARK_CHARS = 9
_NO_MARK = b"." * _MARK_CHARS
_MESSAGE_ID = re.compile("[0-9]{1,20}")
_PLAIN_ID = re.compile("[0-9A-Za-z_-]{1,64}")
_TORN = b"torn record above"
_SEAL = re.compile(rb"\n> \[!seal\] (?:torn record above|forgot: ([0-9A-Za-z_-]{9})), [0-9]+ bytes ignored\n\Z")
_NOT_LINE_FEED = re.compile(rb"[^\n]")


class Forgotten(Value, frozen=True, kw_only=True, gc=False):
    """One event of a log without the forgotten words."""

    line: int
    """Of the heading, from 1."""
    offset: int
    """Of the heading's first byte in the file."""
    id: EventId
    at: datetime
    kind: Kind
    meta_json: str
    """Metadata kept in the record."""
    is_quote: bool = False
    """True if only the event's quotation was taken out: the event is among the log's events, too."""


def forget_record(record: bytes, previous_hash: str, meta: Mapping[str, MetaValue], forget_id: str) -> bytes:
    """Record without words, as long as `record` and with as many lines.

    Args:
        record: Whole event, from the heading to the empty line behind the end marker.
        previous_hash: Hash before the record in the chain.
        meta: Metadata of the event.
        forget_id: Id of the request.
    """
    heading, end = _parts(record)
    retained = {key: value for key in RETAINED_KEYS if _is_structural(key, value := meta.get(key))}
    room = end - heading - record.count(b"\n", heading, end)
    for names in (RETAINED_KEYS, ("what", "message_id", "turn", "final"), ()):
        own = {key: value for key, value in retained.items() if key in names}
        for fields in ({**own, FORGOT: forget_id}, own):
            line = _meta_line(meta_json(fields))
            if len(line) <= room:
                blank = b" " * (room - len(line)) + b"\n" * record.count(b"\n", heading, end)
                return _with_mark(record[:heading] + line + blank + record[end:], heading + len(line), previous_hash)
    raise ValueError(f"record of {len(record)} bytes: no event of a log")


def forget_quotation(
    record: bytes, previous_hash: str, meta: Mapping[str, MetaValue], forget_id: str, *, is_escaped: bool
) -> bytes:
    """A record without its quotation, as long as `record` and with the same content.

    Args:
        record: As of `forget_record`.
        previous_hash: Likewise.
        meta: Metadata of the event, with a quotation.
        forget_id: Of the request.
        is_escaped: True if the content is stored escaped.
    """
    heading, _ = _parts(record)
    end = record.index(b"\n", heading)
    own = {key: value for key, value in meta.items() if key != "quote"}
    for fields in ({**own, FORGOT: forget_id}, own):
        text = meta_json(fields)
        line = _meta_line(add_mark(text) if is_escaped else text)
        if len(line) <= end - heading:
            padded = line + b" " * (end - heading - len(line))
            return _with_mark(record[:heading] + padded + record[end:], heading + len(line), previous_hash)
    raise ValueError(f"metadata of {end - heading} bytes: no quotation in it")


def forgotten_with(data: bytes, word: bytes) -> Iterator[tuple[str, str]]:
    """Forgotten records of a log with a word in the first two lines: ids of the event, and of the message, if any.

    The rest of the log is not read, so text that imitates the two lines passes for such a record.
    """
    for line in lines_with(data, word):
        for start in (line, data.rfind(b"\n", 0, max(0, line - 1)) + 1):
            if (head := HEAD.match(data, start)) is not None:
                with suppress(ValueError):
                    yield head[3].decode("ascii"), str(meta_dict(head[4].decode()).get("message_id", ""))


def lines_with(data: bytes, word: bytes) -> Iterator[int]:
    """Index of the first byte of each line with a word, in order."""
    at = data.find(word)
    while at >= 0:
        yield data.rfind(b"\n", 0, at) + 1
        end = data.find(b"\n", at)
        at = data.find(word, end) if end >= 0 else -1


def has_mark(record: bytes, mark_at: int, previous_hashes: Collection[str]) -> bool:
    """True if the mark of a forgotten record or seal fits one of the hashes.

    Args:
        record: Whole record, with the empty line behind the end marker.
        mark_at: Index of the mark's first byte.
        previous_hashes: Possible hashes before the record in the chain.
    """
    mark = record[mark_at : mark_at + _MARK_CHARS]
    bare = record[:mark_at] + _NO_MARK + record[mark_at + _MARK_CHARS :]
    return any(_mark(bare, each) == mark for each in previous_hashes)


def forget_seal(sealed: bytes, previous_hash: str) -> bytes:
    """Sealed part of a torn record without words, as long and with as many lines.

    Args:
        sealed: Torn bytes, the seal's text and end marker, with the empty line behind.
        previous_hash: Hash before the torn bytes in the chain.
    """
    text = sealed.rindex(b"\n> [!seal] ")
    start = text + len(b"\n> [!seal] ")
    blank = _NOT_LINE_FEED.sub(b" ", sealed[:text]) + sealed[text:start] + b"forgot: " + _NO_MARK
    return _with_mark(blank + sealed[start + len(_TORN) :], start + len(_TORN), previous_hash, from_end=0)


def seal_mark(block: bytes) -> int:
    """Index of the mark in a seal's bytes before the end marker; -1 for a seal not forgotten."""
    seal = _SEAL.search(block)
    return seal.start(1) if seal is not None and seal[1] is not None else -1


def _parts(record: bytes) -> tuple[int, int]:
    """Indexes behind the heading, and of the end marker."""
    heading = record.index(b"\n") + 1
    return heading, record.rindex(b"\n<!-- end ") + 1


def _is_structural(key: str, value: object) -> bool:
    """True for a value of ids or a state, without words."""
    if key in ("final", "overheard"):
        return isinstance(value, bool)
    if key == "open":
        return isinstance(value, int)
    if key == "stops":
        return isinstance(value, list) and all(isinstance(each, str) and _PLAIN_ID.fullmatch(each) for each in value)
    if key == "message_ids":
        return isinstance(value, list) and all(isinstance(each, str) and _MESSAGE_ID.fullmatch(each) for each in value)
    if key in ("message_id", "answers"):
        return isinstance(value, str) and _MESSAGE_ID.fullmatch(value) is not None
    if key == "full_output":
        return isinstance(value, str)
    return isinstance(value, str) and _PLAIN_ID.fullmatch(value) is not None


def _meta_line(text: str) -> bytes:
    return b"<!-- %b:%b -->" % (text.encode("ascii"), _NO_MARK)


def _with_mark(bare: bytes, line_end: int, previous_hash: str, from_end: int = len(b" -->")) -> bytes:
    stop = line_end - from_end
    return bare[: stop - _MARK_CHARS] + _mark(bare, previous_hash) + bare[stop:]


def _mark(bare: bytes, previous_hash: str) -> bytes:
    digest = blake2b(previous_hash.encode("ascii") + bare, digest_size=8).digest()
    return urlsafe_b64encode(digest)[:_MARK_CHARS]


make_ready(__name__)
