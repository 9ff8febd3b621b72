"""JSON of injected lines: on one line, without markup's ends or hidden characters."""

from __future__ import annotations

import json
import re

UNSAFE = (
    "<>\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164"
    "\ud800-\udfff\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff"
)
"""Characters that could end a markup or a line, or hide text: escaped as in JSON."""

_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_TO_ESCAPE = re.compile(f"[{UNSAFE}]")


def block_json(value: object) -> str:
    """`value` as JSON in the shortest form that is safe in a line among the runtime's."""
    return _TO_ESCAPE.sub(_escape_character, _ENCODER.encode(value))


def _escape_character(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x10000:
        return f"\\u{code:04x}"
    return f"\\u{0xD800 + (code - 0x10000 >> 10):04x}\\u{0xDC00 + (code - 0x10000 & 0x3FF):04x}"
