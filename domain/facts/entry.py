"""Entry of the facts in file form: front matter in YAML, then the text unchanged.

Hand-written files may use any form of YAML, and dates in common forms; unreadable values count as absent.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from email.utils import parsedate_to_datetime
from types import MappingProxyType
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from domain.facts.sound_text import sound
from messages.facts import EntryRole

MOST_FRONT_CHARS = 64_000
"""Longest front matter; longer front matter counts as text."""
KEYS = ("id", "role", "conversation_id", "created_at", "summary_kind", "replaced_by", "source_id")
_OWN_LINE = re.compile(r'([a-z_]+): ("(?:[^"\\]|\\.)*"|-?[0-9]+(?:\.[0-9]+)?)')
_FENCE = re.compile(r"---[ \t]*\r?\n")
_END = re.compile(r"^(?:---|\.\.\.)[ \t]*\r?(?:\n|\Z)", re.MULTILINE)
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")
_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_MOST_ID = 200
_MOST_CONVERSATION = 500
_MOST_DATE = 100
_DATE = re.compile(
    r"([0-9]{4})[-/.]([0-9]{1,2})[-/.]([0-9]{1,2})"
    r"(?:[T ]+([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]+))?)?)?"
    r"\s*(Z|z|UTC|GMT|[+-][0-9]{1,2}(?::?[0-5][0-9])?)?"
)
_NAMED_ZONE = re.compile(r"(.*[0-9])(?:[zZ]|[+-][0-9]{2}:?[0-9]{2})?\s*\[?([A-Za-z]+(?:/[A-Za-z0-9_+-]+)*)\]?")
_OFFSETS_TEXT = """
    WET 0 WEST 1 BST 1 CET 1 CEST 2 MEZ 1 MESZ 2 EET 2 EEST 3 MSK 3 EST -5 EDT -4 CST -6 CDT -5 MST -7 MDT -6 PST -8
    PDT -7 JST 9 KST 9 AEST 10 AEDT 11 NZST 12 NZDT 13
"""
_OFFSETS = dict(zip(_OFFSETS_TEXT.split()[::2], map(int, _OFFSETS_TEXT.split()[1::2]), strict=True))
"""Hours of zones by the usual abbreviations; an abbreviation of several zones means the most common zone."""
_TOO_MANY_S = 10**11
"""Number of seconds from which a value counts as milliseconds, or smaller fractions."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One memory."""

    id: str
    role: EntryRole
    conversation: str
    created_at: datetime
    """Aware UTC."""
    content: str
    summary_kind: str = ""
    replaced_by: str = ""
    source_id: str = ""
    """Entry id of the source turn of a fact."""
    extra: Mapping[str, str | int | float] = field(default_factory=lambda: MappingProxyType({}))
    """Further keys to write; further keys of a file are not read."""


@dataclass(frozen=True, slots=True)
class Defaults:
    """Values for keys missing from a file."""

    id: str
    role: EntryRole
    conversation: str
    created_at: datetime


ReadKeys = Callable[[str], Mapping[str, str]]
"""Returns the keys of YAML front matter with a simple value; raises ValueError for other text."""


def read_entry(text: str, defaults: Defaults, read_keys: ReadKeys) -> Entry:
    """Entry in a file, for any text.

    Args:
        text: All of the file.
        defaults: Values for missing keys.
        read_keys: Reads front matter not in the runtime's own spelling.
    """
    _, front, _, body = _parts(text) or ("", "", "", text.removeprefix("\ufeff"))
    keys = _keys(front, read_keys)
    inner = _parts(body.lstrip("\r\n")) if front and "id" not in keys else None
    if inner is not None and "id" in (own := _keys(inner[1], read_keys)):  # A sync program put its own in front.
        keys, body = {**keys, **own}, inner[3]
    body = body.removesuffix("\n")
    role = _role(keys.get("role", ""), defaults.role)
    is_turn = role in (EntryRole.USER, EntryRole.ASSISTANT)
    return Entry(
        id=_id(keys.get("id", "")) or defaults.id,
        role=role,
        conversation=sound(keys.get("conversation_id", ""))[:_MOST_CONVERSATION] or defaults.conversation,
        created_at=_moment(keys.get("created_at", "")) or defaults.created_at,
        content=body if is_turn else body.strip(),
        summary_kind=_id(keys.get("summary_kind", "")),
        replaced_by=_id(keys.get("replaced_by", "")),
        source_id=_id(keys.get("source_id", "")),
    )


