"""Rewriting of a log without forgotten words: equally long, with every line and every other record in place."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection

from domain.log.forgotten import forget_quotation, forget_record, forget_seal, seal_mark
from domain.log.parser import ParsedLog, parse, places
from messages.base import EventId

_ESCAPED = b'<!-- {"esc":1'
_NOT_LINE_FEED = re.compile(rb"[^\n]")
_WORDED_LINE = re.compile(
    rb"^(?!<!-- end [0-9A-Za-z_-]{1,64} bytes=[0-9]{1,18} hash=[0-9a-f]{16} -->$)"
    rb"(?!## [0-9T:.-]{23}Z [a-z-]{3,11} [0-9A-Za-z_-]{1,64}$)[^\n]+",
    re.MULTILINE,
)
"""Line of a damaged place, neither a heading nor an end marker."""


def forget_words(data: bytes, whole: Collection[EventId], quotations: Collection[EventId], forget_id: str) -> bytes:
    """A log without the events' words, and without the words of records cut short by a crash.

    Repeating the call changes nothing. Of places changed by another program, only headings and end markers stay, unless
    the records behind the place could then not be verified.

    Args:
        data: The log.
        whole: Events to forget entirely.
        quotations: Events of which only the quotation is forgotten.
        forget_id: Id of the request.
    """
    log, rewritten = parse(data), bytearray(data)
    steps = [*places(data), (len(data), "")]
    heads = dict(steps)
    ends = {offset: end for (offset, _), (end, _) in itertools.pairwise(steps)}
    for logged in log.events:
        event, start = logged.event, logged.offset
        record, meta = data[start : ends[start]], event.meta_dict()
        if event.id in whole:
            rewritten[start : ends[start]] = forget_record(record, heads[start], meta, forget_id)
        elif event.id in quotations and "quote" in meta:
            is_escaped = record.startswith(_ESCAPED, record.index(b"\n") + 1)
            rewritten[start : ends[start]] = forget_quotation(
                record, heads[start], meta, forget_id, is_escaped=is_escaped
            )
    for start in (seal.offset for seal in log.seals):
        sealed = data[start : ends[start]]
        if seal_mark(sealed[: sealed.rindex(b"<!-- end ")]) < 0:
            rewritten[start : ends[start]] = forget_seal(sealed, heads[start])
    if log.torn is not None:
        rewritten[log.torn.offset :] = _NOT_LINE_FEED.sub(b" ", data[log.torn.offset :])
    return _without_damage(bytes(rewritten), log)


def _without_damage(data: bytes, log: ParsedLog) -> bytes:
    """A log without the words of damaged places, if all else can then be verified as before."""
    rewritten = bytearray(data)
    for gap in log.damage:
        region = slice(gap.offset, gap.offset + gap.length)
        rewritten[region] = _WORDED_LINE.sub(lambda line: b" " * len(line[0]), data[region])
    before, after = parse(data), parse(bytes(rewritten))
    is_same = (before.header, before.events, before.forgotten) == (after.header, after.events, after.forgotten)
    return bytes(rewritten) if is_same else data
