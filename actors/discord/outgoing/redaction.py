"""Redaction: text fit to be shown, without the agent's secrets and without hidden characters."""

from __future__ import annotations

from collections.abc import Iterable

from domain.text.presentable import presentable
from domain.text.secret_scrub import Scrubber


class Redaction:
    """Filter for all shown text; pure and safe in any thread."""

    def __init__(self, secrets: Iterable[str]) -> None:
        self._scrubber = Scrubber(secrets)

    def present(self, text: str) -> str:
        """Form of `text` fit to be shown."""
        return presentable(self._scrubber.scrub(text))

    def scrub(self, text: str) -> str:
        """`text` without secrets, otherwise unchanged: for a file, whose characters are all visible."""
        return self._scrubber.scrub(text)

    def holds_secret(self, text: str) -> bool:
        """True if `text` holds a secret."""
        return self._scrubber.scrub(text) != text
