"""Line format of the control sockets: a JSON object per line, each request answered by a line with the same `id`."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from messages.base import make_ready

LONGEST_LINE_BYTES = 64 * 1024
"""Longest request in bytes, including the newline."""
LONGEST_ANSWER_BYTES = 8 * 1024 * 1024
LONGEST_NAME = 64
"""Characters of a request's id, of a verb and of the operator's key."""
GREATEST_ID = 2**53
MOST_CHARACTERS = 60
"""Most characters of a faulty value in an error."""
EXAMPLE = 'a line must be one JSON object such as {"id": 1, "verb": "help", "arguments": {}}'

Name = Annotated[str, Meta(max_length=LONGEST_NAME)]
RequestName = Name | Annotated[int, Meta(ge=-GREATEST_ID, le=GREATEST_ID)] | None
"""Id that the client gives a request; null if unimportant."""
MALFORMED = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""Errors that msgspec raises for invalid JSON or a wrong type."""


class RequestError(ValueError):
    """Request that cannot be carried out; the text names the value and the rule."""

    def __init__(self, reason: str, name: RequestName = None) -> None:
        super().__init__(reason)
        self.name = name
        """Id of the request, as far as readable."""


class Request(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Request in the wire form."""

    verb: Name
    id: RequestName = None
    arguments: msgspec.Raw = msgspec.Raw(b"{}")
    """Arguments as bytes until decoded by the verb's type: arguments unknown to the verb become no object."""
    key: Name = ""
    """Key that proves to the operator's socket the right to read the data root."""


class _Named(msgspec.Struct, frozen=True):
    """Part of a faulty request needed for the answer."""

    id: RequestName = None


_DECODER = msgspec.json.Decoder(Request, strict=True)
_NAMED_DECODER = msgspec.json.Decoder(_Named, strict=True)


def parse(line: bytes) -> Request:
    """Request in `line`, with its arguments not yet checked.

    Raises:
        RequestError: the line holds no request.
    """
    try:
        return _DECODER.decode(line)
    except MALFORMED as error:
        raise RequestError(f"not a request: {brief(str(error), 200)}; {EXAMPLE}", _name_in(line)) from None


def success(name: RequestName, result: object) -> bytes:
    """Line that answers a request with `result`."""
    try:
        line = msgspec.json.encode({"id": name, "ok": True, "result": result}) + b"\n"
    except UnicodeEncodeError:  # a file's name or content, of somebody who writes what he likes
        return success(name, _spelled_out(msgspec.to_builtins(result)))
    if len(line) > LONGEST_ANSWER_BYTES:
        return failure(name, f"the answer has {len(line)} bytes, at most {LONGEST_ANSWER_BYTES} are allowed; ask less")
    return line


def _spelled_out(value: object) -> object:
    """JSON value with invalid UTF-8 bytes spelled out in its texts."""
    match value:
        case str():
            return value.encode(errors="backslashreplace").decode()
        case list() | tuple():
            return [_spelled_out(each) for each in value]
        case dict():
            return {_spelled_out(name): _spelled_out(each) for name, each in value.items()}
        case _:
            return value


def failure(name: RequestName, reason: str) -> bytes:
    """Line that answers a request with a sentence; invalid UTF-8 bytes of a path are spelled out."""
    reason = reason.encode(errors="backslashreplace").decode()
    return msgspec.json.encode({"id": name, "ok": False, "error": reason}) + b"\n"


def quote_value(value: object) -> str:
    """`value` in the form for an error: cut short and on one line."""
    return brief(repr(value), MOST_CHARACTERS)


def brief(text: str, most: int) -> str:
    """`text`, cut to `most` characters."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _name_in(line: bytes) -> RequestName:
    """Id in a line with at least a JSON object."""
    try:
        return _NAMED_DECODER.decode(line).id
    except MALFORMED:
        return None


make_ready(__name__)
