"""Discord's published contract: operations of its OpenAPI description, events and frames of its gateway.

`description.json` holds the operations and events that the playground has; anything else is a fault.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from functools import cache, reduce
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import jsonschema

from lab.playground.world.traffic import Exchange, Frame

FILE = Path(__file__).with_name("description.json")
_FORMATS = jsonschema.FormatChecker(formats=())
_USER_AGENT = re.compile(r"DiscordBot \(https?://\S+, [^()\s]+\)( \S.*)?")
"""As the reference on user agents asks: an address and a version."""
_FILE_PART = re.compile(r"files\[\d+\]")
_WITH_FILES = re.compile(r"(POST|PATCH) \S*/(messages(/[^/]+)?|callback|threads|\{webhook_token\})")
"""Operations that take files, by the reference on uploads; the package's types do not say which."""
_TEXT = {"type": "string"}
_CORRECTED = {
    # Codes of single fields are words such as `BASE_TYPE_REQUIRED` (discord/discord-api-docs#1313).
    ("$defs", "rest.InnerErrors"): {
        "type": "object",
        "properties": {
            "_errors": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"code": _TEXT, "message": _TEXT},
                    "required": ["code", "message"],
                },
            }
        },
        "required": ["_errors"],
    },
    # Media channels, of type 16, are left out; the reference and discord-api-types have them.
    ("$defs", "rest.GuildChannelResponse", "properties", "type"): {"enum": [0, 2, 4, 5, 13, 14, 15, 16]},
    # discord.py 2.7.1 writes into it, so that it has always been an object for that library.
    ("events", "RESUMED"): {"type": "object"},
}
"""Parts of the description that are known to be wrong, as they should be."""
_LET_PASS = frozenset({"tts"})
"""Keys of bodies that Discord passes by: discord.py says in edits, too, that they are not spoken."""
_TRUTHS = {"true": True, "false": False, "1": True, "0": False}
"""Spellings of a boolean in a query, by the reference."""


def _is_moment(value: object) -> bool:
    return not isinstance(value, str) or datetime.fromisoformat(value).tzinfo is not None


def _is_address(value: object) -> bool:
    return not isinstance(value, str) or bool(urlsplit(value).scheme)


_FORMATS.checks("date-time", raises=ValueError)(_is_moment)
_FORMATS.checks("uri", raises=ValueError)(_is_address)


