"""JSON in transit: split at the top level and joined again, with inner values byte for byte as received.

Oddities that some readers refuse (half a surrogate pair, a number of ten thousand digits, NaN, nesting a
thousand levels deep) are split all the same; the judgement is left to other programs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from itertools import islice

import msgspec
from msgspec import Raw

_FIELDS = msgspec.json.Decoder(dict[str, Raw])
_ITEMS = msgspec.json.Decoder(list[Raw])
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[\[\]{},]', re.DOTALL)
_KEY = re.compile(rb'\s*("[^"\\]*+(?:\\.[^"\\]*+)*+")\s*:\s*(.*\S)\s*', re.DOTALL)
_MOST_TOKENS = 1_000_000
"""Most brackets, commas and strings of a text to be split by counting."""
_REFUSALS = msgspec.DecodeError, UnicodeDecodeError


def fields_of(data: bytes | Raw) -> dict[str, Raw]:
    """Values of an object by name; of two equal names the last counts.

    Raises:
        ValueError: not a JSON object.
    """
    try:
        return _FIELDS.decode(data)
    except _REFUSALS as error:
        _check(data, error)
    except RecursionError:
        pass
    matches = (_KEY.fullmatch(member) for member in _members(bytes(data), b"{}"))
    return {json.loads(_require_member(each)[1]): Raw(_require_member(each)[2]) for each in matches}


def items_of(data: bytes | Raw) -> list[Raw]:
    """Items of a list.

    Raises:
        ValueError: not a JSON list.
    """
    try:
        return _ITEMS.decode(data)
    except _REFUSALS as error:
        _check(data, error)
    except RecursionError:
        pass
    return [Raw(member.strip()) for member in _members(bytes(data), b"[]")]


def value_of(data: bytes | Raw) -> object:
    """Value of a JSON text; None for a text that is not readable as a whole."""
    try:
        return msgspec.json.decode(data)
    except (*_REFUSALS, RecursionError):
        pass
    try:
        value: object = json.loads(bytes(data).decode())
    except (ValueError, RecursionError):
        return None
    return value


def object_of(fields: Mapping[str, Raw]) -> bytes:
    """Object of the fields, in order."""
    return b"{" + b",".join(json.dumps(name).encode() + b":" + bytes(value) for name, value in fields.items()) + b"}"


def list_of(items: Iterable[Raw]) -> bytes:
    """List of the items."""
    return b"[" + b",".join(bytes(item) for item in items) + b"]"


def _check(data: bytes | Raw, refusal: Exception) -> None:
    """Accept any text that is JSON by the standard, whatever another reader finds."""
    try:
        json.loads(bytes(data).decode())
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ValueError(str(refusal)) from error
    except (ValueError, RecursionError):
        return  # numbers longer, or levels deeper, than Python reads


def _members(data: bytes, brackets: bytes) -> list[bytes]:
    """Text of each member of an object or a list, by counting brackets."""
    data = data.strip()
    if data[:1] != brackets[:1]:
        raise ValueError(f"it does not begin with {brackets[:1].decode()}")
    members: list[bytes] = []
    depth, start = 0, 1
    for token in islice(_TOKEN.finditer(data), _MOST_TOKENS):
        letter = token[0][:1]
        if letter in b"[{":
            depth += 1
        elif letter in b"]}":
            depth -= 1
            if depth == 0:
                if token.end() != len(data) or letter != brackets[1:]:
                    break
                last = data[start : token.start()]
                return [*members, last] if members or last.strip() else []
        elif letter == b"," and depth == 1:
            members.append(data[start : token.start()])
            start = token.end()
    raise ValueError("its brackets do not match, or are too many")


def _require_member(member: re.Match[bytes] | None) -> re.Match[bytes]:
    if member is None:
        raise ValueError("a field has no name or no value")
    return member
