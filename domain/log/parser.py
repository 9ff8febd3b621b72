"""Parser of a log: whole events, and the facts about all other bytes.

The steps at each place of a file, from the start:

1. A record that is whole and continues the chain is read. Of the content only the length is checked. The same goes for
   a record with forgotten words, if the record's own mark is right (`domain.log.forgotten`).
2. Anything else is skipped up to the first of: a seal over exactly the skipped bytes; a whole end marker; a line that
   begins an event. Contents hold no such lines, so these are true boundaries, in a record cut short as well.
3. Skipped and sealed: a record cut short by a crash, noted as a seal. Skipped up to the end of the file: a torn tail,
   to be sealed. Otherwise another program changed the file: damage, noted once for everything up to the next
   verifiable record.
4. After damage the chain starts anew: from the hash stated in the damaged record, from the hash of the record's bytes,
   or from the hash of the last verified record (after an insertion of text). A record that continues no hash of the
   three cannot be told from an altered record and is part of the damage.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from hashlib import blake2b
from typing import Any

from domain.log.escape import unescape
from domain.log.event import Event, Header, Kind
from domain.log.forgotten import HEAD, Forgotten, has_mark, seal_mark
from domain.log.format import FIRST_HASH, chain, header_from, seal_text
from domain.log.metadata import MetaValue, meta_dict, object_of, remove_mark
from messages.base import EventId, Value, make_ready

_END = b"\n<!-- end "
_FENCED = re.compile(
    rb"## ([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z) "
    rb"(user|agent|tool-call|tool-result|delivery|pin|tombstone|system) ([0-9A-Za-z_-]{1,64})\n"
    rb"<!-- (\{.*\}) -->\n(`{3,})text\n"
)
# A seal begins with a line feed: what stands directly before one has lost its own last line feed, and is not whole.
_MARKER = re.compile(
    rb"<!-- end ([0-9A-Za-z_-]{1,64}) bytes=(0|[1-9][0-9]{0,17}) hash=([0-9a-f]{16}) -->\n\n(?!> \[!seal\] )"
)
_FENCE = re.compile(rb"(`{3,})text\n")
_HASH = re.compile(rb" hash=([0-9a-f]{16})")
_BOUNDARY = re.compile(rb"\n(?=<!-- end |## [0-9]{4}-[0-9]{2}-[0-9]{2}T)")
_KINDS = {kind.value.encode("ascii"): kind for kind in Kind}
_LINES = 7
"""Line feeds of an event whose content has no line feed."""
_SEALED = b"> [!seal] "


class Record(Value, frozen=True, gc=False):
    """Event as returned by `read`: flat, with the metadata as parsed for the check."""

    line: int
    """Of the heading, from 1."""
    offset: int
    """Of the heading's first byte in the file."""
    id: EventId
    at: datetime
    kind: Kind
    content: str
    meta_json: str
    meta: Mapping[str, MetaValue]
    """Parsed `meta_json`."""


class ParsedEvent(Value, frozen=True, kw_only=True, gc=False):
    """Event and the place of the event's record."""

    event: Event
    line: int
    """Of the heading, from 1."""
    offset: int
    """Of the heading's first byte in the file."""


class Gap(Value, frozen=True, kw_only=True, gc=False):
    """Bytes without a record."""

    line: int
    """Line of the gap's beginning, from 1."""
    offset: int
    length: int
    reason: str


class LogState(Value, frozen=True, kw_only=True, gc=False):
    """Point in a file, between two records, at which reading or writing goes on."""

    offset: int = 0
    line: int = 1
    head: str = FIRST_HASH
    """Hash that the next record continues."""
    others: tuple[str, ...] = ()
    """After damage: alternative hashes for the next record."""
    empty: bool = True
    """Neither a header nor an event stands before."""