class Description:
    """The contract as checks of single exchanges and frames; counts what it has checked."""

    def __init__(self, data: dict[str, Any] | None = None) -> None:
        """Nothing is checked yet.

        Args:
            data: The content of `description.json`; read from there if None.
        """
        self._data = data if data is not None else json.loads(FILE.read_text("utf-8"))
        for (*place, name), schema in _CORRECTED.items():
            reduce(dict.__getitem__, place, self._data)[name] = schema
        self._templates = [(_pattern(name), name) for name in sorted(self._data["operations"], key=_rank)]
        self._validators: dict[str, Any] = {}
        self.checked: Counter[str] = Counter()
        """Operations with their status, `event NAME`, `op NUMBER`, by how often they were checked."""

    @property
    def operations(self) -> frozenset[str]:
        """Method and template of every known operation."""
        return frozenset(self._data["operations"])

    @property
    def events(self) -> frozenset[str]:
        """Names of the known events."""
        return frozenset(self._data["events"])

    def faults(self, traffic: Exchange | Frame) -> list[str]:
        """Differences from the contract, each with its place; empty if there are none."""
        return list(self._frame_faults(traffic) if isinstance(traffic, Frame) else self._exchange_faults(traffic))

    def playground_faults(self, traffic: Exchange | Frame) -> list[str]:
        """Differences of answers and events alone, where the client is a stranger."""
        if isinstance(traffic, Frame) and traffic.by_bot:
            return []
        return [fault for fault in self.faults(traffic) if " request: " not in fault]

    # REST

    def operation_of(self, method: str, path: str) -> str | None:
        """The operation, literal segments before parameters; None if it is unknown."""
        line = f"{method} {path}"
        return next((name for pattern, name in self._templates if pattern.fullmatch(line)), None)

    def _exchange_faults(self, exchange: Exchange) -> Iterator[str]:
        name = self.operation_of(exchange.method, exchange.path)
        if name is None:
            yield f"{exchange.method} {exchange.path}: unknown operation"
            return
        operation = self._data["operations"][name]
        self.checked[f"{name} {exchange.status}"] += 1
        for fault in (
            *self._header_faults(exchange),
            *self._query_faults(name, operation["query"], exchange.query),
            *self._body_faults(name, operation["body"], exchange),
        ):
            yield f"{name} request: {fault}"
        if exchange.status and exchange.fault is None:
            for fault in self._answer_faults(name, operation["answers"], exchange):
                yield f"{name} answer {exchange.status}: {fault}"

    def _header_faults(self, exchange: Exchange) -> Iterator[str]:
        agent = exchange.headers.get("User-Agent", "")
        if not _USER_AGENT.fullmatch(agent):
            yield f"User-Agent {agent!r} is not of the form `DiscordBot (url, version)`"
        if exchange.payload is not None and not exchange.parts:
            kind = exchange.headers.get("Content-Type", "").partition(";")[0]
            if kind != "application/json":
                yield f"Content-Type {kind!r}"

    def _query_faults(self, name: str, schema: dict[str, Any], query: tuple[tuple[str, str], ...]) -> Iterator[str]:
        known = schema["properties"]
        yield from (f"query {key}: unknown" for key, _ in query if key not in known)
        value = {key: _query_value(known[key], text) for key, text in query if key in known}
        yield from (f"query {fault}" for fault in self._schema_faults(f"query {name}", schema, value))

    def _body_faults(self, name: str, schema: dict[str, Any] | None, exchange: Exchange) -> Iterator[str]:
        if exchange.payload is not None and not (schema is None and exchange.payload == {}):
            if schema is None:
                yield "body: none is expected"
            elif exchange.status < 400 or exchange.fault:
                yield from self._schema_faults(f"body {name}", schema, exchange.payload)
                yield from self._unknown_keys(schema, exchange.payload)
        elif schema is not None and self._needs_body(schema):
            yield "body: missing"
        if exchange.parts:
            yield from self._part_faults(name, exchange)

    def _needs_body(self, schema: dict[str, Any]) -> bool:
        return not self._validator(json.dumps(schema), schema).is_valid({})

    def _part_faults(self, name: str, exchange: Exchange) -> Iterator[str]:
        if not _WITH_FILES.fullmatch(name):
            yield "multipart: this operation takes no files"
        numbers = set()
        for part in exchange.parts:
            if part.name == "payload_json":
                continue
            if not part.name or not _FILE_PART.fullmatch(part.name) or not part.filename:
                yield f"multipart {part.name!r}: neither payload_json nor a named file files[n]"
            else:
                numbers.add(part.name[6:-1])
        body = exchange.payload or {}
        for entry in body.get("attachments") or body.get("data", {}).get("attachments") or ():
            if "filename" in entry and str(entry["id"]) not in numbers:
                yield f"multipart attachments: id {entry['id']!r} has no files[n]"

    def _answer_faults(self, name: str, answers: dict[str, Any], exchange: Exchange) -> Iterator[str]:
        status = str(exchange.status)
        key = status if status in answers else f"{status[0]}XX"
        if key not in answers:
            yield f"status: not among {', '.join(answers)}"
            return
        schema = answers[key]
        if schema is None:
            yield from (["body: not empty"] if status == "204" and exchange.answer else [])
            return
        try:
            value = json.loads(exchange.answer)
        except ValueError:
            yield "body: no JSON"
            return
        yield from self._schema_faults(f"answer {name} {key}", schema, value)

    # gateway

    def _frame_faults(self, frame: Frame) -> Iterator[str]:
        content = json.loads(frame.text)
        number, value = content["op"], content.get("d")
        if number == 0 and not frame.by_bot:
            kind, known, name = "event", self._data["events"], str(content["t"])
        else:
            kind, known, name = "op", self._data["sent" if frame.by_bot else "received"], str(number)
        line = f"{kind} {name} {'from the bot' if frame.by_bot else 'to the bot'}"
        if name not in known:
            yield f"{line}: unknown"
            return
        self.checked[f"{kind} {name}"] += 1
        yield from (f"{line}: {fault}" for fault in self._schema_faults(line, known[name], value))

    # schemas

    def _validator(self, key: str, schema: dict[str, Any]) -> Any:
        if key not in self._validators:
            whole = {"$defs": self._data["$defs"], **schema}
            self._validators[key] = jsonschema.Draft202012Validator(whole, format_checker=_FORMATS)
        return self._validators[key]

    def _schema_faults(self, key: str, schema: dict[str, Any], value: Any) -> Iterator[str]:
        for error in self._validator(key, schema).iter_errors(value):
            for deepest in _deepest(error):
                place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in deepest.absolute_path)
                yield f"{re.sub(r'[0-9]+', 'n', place) or '.'}: {_fault_text(deepest)}"

    def _unknown_keys(self, schema: dict[str, Any], value: Any) -> Iterator[str]:
        """Keys at the top of a body that no alternative of `schema` has."""
        if isinstance(value, dict):
            known = frozenset[str]().union(*self._properties(schema))
            yield from (f".{key}: unknown" for key in value if known and key not in known | _LET_PASS)

    def _properties(self, schema: dict[str, Any]) -> Iterator[frozenset[str]]:
        if "$ref" in schema:
            schema = self._data["$defs"][schema["$ref"].removeprefix("#/$defs/")]
        yield frozenset(schema.get("properties", ()))
        for inner in (*schema.get("anyOf", ()), *schema.get("allOf", ()), *schema.get("oneOf", ())):
            yield from self._properties(inner)


