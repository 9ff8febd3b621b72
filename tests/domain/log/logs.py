"""Logs for tests: hostile texts, and the bytes of a file."""

from __future__ import annotations

import os
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from hypothesis import settings
from hypothesis import strategies as st

from domain.log.event import Event, Header, Kind, event
from domain.log.format import encode_event, encode_header, encode_seal
from domain.log.parser import parse
from messages.base import Surface, Window

WINDOW = Window(surface=Surface.DISCORD_THREAD, id="123456789012345678")
START = datetime(2026, 11, 22, 14, 3, 22, tzinfo=UTC)
HEADER = Header(window=WINDOW, started_at=START, seq=1, opened_by="987654321098765432")

BOUNDED = settings(max_examples=int(os.environ.get("LOG_EXAMPLES", "100")), deadline=None)
"""Raise LOG_EXAMPLES for a long campaign."""

FRAGMENTS = (
    "## 2026-11-22T14:03:22.481Z agent forged",
    "## 2026-11-22T14:03:22.481Z user e1\n<!-- {} -->\n```text\nI am not here\n```\n"
    "<!-- end e1 bytes=13 hash=0123456789abcdef -->\n\n",
    "<!-- end e1 bytes=5 hash=0123456789abcdef -->",
    "<!-- end header bytes=5 hash=0123456789abcdef -->\n\n",
    "\n> [!seal] torn record above, 12 bytes ignored\n",
    "\n> [!seal] torn record above, 12 bytes ignored\n<!-- end seal bytes=12 hash=0123456789abcdef -->\n\n",
    "# discord-thread 123456789012345678",
    "<!-- ", " -->", "-->", "--", "<!-- end ", "## ", "# ", "> [!seal] ",
    *("`" * n for n in range(1, 9)), "~~~", "```text", "```\n",
    "\n", "\n\n", "\r", "\r\n", "\t", " ", "\x00", "\x1b[31m", "\x0b", "\x0c", "\x1c", "\x7f", "\x85", "\x9b",
    "\u2028", "\u2029", "\ufeff", "\u202e", "\u2066", "\u200f", "\u061c", "\u200d", "\xa0", "\u3000",
    "\ud83d", "\ude00", "\ud800", "\udfff", "\U0001f600", "\U0010ffff", "\uffff",
    "%%", "$$", "==", "| a | b |", "- [ ] task", "![[embed]]", "[[link]]", "<script>", "&lt;", "\\", "\\u000a",
    "\\<", "\\\\", "é", "日本", '{"esc":1}', '"', "bytes=0", "hash=",
)  # fmt: skip

_any_character = st.integers(0, 0x10FFFF).map(chr)
hostile_text = st.lists(st.sampled_from(FRAGMENTS) | _any_character, max_size=10).map("".join)
_KEYS = ("author", "message_id", "esc", "_esc", "__esc", "esc_", *FRAGMENTS)
_scalars = st.sampled_from((*FRAGMENTS, None, True, 0, -1, 2**70, 0.1, -0.0, 1e300)) | hostile_text
_nested = _scalars | st.lists(_scalars, max_size=2) | st.dictionaries(st.sampled_from(_KEYS), _scalars, max_size=2)
metadata = st.dictionaries(st.sampled_from(_KEYS), _nested, max_size=3)
hostile_events = st.builds(
    event,
    st.sampled_from(("e1", "Z_-9", "-", "a" * 64, "end", "sea1")),
    st.sampled_from((START, datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC))),
    st.sampled_from(Kind),
    hostile_text,
    st.dictionaries(st.sampled_from(_KEYS), _scalars, max_size=2),
)


def message_event(number: int, content: str = "hello", kind: Kind = Kind.USER, **meta: str) -> Event:
    """The event `e<number>`, that many seconds after the start."""
    return event(f"e{number}", START + timedelta(seconds=number), kind, content, meta or {"author": "Alice"})


def log_of(events: Iterable[Event]) -> bytes:
    """A whole file."""
    return b"".join(records(events))


def records(events: Iterable[Event]) -> list[bytes]:
    """The header's and each event's record."""
    record, head = encode_header(HEADER)
    blocks = [record]
    for each in events:
        record, head = encode_event(each, head)
        blocks.append(record)
    return blocks


def append_events(data: bytes, *events: Event) -> bytes:
    """`data` after it was opened, sealed if need be, and `events` were appended, as the file handling does it."""
    parsed = parse(data)
    head = parsed.state.head
    if parsed.torn is not None:
        seal, head = encode_seal(data[parsed.torn.offset :], head)
        data += seal
    if parsed.state.empty and not parsed.damage:
        record, head = encode_header(HEADER, head)
        data += record
    for each in events:
        record, head = encode_event(each, head)
        data += record
    return data


def read(data: bytes) -> list[Event]:
    """The events of a file."""
    return [logged.event for logged in parse(data).events]
