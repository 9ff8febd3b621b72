"""Rules of writing as the actor applies them: the allowed content, the current day, and the record of faults."""

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
        """Rules of an agent.

        Args:
            secrets: The agent's own.
            state: Holder of noted faults.
            today: Returns the day for new facts, `YYYY-MM-DD`; empty without a day.
        """
        self._scrubber = Scrubber(secrets)
        self._state = state
        self._today = today

    @property
    def day(self) -> str:
        """Day for a fact written now; empty without a day."""
        return self._today()

    def always(self, *texts: str) -> str:
        """Reason why a text may be written nowhere, strict or not; empty if allowed."""
        return OWN_SECRET if any(map(self._scrubber.finds, texts)) else ""

    def flaw(self, scope: Scope, text: str, section: str = "") -> str:
        """Reason why a fact may not be written into a scope; empty if allowed."""
        return self.always(text, section) or flaw_of_fact(text, scope) or flaw_of_section(section, scope)

    def fault(self, window: str, fault: Fault) -> None:
        """Record a fault of writing, visible to the window with this key."""
        self._state.faults.append((window, fault))
