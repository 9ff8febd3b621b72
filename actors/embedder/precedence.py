"""Precedence of short work over long: what computes in threads beside one another on one machine."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Precedence:
    """Gate for pieces of work that take steps: between two steps a long one lets all shorter ones go first.

    A word that somebody waits for is not to wait for pages that others wrote. Any thread.
    """

    def __init__(self) -> None:
        """Nothing is begun."""
        self._begun = Counter[int]()
        self._ended = threading.Condition()

    @contextmanager
    def work(self, size: int) -> Iterator[Callable[[], None]]:
        """Begin work of that size; gives what it calls between its steps, which returns when no shorter is left."""
        with self._ended:
            self._begun[size] += 1
        try:
            yield lambda: self._wait(size)
        finally:
            with self._ended:
                self._begun[size] -= 1
                if not self._begun[size]:
                    del self._begun[size]
                self._ended.notify_all()

    def _wait(self, size: int) -> None:
        with self._ended:
            self._ended.wait_for(lambda: min(self._begun) >= size)
