"""JSON of a worker's answer: an object, whole, in a code block or among other words."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from domain.text.brief import brief
from domain.text.presentable import without_hidden

_MOST_FAILURES = 40
"""Most places that begin like an object without being an object."""
_FENCED = re.compile(r"```[\w-]*[ \t]*\r?\n(.*?)\r?\n?```", re.DOTALL)
_THOUGHTS = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_REORDERING = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_EXCERPT_CHARS = 80


def json_object(answer: str, needed: Collection[str] = ()) -> Mapping[str, Any]:
    """The object of an answer: the last object with all needed fields, for models think aloud before answering.

    Without an object with all needed fields, the object with the most fields counts, the first of several.

    Args:
        answer: JSON, whole, in a code block or among other words.
        needed: Names of fields.

    Raises:
        ValueError: `answer` has no object.
    """
    values = [value for value in _values(_bare(answer)) if isinstance(value, dict)]
    if not values:
        raise ValueError(f"answer {quotation(answer)}: must be a JSON object")
    fitting = [value for value in values if needed and all(name in value for name in needed)]
    return fitting[-1] if fitting else max(values, key=len)


def texts_of(value: object, name: str) -> tuple[str, ...]:
    """A field's list of texts, each in one line, without empty texts and hidden characters; null is an empty list.

    Raises:
        ValueError: the value has another type.
    """
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise ValueError(f"{name} {quotation(value)}: must be a list of texts")
    return tuple(line for each in value if (line := " ".join(_visible(each).split())))


def text_of(value: object, name: str) -> str:
    """A field's text, as a reader sees it; null is an empty text.

    Raises:
        ValueError: the value has another type.
    """
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ValueError(f"{name} {quotation(value)}: must be a text")
    return _visible(value).strip()


def quotation(value: object) -> str:
    """A value in an error: the value's beginning."""
    text = value if isinstance(value, str) else brief(value, 2 * _EXCERPT_CHARS)
    return repr(text[:_EXCERPT_CHARS]) + ("…" if len(text) > _EXCERPT_CHARS else "")


def _bare(answer: str) -> str:
    """An answer without the thoughts that some models put before the answer."""
    text = answer.strip()
    thoughts = _THOUGHTS.match(text)
    return text[thoughts.end() :].strip() if thoughts else text


def _visible(text: str) -> str:
    """A text without hidden characters; reordering characters stay, so the text is refused."""
    return without_hidden(text, _REORDERING)


def _values(text: str) -> Iterator[object]:
    """Values that may be the answer, in the order of the text; nested values are left out."""
    whole = _parse(text)
    if isinstance(whole, dict):
        yield whole
        return
    for match in _FENCED.finditer(text):
        yield _parse(match[1])
    decoder = json.JSONDecoder(strict=False)
    at, failures = text.find("{"), 0
    while at >= 0 and failures < _MOST_FAILURES:
        try:
            value, end = decoder.raw_decode(text, at)
            yield value
        except (ValueError, RecursionError):
            failures += 1
            end = at + 1
        at = text.find("{", end)


def _parse(text: str) -> object:
    """The value of a JSON text; None for other text."""
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None


def without_fence(answer: str) -> str:
    """An answer as a reader sees it, without the code block around the whole answer."""
    text = _visible(_bare(answer))
    match = _FENCED.fullmatch(text)
    return match[1].strip() if match and "```" not in match[1] else text
