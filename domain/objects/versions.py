"""Versions of a file: looks that make new versions, and the versions' names."""

from __future__ import annotations

import hashlib
import json
import re
from datetime import datetime, timedelta

from domain.objects.looked import FileLook, Status
from messages.objects import FileVersion

FILE, OUTPUT = "f", "t"
"""Kinds of objects, the first letter of an object's id."""
LARGEST = 10**9
"""Number of an object, or of a version."""

_ID = re.compile(rf"[{FILE}{OUTPUT}]([1-9][0-9]{{0,9}})")
_TICK = timedelta(microseconds=1)


def next_version(
    previous: FileVersion | None, object_id: str, look: FileLook | None, now: datetime
) -> FileVersion | None:
    """Version of a file after a look; None for an unchanged file.

    A version is new by path, content or status. A file once read stays read: an `unread` look can only tell of a move.
    An `unread` version is no version of a content yet: the content read later gets the version's number.

    Args:
        previous: The newest version; None for an unknown file.
        object_id: Id of the file.
        look: None for a missing file.
        now: Aware UTC.
    """
    if look is None:
        return _missing(previous, now)
    path, status, size, content_hash = look.path, look.status, look.size, look.content_hash
    if previous is not None:
        if status == Status.UNREAD and previous.status not in (Status.UNREAD, Status.MISSING):
            status, size, content_hash = previous.status, previous.size, previous.content_hash
        if (path, status, content_hash) == (previous.path, previous.status, previous.content_hash):
            return None
    return _version(previous, object_id, now, path, status, size, content_hash)


def completes(previous: FileVersion, path: str, status: str) -> bool:
    """True if a version of the path and status is the content of a version known only by name."""
    return previous.status == Status.UNREAD and path == previous.path and status not in (Status.UNREAD, Status.MISSING)


def valid_from(now: datetime, last: datetime | None) -> datetime:
    """Beginning of a version's validity: now, but always later than the version before, for any clock."""
    return now if last is None else max(now, last + _TICK)


def metadata_hash(path: str, status: str, size: int) -> str:
    """SHA-256 of the known facts of a file beside the content."""
    return _hash_of("file", path, str(status), size)


def object_hash(object_id: str, no: int, content_hash: str, metadata: str) -> str:
    """SHA-256 of a version of an object: id, number and the two other hashes."""
    return _hash_of("object", object_id, no, content_hash, metadata)


def numbered_id(kind: str, number: int) -> str:
    """Id of the object of a kind with a number, e.g. `f12`.

    Raises:
        ValueError: there is no such id; names the value and the rule.
    """
    if kind not in (FILE, OUTPUT):
        raise ValueError(f"kind of object {kind!r}: {FILE!r} or {OUTPUT!r} is required")
    if not 1 <= number <= LARGEST:
        raise ValueError(f"number of an object {number}: 1 to {LARGEST} is required")
    return f"{kind}{number}"


def number_of(object_id: str) -> int:
    """Number of the object of an id; the first character of the id is the kind.

    Raises:
        ValueError: not an id; names the value and the rule.
    """
    match = _ID.fullmatch(object_id)
    if match is None or int(match[1]) > LARGEST:
        raise ValueError(f"id of an object {object_id[:40]!r}: f or t and a number from 1 on are required, e.g. f12")
    return int(match[1])


def _missing(previous: FileVersion | None, now: datetime) -> FileVersion | None:
    if previous is None or previous.status == Status.MISSING:
        return None
    return _version(previous, previous.object, now, previous.path, Status.MISSING, 0, "")


def _version(  # one of a row's columns each
    previous: FileVersion | None, object_id: str, now: datetime, path: str, status: str, size: int, content_hash: str
) -> FileVersion:
    no = 1 if previous is None else previous.no + 1
    if previous is not None and completes(previous, path, status):
        no = previous.no
    metadata = metadata_hash(path, status, size)
    return FileVersion(
        object=object_id,
        no=no,
        valid_from=valid_from(now, None if previous is None else previous.valid_from),
        path=path,
        status=str(status),
        size=size,
        content_hash=content_hash,
        metadata_hash=metadata,
        object_hash=object_hash(object_id, no, content_hash, metadata),
    )


def _hash_of(*fields: str | int) -> str:
    """SHA-256 of fields, unique to the fields."""
    return hashlib.sha256(json.dumps(fields, separators=(",", ":")).encode()).hexdigest()
