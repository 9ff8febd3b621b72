"""Memory without an agent: for commands and checks that look into the index while no agent runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from actors.kernel import ActorSpec, ActorSystem
from actors.memory.index.database import PLACE
from messages.base import Message, RequestId, Surface, Window
from messages.memory import MEMORY, DescribeMemory, MemoryCommand, MemoryDescribed

INDEX = PLACE
"""Path of the index, below the data root."""
OPERATOR = Window(surface=Surface.CLI, id="operator")
LOOK_EVERY_S = 0.5
Ask = Callable[..., Message]
"""Asks a command, given its class, the longest wait in seconds, and its fields; gives the answer.

With `meanwhile`, which hears a `MemoryDescribed` every half second, until then.
"""


@contextmanager
def alone(system: ActorSystem, *specs: ActorSpec) -> Iterator[Ask]:
    """Run `system` with a memory and its needs; stop the system at the end.

    Args:
        system: A new one.
        specs: Spec of the memory, after the embedder's if there is one.
    """
    edge = system.edge("memory-alone")
    for spec in specs:
        system.register(spec)
    system.start()

    def tell(command: type[MemoryCommand], fields: dict[str, Any]) -> RequestId:
        request_id = RequestId(system.new_id())
        edge.tell(MEMORY, command(request_id=request_id, reply_to=edge.address, window=OPERATOR, **fields))
        return request_id

    def receive(request_id: RequestId, timeout_s: float) -> Message:
        return edge.receive(timeout_s, lambda message: getattr(message, "request_id", None) == request_id)

    def ask(
        command: type[MemoryCommand],
        timeout_s: float,
        meanwhile: Callable[[MemoryDescribed], object] | None = None,
        **fields: Any,
    ) -> Message:
        request_id = tell(command, fields)
        left_s = timeout_s
        while meanwhile is not None and left_s > LOOK_EVERY_S:
            try:
                return receive(request_id, LOOK_EVERY_S)
            except TimeoutError:
                left_s -= LOOK_EVERY_S
            with suppress(TimeoutError):
                described = receive(tell(DescribeMemory, {}), LOOK_EVERY_S)
                if isinstance(described, MemoryDescribed):
                    meanwhile(described)
        return receive(request_id, left_s)

    try:
        yield ask
    finally:
        system.stop()
