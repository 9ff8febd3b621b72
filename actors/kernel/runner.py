"""Batch of a scheduled mailbox in a worker: start its actor, handle a batch, let other mailboxes go first."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

from pykka._envelope import Envelope
from pykka.messages import _ActorStop

from actors.kernel.actor import NotUnderstoodError, Outage, Overdue
from actors.kernel.liveness import Probe

if TYPE_CHECKING:
    from actors.kernel.actor import Actor
    from actors.kernel.dispatcher import Worker
    from actors.kernel.mailbox import Mailbox
    from actors.kernel.system import ActorSystem

BATCH = 8
"""Messages per batch of a busy actor; 1 costs half as much again, 1,000 delays other actors by 0.2 s.

A quiet actor beside a flooder waits a batch longer than alone; with 16 its p99 was up to four times as long.
"""
LOOKS_AT_CLOCK = 4
"""Messages between two looks at the clock; a look costs as much as taking a message out."""

CRASHES = (Exception, SystemExit, GeneratorExit)
"""Exceptions of the actor's own when it runs in the caller's thread; any other (Ctrl-C) is meant for the caller."""


class Runner:
    """Executor of a mailbox at a time in the calling thread, the holder of its turn."""

    def __init__(self, system: ActorSystem, slice_s: float) -> None:
        """An executor for a system.

        Args:
            system: The system.
            slice_s: Seconds, from its second message on, after which a busy actor yields in any case.
        """
        self._system = system
        self._slice_s = slice_s
        self.tick = 0
        """The sweeper's count, the measure of idleness."""

    def run(self, mailbox: Mailbox, worker: Worker) -> None:
        """Handle a batch of messages; after a crash the rest stay in place."""
        actor = mailbox.actor
        if actor is None or mailbox.leaving:
            actor = self._present(mailbox)
            if actor is None:
                worker.runs += 1
                return
        queue, handle, left, until, message = mailbox.queue, actor.handle, BATCH, 0.0, None
        try:
            while queue:
                message = queue.popleft()
                if type(message) is Envelope:
                    self._open(actor, message)
                    if mailbox.retired:
                        return
                elif not actor.questions or not actor.take_answer(message):
                    handle(message)
                left -= 1
                if queue:
                    if not until:
                        until = perf_counter() + self._slice_s
                    elif not left or (not left % LOOKS_AT_CLOCK and perf_counter() > until):
                        break
        except BaseException as error:
            if worker.inline and not isinstance(error, CRASHES):
                queue.appendleft(message)
                self._system.schedule(mailbox)
                raise
            if isinstance(message, Envelope) and isinstance(message.message, Outage):
                self._system.supervisor.owned_died(mailbox, error)
                return
            if not isinstance(error, NotUnderstoodError):
                self._system.supervisor.handling_failed(mailbox, message, error, retried=left == BATCH)
                return
            self._system.bury(mailbox.address, message, f"not understood: {error}", "", error)
        finally:
            worker.runs += 1
        if mailbox.retired:  # the system stopped without waiting any longer
            self.end(mailbox)
            return
        if mailbox.trouble is not None:
            self._system.supervisor.forgive(mailbox)
        self._release(mailbox)

    def end(self, mailbox: Mailbox) -> None:
        """Close the actor of `mailbox` for good; the caller has its turn and never gives the turn back."""
        self._system.supervisor.close(mailbox)
        mailbox.stopped = True
        self._system.retire(mailbox)

    def _present(self, mailbox: Mailbox) -> Actor | None:
        """The actor of `mailbox`, started if missing; None if the actor is not to run now."""
        actor = mailbox.actor or self._incarnate(mailbox)
        if actor is None or (mailbox.leaving and self._leaves(mailbox, actor)):
            return None
        return actor

    def _incarnate(self, mailbox: Mailbox) -> Actor | None:
        """A started actor for `mailbox`; None if the actor is not to run now."""
        if mailbox.retired or self._is_unwanted(mailbox):
            self.end(mailbox)
            return None
        try:
            actor = mailbox.spec.build(mailbox.address.key)
            actor.attach(mailbox)
            mailbox.actor = actor
            actor.on_start()
        except BaseException as error:  # noqa: BLE001 - even an exit is a crash here; the supervisor reports it
            self._system.supervisor.starting_failed(mailbox, error)
            return None
        finally:
            self._system.was_tried(mailbox)
        return actor

    def _is_unwanted(self, mailbox: Mailbox) -> bool:
        """True if the actor would be started only to be stopped."""
        if not mailbox.queue:
            return self._system.closing
        head = mailbox.queue[0]
        return isinstance(head, Envelope) and isinstance(head.message, _ActorStop)

    def _leaves(self, mailbox: Mailbox, actor: Actor) -> bool:
        """End an actor that was asked to leave, unless the actor has got new work meanwhile."""
        mailbox.leaving = False
        if mailbox.queue or actor.in_progress or actor.questions:
            return False
        self.end(mailbox)
        actor.let_go()
        return True

    def _open(self, actor: Actor, envelope: Envelope[Any]) -> None:
        """Handle a message of pykka's own reference, with pykka's semantics: the asker gets the exception."""
        message, reply_to = envelope.message, envelope.reply_to
        if isinstance(message, _ActorStop):
            self.end(actor.mailbox)
            if reply_to is not None:
                reply_to.set(None)
        elif isinstance(message, Probe):
            message.answer()
        elif isinstance(message, Outage):
            if message.actor is actor:
                raise message.error
        elif isinstance(message, Overdue):
            actor.expire(message)
        elif reply_to is None:
            actor._handle_receive(message)
        else:
            try:
                reply_to.set(actor._handle_receive(message))
            except Exception:  # noqa: BLE001 - it is the asker's now
                reply_to.set_exception()

    def _release(self, mailbox: Mailbox) -> None:
        """Let other mailboxes run; come back if messages are left."""
        mailbox.last_used = self.tick
        queue = mailbox.queue
        if not queue:
            mailbox.turn.append(None)
            if not queue or not mailbox.take_turn():
                return
        self._system.schedule(mailbox)
