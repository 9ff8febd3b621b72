"""Archive of recorded exchanges: YAML files of vcrpy, in a folder or a tar file."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

_OF_THE_TRANSPORT = frozenset(
    {"connection", "content-encoding", "content-length", "date", "keep-alive", "set-cookie", "transfer-encoding"}
)
"""Response headers determined by the player's own connection."""


@dataclass(frozen=True)
class Exchange:
    """Request with its response."""

    file: str
    number: int
    """Of the exchange in the file, from 0."""
    method: str
    url: str
    request: Mapping[str, Any]
    """Body of the request; empty for a body that is no JSON object."""
    status: int
    headers: Mapping[str, str]
    """Headers of the response, names in lower case, without the transport's."""
    body: bytes
    """Of the response."""
    at: datetime | None = None
    """Time of the response, if recorded."""

    @cached_property
    def host(self) -> str:
        """Host of the provider."""
        return urlsplit(self.url).hostname or ""

    @cached_property
    def path(self) -> str:
        """Path of the request, decoded."""
        return unquote(urlsplit(self.url).path)

    @property
    def is_stream(self) -> bool:
        """True if the response is a stream of events."""
        kind = self.headers.get("content-type", "")
        return "event-stream" in kind or "eventstream" in kind

    def __str__(self) -> str:
        """Name of the exchange in reports."""
        return f"{self.file}#{self.number}"


def read_archive(place: Path) -> Iterator[tuple[str, tuple[Exchange, ...]]]:
    """Each file of an archive with its exchanges, by name.

    Raises:
        ValueError: the archive has no YAML file, or a file is no recording.
    """
    count = 0
    for name, data in _files(place):
        count += 1
        try:
            yield name, tuple(_exchanges(name, data))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"{place}: {name} is not a recording of vcrpy: {error!r}") from error
    if not count:
        raise ValueError(f"{place}: there must be at least one file *.yaml")


def _files(place: Path) -> Iterator[tuple[str, bytes]]:
    if place.is_dir():
        for file in sorted(place.rglob("*.y*ml")):
            yield str(file.relative_to(place)), file.read_bytes()
        return
    try:
        with tarfile.open(place) as packed:
            for entry in sorted(packed.getmembers(), key=lambda each: each.name):
                opened = packed.extractfile(entry) if entry.isfile() else None
                if opened is not None and entry.name.endswith((".yaml", ".yml")):
                    yield entry.name, opened.read()
    except tarfile.TarError as error:
        raise ValueError(f"{place} is neither a folder nor a tar file: {error}") from error


def _exchanges(name: str, data: bytes) -> Iterator[Exchange]:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    for number, entry in enumerate(yaml.load(data, Loader=loader)["interactions"]):
        request, response = entry["request"], entry["response"]
        headers = {key.lower(): str(_first(value)) for key, value in (response.get("headers") or {}).items()}
        body = _body(response)
        yield Exchange(
            file=name,
            number=number,
            method=str(request["method"]).upper(),
            url=request["uri"],
            request=_object(_body(request)),
            status=response["status"]["code"],
            headers={key: value for key, value in headers.items() if key not in _OF_THE_TRANSPORT},
            body=body,
            at=_time(headers, body),
        )


def _first(value: object) -> object:
    return value[0] if isinstance(value, list) and value else value


def _body(side: Mapping[str, Any]) -> bytes:
    """Bytes of a body; JSON for a body recorded as an object."""
    if "parsed_body" in side:
        return json.dumps(side["parsed_body"], ensure_ascii=False).encode("utf-8", "surrogatepass")
    body = side.get("body")
    body = body["string"] if isinstance(body, dict) and "string" in body else body
    if isinstance(body, dict):
        return json.dumps(body, ensure_ascii=False).encode("utf-8", "surrogatepass")
    return body.encode() if isinstance(body, str) else body or b""


def _object(body: bytes) -> Mapping[str, Any]:
    try:
        value = json.loads(body)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _time(headers: Mapping[str, str], body: bytes) -> datetime | None:
    """Time in the header `date`, else in the answer's own field."""
    if date := headers.get("date"):
        return parsedate_to_datetime(date)
    created = _object(body).get("created") or _object(body).get("created_at")
    return datetime.fromtimestamp(created, UTC) if isinstance(created, int | float) and created > 10**9 else None
