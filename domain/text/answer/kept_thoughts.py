"""Thoughts as a server sent them, in the fields that the server may want back with the results of calls.

The forms are taken from the providers' documentation: words (`reasoning_content`, `reasoning`), signed or redacted
blocks (`thinking_blocks`, litellm's form of Anthropic's and Bedrock's), details (`reasoning_details`, OpenRouter's) and
signatures beside calls (`extra_content`, Google's in OpenAI's form).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

WORDS = ("reasoning_content", "reasoning")
BLOCKS, DETAILS, BESIDE_CALLS = "thinking_blocks", "reasoning_details", "extra_content"
_GROWING = frozenset({"text", "summary", "thinking"})
"""Fields of a part that come in pieces; of any other field the last value counts."""


class _Pieces(list[str]):
    """Text in the making, joined once: each join copies all earlier pieces."""


class KeptThoughts:
    """Accumulator of the fields with thoughts. Data from a server never makes the accumulator raise."""

    def __init__(self) -> None:
        """Begin without thoughts."""
        self._words: dict[str, list[str]] = {}
        self._parts: dict[str, list[dict[str, object]]] = {}

    def add(self, name: str, value: object) -> None:
        """Take in the value of a field of a delta or a message; values of other forms are ignored.

        Args:
            name: A name of `WORDS`, or `BLOCKS` or `DETAILS`.
            value: The value as the server sent it.
        """
        if name in WORDS:
            if isinstance(value, str) and value:
                self._words.setdefault(name, []).append(value)
            return
        for part in value if isinstance(value, list | tuple) else ():
            if isinstance(part, Mapping):
                self._add_part(self._parts.setdefault(name, []), dict(part))

    def encode(self, beside_calls: Iterable[object] = ()) -> str:
        """The fields as a JSON object; empty without fields.

        Args:
            beside_calls: For each call the value beside the call, or None.
        """
        fields: dict[str, object] = {name: "".join(pieces) for name, pieces in self._words.items()}
        fields |= {name: [_join_pieces(part) for part in parts] for name, parts in self._parts.items() if parts}
        extras = list(beside_calls)
        if any(isinstance(extra, Mapping) for extra in extras):
            fields[BESIDE_CALLS] = extras
        return json.dumps(fields, ensure_ascii=False, default=str) if fields else ""

    def _add_part(self, parts: list[dict[str, object]], part: dict[str, object]) -> None:
        """Add a part, or the next piece of the last part: of the same type and number, and not signed yet."""
        last = parts[-1] if parts else None
        is_next = (
            last is not None
            and last.get("type") == part.get("type")
            and last.get("index") == part.get("index")
            and not any(last.get(name) for name in ("signature", "data"))
        )
        if last is None or not is_next:
            parts.append(part)
            return
        for name, value in part.items():
            before = last.get(name)
            if name in _GROWING and isinstance(before, str | _Pieces) and isinstance(value, str):
                pieces = before if isinstance(before, _Pieces) else _Pieces([before])
                pieces.append(value)
                last[name] = pieces
            elif value not in (None, ""):
                last[name] = value


def _join_pieces(part: Mapping[str, object]) -> dict[str, object]:
    return {name: "".join(value) if isinstance(value, _Pieces) else value for name, value in part.items()}
