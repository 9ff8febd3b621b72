"""Actor runtime: pykka actors on a worker pool, addressed by name and supervised.

Read first `actor.py` (an actor's interface: `tell`, and `ask` with a deadline and a continuation), second `system.py`
(`tell`, and the owners of all parts), third a message's way: `mailbox.py`, `dispatcher.py` (the threads), `runner.py`
(a batch), `supervisor.py` (a crash) and `directory.py` (mailboxes that come and go). `passivation.py`, `watchdog.py`,
`liveness.py`, `ending.py` and `inspection.py` look after a running system; `edge.py` and `loop.py` are for code outside
actors, `thread.py` for waits that may never end. No module here opens a file or a socket. Only `clock.py` and `ids.py`
know the time and chance; only `directory.py` changes the mailbox of an address.
The policy of `supervisor.py` is pure, in `domain/policy/restarts.py`.
"""

from __future__ import annotations

from actors.kernel.actor import Actor, Host, MakeQuestion, NotUnderstoodError, Then, earliest, not_understood
from actors.kernel.clock import Clock, ManualClock, SystemClock, Timer, boot_seconds, slept_seconds
from actors.kernel.dead_letters import DeadLetter
from actors.kernel.edge import Edge
from actors.kernel.ending import DrainReport
from actors.kernel.ids import IdSource, counted_ids, random_ids, random_token
from actors.kernel.inspection import install_dump
from actors.kernel.loop import LoopEndedError, LoopHungError, LoopThread, ask_from_loop, ask_future
from actors.kernel.mailbox import ReadyQueue
from actors.kernel.spec import ActorSpec
from actors.kernel.system import ActorSystem
from actors.kernel.thread import Bulkhead

__all__ = [
    "Actor",
    "ActorSpec",
    "ActorSystem",
    "Bulkhead",
    "Clock",
    "DeadLetter",
    "DrainReport",
    "Edge",
    "Host",
    "IdSource",
    "LoopEndedError",
    "LoopHungError",
    "LoopThread",
    "MakeQuestion",
    "ManualClock",
    "NotUnderstoodError",
    "ReadyQueue",
    "SystemClock",
    "Then",
    "Timer",
    "ask_from_loop",
    "ask_future",
    "boot_seconds",
    "counted_ids",
    "earliest",
    "install_dump",
    "not_understood",
    "random_ids",
    "random_token",
    "slept_seconds",
]
