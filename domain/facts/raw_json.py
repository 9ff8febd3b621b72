"""JSON that passes through: taken apart at its top and put together again, what lies within byte for byte as it came.

What some reader refuses only for being odd (half a surrogate pair, a number of ten thousand digits, NaN, nesting a
thousand levels deep) is taken apart all the same; it is for others to judge.
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
"""Brackets, commas and strings of what has to be taken apart by counting them."""
_REFUSALS = msgspec.DecodeError, UnicodeDecodeError


def fields_of(data: bytes | Raw) -> dict[str, Raw]:
    """Values of an object by their names; of two of one name the last.

    Raises:
        ValueError: it is no JSON object.
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
        ValueError: it is no JSON list.
    """
    try:
        return _ITEMS.decode(data)
    except _REFUSALS as error:
        _check(data, error)
    except RecursionError:
        pass
    return [Raw(member.strip()) for member in _members(bytes(data), b"[]")]


def value_of(data: bytes | Raw) -> object:
    """Value of a JSON text; None for a text that cannot be read whole."""
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
    """The object of these fields, in their order."""
    return b"{" + b",".join(json.dumps(name).encode() + b":" + bytes(value) for name, value in fields.items()) + b"}"


def list_of(items: Iterable[Raw]) -> bytes:
    """The list of these items."""
    return b"[" + b",".join(bytes(item) for item in items) + b"]"


def _check(data: bytes | Raw, refusal: Exception) -> None:
    """Pass over what is JSON by the letter, whatever another reader finds in it."""
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