def write_entry(entry: Entry) -> str:
    """File text of an entry; the added newline ends the text."""
    at = entry.created_at.astimezone(UTC).isoformat()
    fields = {
        "id": entry.id,
        "role": entry.role.value,
        "conversation_id": entry.conversation,
        "created_at": at,
        "summary_kind": entry.summary_kind,
        "replaced_by": entry.replaced_by,
        "source_id": entry.source_id,
    }
    lines = [f"{key}: {_spell_value(value)}" for key, value in fields.items() if value]
    lines += [f"{key}: {_spell_value(value)}" for key, value in entry.extra.items()]
    return "\n".join(("---", *lines, "---", entry.content)) + "\n"


def with_replacement(text: str, replaced_by: str) -> str:
    """File text with `replaced_by` in the front matter, all else unchanged; missing front matter is added."""
    line = f"replaced_by: {_spell_value(replaced_by)}\n"
    parts = _parts(text)
    if parts is None:
        return f"---\n{line}---\n{text}"
    fence, front, end, body = parts
    others = [each for each in front.split("\n") if not each.startswith("replaced_by:")]
    return "".join((fence, line, "\n".join(others), end, body))


def _parts(text: str) -> tuple[str, str, str, str] | None:
    """Fence, front matter, fence, and the text behind; None without front matter."""
    bare = text.removeprefix("\ufeff")
    fence = _FENCE.match(bare)
    end = _END.search(bare, fence.end(), fence.end() + MOST_FRONT_CHARS) if fence is not None else None
    if fence is None or end is None or (end[0][-1] != "\n" and end.end() < len(bare)):
        return None
    return fence[0], bare[fence.end() : end.start()], end[0], bare[end.end() :]


def _keys(front: str, read_keys: ReadKeys) -> Mapping[str, str]:
    own = _own_keys(front)
    if own is not None:
        return own
    try:
        return read_keys(front)
    except ValueError:
        pairs = [line.partition(":") for line in front.split("\n")]
        fields = {name.rstrip(): value.strip() for name, _, value in pairs if name.rstrip() in KEYS}
        return {name: value.strip("\"'") for name, value in fields.items() if value not in _NULL}


def _own_keys(front: str) -> dict[str, str] | None:
    """Keys of front matter in the runtime's own spelling; None for any other."""
    keys: dict[str, str] = {}
    for line in front.split("\n")[:-1]:
        match = _OWN_LINE.fullmatch(line)
        if match is None:
            return None
        value = match[2]
        try:
            keys[match[1]] = json.loads(value) if value.startswith('"') else value
        except ValueError:
            return None
    return keys


def _id(text: str) -> str:
    """Id printable in one line; empty for any other."""
    start = text.strip()[:_MOST_ID]
    return start if start.isprintable() else ""


def _role(text: str, default: EntryRole) -> EntryRole:
    try:
        return EntryRole(text.strip().lower())
    except ValueError:
        return default


def _moment(text: str) -> datetime | None:
    """Time named by a text, aware UTC; a time without an offset counts as UTC. None for a text without a time."""
    start = text.strip()[:_MOST_DATE]
    try:
        if re.fullmatch(r"[0-9]{9,19}(\.[0-9]+)?", start):
            seconds = float(start)
            while seconds >= _TOO_MANY_S:
                seconds /= 1_000
            at = datetime.fromtimestamp(seconds, UTC)
        else:
            at = _parse_date(start)
        at = at if at.tzinfo is not None else at.replace(tzinfo=UTC)
        return at.astimezone(UTC)
    except (ValueError, OverflowError, OSError, TypeError):
        return None


def _parse_date(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        match = _DATE.fullmatch(text)
        named = _NAMED_ZONE.fullmatch(text) if match is None else None
        if named is not None and (place := _zone(named[2])) is not None:
            return _parse_date(named[1]).replace(tzinfo=place)
        if match is None:
            return parsedate_to_datetime(text)
    year, month, day, hour, minute, second, part, zone = match.groups()
    micros = int((part or "").ljust(6, "0")[:6])
    at = datetime(int(year), int(month), int(day), int(hour or 0), int(minute or 0), int(second or 0), micros, UTC)
    if zone in (None, "Z", "z", "UTC", "GMT"):
        return at
    digits = zone[1:].replace(":", "")
    hours, minutes = (digits[:-2], digits[-2:]) if len(digits) > 2 else (digits, "0")
    offset = timedelta(hours=int(hours), minutes=int(minutes))
    return at - offset if zone[0] == "+" else at + offset


def _zone(name: str) -> tzinfo | None:
    """Zone of a name such as Europe/Berlin or CET; None for an unknown name."""
    if name.upper() in _OFFSETS:
        return timezone(timedelta(hours=_OFFSETS[name.upper()]))
    try:
        return ZoneInfo(name) if "/" in name else None
    except (ValueError, OSError, ZoneInfoNotFoundError):
        return None


def _spell_value(value: str | float) -> str:
    """Value in JSON spelling, read alike by every YAML parser."""
    text = json.dumps(value, ensure_ascii=False)
    return _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