def _deepest(error: Any) -> Iterator[Any]:
    """The error itself, or those of the alternative that comes closest: of the right `type`, with the fewest errors."""
    if not error.context:
        yield error
        return
    alternatives = [list(errors) for _, errors in groupby(error.context, key=lambda each: each.schema_path[0])]

    def distance(errors: list[Any]) -> tuple[int, int]:
        is_other = any(each.validator in ("const", "enum", "type") and len(each.path) < 2 for each in errors)
        return is_other, len(errors)

    for inner in min(alternatives, key=distance):
        yield from _deepest(inner)


def _fault_text(error: Any) -> str:
    """The fault without the value, which may be long; a missing or unknown key is named."""
    if error.validator in ("required", "additionalProperties"):
        return str(error.message)
    return f"{str(error.instance)[:60]!r} breaks {error.validator} {str(error.validator_value)[:80]}"


@cache
def _pattern(operation: str) -> re.Pattern[str]:
    """Pattern of method and path; ids are digits."""
    parts = re.split(r"\{([^}]+)\}", operation)
    texts = [re.escape(part) if number % 2 == 0 else _parameter(part) for number, part in enumerate(parts)]
    return re.compile("".join(texts))


def _parameter(name: str) -> str:
    return r"\d+" if name.endswith("_id") else "[^/]+"


def _rank(operation: str) -> tuple[int, str]:
    return operation.count("{"), operation


def _query_value(schema: dict[str, Any], text: str) -> Any:
    """Value of a query's parameter as its schema means it; the text itself if it cannot be read so."""
    if schema.get("type") == "boolean":
        return _TRUTHS.get(text.lower(), text)
    if schema.get("type") == "number":
        return float(text) if re.fullmatch(r"-?\d+(\.\d+)?", text) else text
    return text
