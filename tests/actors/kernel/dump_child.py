"""A process in which an actor hangs; it writes its dump to stderr at SIGUSR2 and ends when its stdin is closed."""

from __future__ import annotations

import os
import signal
import sys
import threading

from actors.kernel import Actor, ActorSpec, ActorSystem, install_dump
from messages.base import Address
from tests.actors.kernel.players import Say


class Hanging(Actor):
    """Never comes back."""

    def handle(self, message: Say) -> None:
        hung.set()
        never.wait()


def main() -> None:
    system = ActorSystem()
    system.register(ActorSpec("hanging", lambda key: Hanging()))
    system.start()
    install_dump(system)
    for n in range(4):
        system.tell(Address("hanging", "window"), Say(n=n))
    hung.wait()
    if "locked" in sys.argv:
        with threading._active_limbo_lock, system._directory._lock:  # type: ignore[attr-defined]
            signal.raise_signal(signal.SIGUSR2)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.read()
    os._exit(0)


hung, never = threading.Event(), threading.Event()
if __name__ == "__main__":
    main()
