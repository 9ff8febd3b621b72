"""Dump of the present work of a running system, for an operator in search of a missing answer."""

from __future__ import annotations

import _thread
import signal
import sys
import threading
import time
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING, NamedTuple, TextIO

from pykka._envelope import Envelope

from actors.kernel.dead_letters import DeadLetter
from actors.kernel.dispatcher import Worker
from actors.kernel.loop import LoopThread
from actors.kernel.runner import Runner
from actors.kernel.supervisor import Crash
from actors.kernel.watchdog import in_hand
from messages.base import Address

if TYPE_CHECKING:
    from actors.kernel.system import ActorSystem

MOST_VIEWS = 1000
"""Mailboxes listed, the fullest first."""
LETTERS_SHOWN = 20
"""Dead letters listed, the newest."""


@dataclass(frozen=True, slots=True)
class ThreadView:
    """A single thread."""

    name: str
    doing: str
    """Actor in progress with the message in hand; empty while the thread is idle."""
    stack: str


@dataclass(frozen=True, slots=True)
class MailboxView:
    """A mailbox with messages."""

    address: Address
    depth: int
    resting: bool
    """True if the actor crashed and waits for a restart."""


class Here(NamedTuple):
    """Present work of the calling thread, as far as the kernel knows."""

    actor: Address | None
    """Address of the actor whose handler or loop runs in the thread; None without an actor."""
    message: object
    """Message in the handler's hand; None on a loop, and while an actor starts or ends."""


_RUN, _LOOP = Runner.run.__code__, LoopThread._run.__code__


def here() -> Here:
    """Present work of the calling thread: read from its frames on request, so no message costs a note."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code is _RUN:
            variables = frame.f_locals
            message = variables.get("message")
            return Here(variables["mailbox"].address, message.message if isinstance(message, Envelope) else message)
        if frame.f_code is _LOOP:
            owner = frame.f_locals["self"].owner
            return Here(None if owner is None else owner.address, None)
        frame = frame.f_back
    return Here(None, None)


def threads() -> tuple[ThreadView, ...]:
    """All threads but the caller's own, by name. Takes no lock of the kernel."""
    frames = sys._current_frames()
    frames.pop(threading.get_ident(), None)
    by_ident = {thread.ident: thread for thread in threading.enumerate()}
    views = []
    for ident, frame in frames.items():
        thread = by_ident.get(ident)
        work = in_hand(thread, frame, _seconds(thread)) if isinstance(thread, Worker) else None
        name = thread.name if thread is not None else f"thread {ident}"
        views.append(ThreadView(name, str(work or ""), "".join(traceback.format_stack(frame))))
    return tuple(sorted(views, key=lambda view: view.name))


def _seconds(worker: Worker) -> float:
    """Seconds of `worker` in its batch, as far as the watchdog knows."""
    since = worker.since
    return time.perf_counter() - since[1] if since is not None and since[0] == worker.runs else 0.0


def mailboxes(system: ActorSystem) -> tuple[MailboxView, ...]:
    """Mailboxes with messages, the fullest first."""
    views = [
        MailboxView(mailbox.address, depth, mailbox.resting)
        for mailbox in system.mailboxes()
        if (depth := len(mailbox.queue))
    ]
    return tuple(sorted(views, key=lambda view: (-view.depth, str(view.address))))


def at_work(system: ActorSystem) -> tuple[Address, ...]:
    """Addresses with a message or work in hand, or with a question to another actor, in the order of their names."""
    busy = (each.address for each in system.mailboxes() if each.holds_work() or each.has_questions())
    return tuple(sorted(busy, key=str))


def counters(system: ActorSystem) -> dict[str, Mapping[str, int]]:
    """Counters of the kernel, by kind of actor or by reason."""
    return {
        "living": {"mailboxes": len(system.mailboxes()), "workers": len(system.dispatcher.workers)},
        "waits": system.dispatcher.waits(),
        "crashes": system.supervisor.crashes(),
        "restarts": system.supervisor.restarts(),
        "stuck": system.watchdog.counts(),
        "dead letters": system.dead_letters.counts(),
    }


def render_threads(views: Sequence[ThreadView]) -> str:
    """Text of all threads with their stacks."""
    parts = [f"-- {view.name}{f': {view.doing}' if view.doing else ''}\n{view.stack}" for view in views]
    return f"== {len(views)} threads\n{''.join(parts)}"


def render_crashes(crashes: Sequence[Crash]) -> str:
    """The last crashes, newest last, a line each."""
    lines = [f"{crash.at:%Y-%m-%dT%H:%M:%SZ} {crash.address} in {crash.phase}: {crash.error}\n" for crash in crashes]
    return f"== last {len(crashes)} crashes\n{''.join(lines)}"


def render_dead_letters(letters: Sequence[DeadLetter]) -> str:
    """The last dead letters, newest last: type and reason of each message, never its text."""
    recent = letters[-LETTERS_SHOWN:]
    lines = [
        f"{letter.at:%Y-%m-%dT%H:%M:%SZ} {type(letter.message).__name__} to {letter.address}: {letter.reason}\n"
        f"{letter.traceback}"
        for letter in recent
    ]
    return f"== last {len(recent)} dead letters\n{''.join(lines)}"


def render_mailboxes(views: Sequence[MailboxView], counts: Mapping[str, Mapping[str, int]]) -> str:
    """The depth of each mailbox, and the counts."""
    lines = [f"== {len(views)} mailboxes hold {sum(view.depth for view in views)} messages"]
    lines += [f"{view.depth:8} {view.address}{' (rests)' if view.resting else ''}" for view in views[:MOST_VIEWS]]
    if len(views) > MOST_VIEWS:
        lines.append(f"     ... and {len(views) - MOST_VIEWS} more")
    lines.append("== counters")
    for name, row in counts.items():
        lines.append(f"{name}: {', '.join(f'{key} {count}' for key, count in sorted(row.items())) or 'none'}")
    return "\n".join(lines) + "\n"


def dump(system: ActorSystem, stream: TextIO) -> None:
    """Write all parts to `stream`, the stacks first: the rest needs a lock, perhaps held for ever by a hung thread."""
    stream.write(render_threads(threads()))
    stream.flush()
    stream.write(render_crashes(system.supervisor.last_crashes()))
    stream.write(render_dead_letters(system.dead_letters.letters()))
    stream.write(render_mailboxes(mailboxes(system), counters(system)))
    stream.flush()


def install_dump(system: ActorSystem) -> None:
    """Let SIGUSR2 write the dump to stderr; to be called in the main thread.

    A signal handler interrupts the main thread at any point, whatever locks the main thread holds. So the handler only
    starts a thread, by the interpreter's own function, as `threading.Thread.start` takes a lock itself.
    """

    def on_signal(_number: int, _frame: object) -> None:
        _thread.start_new_thread(dump, (system, sys.stderr))

    signal.signal(signal.SIGUSR2, on_signal)
