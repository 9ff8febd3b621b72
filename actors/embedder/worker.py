"""Lazy loading in a thread beside the loop: for imports that take seconds, and local models."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, TypeVar

T = TypeVar("T")


class Loading(Generic[T]):
    """Lazily loaded value: loaded once, at the first need, in its own thread, without delaying a shutdown."""

    def __init__(self, name: str, load: Callable[[], T]) -> None:
        self._name = name
        self._load = load
        self._future: Future[T] | None = None

    def value_if_loaded(self) -> T | None:
        """The value, if loaded."""
        is_loaded = self._future is not None and self._future.done() and self._future.exception() is None
        return self._future.result() if is_loaded and self._future is not None else None

    async def get(self) -> T:
        """The value, once loaded; every waiting caller gets an exception of the load, and the next call loads again."""
        if self._future is None or (self._future.done() and self._future.exception() is not None):
            executor = ThreadPoolExecutor(1, self._name)
            self._future = executor.submit(self._load)
            executor.shutdown(wait=False)
        return await asyncio.shield(asyncio.wrap_future(self._future))
