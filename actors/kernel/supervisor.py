"""Supervision of crashed actors: one-for-one restarts with intensity and backoff, quarantine, escalation."""

from __future__ import annotations

import logging
import random
import threading
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from actors.kernel.failure import summary, trace
from actors.kernel.mailbox import Mailbox, Trouble
from domain.policy.restarts import backoff_s, may_restart, recent
from messages.base import Address
from messages.status import ActorGaveUp

if TYPE_CHECKING:
    from actors.kernel.system import ActorSystem

log = logging.getLogger(__name__)

CRASHES_KEPT = 20


@dataclass(frozen=True, slots=True)
class Crash:
    """An actor died."""

    address: Address
    phase: str
    """`start`, `handle` or `stop`; `outside` for a dead loop or thread of the actor's."""
    error: str
    """Type and text of the exception; the log has the traceback."""
    at: datetime
    message: str = ""
    """Type of the message in hand; empty without a message."""


class Supervisor:
    """Supervisor of a system: decides over every crash; the caller holds the crashed mailbox's turn.

    The turn goes with the call: a crashed mailbox stays busy until it is scheduled again, at once or by a timer.
    """

    def __init__(self, system: ActorSystem, on_escalation: Callable[[ActorGaveUp], None]) -> None:
        self._system = system
        self._on_escalation = on_escalation
        self._chance = random.Random()  # jitter only: nothing depends on it being unforeseeable
        self._lock = threading.Lock()
        self._last: deque[Crash] = deque(maxlen=CRASHES_KEPT)
        self._restarts: Counter[str] = Counter()
        self._crashes: Counter[str] = Counter()

    def starting_failed(self, mailbox: Mailbox, error: BaseException) -> None:
        """Deal with an actor after a failure to build or start."""
        self._close_after_crash(mailbox, "start", error)
        self._answer_crash(mailbox)

    def handling_failed(self, mailbox: Mailbox, message: Any, error: BaseException, *, retried: bool) -> None:
        """Deal with an actor that raised over `message`, already taken out of its mailbox.

        The message goes back to the head of the mailbox, or to the dead letters after too many failures.

        Args:
            mailbox: The mailbox.
            message: Message that the actor could not handle.
            error: Exception of the actor.
            retried: Whether earlier failures on record are of this message.
        """
        trouble = mailbox.trouble = mailbox.trouble or Trouble()
        trouble.attempts = trouble.attempts + 1 if retried else 1
        poisonous = trouble.attempts >= mailbox.spec.policy.max_attempts
        if not poisonous:
            mailbox.queue.appendleft(message)
        traceback = self._close_after_crash(mailbox, "handle", error, type(message).__name__)
        if poisonous:
            reason = f"failed {trouble.attempts} times: {summary(error)}"
            self._system.bury(mailbox.address, message, reason, traceback, error)
            trouble.attempts = 0
        error.__traceback__ = None  # an instance that is raised again would grow it for ever
        self._answer_crash(mailbox)

    def owned_died(self, mailbox: Mailbox, error: BaseException) -> None:
        """Deal with the death of an actor's own loop or thread outside its handlers; no message is at fault."""
        self._close_after_crash(mailbox, "outside", error)
        self._answer_crash(mailbox)

    def close(self, mailbox: Mailbox) -> None:
        """Close the actor of `mailbox`, in whatever state, and release the actor."""
        actor, mailbox.actor = mailbox.actor, None
        if actor is None:
            return
        try:
            actor.on_stop()
        except BaseException as error:  # noqa: BLE001 - it is gone all the same
            self._report_crash(mailbox, "stop", error)

    def forgive(self, mailbox: Mailbox) -> None:
        """Forgive the message at the head, and forget expired crashes."""
        trouble = mailbox.trouble
        if trouble is None:
            return
        trouble.attempts = 0
        if not recent(trouble.crashes[-1:], self._system.clock.monotonic(), mailbox.spec.policy):
            mailbox.trouble = None

    def end_rest(self, mailbox: Mailbox) -> bool:
        """End the rest of `mailbox` and take its turn; False if not at rest or taken by another caller."""
        with self._lock:
            trouble = mailbox.trouble
            if trouble is None or not trouble.resting:
                return False
            trouble.resting = False
            return True

    def restarts(self) -> dict[str, int]:
        """Restarts so far, by kind of actor."""
        with self._lock:
            return dict(self._restarts)

    def crashes(self) -> dict[str, int]:
        """Crashes so far, by kind of actor."""
        with self._lock:
            return dict(self._crashes)

    def last_crashes(self) -> tuple[Crash, ...]:
        """The last few crashes of any actor, oldest first."""
        with self._lock:
            return tuple(self._last)

    def _close_after_crash(self, mailbox: Mailbox, phase: str, error: BaseException, message: str = "") -> str:
        """Report a crash and let go of the actor; the traceback."""
        traceback = self._report_crash(mailbox, phase, error, message)
        self.close(mailbox)
        return traceback

    def _report_crash(self, mailbox: Mailbox, phase: str, error: BaseException, message: str = "") -> str:
        text, traceback, now = summary(error), trace(error), self._system.clock.now()
        with self._lock:
            self._last.append(Crash(mailbox.address, phase, text, now, message))
            self._crashes[mailbox.address.kind] += 1
        log.error("%s crashed in %s: %s\n%s", mailbox.address, phase, text, traceback)
        return traceback

    def _answer_crash(self, mailbox: Mailbox) -> None:
        """Restart, rest or give up, by the policy; no actor is restarted while the system stops."""
        if self._system.closing:
            self._system.retire(mailbox)
            return
        policy, now = mailbox.spec.policy, self._system.clock.monotonic()
        trouble = mailbox.trouble = mailbox.trouble or Trouble()
        trouble.crashes = (*recent(trouble.crashes, now, policy), now)
        if not may_restart(trouble.crashes, policy):
            self._give_up(mailbox, trouble)
            return
        with self._lock:
            self._restarts[mailbox.spec.kind] += 1
        self._rest(mailbox, trouble, backoff_s(len(trouble.crashes), policy, self._chance.random()))

    def _rest(self, mailbox: Mailbox, trouble: Trouble, wait_s: float, *, gave_up: bool = False) -> None:
        if wait_s <= 0:
            self._system.schedule(mailbox)
            return
        trouble.resting, trouble.gave_up = True, gave_up
        self._system.clock.call_later(wait_s, lambda: self._wake(mailbox))
        if self._system.closing and self.end_rest(mailbox):  # a stop that began meanwhile did not see it rest
            self._system.retire(mailbox)

    def _wake(self, mailbox: Mailbox) -> None:
        if self.end_rest(mailbox):
            self._system.schedule(mailbox)

    def _give_up(self, mailbox: Mailbox, trouble: Trouble) -> None:
        """End the process for a core actor; any other actor rests, keeps its mailbox, and starts with a clean record.

        The record of the message at the head is kept, as the message may be the cause of all the crashes.
        """
        policy, address = mailbox.spec.policy, mailbox.address
        crashes = len(trouble.crashes)
        if mailbox.spec.core:
            log.critical("%s crashed %d times within %g s: giving up", address, crashes, policy.window_s)
            mailbox.stopped = True
            self._system.retire(mailbox)
            self._escalate(ActorGaveUp(address=address, crashes=crashes, within_s=policy.window_s))
            return
        rest_s = policy.suspend_s
        log.critical("%s crashed %d times within %g s: resting for %g s", address, crashes, policy.window_s, rest_s)
        trouble.crashes = ()
        self._rest(mailbox, trouble, rest_s, gave_up=True)

    def _escalate(self, event: ActorGaveUp) -> None:
        try:
            self._on_escalation(event)
        except Exception:
            log.critical("the end of %s could not be escalated", event.address, exc_info=True)
