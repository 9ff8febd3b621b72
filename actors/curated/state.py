"""State of curated memory that outlives its actor in this process, and no more."""

from __future__ import annotations

import itertools
from collections import OrderedDict, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from domain.curated.journal import Operation
from domain.curated.page import Fault
from messages.base import Window

_MOST_FAULTS = 200
_MOST_SWITCHED = 10_000


@dataclass(slots=True)
class CuratedState:
    """Decisions of people that hold until the agent ends, and the last faults of writing."""

    faults: deque[tuple[str, Fault]] = field(default_factory=lambda: deque(maxlen=_MOST_FAULTS))
    """With the key of the window whose request it was; empty for nobody's."""
    edits: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    """Numbers of edits, so that a timer of an actor that crashed wakes no edit of the next one."""
    unnoted: dict[Path, dict[str, Operation]] = field(default_factory=dict)
    """Folder -> what its index has, by id, though its journal could not be told."""
    _switched: OrderedDict[str, bool] = field(default_factory=OrderedDict)

    def switch(self, window: Window, *, on: bool) -> None:
        """Show the memory in a window, or no more."""
        self._switched[window.address.key] = on
        if len(self._switched) > _MOST_SWITCHED:
            self._switched.popitem(last=False)

    def shows(self, window: Window, *, otherwise: bool) -> bool:
        """Whether the memory is shown in a window; `otherwise` where nobody said so."""
        return self._switched.get(window.address.key, otherwise)