class ParsedLog(Value, frozen=True, kw_only=True, gc=False):
    """Contents of a whole log."""

    header: Header | None
    events: tuple[ParsedEvent, ...]
    seals: tuple[Gap, ...]
    """Records cut short by a crash, each without the seal."""
    damage: tuple[Gap, ...]
    """Places where the file differs from the written records."""
    torn: Gap | None
    """Unsealed remainder of a crash at the end of the file."""
    forgotten: tuple[Forgotten, ...]
    """Events with forgotten words or quotations; only events with forgotten quotations are among the events."""
    state: LogState
    """State after the last whole record, so before any torn bytes."""


def parse(data: bytes, start: LogState | None = None) -> ParsedLog:
    """Contents of `data`, for any bytes.

    Args:
        data: The file from `start.offset` on; the whole file if `start` is None.
        start: The state of an earlier reading of the same file.
    """
    reader = _read(data, start)
    return reader.result(tuple(map(_parsed_event, reader.records)))


def read(data: bytes, start: LogState | None = None) -> tuple[list[Record], ParsedLog]:
    """Contents as in `parse`, for callers with very many events: the events separately, and the rest."""
    reader = _read(data, start)
    return reader.records, reader.result(())


def _read(data: bytes, start: LogState | None) -> _Reader:
    reader = _Reader(data, start or LogState())
    while reader.pos < len(data) and (reader.plain() or reader.record() or reader.skip()):
        pass
    return reader


def places(data: bytes) -> Iterator[tuple[int, str]]:
    """Offset of each record and gap of a whole log, with the hash before the record or gap."""
    reader = _Reader(data, LogState())
    is_going_on = True
    while is_going_on and reader.pos < len(data):
        yield reader.pos, reader.head
        is_going_on = reader.record() or reader.skip()


