"""Watermark of a channel, up to which all is logged, and the file with the watermark of each channel.

A line of the file holds the whole watermark of one channel and a check sum; of a channel's lines the last whole line
counts. So the file can be cut short anywhere, or lose any line, and at worst states too low a watermark:
the cost is a second look at messages already known to the windows by id.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from hashlib import blake2b

from messages.base import Surface, Value, make_ready

FILE_NAME = "watermarks"
"""Below the data root."""
ENDLESS = (1 << 63) - 1
"""Greater than every message id: the end of a gap of unknown length."""
_LINE = re.compile(
    rb"([a-z-]+)/([0-9]{1,20}) from=([0-9]{1,20}) upto=([0-9]{1,20}) gaps=([0-9,-]*) hash=([0-9a-f]{16})"
)


class Gap(Value, frozen=True, gc=False):
    """Messages not known to be logged: messages after `after`, up to and including `upto`."""

    after: int
    upto: int


class Watermark(Value, frozen=True, kw_only=True, gc=False):
    """Watermark of a channel: every message up to `upto` is logged, or needs no log, except messages in `gaps`."""

    surface: Surface
    first: int
    """Newest message at the first sight of the channel: up to here the agent never had a message to read. 0 without a
    message."""
    upto: int
    gaps: tuple[Gap, ...] = ()
    """Each below `upto`, in order."""


def line_of(channel_id: int, watermark: Watermark) -> bytes:
    """Line for a channel's watermark, with a line feed."""
    gaps = ",".join(f"{gap.after}-{gap.upto}" for gap in watermark.gaps)
    text = f"{watermark.surface.value}/{channel_id} from={watermark.first} upto={watermark.upto} gaps={gaps}".encode()
    return b"%s hash=%s\n" % (text, _check_sum(text))


def parse_line(line: bytes) -> tuple[int, Watermark]:
    """Channel and watermark that `line_of` spells as `line`; `line` ends before the line feed.

    Raises:
        ValueError: `line` is no watermark, or not whole.
    """
    match = _LINE.fullmatch(line)
    if match is None or _check_sum(line[: match.start(6) - len(" hash=")]) != match[6]:
        raise ValueError(f"watermark {line[:80]!r}: not a whole line that the agent wrote")
    watermark = Watermark(
        surface=Surface(match[1].decode("ascii")),
        first=int(match[3]),
        upto=int(match[4]),
        gaps=tuple(_gap(part) for part in match[5].split(b",") if part),
    )
    return int(match[2]), watermark


def watermarks_in(data: bytes) -> Mapping[int, Watermark]:
    """Channel id -> watermark, from the whole lines of a file; other lines are skipped."""
    watermarks: dict[int, Watermark] = {}
    for line in _lines(data):
        try:
            channel_id, watermark = parse_line(line)
        except ValueError:
            continue
        watermarks[channel_id] = watermark
    return watermarks


def unreadable_lines(data: bytes) -> int:
    """Number of unreadable lines of a file, a last line cut short included."""
    bad = 0
    for line in _lines(data):
        try:
            parse_line(line)
        except ValueError:
            bad += 1
    return bad


def _lines(data: bytes) -> Iterator[bytes]:
    return (line for line in data.split(b"\n") if line)


def _gap(part: bytes) -> Gap:
    after, dash, upto = part.partition(b"-")
    if not (dash and after and upto and b"-" not in upto and int(after) < int(upto)):
        raise ValueError(f"gap {part[:80]!r}: two ids are expected, the greater one last")
    return Gap(int(after), int(upto))


def _check_sum(text: bytes) -> bytes:
    return blake2b(text, digest_size=8).hexdigest().encode("ascii")


make_ready(__name__)
