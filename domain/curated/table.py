"""Page table: a sidecar that lists the pages of an index and its topic files; the markdown is never doubted for it."""

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
"""A larger one is not read."""
_GIST = 80
"""Characters of a page's words and of its heading's."""


class TableState(StrEnum):
    """Relation of a page table to its index."""

    OK = "ok"
    STALE = "stale"
    """Of another version of the index."""
    INVALID = "invalid"
    MISSING = "missing"


def table(index: bytes, document: Document, topics: Mapping[str, Document]) -> bytes:
    """The page table: a line about the index, one for each page of it and of each topic file, and a digest of them."""
    head = {"version": VERSION, "index": digest(index), "bytes": len(index), "pages": len(document.pages)}
    whole = _lines([head, *_rows(document.pages)])
    for name in sorted(topics):
        more = _lines([{"topic": name, "pages": len(topics[name].pages)}, *_rows(topics[name].pages, name)])
        if len(whole) + len(more) > LIMIT_BYTES:
            break
        whole += more
    return whole + _seal(whole)


def state_beside(described: str | None, index: bytes) -> TableState:
    """State of a page table that describes that version of an index; None for a table that cannot be read."""
    if described is None:
        return TableState.INVALID
    return TableState.OK if described == digest(index) else TableState.STALE


def described_by(data: bytes) -> str | None:
    """The version of an index that a page table describes, as `digest` names it; None if it cannot be read.

    Every line of it is looked at, which takes milliseconds where there are many topic files.
    """
    head = _head(data)
    return None if head is None else head["index"]


def digest(data: bytes) -> str:
    """Name of a version of an index."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _lines(lines: Iterable[Mapping[str, object]]) -> bytes:
    """A line of JSON each; what is no valid text is shown as such, and only then is a line of a bounded length."""
    text = "".join(f"{json.dumps(line, ensure_ascii=False, sort_keys=True)}\n" for line in lines)
    return text.encode("utf-8", "replace")


def _head(data: bytes) -> dict[str, Any] | None:
    """The line about the index; None if any byte of the table is not as it was written."""
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
