"""Memory without an agent: for commands and checks that look into the index while nobody runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from actors.kernel import ActorSpec, ActorSystem
from actors.memory.index.database import FILE, FOLDER
from messages.base import Message, RequestId, Surface, Window
from messages.memory import MEMORY, MemoryCommand

INDEX = f"{FOLDER}/{FILE}"
"""Where the index is, below the data root."""
OPERATOR = Window(surface=Surface.CLI, id="operator")
Ask = Callable[..., Message]
"""Asks a command, given its class, the longest wait in seconds, and its fields; gives the answer."""


@contextmanager
def alone(system: ActorSystem, *specs: ActorSpec) -> Iterator[Ask]:
    """A running `system` of a memory and what it needs, which is stopped at the end.

    Args:
        system: A new one.
        specs: The memory's, behind its embedder's if it has one.
    """
    edge = system.edge("memory-alone")
    for spec in specs:
        system.register(spec)
    system.start()

    def ask(command: type[MemoryCommand], timeout_s: float, **fields: Any) -> Message:
        request_id = RequestId(system.new_id())
        request = command(request_id=request_id, reply_to=edge.address, window=OPERATOR, **fields)
        edge.tell(MEMORY, request)
        return edge.receive(timeout_s, lambda message: getattr(message, "request_id", None) == request_id)

    try:
        yield ask
    finally:
        system.stop()