class _Reader:
    def __init__(self, data: bytes, start: LogState) -> None:
        self.data, self.base = data, start.offset
        self.pos, self.line = 0, start.line
        self.head, self.others, self.empty = start.head, start.others, start.empty
        self.reason = ""
        self.header: Header | None = None
        self.records: list[Record] = []
        self.forgotten: list[Forgotten] = []
        self.seals: list[Gap] = []
        self.damage: list[Gap] = []
        self._next_end = -1

    def plain(self) -> bool:
        """Read successive events in the common form; False without such an event at `pos`.

        Only events that `record` would read alike are read here; `record` decides about all other bytes.
        """
        if self.others:
            return False
        data, head, pos, line = self.data, self.head.encode("ascii"), self.pos, self.line
        end = self._end_marker()
        while end >= 0 and (fenced := _FENCED.match(data, pos, end)) is not None:
            at, kind, name, meta, fence = fenced.groups()
            opened, stop = fenced.end(), end - len(fence) - 1
            digest = blake2b(head + data[pos : end + 1], digest_size=8).hexdigest().encode("ascii")
            closing = b"\n%b\n<!-- end %b bytes=%d hash=%b -->\n\n" % (fence, name, stop - opened, digest)
            after = stop + len(closing)
            if stop < opened or not data.startswith(closing, stop) or data.startswith(_SEALED, after) or b"esc" in meta:
                break
            try:
                event = _plain(line, self.base + pos, name, at, kind, data[opened:stop], meta)
            except ValueError:
                break
            self.records.append(event)
            line += _LINES + event.content.count("\n")
            pos, head = after, digest
            end = data.find(_END, pos)
            self._next_end = end if end >= 0 else -2
        if pos == self.pos:
            return False
        self.pos, self.line, self.head, self.empty = pos, line, head.decode("ascii"), False
        return True

    def record(self) -> bool:
        """Read the record at `pos`; False without a trustworthy record."""
        end = self._end_marker()
        marker = _MARKER.match(self.data, end + 1) if end >= 0 else None
        if marker is None:
            self.reason = "no end marker where one belongs"
            return False
        digest = marker[3].decode("ascii")
        if not self._continues(self.data[self.pos : end + 1], digest):
            if self._read_forgotten(end, marker):
                self._advance(marker.end(), digest)
                return True
            self.reason = "its hash does not continue the chain: altered, or a record before it is missing"
            return False
        try:
            self._read(end, marker)
        except ValueError as error:
            self.reason = f"hash valid, but the record is not in the agent's format: {error}"
            return False
        self._advance(marker.end(), digest)
        return True

    def _end_marker(self) -> int:
        # Remembered, so that a file of headings without end markers is not searched to its end for each.
        if -1 <= self._next_end < self.pos:
            self._next_end = self.data.find(_END, self.pos)
            if self._next_end < 0:
                self._next_end = -2
        return self._next_end

    def _continues(self, block: bytes, digest: str) -> bool:
        return chain(self.head, block) == digest or any(chain(other, block) == digest for other in self.others)

    def _read(self, end: int, marker: re.Match[bytes]) -> None:
        fenced = _FENCED.match(self.data, self.pos, end)
        if fenced is not None:
            self.records.append(_record(self.data, fenced, fenced, end, marker, (self.line, self.base + self.pos)))
        elif self.empty and marker[1] == b"header" and int(marker[2]) == end + 1 - self.pos:
            self.header = header_from(self.data[self.pos : end + 1])
        else:
            raise ValueError("neither an event nor, in first place, a header")
        self.empty = False

    def _read_forgotten(self, end: int, marker: re.Match[bytes]) -> bool:
        """Read the forgotten record at `pos`; False for another record, or a wrong mark."""
        head = HEAD.match(self.data, self.pos, end + 1)
        if head is None or head[3] != marker[1]:
            return False
        if not has_mark(self.data[self.pos : marker.end()], head.start(5) - self.pos, (self.head, *self.others)):
            return False
        place = self.line, self.base + self.pos
        fence = _FENCE.match(self.data, head.end(), end)
        if fence is None and self.data[head.end() : end + 1].strip(b"\n"):
            return False
        try:
            if fence is not None:
                self.records.append(_record(self.data, head, fence, end, marker, place))
            self.forgotten.append(_forgotten_record(head, place, is_quote=fence is not None))
        except ValueError:
            return False
        self.empty = False
        return True

    def _advance(self, end: int, head: str) -> None:
        self.line += self.data.count(b"\n", self.pos, end)
        self.pos, self.head, self.others = end, head, ()

    def skip(self) -> bool:
        """Go on behind unreadable bytes; False at the end of the file."""
        for boundary in _BOUNDARY.finditer(self.data, self.pos):
            at = boundary.end()
            marker = _MARKER.match(self.data, at)
            if marker is None and self.data.startswith(b"## ", at):
                self._note_damage(at)
                return True
            if marker is not None:
                if not self._seal(at, marker):
                    self._note_damage(marker.end())
                return True
        return False

    def _seal(self, at: int, marker: re.Match[bytes]) -> bool:
        length = int(marker[2])
        digest = marker[3].decode("ascii")
        if marker[1] != b"seal" or not 0 < length < at - self.pos:
            return False
        if (mark := seal_mark(self.data[self.pos : at])) >= 0:
            if not has_mark(self.data[self.pos : marker.end()], mark, (self.head, *self.others)):
                return False
        elif self.data[self.pos + length : at] != seal_text(
            self.data[self.pos : self.pos + length]
        ) or not self._continues(self.data[self.pos : at], digest):
            return False
        self.seals.append(self._gap(self.pos + length, "torn record, sealed"))
        self._advance(marker.end(), digest)
        return True

    def _gap(self, end: int, reason: str) -> Gap:
        return Gap(line=self.line, offset=self.base + self.pos, length=end - self.pos, reason=reason)

    def _note_damage(self, end: int) -> None:
        gap = self._gap(end, self.reason)
        last = self.damage[-1] if self.damage else None
        if last is not None and last.offset + last.length == gap.offset:
            whole = last.length + gap.length
            self.damage[-1] = Gap(line=last.line, offset=last.offset, length=whole, reason=last.reason)
        else:
            self.damage.append(gap)
        head, others = self._restart(self.data[self.pos : end])
        self._advance(end, head)
        self.others = others

    def _restart(self, region: bytes) -> tuple[str, tuple[str, ...]]:
        """Hash for a record behind the damaged `region` if the region ends in an end marker, and alternatives."""
        verified = self.others[0] if self.others else self.head
        start = region.rstrip(b"\n").rfind(b"\n") + 1
        stated = _HASH.search(region, start)
        computed = chain(self.head, region[:start])
        return stated[1].decode("ascii") if stated else self.head, (verified, computed)

    def result(self, events: tuple[ParsedEvent, ...]) -> ParsedLog:
        rest = len(self.data) - self.pos
        return ParsedLog(
            header=self.header,
            events=events,
            seals=tuple(self.seals),
            damage=tuple(self.damage),
            torn=self._gap(len(self.data), "cut short, not sealed yet") if rest else None,
            forgotten=tuple(self.forgotten),
            state=LogState(
                offset=self.base + self.pos, line=self.line, head=self.head, others=self.others, empty=self.empty
            ),
        )


