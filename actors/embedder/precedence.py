"""Precedence of short work over long, for computing threads on one machine."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Precedence:
    """Gate for pieces of work that take steps: between two steps a long one lets all shorter ones go first.

    A short question should not wait for long documents. For use from any thread.
    """

    def __init__(self) -> None:
        """Nothing is begun."""
        self._begun = Counter[int]()
        self._ended = threading.Condition()

    @contextmanager
    def work(self, size: int) -> Iterator[Callable[[], None]]:
        """Begin work of that size; yields a function to call between steps, which waits for all shorter work."""
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
