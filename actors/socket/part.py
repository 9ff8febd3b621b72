"""Row of the control sockets in the table of parts."""

from __future__ import annotations

from actors.kernel import Actor, ActorSpec
from actors.part import Part, Parts, Plan
from actors.socket.checks import findings
from messages.socket import SOCKET

DOOR_LEFT_OPEN_S = 300.0
"""Seconds for which a window's unused socket outlives the longest command."""

_SOCKETS = "sockets"


def row(plan: Plan, parts: Parts) -> Part:
    """Row of the single actor through which scripts and the operator reach other actors."""
    started_at = plan.system.clock.now()

    def build(_key: str) -> Actor:
        from actors.socket.actor import SocketActor, SocketConfig
        from actors.socket.status import system_facts

        if not plan.lives:
            return SocketActor(SocketConfig(folder=None, verbs=parts.verbs))
        root = plan.settings.data_root
        config = SocketConfig(
            folder=root / _SOCKETS / plan.host,
            operator_path=None if plan.host else root / "agent.sock",
            verbs=parts.verbs,
            operator_verbs=parts.operator_verbs,
            describers=parts.describers,
            system_facts=lambda: system_facts(plan.system, started_at),
            idle_s=plan.settings.shell.max_timeout_s + DOOR_LEFT_OPEN_S,
        )
        return SocketActor(config)

    root = plan.settings.data_root
    return Part(
        spec=ActorSpec(SOCKET.kind, build, core=True),
        own_verbs=("help", "status"),
        checks=(lambda: findings(root, root / _SOCKETS, plan.is_held),),
    )
