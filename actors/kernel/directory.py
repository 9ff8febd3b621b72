"""Which mailbox an address has now, and how one mailbox takes another's place without losing or reordering anything."""

from __future__ import annotations

import threading
from collections import deque
from typing import TYPE_CHECKING, Any

import pykka
from pykka._envelope import Envelope
from pykka.messages import _ActorStop

from actors.kernel.dead_letters import LEFT_OVER
from actors.kernel.mailbox import Cell
from messages.base import Address, Message

if TYPE_CHECKING:
    from actors.kernel.spec import ActorSpec
    from actors.kernel.system import ActorSystem

NO_SUCH_ACTOR = "no such actor"
ACTOR_STOPPED = "actor stopped"


class Directory:
    """The mailboxes by address. Reading `cells` needs no lock; every change of it is made under one."""

    def __init__(self, system: ActorSystem, specs: dict[str, ActorSpec]) -> None:
        self._system = system
        self._specs = specs
        self._lock = threading.RLock()
        self.cells: dict[Address, Cell] = {}
        self.closed = False

    def all(self) -> list[Cell]:
        """Every mailbox there is, in no order."""
        with self._lock:
            return list(self.cells.values())

    def close(self) -> None:
        """Let no more actors be activated."""
        with self._lock:
            self.closed = True

    def add(self, address: Address, spec: ActorSpec) -> Cell:
        """A mailbox for `address`, whose turn is the caller's, who must schedule it."""
        with self._lock:
            cell = self.cells[address] = self._new_cell(address, spec)
            return cell

    def tell_absent(self, to: Address, message: Message) -> str:
        """Tell an address that had no mailbox a moment ago, activating its actor.

        Returns:
            Why that could not be; empty when it was told.
        """
        with self._lock:
            cell = self.cells.get(to)
            if cell is not None:
                self._system.post(cell, message)
                return ""
            spec = self._specs.get(to.kind)
            if spec is None:
                return NO_SUCH_ACTOR
            if self.closed:
                return LEFT_OVER
            if spec.core:
                return ACTOR_STOPPED
            cell = self._new_cell(to, spec)
            cell.queue.append(message)
            self.cells[to] = cell
            self._system.schedule(cell)
            return ""

    def retire(self, cell: Cell) -> None:
        """Take `cell` out of the directory; the caller has its turn and never gives it back.

        What it still holds is in the mailbox that takes its place before anyone can find that one, so a sender's later
        messages stay behind its earlier ones.
        """
        with self._lock:
            cell.retired = True
            if self.cells.get(cell.address) is cell:
                del self.cells[cell.address]
                left = None if self._is_last(cell) else deque(_unsettled(cell))
                if left:
                    successor = self._new_cell(cell.address, cell.spec)
                    successor.queue = left
                    self.cells[cell.address] = successor
                    self._system.schedule(successor)
        self.carry_over(cell)

    def carry_over(self, cell: Cell) -> None:
        """Give what arrived late in a retired mailbox to whoever has its address now, or to the dead letters."""
        with self._lock:
            left = _unsettled(cell)
            if not self._is_last(cell):
                for item in left:
                    self._system.tell(cell.address, item)
                return
        reason = LEFT_OVER if self.closed else ACTOR_STOPPED
        for item in left:
            self._system.bury(cell.address, item, reason)

    def _is_last(self, cell: Cell) -> bool:
        """Whether no other mailbox will take the place of `cell`."""
        return self.closed or cell.spec.core

    def _new_cell(self, address: Address, spec: ActorSpec) -> Cell:
        cell = Cell(self._system, address, spec)
        cell.last_used = self._system.runner.tick
        return cell


def _unsettled(cell: Cell) -> list[Any]:
    """What can still be handled of what is left in a mailbox, taken out of it; who waits for an answer gets it here."""
    left: list[Any] = []
    while True:
        try:
            item = cell.queue.popleft()
        except IndexError:
            return left
        if not _is_settled(item, cell.address):
            left.append(item)


def _is_settled(item: Any, address: Address) -> bool:
    """Whether `item` came through pykka's reference and needs no handling now that its actor is gone."""
    if not isinstance(item, Envelope):
        return False
    if isinstance(item.message, _ActorStop):
        if item.reply_to is not None:
            item.reply_to.set(None)
        return True
    if item.reply_to is not None:
        item.reply_to.set_exception((pykka.ActorDeadError, pykka.ActorDeadError(f"{address} stopped"), None))
        return True
    return False
