"""Drain and stop: a system's way to rest and to its end."""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pykka
from pykka._envelope import Envelope
from pykka.messages import _ActorStop

from messages.base import Address

if TYPE_CHECKING:
    from actors.kernel.mailbox import Mailbox
    from actors.kernel.spec import ActorSpec
    from actors.kernel.system import ActorSystem

log = logging.getLogger(__name__)

LOOK_S = 0.01
"""Seconds between two looks at whether all is quiet."""
CALM_LOOKS = 20
"""Successive looks without unfinished work, after which any moving work counts as made up for by a later life."""
LEAST_WAIT_S = 0.05
"""Least seconds for actors stopped together, even after the deadline."""
LATE_SHOWN = 10
"""Actors named in the log for not stopping in time."""


@dataclass(frozen=True, slots=True)
class DrainReport:
    """Result of a drain."""

    quiet: bool
    """True if all work was finished before the deadline."""
    unfinished: tuple[Address, ...]
    """Addresses with work left at the deadline."""


def drain(system: ActorSystem, deadline_s: float) -> DrainReport:
    """Wait until no actor holds work, at most `deadline_s` seconds of real time.

    The wait does not cover actors that crashed too often, nor work that a later life makes up for.
    """
    begin = time.monotonic()
    pause = threading.Event()
    calm = 0
    while True:
        if not system.dispatcher.workers:
            system.run()
        runs = system.dispatcher.runs()
        mailboxes = [mailbox for mailbox in system.mailboxes() if not mailbox.spec.is_made_up_for]
        unfinished = [mailbox for mailbox in mailboxes if mailbox.holds_work()]
        is_worth_it = not all(mailbox.gave_up for mailbox in unfinished)
        # Work that moved from one actor to another during the look was perhaps seen at neither.
        moved = system.dispatcher.runs() != runs
        calm = 0 if unfinished else calm + 1
        moved = moved and calm < CALM_LOOKS
        if not (is_worth_it or moved) or time.monotonic() - begin >= deadline_s:
            addresses = tuple(mailbox.address for mailbox in unfinished)
            return DrainReport(quiet=not (addresses or moved), unfinished=addresses)
        pause.wait(LOOK_S)


def stop(system: ActorSystem, specs: list[ActorSpec], deadline: float) -> None:
    """Stop all actors, core ones last, kind by kind in reverse order, then clock and workers.

    Args:
        system: The system to be stopped.
        specs: Of all kinds, in the order of their registration.
        deadline: In `time.monotonic` seconds; who has not stopped by then is left behind.
    """
    system.close_directory()
    for spec in (
        *(spec for spec in reversed(specs) if not spec.core),
        *(spec for spec in reversed(specs) if spec.core),
    ):
        _stop_all(system, [mailbox for mailbox in system.mailboxes() if mailbox.spec.kind == spec.kind], deadline)
    system.clock.close()
    system.dispatcher.close(max(0.1, deadline - time.monotonic()))
    for mailbox in system.mailboxes():
        system.retire(mailbox)


def _stop_all(system: ActorSystem, mailboxes: list[Mailbox], deadline: float) -> None:
    """Stop the actors of `mailboxes`, and wait for the end of all; a resting mailbox has no actor to stop."""
    futures: list[tuple[Mailbox, pykka.Future[Any]]] = []
    for mailbox in mailboxes:
        if system.supervisor.end_rest(mailbox):
            system.retire(mailbox)
            continue
        future: pykka.Future[Any] = pykka.ThreadingFuture()
        mailbox.put(Envelope(_ActorStop(), reply_to=future))
        futures.append((mailbox, future))
    if not system.dispatcher.workers:
        system.run()
    deadline = max(deadline, time.monotonic() + LEAST_WAIT_S) if system.dispatcher.workers else 0.0
    late = [str(mailbox.address) for mailbox, future in futures if not _has_stopped(future, deadline)]
    if late:
        log.warning("%d actors did not stop in time: %s", len(late), ", ".join(late[:LATE_SHOWN]))


def _has_stopped(future: pykka.Future[Any], deadline: float) -> bool:
    """True if an actor stops until `deadline`."""
    try:
        future.get(timeout=max(0.0, deadline - time.monotonic()))
    except pykka.Timeout:
        return False
    return True
