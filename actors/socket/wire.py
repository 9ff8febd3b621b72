"""The line format of the control sockets: one JSON object a line, each request answered by one of the same `id`."""

from __future__ import annotations

import msgspec

LONGEST_LINE_BYTES = 1024 * 1024
"""Of a request, with its newline."""
LONGEST_ANSWER_BYTES = 8 * 1024 * 1024
LONGEST_ID = 64
SHOWN = 60
"""Most characters of a faulty value that an error repeats."""
EXAMPLE = 'a line must be one JSON object such as {"id": 1, "verb": "help", "arguments": {}}'

RequestName = str | int | None
"""What the asker calls its request; null when it does not care."""


class RequestError(ValueError):
    """A request that cannot be carried out; the text names the value and the rule."""

    def __init__(self, reason: str, name: RequestName = None) -> None:
        super().__init__(reason)
        self.name = name
        """Of the request, as far as it could be read."""


class Request(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One request as it stands on the wire."""

    verb: str
    id: RequestName = None
    arguments: dict[str, object] = {}
    key: str = ""
    """Proves to the operator's door that the asker may read the data root."""


_DECODER = msgspec.json.Decoder(Request, strict=True)


def parse(line: bytes) -> Request:
    """The request in `line`.

    Raises:
        RequestError: there is none.
    """
    try:
        request = _DECODER.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise RequestError(f"not a request: {_brief(str(error), 200)}; {EXAMPLE}", _name_in(line)) from None
    if isinstance(request.id, str) and len(request.id) > LONGEST_ID:
        raise RequestError(f"id {shown(request.id)}: at most {LONGEST_ID} characters are allowed")
    return request


def success(name: RequestName, result: object) -> bytes:
    """The line that answers a request with `result`."""
    line = msgspec.json.encode({"id": name, "ok": True, "result": result}) + b"\n"
    if len(line) > LONGEST_ANSWER_BYTES:
        return failure(name, f"the answer has {len(line)} bytes, at most {LONGEST_ANSWER_BYTES} are allowed; ask less")
    return line


def failure(name: RequestName, reason: str) -> bytes:
    """The line that answers a request with a sentence."""
    return msgspec.json.encode({"id": name, "ok": False, "error": reason}) + b"\n"


def shown(value: object) -> str:
    """`value` as an error repeats it: cut short and on one line."""
    return _brief(repr(value), SHOWN)


def _brief(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _name_in(line: bytes) -> RequestName:
    """The id in a line that is a JSON object at least."""
    try:
        document = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    name = document.get("id") if isinstance(document, dict) else None
    return name if type(name) is int or (isinstance(name, str) and len(name) <= LONGEST_ID) else None
