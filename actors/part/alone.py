"""Standalone actors: actors started alone to answer a verb while no agent runs; for commands and checks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Protocol

import msgspec

from actors.kernel import ActorSpec, ActorSystem
from actors.part.verb import Verb
from messages.base import Address, Message, RequestId, Window

OPERATOR = "cli/operator"
"""Key of the window standing for the operator."""
LOOK_EVERY_S = 0.5


class Ask(Protocol):
    """Question to a standalone actor."""

    def __call__(
        self,
        verb: Verb,
        fields: Mapping[str, object],
        answer_s: float,
        meanwhile: Callable[[], object] | None = None,
    ) -> Message:
        """Reply to a verb.

        Args:
            verb: Verb of a standalone actor.
            fields: Arguments; a window by key. Without a key, a message with a window gets the operator's window.
            answer_s: Longest wait.
            meanwhile: Called every half second until the reply arrives; may ask as well.

        Raises:
            ValueError: an argument unknown to the verb.
            TimeoutError: no reply in time.
        """


@contextmanager
def alone(system: ActorSystem, specs: Iterable[ActorSpec]) -> Iterator[Ask]:
    """Run actors in a new `system`, and stop the actors at the end."""
    edge = system.edge("alone")
    for spec in specs:
        system.register(spec)
    system.start()

    def ask(
        verb: Verb, fields: Mapping[str, object], answer_s: float, meanwhile: Callable[[], object] | None = None
    ) -> Message:
        request_id = RequestId(system.new_id())
        message = _message(verb, fields, request_id, edge.address)
        edge.tell(verb.to if isinstance(verb.to, Address) else verb.to(message.window), message)  # type: ignore[attr-defined]
        left_s = answer_s
        while True:
            step_s = left_s if meanwhile is None else min(left_s, LOOK_EVERY_S)
            try:
                return edge.receive(step_s, lambda reply: getattr(reply, "request_id", None) == request_id)
            except TimeoutError:
                left_s -= step_s
                if meanwhile is None or left_s <= 0:
                    raise
                meanwhile()

    try:
        yield ask
    finally:
        system.stop()


def _message(verb: Verb, fields: Mapping[str, object], request_id: RequestId, reply_to: Address) -> Message:
    if "window" in verb.message.__struct_fields__:
        window = Window.from_key(str(fields.get("window", OPERATOR)))
        fields = {**fields, "window": msgspec.to_builtins(window)}
    values = {**fields, "request_id": request_id, "reply_to": msgspec.to_builtins(reply_to)}
    return msgspec.convert(values, verb.message)
