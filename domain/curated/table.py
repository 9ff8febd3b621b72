"""Page table: sidecar with the pages of an index and of topic files; the markdown always takes precedence."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Any

from domain.curated.document import Document
from domain.curated.page import Page

FILE = "page-table.jsonl"
VERSION = 1
LIMIT_BYTES = 16 * 1024 * 1024
"""Largest readable page table."""
_GIST = 80
"""Characters kept of a page's words and of the heading's words."""


class TableState(StrEnum):
    """Relation of a page table to an index."""

    OK = "ok"
    STALE = "stale"
    """Of another version of the index."""
    INVALID = "invalid"
    MISSING = "missing"


def table(index: bytes, document: Document, topics: Mapping[str, Document]) -> bytes:
    """Page table: a line about the index, a line for each page of index and topic files, and a digest of all."""
    head = {"version": VERSION, "index": digest(index), "bytes": len(index), "pages": len(document.pages)}
    whole = _lines([head, *_rows(document.pages)])
    for name in sorted(topics):
        more = _lines([{"topic": name, "pages": len(topics[name].pages)}, *_rows(topics[name].pages, name)])
        if len(whole) + len(more) > LIMIT_BYTES:
            break
        whole += more
    return whole + _seal(whole)


def state_beside(described: str | None, index: bytes) -> TableState:
    """State of a page table for a described version of an index; None for an unreadable table."""
    if described is None:
        return TableState.INVALID
    return TableState.OK if described == digest(index) else TableState.STALE


def described_by(data: bytes) -> str | None:
    """Version of an index described by a page table, as in `digest`; None for an unreadable table.

    Every line of the table is checked, at a cost of milliseconds with many topic files.
    """
    head = _head(data)
    return None if head is None else head["index"]


def digest(data: bytes) -> str:
    """Name of a version of an index."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _lines(lines: Iterable[Mapping[str, object]]) -> bytes:
    """Lines of JSON; invalid text is shown as invalid, and only then is a line of bounded length."""
    text = "".join(f"{json.dumps(line, ensure_ascii=False, sort_keys=True)}\n" for line in lines)
    return text.encode("utf-8", "replace")


def _head(data: bytes) -> dict[str, Any] | None:
    """Line about the index; None if any byte of the table differs from the written table."""
    body = data[: data.rfind(b"\n", 0, -1) + 1]
    if data != body + _seal(body):
        return None
    try:
        head = json.loads(body.partition(b"\n")[0].decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    is_sound = isinstance(head, dict) and head.get("version") == VERSION and isinstance(head.get("index"), str)
    return head if is_sound else None


def _seal(body: bytes) -> bytes:
    """The last line of a table."""
    return f'{{"digest": "{digest(body)}"}}\n'.encode()


def _rows(pages: tuple[Page, ...], topic: str = "") -> Iterator[dict[str, Any]]:
    for page in pages:
        row: dict[str, Any] = {
            "id": page.id,
            "kind": page.kind.value,
            "line": page.line,
            "chars": len(page.raw),
            "section": page.section[:_GIST],
            "gist": page.text[:_GIST],
        }
        if page.target:
            row["file"] = page.target
        if topic:
            row["topic"] = topic
        yield row
