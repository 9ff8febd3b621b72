"""Search of a text for verbatim repetitions of many others, in time that their number does not change."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from domain.policy.forgetting.repeatable import is_repeatable
from messages.forget import LEAST_REPEATED_CHARS

_FEW = 16
"""Texts up to which each is looked for by itself."""


class RepeatedTexts:
    """Texts to look for, as far as `is_repeatable` accepts them."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = [text for text in {text.strip() for text in texts} if is_repeatable(text)]
        self._by_beginning: dict[str, list[str]] = defaultdict(list)
        for text in self._texts:
            self._by_beginning[text[:LEAST_REPEATED_CHARS]].append(text)

    def are_in(self, text: str) -> bool:
        """True if one of the texts is in `text`."""
        if len(self._texts) <= _FEW:
            return any(each in text for each in self._texts)
        known, size = self._by_beginning, LEAST_REPEATED_CHARS
        places = (at for at in range(len(text) - size + 1) if text[at : at + size] in known)
        return any(text.startswith(each, at) for at in places for each in known[text[at : at + size]])