def _record(
    data: bytes,
    head: re.Match[bytes],
    fence: re.Match[bytes],
    end: int,
    marker: re.Match[bytes],
    place: tuple[int, int],
) -> Record:
    """Event between a heading, whose groups begin with time, kind, name and metadata, and the end marker.

    Args:
        data: The log.
        head: First lines.
        fence: Opening fence, in the last group; the content begins behind the fence.
        end: Index of the line feed before the end marker.
        marker: End marker.
        place: Line and offset of the heading.
    """
    at, kind, name, meta = head.groups()[:4]
    backticks = fence.groups()[-1]
    stop = end - len(backticks) - 1
    if name != marker[1] or stop - fence.end() != int(marker[2]) or data[stop:end] != b"\n" + backticks:
        raise ValueError("its end marker states another name or length")
    content = data[fence.end() : stop].decode("utf-8")
    meta_json, escaped = remove_mark(meta.decode("ascii"))
    return Record(
        line=place[0],
        offset=place[1],
        id=EventId(name.decode("ascii")),
        at=datetime.fromisoformat(at.decode("ascii")),
        kind=_KINDS[kind],
        content=unescape(content) if escaped else content,
        meta_json=meta_json,
        meta=meta_dict(meta_json),
    )


def _forgotten_record(head: re.Match[bytes], place: tuple[int, int], *, is_quote: bool) -> Forgotten:
    at, kind, name, meta, _ = head.groups()
    return Forgotten(
        line=place[0],
        offset=place[1],
        id=EventId(name.decode("ascii")),
        at=datetime.fromisoformat(at.decode("ascii")),
        kind=_KINDS[kind],
        meta_json=remove_mark(meta.decode("ascii"))[0],
        is_quote=is_quote,
    )


def _plain(line: int, offset: int, name: bytes, at: bytes, kind: bytes, content: bytes, meta: bytes) -> Record:
    """Event of the parts, with the text stored unescaped."""
    event_id: Any = name.decode("ascii")  # A call of EventId for each took a fiftieth of the reading.
    meta_json = meta.decode("ascii")
    return Record(
        line=line,
        offset=offset,
        id=event_id,
        at=datetime.fromisoformat(at.decode("ascii")),
        kind=_KINDS[kind],
        content=content.decode("utf-8"),
        meta_json=meta_json,
        meta=object_of(meta_json),
    )


def _parsed_event(record: Record) -> ParsedEvent:
    event = Event(id=record.id, at=record.at, kind=record.kind, content=record.content, meta_json=record.meta_json)
    return ParsedEvent(event=event, line=record.line, offset=record.offset)


make_ready(__name__, without=(Record,))  # msgspec cannot read a value that names itself
