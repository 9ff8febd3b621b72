"""Page table: a sidecar that lists the pages of an index and its topic files; the markdown is never doubted for it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any

from domain.curated.document import Document
from domain.curated.page import Page

FILE = "page-table.jsonl"
VERSION = 1
LIMIT_BYTES = 16 * 1024 * 1024
"""A larger one is not read."""
_GIST = 200


class TableState(StrEnum):
    """Relation of a page table to its index."""

    OK = "ok"
    STALE = "stale"
    """Of another version of the index."""
    INVALID = "invalid"
    MISSING = "missing"


def table(index: bytes, document: Document, topics: Mapping[str, Document]) -> bytes:
    """The page table: a line about the index, then a line for each page of it and of each topic file."""
    head = {"version": VERSION, "index": digest(index), "bytes": len(index), "pages": len(document.pages)}
    lines = [head, *_rows(document.pages)]
    for name in sorted(topics):
        lines += [{"topic": name, "pages": len(topics[name].pages)}, *_rows(topics[name].pages, name)]
    return "".join(f"{json.dumps(line, ensure_ascii=True, sort_keys=True)}\n" for line in lines).encode()


def state_of(data: bytes | None, index: bytes) -> TableState:
    """What a page table is worth beside an index; None for no table."""
    if data is None:
        return TableState.MISSING
    head = _head(data)
    if head is None:
        return TableState.INVALID
    return TableState.OK if head["index"] == digest(index) else TableState.STALE


def digest(data: bytes) -> str:
    """Name of a version of an index."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _head(data: bytes) -> dict[str, Any] | None:
    """The line about the index, if all lines are those of a page table."""
    try:
        lines = [json.loads(line) for line in data.decode("utf-8").splitlines()]
    except (ValueError, RecursionError):
        return None
    if not lines or not all(isinstance(line, dict) for line in lines):
        return None
    head = lines[0]
    own = [line for line in lines[1:] if "topic" not in line]
    is_sound = (
        head.get("version") == VERSION
        and isinstance(head.get("index"), str)
        and head.get("pages") == len(own)
        and all(isinstance(line.get("id"), str) and isinstance(line.get("kind"), str) for line in own)
    )
    return head if is_sound else None


def _rows(pages: tuple[Page, ...], topic: str = "") -> Iterator[dict[str, Any]]:
    for page in pages:
        row: dict[str, Any] = {
            "id": page.id,
            "kind": page.kind.value,
            "line": page.line,
            "chars": len(page.raw),
            "section": page.section,
            "gist": page.text[:_GIST],
        }
        if page.target:
            row["file"] = page.target
        if topic:
            row["topic"] = topic
        yield row
