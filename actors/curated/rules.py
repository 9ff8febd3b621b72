"""Rules of writing as the actor applies them: what a text may hold, which day it is, and where faults are noted."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from actors.curated.decisions import CuratedState
from domain.curated.page import Fault, Scope
from domain.curated.refusal import flaw_of_fact, flaw_of_section
from domain.text.lookalike import as_seen
from domain.text.secret_scrub import Scrubber

OWN_SECRET = "it holds a secret of the agent's own, which is written nowhere"
_SHORTEST = 8
"""Letters and digits of a secret that is looked for in disguise."""
_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")


class Rules:
    """Rules for writing, and notes on refusals."""

    def __init__(self, secrets: Iterable[str], state: CuratedState, today: Callable[[], str]) -> None:
        """Rules of one agent.

        Args:
            secrets: The agent's own.
            state: Where faults are noted.
            today: Gives the day that facts get, `YYYY-MM-DD`; empty for none.
        """
        held = tuple(secrets)
        self._scrubber = Scrubber(held)
        self._squeezed = frozenset(each for each in map(_squeezed, held) if len(each) >= _SHORTEST)
        self._state = state
        self._today = today

    @property
    def day(self) -> str:
        """The day that a fact gets which is written now; empty for none."""
        return self._today()

    def always(self, *texts: str) -> str:
        """Why a text may be written nowhere, strict or not; empty if it may."""
        return OWN_SECRET if any(map(self._holds_secret, texts)) else ""

    def _holds_secret(self, text: str) -> bool:
        """True if a text holds a secret of the agent, also with separators, markup or look-alike letters."""
        bare = _squeezed(_ESCAPED.sub(lambda match: chr(int(match[1], 16)), text))
        return self._scrubber.scrub(text) != text or any(secret in bare for secret in self._squeezed)

    def flaw(self, scope: Scope, text: str, section: str = "") -> str:
        """Why a fact may not be written into a scope; empty if it may."""
        return self.always(text, section) or flaw_of_fact(text, scope) or flaw_of_section(section, scope)

    def fault(self, window: str, fault: Fault) -> None:
        """Note a fault of writing, which the window with that key may see."""
        self._state.faults.append((window, fault))


def _squeezed(text: str) -> str:
    """The letters and digits of a text, as they are seen."""
    return "".join(filter(str.isalnum, as_seen(text)))
