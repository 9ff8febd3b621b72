"""Configuration of a window's objects."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from domain.objects.ageing import Keep
from messages.base import Address, Window
from messages.objects import OBJECT_STORE


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectsConfig:
    """The same for all windows."""

    folder_of: Callable[[Window], Path]
    """A window's folder, the source of its files."""
    data_root: Path | None
    """Folder of the logs; None without logs."""
    keep: Keep = field(default_factory=Keep)
    max_files: int = 5_000
    store: Address = OBJECT_STORE
    store_deadline_s: float = 0.4
    """Seconds that a request waits for the store; then the request goes on without an answer."""
    first_load_deadline_s: float = 10.0
    """Seconds that a life's first request waits for the state, to keep the wording of the last life's requests."""
    answer_deadline_s: float = 10.0
    """Seconds that the answer to a script waits for the store."""
