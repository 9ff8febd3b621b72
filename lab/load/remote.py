"""Remote objects: an object in a process of its own, with methods called over a pipe."""

from __future__ import annotations

import gc
import multiprocessing
import signal
from collections.abc import Callable
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any, Self

ANSWER_S = 300.0
"""Seconds allowed for one call: a single call can make thousands of threads."""
_END_S = 20.0


class RemoteError(Exception):
    """A remote object's process failed, or has ended; the text is for a person."""


class Remote:
    """Holder of an object in another process; also a context manager that ends the process."""

    def __init__(self, name: str, make: Callable[..., Any], *arguments: object) -> None:
        """Start the process, and make the object there.

        Args:
            name: Name of the process.
            make: Function at the top of a module that gives a context manager of the object.
            *arguments: Arguments of the function.

        Raises:
            RemoteError: the object could not be made.
        """
        self._name = name
        context = multiprocessing.get_context("spawn")
        self._here, there = context.Pipe()
        self._process = context.Process(target=_serve, args=(there, make, arguments), name=name, daemon=True)
        self._process.start()
        there.close()
        self._receive()

    @property
    def pid(self) -> int | None:
        """Process id of the process."""
        return self._process.pid

    def call(self, method: str, *arguments: object) -> Any:
        """Call the object's method; return the result.

        Raises:
            RemoteError: the method raised an error, or the process has ended.
        """
        try:
            self._here.send((method, arguments))
        except OSError as error:
            raise RemoteError(f"the process {self._name} has ended") from error
        return self._receive()

    def close(self) -> None:
        """End the process."""
        self._here.close()
        self._process.join(_END_S)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _receive(self) -> Any:
        try:
            if not self._here.poll(ANSWER_S):
                raise RemoteError(f"the process {self._name} has not answered for {ANSWER_S:g} s")
            is_well, answer = self._here.recv()
        except (EOFError, OSError) as error:
            raise RemoteError(f"the process {self._name} has ended") from error
        if not is_well:
            raise RemoteError(f"the process {self._name}: {answer}")
        return answer


def _serve(pipe: Connection, make: Callable[..., Any], arguments: tuple[object, ...]) -> None:
    """Serve calls from the other end until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal's Ctrl-C is the other end's, which then closes the pipe
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        with make(*arguments) as target:
            gc.collect()
            gc.freeze()
            pipe.send((True, None))
            _answer_calls(pipe, target)
    except Exception as error:  # noqa: BLE001 - it goes to the other end
        pipe.send((False, f"{type(error).__name__}: {error}"))


def _answer_calls(pipe: Connection, target: object) -> None:
    while True:
        try:
            method, arguments = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            answer = (True, getattr(target, method)(*arguments))
        except Exception as error:  # noqa: BLE001 - it goes to the other end
            answer = (False, f"{type(error).__name__}: {error}")
        pipe.send(answer)
