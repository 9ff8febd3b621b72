"""Places of entries: a folder name for any conversation's id, and the kind of each path."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from datetime import UTC, datetime

from domain.facts.sound_text import sound
from messages.facts import EntryRole

ENTRIES = "entries"
DELETED = "deleted"
MOST_BYTES = 200
"""Longest folder name in bytes; the name for a longer id has the id's beginning and hash."""
_PLAIN = re.compile(rb"[A-Za-z0-9_.-]")
_ESCAPED = re.compile(r"%([0-9A-F]{2})")
_KINDS = {EntryRole.MEMORY: "facts", EntryRole.USER: "turns/user", EntryRole.ASSISTANT: "turns/assistant"}
_SUMMARY = re.compile(r"(?:L1/chunk_[0-9]+|L2/group_[0-9]+|L3/final)\.md")
_BEFORE_HASH = 100


def folder_of(conversation: str) -> str:
    """Folder name of a conversation: safe, unique and stable."""
    data = conversation.encode("utf-8", "surrogatepass")
    name = "".join(chr(byte) if _PLAIN.match(bytes((byte,))) else f"%{byte:02X}" for byte in data)
    if name.startswith("."):
        name = f"%2E{name[1:]}"
    if name == DELETED:
        name = f"%{ord(name[0]):02X}{name[1:]}"
    if not name:
        name = "%"
    if len(name) <= MOST_BYTES:
        return name
    return f"{name[:_BEFORE_HASH]}~{hashlib.sha256(data).hexdigest()}"


def conversation_of(folder: str) -> str:
    """Conversation id of a folder; the folder's name for a foreign folder, or for a longer id.

    The name is also the result for an id with half a surrogate pair, which no database can hold.
    """
    if folder == "%":
        return ""
    data = _ESCAPED.sub(lambda match: chr(int(match[1], 16)), folder)
    try:
        conversation = data.encode("latin-1").decode()
    except UnicodeError:
        return folder
    return conversation if folder_of(conversation) == folder else folder


def file_name(created_at: datetime, entry_id: str) -> str:
    """Name of an entry's file: names sort as their times do."""
    at = created_at.astimezone(UTC)
    safe_id = re.sub(r"[^A-Za-z0-9_-]", "-", entry_id)[:100]
    safe_time = at.isoformat(timespec="microseconds").replace(":", "-")[: len("2026-01-01T00-00-00.000000")]
    return f"{safe_time}Z__{safe_id}.md"


def path_of(folder: str, role: EntryRole, created_at: datetime, entry_id: str) -> str:
    """Path of a fact or a turn below the root."""
    return f"{ENTRIES}/{folder}/{_KINDS[role]}/{file_name(created_at, entry_id)}"


def summary_path(folder: str, kind: str, number: int = 0) -> str:
    """Path of a summary below the root.

    Args:
        folder: Folder of the conversation.
        kind: `L1`, `L2` or `L3`.
        number: From 0, within the kind; L3 has a single summary.
    """
    names = {"L1": f"chunk_{number}", "L2": f"group_{number}", "L3": "final"}
    return f"{ENTRIES}/{folder}/summaries/{kind}/{names[kind]}.md"


@dataclass(frozen=True, slots=True)
class Place:
    """Place of an entry's file."""

    folder: str
    kind: str
    """`facts`, `turns/user`, `turns/assistant` or `summaries`."""
    name: str
    """Of the file."""
    is_deleted: bool
    summary_kind: str = ""
    """`L1`, `L2`, `L3`; `summary` for the single summary of the original program."""


def place_of(path: str) -> Place | None:
    """Place of an entry at a path below the root; None if no entry has such a path, or the name is no text."""
    parts = path.split("/")
    if len(parts) < 3 or parts[0] != ENTRIES or not path.endswith(".md") or any(p in ("", ".", "..") for p in parts):
        return None
    if any(part.startswith(".") for part in parts[1:]) or parts[-1].startswith("~") or path != sound(path):
        return None
    is_deleted = False
    if parts[1] == DELETED:
        parts, is_deleted = [parts[0], *parts[2:]], True
    elif len(parts) > 2 and parts[2] == DELETED:
        parts, is_deleted = [*parts[:2], *parts[3:]], True
    if len(parts) < 3:
        return None
    folder, rest = parts[1], "/".join(parts[2:])
    kind, _, name = rest.rpartition("/")
    if kind in _KINDS.values():
        return Place(folder, kind, name, is_deleted)
    if _SUMMARY.fullmatch(rest.removeprefix("summaries/")) and rest.startswith("summaries/"):
        return Place(folder, "summaries", name, is_deleted, kind.rpartition("/")[2])
    if rest in ("summary.md", "summaries/summary.md"):
        return Place(folder, "summaries", name, is_deleted, "summary")
    return None


def deleted_path(path: str) -> str:
    """Path of the file of an unwanted entry; a deleted path stays the same."""
    if (place := place_of(path)) is not None and place.is_deleted:
        return path
    top, folder, rest = path.split("/", 2)
    return f"{top}/{folder}/{DELETED}/{rest}"
