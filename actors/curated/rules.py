"""Rules of writing as the actor applies them: what a text may hold, which day it is, and where faults are noted."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from actors.curated.decisions import CuratedState
from domain.curated.page import Fault, Scope
from domain.curated.refusal import flaw_of_fact, flaw_of_section
from domain.text.secret_scrub import Scrubber

OWN_SECRET = "it holds a secret of the agent's own, which is written nowhere"


class Rules:
    """Rules for writing, and notes on refusals."""

    def __init__(self, secrets: Iterable[str], state: CuratedState, today: Callable[[], str]) -> None:
        """Rules of one agent.

        Args:
            secrets: The agent's own.
            state: Where faults are noted.
            today: Gives the day that facts get, `YYYY-MM-DD`; empty for none.
        """
        self._scrubber = Scrubber(secrets)
        self._state = state
        self._today = today

    @property
    def day(self) -> str:
        """The day that a fact gets which is written now; empty for none."""
        return self._today()

    def always(self, *texts: str) -> str:
        """Why a text may be written nowhere, strict or not; empty if it may."""
        return OWN_SECRET if any(map(self._scrubber.finds, texts)) else ""

    def flaw(self, scope: Scope, text: str, section: str = "") -> str:
        """Why a fact may not be written into a scope; empty if it may."""
        return self.always(text, section) or flaw_of_fact(text, scope) or flaw_of_section(section, scope)

    def fault(self, window: str, fault: Fault) -> None:
        """Note a fault of writing, which the window with that key may see."""
        self._state.faults.append((window, fault))
