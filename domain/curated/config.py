"""Configuration of a memory folder, from `config.json`: a project's values override the user's values."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

MOST_LINES = 10_000
MOST_BYTES = 1024 * 1024
MOST_TOKENS = 1_000_000
FILE = "config.json"
LIMIT_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class FolderConfig:
    """Settings of memory folders, by the source's names."""

    enabled: bool = True
    maxInjectLines: int = 200  # noqa: N815 - the file's own word, as all of these
    """Most injected lines of one index, 0 to 10,000."""
    maxInjectBytes: int = 8192  # noqa: N815
    """Most injected bytes of one index, 0 to 1 MiB."""
    pageTableInjection: bool = True  # noqa: N815
    """True if pages are chosen within `maxMemoryTokens`, where a page table exists."""
    maxMemoryTokens: int = 4096  # noqa: N815
    """Of both indexes together, 0 to 1,000,000."""
    traceEnabled: bool = True  # noqa: N815
    strictWriteback: bool = True  # noqa: N815
    """True to reject a staged fact that breaks a rule, instead of only noting the fault."""


_MOST = {"maxInjectLines": MOST_LINES, "maxInjectBytes": MOST_BYTES, "maxMemoryTokens": MOST_TOKENS}
_KINDS = {field.name: bool if isinstance(field.default, bool) else int for field in fields(FolderConfig)}


def merge_file(config: FolderConfig, data: bytes) -> tuple[FolderConfig, tuple[str, ...]]:
    """`config` with the values of a `config.json`, and the faults of the file; a wrong value changes nothing.

    Args:
        config: In force without the file.
        data: The file's content.
    """
    try:
        values = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        return config, (f"{FILE} is not JSON in UTF-8 ({type(error).__name__}): the whole file is ignored",)
    if not isinstance(values, dict):
        return config, (f"{FILE}: must be one JSON object; the whole file is ignored",)
    flaws = tuple(flaw for name, value in values.items() if (flaw := _flaw(name, value)))
    return replace(config, **{name: value for name, value in values.items() if not _flaw(name, value)}), flaws


def _flaw(name: str, value: object) -> str:
    """Fault of one key; empty for a valid key."""
    kind = _KINDS.get(name)
    rendered = json.dumps(value)[:80]
    if kind is None:
        return f"{FILE}: {json.dumps(name)[:80]} is unknown; the keys are {', '.join(_KINDS)}"
    if kind is bool:
        return "" if isinstance(value, bool) else f"{FILE}: {name} {rendered}: must be true or false"
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _MOST[name]:
        return f"{FILE}: {name} {rendered}: must be a whole number, 0 to {_MOST[name]:,}"
    return ""


def document(config: FolderConfig) -> Mapping[str, object]:
    """The values by their names."""
    return {field.name: getattr(config, field.name) for field in fields(config)}
