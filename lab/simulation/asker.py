"""Requests of people and of the operator besides messages, and the confirmations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from actors.kernel import ActorSystem
from lab.simulation.verdict import Record
from messages.base import Address, Message, RequestId
from messages.curated import FactStaged
from messages.scheduler import ReminderCreated


class Asker:
    """Sender of requests in one life."""

    def __init__(self, system: ActorSystem, record: Record, ids: Callable[[], str]) -> None:
        """Begin without requests.

        Args:
            system: The life's.
            record: Takes requests and confirmations.
            ids: Gives ids.
        """
        self._system, self._record, self._ids = system, record, ids
        self._edge = system.edge("asker")

    def ask(self, to: Address, kind: type[Message], words: str = "", **fields: Any) -> None:
        """Send a request of kind `kind`; its confirmation confirms `words`."""
        request_id = RequestId(f"asked-{self._ids()}")
        self._record.requests[request_id] = words
        self._system.tell(to, kind(request_id=request_id, reply_to=self._edge.address, **fields))

    def hear(self) -> None:
        """Note confirmations."""
        for reply in self._edge.drain():
            if isinstance(reply, ReminderCreated):
                self._record.reminders_confirmed.add(self._record.requests[reply.request_id])
            elif isinstance(reply, FactStaged):
                self._record.facts_staged.add(self._record.requests[reply.request_id])
