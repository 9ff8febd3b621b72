"""A memory without an agent: for commands that look into the index, or make it anew, while nobody runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from messages.base import Message, RequestId, Surface, Window
from messages.memory import MemoryCommand

if TYPE_CHECKING:
    from actors.settings.schema import Settings

OPERATOR = Window(surface=Surface.CLI, id="operator")


def has_index(settings: Settings) -> bool:
    """Whether anything was ever remembered."""
    from actors.memory.index.database import FILE, FOLDER

    return (settings.data_root / FOLDER / FILE).exists()


Ask = Callable[..., Message]


@contextmanager
def memory_alone(settings: Settings, secrets: Mapping[str, str], *, read_only: bool, embeds: bool) -> Iterator[Ask]:
    """A system of a memory, and an embedder if it `embeds`; asks it a command and gives its answer."""
    from actors import specs
    from actors.kernel import ActorSystem

    system = ActorSystem(workers=2)
    edge = system.edge("cli")
    if embeds:
        system.register(specs.embedder_spec(settings, secrets))
    system.register(specs.memory_spec(settings, secrets, read_only=read_only, embeds=embeds))
    system.start()

    def ask(command: type[MemoryCommand], timeout_s: float, **fields: Any) -> Message:
        request_id = RequestId(system.new_id())
        made = command(request_id=request_id, reply_to=edge.address, window=OPERATOR, **fields)
        edge.tell(specs.MEMORY, made)
        return edge.receive(timeout_s, lambda said: getattr(said, "request_id", None) == request_id)

    try:
        yield ask
    finally:
        system.stop()
