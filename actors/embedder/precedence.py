"""Precedence of short work over long, for computing threads on one machine."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Precedence:
    """Precedence for pieces of work in steps: between two steps a long piece lets all shorter pieces go first.

    A short question should not wait for long documents. For use from any thread.
    """

    def __init__(self) -> None:
        """Begin without work."""
        self._begun = Counter[int]()
        self._ended = threading.Condition()

    @contextmanager
    def work(self, size: int) -> Iterator[Callable[[], None]]:
        """Begin work of the given size; yields a function to call between steps, which waits for all shorter work."""
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
