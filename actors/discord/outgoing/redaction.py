"""Redaction: text as it may be shown, without the agent's secrets and with nothing hidden in it."""

from __future__ import annotations

from collections.abc import Iterable

from domain.text.presentable import presentable
from domain.text.secret_scrub import Scrubber


class Redaction:
    """Filter for all that is shown; pure and safe in any thread."""

    def __init__(self, secrets: Iterable[str]) -> None:
        self._scrubber = Scrubber(secrets)

    def present(self, text: str) -> str:
        """`text` as it may be shown."""
        return presentable(self._scrubber.scrub(text))

    def scrub(self, text: str) -> str:
        """`text` without secrets, and otherwise unchanged: for a file, in which every character is visible."""
        return self._scrubber.scrub(text)

    def holds_secret(self, text: str) -> bool:
        """True if `text` holds a secret."""
        return self._scrubber.scrub(text) != text
