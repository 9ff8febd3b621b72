"""Front matter in any form of YAML that people write: its keys with simple values.

It is read by events, not by building what they describe, so that nesting and references cost no more than their
letters.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import yaml

from domain.facts.entry import KEYS

_NULL = frozenset({"", "~", "null", "Null", "NULL"})


def read_keys(front: str) -> Mapping[str, str]:
    """Keys of an entry, of the mapping at the top.

    Raises:
        ValueError: it is no YAML.
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
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            depth -= 1
            key = None if depth == 1 else key
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
    is_null = event.style is None and event.value in _NULL
    return None if is_null else str(event.value)
