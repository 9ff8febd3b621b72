"""Row of the cluster in the table of parts, for an agent with windows on hosts."""

from __future__ import annotations

from actors.kernel import Actor, ActorSpec
from actors.part import Part, Parts, Plan

KIND = "cluster"


def row(plan: Plan, _parts: Parts) -> Part | None:
    """The single actor that reports on the hosts; None if there are no hosts."""
    hosts = plan.hosts
    if hosts is None:
        return None

    def build(_key: str) -> Actor:
        from actors.cluster.actor import ClusterActor

        return ClusterActor(hosts)

    return Part(spec=ActorSpec(KIND, build, is_eager=True))
