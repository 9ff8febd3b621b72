"""Canonical JSON for the metadata in a log, in a form that no markdown reader can take for anything but a comment."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias

MetaValue: TypeAlias = "bool | int | float | str | Sequence[MetaValue] | Mapping[str, MetaValue] | None"


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} has no form in JSON")


_DUMP = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False, default=_plain).encode
_LOAD = json.JSONDecoder().raw_decode
_OWN_MARK = re.compile(r"_*esc")
_MARKED = '{"esc":1'


def meta_json(meta: Mapping[str, MetaValue]) -> str:
    r"""`meta` as one line of ASCII: keys sorted, `<`, `>`, `--` and DEL as `\uXXXX`.

    A top-level key `esc`, with any number of leading underscores, gets one more underscore, because the log keeps a
    mark under the name; `meta_dict` removes the underscore. Two halves of a surrogate pair become the character.

    Raises:
        ValueError: not JSON: NaN, a key that is no text, nested too deep.
    """
    try:
        text = _spell({_stored_key(key): value for key, value in meta.items()})
        # Joining surrogate pairs can change the order of keys.
        return _spell(json.loads(text)) if r"\ud" in text else text
    except (TypeError, RecursionError, ValueError) as error:
        raise ValueError(f"metadata with the keys {sorted(map(str, meta))!r:.200}: not JSON: {error}") from error


def meta_dict(text: str) -> dict[str, MetaValue]:
    """Restore the metadata that was given to `meta_json`.

    Raises:
        ValueError: not a JSON object.
    """
    stored = object_of(text)
    if "_esc" not in text:
        return stored
    return {key[1:] if _OWN_MARK.fullmatch(key) else key: value for key, value in stored.items()}


def is_canonical(text: str) -> bool:
    """True if `meta_json` could have given `text`."""
    try:
        meta = object_of(text)
        return "esc" not in meta and _spell(meta) == text
    except ValueError:
        return False


def add_mark(text: str) -> str:
    """Canonical `text` with the mark for content stored escaped."""
    return _MARKED + "}" if text == "{}" else f"{_MARKED},{text[1:]}"


def remove_mark(text: str) -> tuple[str, bool]:
    """Metadata without the mark, and True if the mark was there.

    Raises:
        ValueError: not a JSON object.
    """
    object_of(text)
    if text == _MARKED + "}":
        return "{}", True
    if text.startswith(_MARKED + ","):
        return "{" + text[len(_MARKED) + 1 :], True
    return text, False


def object_of(text: str) -> dict[str, MetaValue]:
    """Parse `text` unchanged, marks included.

    Raises:
        ValueError: not a JSON object.
    """
    try:
        value, end = _LOAD(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"metadata {text[:80]!r}: not JSON") from error
    if end != len(text) or not isinstance(value, dict):
        raise ValueError(f"metadata {text[:80]!r}: not one JSON object")
    return value


def _spell(value: object) -> str:
    text = _DUMP(value)
    # None of the four ever stands outside a string, or inside one of JSON's own escapes.
    return text.replace("<", r"\u003c").replace(">", r"\u003e").replace("--", r"-\u002d").replace("\x7f", r"\u007f")


def _stored_key(key: str) -> str:
    return f"_{key}" if _OWN_MARK.fullmatch(key) else key
