"""Decisions: switches set by people until the agent ends, and notes on shown and written facts for later questions."""

from __future__ import annotations

import logging
from collections import OrderedDict, deque
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from actors.curated.injection import Injection
from actors.edited_file.file import reason_of
from actors.linux.disk import Disk
from actors.linux.notebook import Notebook
from domain.curated import trace
from domain.curated.journal import Operation
from domain.curated.page import Fault
from domain.curated.trace import Trace
from messages.base import Window

log = logging.getLogger(__name__)

_MOST_FAULTS = 200
_MOST_SWITCHED = 10_000


def quotes(reason: str, texts: Collection[str]) -> bool:
    """True if a reason quotes a text; quotations have at most 80 characters."""
    return any(text[:80] in reason for text in texts)


@dataclass(slots=True)
class CuratedState:
    """People's decisions in force until the agent ends, and the last faults of writing."""

    faults: deque[tuple[str, Fault]] = field(default_factory=lambda: deque(maxlen=_MOST_FAULTS))
    """Faults with the key of the requesting window; empty without a window."""
    unnoted: dict[Path, dict[str, Operation]] = field(default_factory=dict)
    """Folder -> operations in the index, by id, missing from the journal after a failed write."""
    _switched: OrderedDict[str, bool] = field(default_factory=OrderedDict)

    def switch(self, window: Window, *, on: bool) -> None:
        """Show the memory in a window, or no more."""
        self._switched[window.address.key] = on
        if len(self._switched) > _MOST_SWITCHED:
            self._switched.popitem(last=False)

    def shows(self, window: Window, *, otherwise: bool) -> bool:
        """True if the memory is shown in a window; `otherwise` if no person decided."""
        return self._switched.get(window.address.key, otherwise)


class Decisions:
    """Notes on decisions, in a small file of the agent's own; a failed write delays no work."""

    def __init__(
        self, disk: Disk, folder: Path, new_id: Callable[[], str], now: Callable[[], datetime], *, are_kept: bool
    ) -> None:
        """Begin without reading.

        Args:
            disk: Disk that stores.
            folder: The agent's own; made when the first decision is noted.
            new_id: Returns a unique id.
            now: Returns the time.
            are_kept: False to keep no notes.
        """
        self._notebook = Notebook(
            folder / trace.FILE, disk, lambda: map(trace.line, self.all()), long_bytes=trace.LONG_BYTES
        )
        self._new_id = new_id
        self._now = now
        self._are_kept = are_kept

    def note(
        self, window: Window, decision: str, reasons: tuple[str, ...] = (), injection: Injection | None = None
    ) -> None:
        """Note a decision about a window, with the injected memories, if any."""
        if not self._are_kept or (injection is not None and not injection.is_traced):
            return
        faults = () if injection is None else tuple(f"{each.kind.value}: {each.detail}" for each in injection.faults)
        at, tokens = self._now().isoformat(timespec="milliseconds"), dict(injection.tokens or {}) if injection else {}
        try:
            self.append(Trace(self._new_id(), at, window.address.key, decision, (*reasons, *faults), tokens))
        except OSError as error:
            log.warning("a decision is not noted: %s", reason_of(error))

    def append(self, decision: Trace) -> None:
        """Note a decision; not synced, since a loss has no consequence.

        Raises:
            OSError: the note cannot be written.
        """
        self._notebook.append(trace.line(decision), is_durable=False)

    def drop(self, window: Window, texts: Collection[str]) -> None:
        """Drop every note on a window, and every note that quotes the beginning of a text of `texts`.

        Raises:
            OSError: the notes cannot be written anew.
        """
        traces = self.all()
        retained = [
            each
            for each in traces
            if each.context != window.address.key and not any(quotes(reason, texts) for reason in each.reasons)
        ]
        if len(retained) < len(traces):
            self._notebook.replace(map(trace.line, retained))

    def all(self) -> tuple[Trace, ...]:
        """Every kept decision, oldest first.

        Raises:
            OSError: the decisions cannot be read.
        """
        return trace.read(b"\n".join(self._notebook.lines()))
