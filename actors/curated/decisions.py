"""Decisions of curated memory, noted for whoever asks later why something was shown or written."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime

from actors.curated.injection import Injection
from actors.curated.sidecars import Traces
from actors.edited_file.file import reason_of
from domain.curated.trace import Trace
from messages.base import Window

log = logging.getLogger(__name__)


class Decisions:
    """Notes on decisions; that one cannot be written holds nothing up."""

    def __init__(
        self, traces: Traces, new_id: Callable[[], str], now: Callable[[], datetime], *, are_kept: bool
    ) -> None:
        """Nothing is noted yet.

        Args:
            traces: Keep them.
            new_id: Gives an id that no other has.
            now: Gives the time.
            are_kept: Whether they are noted at all.
        """
        self._traces = traces
        self._new_id = new_id
        self._now = now
        self._are_kept = are_kept

    def note(self, window: Window, decision: str, reasons: tuple[str, ...] = (), made: Injection | None = None) -> None:
        """Note a decision about a window, with what was injected, if anything was."""
        if not self._are_kept or (made is not None and not made.is_traced):
            return
        faults = () if made is None else tuple(f"{each.kind.value}: {each.detail}" for each in made.faults)
        at, tokens = self._now().isoformat(timespec="milliseconds"), dict(made.tokens or {}) if made else {}
        try:
            self._traces.note(Trace(self._new_id(), at, window.address.key, decision, (*reasons, *faults), tokens))
        except OSError as error:
            log.warning("a decision is not noted: %s", reason_of(error))
