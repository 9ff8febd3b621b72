"""Front matter in any form of YAML written by people: keys with simple values.

The parser works on events, without building the described values, so nesting and references cost no more than their
letters.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import yaml

from domain.facts.entry import KEYS

_MOST_DEPTH = 50
"""Levels of nesting; the library's time grows with their square."""
_NULL = frozenset({"", "~", "null", "Null", "NULL"})


def read_keys(front: str) -> Mapping[str, str]:
    """Keys of an entry, from the mapping at the top.

    Raises:
        ValueError: `front` is no YAML.
    """
    try:
        return dict(_keys(front))
    except (yaml.YAMLError, RecursionError) as error:
        raise ValueError(str(error)) from error


def _keys(front: str) -> Iterator[tuple[str, str]]:
    """Keys with a simple value, of a mapping at the top."""
    anchors: dict[str, str] = {}
    depth, key = 0, None
    for event in yaml.parse(front, Loader=yaml.CSafeLoader):
        if isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            if depth == 0 and isinstance(event, yaml.SequenceStartEvent):
                return
            depth += 1
            if depth > _MOST_DEPTH:
                raise ValueError(f"it is nested in more than {_MOST_DEPTH} levels")
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            depth -= 1
            if depth == 1:
                key = "?" if key is None else None
        elif isinstance(event, yaml.ScalarEvent | yaml.AliasEvent):
            value = _value(event, anchors)
            if depth != 1:
                continue
            if key is None:
                key = value or "?"
            else:
                if key in KEYS and value is not None:
                    yield key, value
                key = None


def _value(event: yaml.ScalarEvent | yaml.AliasEvent, anchors: dict[str, str]) -> str | None:
    if isinstance(event, yaml.AliasEvent):
        return anchors.get(str(event.anchor))
    if event.anchor:
        anchors[event.anchor] = event.value
    is_null = not event.style and event.value in _NULL  # the C parser says "" for plain, the other None
    return None if is_null else str(event.value)
