"""JSON of a worker's answer: an object, whole, in a code block or among other words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

LONGEST_ANSWER = 64_000
"""Characters."""
_MOST_BEGINNINGS = 40
"""Places at which an object is looked for."""
_FENCED = re.compile(r"```[\w-]*[ \t]*\r?\n(.*?)\r?\n?```", re.DOTALL)
_THOUGHTS = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_SHOWN = 80


def json_object(answer: str) -> Mapping[str, Any]:
    """The first object of an answer.

    Raises:
        ValueError: it has none, or is too long.
    """
    if len(answer) > LONGEST_ANSWER:
        raise ValueError(f"answer of {len(answer):,} characters: must have at most {LONGEST_ANSWER:,}")
    for value in _values(_bare(answer)):
        if isinstance(value, dict):
            return value
    raise ValueError(f"answer {shown(answer)}: must be a JSON object")


def texts_of(value: object, name: str) -> tuple[str, ...]:
    """A field's list of texts, each in one line, without empty ones; null is an empty list.

    Raises:
        ValueError: it is something else.
    """
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise ValueError(f"{name} {shown(value)}: must be a list of texts")
    return tuple(line for each in value if (line := " ".join(each.split())))


def text_of(value: object, name: str) -> str:
    """A field's text, as it is; null is an empty one.

    Raises:
        ValueError: it is something else.
    """
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ValueError(f"{name} {shown(value)}: must be a text")
    return value.strip()


def shown(value: object) -> str:
    """A value in an error: its beginning."""
    text = value if isinstance(value, str) else repr(value)
    return repr(text[:_SHOWN]) + ("…" if len(text) > _SHOWN else "")


def _bare(answer: str) -> str:
    """An answer without the thoughts that some models put before it."""
    text = answer.strip()
    thoughts = _THOUGHTS.match(text)
    return text[thoughts.end() :].strip() if thoughts else text


def _values(text: str) -> Iterator[object]:
    yield from _parsed(text)
    for match in _FENCED.finditer(text):
        yield from _parsed(match[1])
    decoder = json.JSONDecoder(strict=False)
    at = text.find("{")
    for _ in range(_MOST_BEGINNINGS):
        if at < 0:
            return
        try:
            yield decoder.raw_decode(text, at)[0]
        except (ValueError, RecursionError):
            at = text.find("{", at + 1)
        else:
            return


def _parsed(text: str) -> Iterator[object]:
    try:
        yield json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return


def unfenced(answer: str) -> str:
    """An answer without the code block that stands around all of it.

    Raises:
        ValueError: it is too long.
    """
    if len(answer) > LONGEST_ANSWER:
        raise ValueError(f"answer of {len(answer):,} characters: must have at most {LONGEST_ANSWER:,}")
    text = _bare(answer)
    match = _FENCED.fullmatch(text)
    return match[1].strip() if match and "```" not in match[1] else text
