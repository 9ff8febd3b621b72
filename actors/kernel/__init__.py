"""The runtime under every actor: pykka actors on a worker pool, addressed by name and supervised."""

from __future__ import annotations

from actors.kernel.actor import Actor
from actors.kernel.clock import Clock, ManualClock, SystemClock, Timer
from actors.kernel.dead_letters import DeadLetter
from actors.kernel.edge import Edge
from actors.kernel.ending import DrainReport
from actors.kernel.host import Host
from actors.kernel.ids import IdSource, counted_ids, random_ids
from actors.kernel.inspection import install_dump
from actors.kernel.loop import LoopThread
from actors.kernel.spec import ActorSpec
from actors.kernel.system import ActorSystem

__all__ = [
    "Actor",
    "ActorSpec",
    "ActorSystem",
    "Clock",
    "DeadLetter",
    "DrainReport",
    "Edge",
    "Host",
    "IdSource",
    "LoopThread",
    "ManualClock",
    "SystemClock",
    "Timer",
    "counted_ids",
    "install_dump",
    "random_ids",
]
