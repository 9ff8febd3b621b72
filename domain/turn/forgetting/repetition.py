"""Search of a text for verbatim repetitions of many other texts, in time independent of their number."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from domain.policy.forgetting.repeatable import is_repeatable
from messages.forget import LEAST_REPEATED_CHARS

_FEW = 16
"""Most texts to search for one by one."""


class RepeatedTexts:
    """Texts to search for, as far as `is_repeatable` accepts the texts."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = [text for text in {text.strip() for text in texts} if is_repeatable(text)]
        self._by_beginning: dict[str, list[str]] = defaultdict(list)
        for text in self._texts:
            self._by_beginning[text[:LEAST_REPEATED_CHARS]].append(text)

    def are_in(self, text: str) -> bool:
        """True if any text of the set is in `text`."""
        if len(self._texts) <= _FEW:
            return any(each in text for each in self._texts)
        known, size = self._by_beginning, LEAST_REPEATED_CHARS
        places = (at for at in range(len(text) - size + 1) if text[at : at + size] in known)
        return any(text.startswith(each, at) for at in places for each in known[text[at : at + size]])
