"""Workloads of the kernel's benchmark: what is measured of whom, and how large."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Sizes = Mapping[str, float]
OURS = "remembrancer"


@dataclass(frozen=True, slots=True)
class Workload:
    """One row of the table."""

    name: str
    measurement: str
    sizes: Sizes
    quick: Sizes
    """For a run of seconds that shows that everything works and no speed."""
    peers: Mapping[str, Sizes] = field(default_factory=dict)
    """Peer -> the sizes in which its run differs from ours, for peers that would take too long."""
    headline: str = "msg_per_s"
    """The figure that stands for the row, by which peers are compared."""
    rounds: int = 3
    """Of which the median is taken; one for memory, which hardly varies and takes long to fill."""
    on_request: bool = False
    """Run only when asked for by name."""

    def sizes_for(self, system: str, *, quick: bool) -> Sizes:
        """Sizes of the run of `system`, arguments in the order of `sizes`."""
        if quick:
            return self.quick
        return {**self.sizes, **self.peers.get(system, {})}

    @property
    def systems(self) -> tuple[str, ...]:
        """Measured systems, the project's first."""
        return (OURS, *self.peers)


ALL_PEERS: Mapping[str, Sizes] = {"pykka": {}, "asyncio": {}, "erlang": {}}
FAIRNESS: Sizes = {"quiet": 99, "messages": 800, "pause_ms": 1, "backlog": 1000}

WORKLOADS = (
    Workload(
        "ping_pong",
        "ping_pong",
        {"hops": 200_000},
        {"hops": 1000},
        {**ALL_PEERS, "pykka": {"hops": 20_000}, "asyncio": {"hops": 50_000}},
    ),
    Workload(
        "request_reply",
        "request_reply",
        {"clients": 100, "servers": 10, "questions": 1000},
        {"clients": 10, "servers": 2, "questions": 10},
        {**ALL_PEERS, "pykka": {"questions": 100}, "asyncio": {"questions": 300}},
    ),
    Workload(
        "fan_out_1000x100",
        "fan_out",
        {"actors": 1000, "messages": 100},
        {"actors": 100, "messages": 10},
        {**ALL_PEERS, "pykka": {"messages": 10}},
    ),
    Workload(
        "fan_out_10000x100",
        "fan_out",
        {"actors": 10_000, "messages": 100},
        {"actors": 200, "messages": 10},
        {**ALL_PEERS, "pykka": {"messages": 10}},  # a hundred would take five minutes a round
    ),
    Workload(
        "spawn_100000",
        "spawn",
        {"actors": 100_000},
        {"actors": 200},
        {**ALL_PEERS, "pykka": {"actors": 2000}},
        headline="actors_per_s",
    ),
    Workload(
        "idle_bytes_100000",
        "idle_bytes",
        {"actors": 100_000},
        {"actors": 200},
        {**ALL_PEERS, "pykka": {"actors": 2000}},
        headline="bytes",
        rounds=1,
    ),
    Workload(
        "directory_1000000",
        "directory",
        {"windows": 1_000_000, "warm_up": 20_000},
        {"windows": 400, "warm_up": 200},
        headline="bytes",
        rounds=1,
    ),
    Workload(
        "crash_storm",
        "crash_storm",
        {"messages": 200_000, "actors": 100},
        {"messages": 4000, "actors": 10},
        {"pykka": {}, "erlang": {}},
    ),
    Workload("restart_latency", "restart_latency", {"restarts": 5000}, {"restarts": 50}, {"erlang": {}}, "p50_us"),
    Workload(
        "fairness",
        "fairness",
        FAIRNESS,
        {"quiet": 9, "messages": 100, "pause_ms": 1, "backlog": 100},
        {"pykka": {"messages": 200}, "erlang": {}},
        "p99_beside_us",
    ),
    Workload(
        "passivate_reactivate",
        "passivate_reactivate",
        {"windows": 10_000},
        {"windows": 200},
        headline="reactivate_us",
    ),
    Workload(
        "churn_10m",
        "churn",
        {"messages": 10_000_000, "windows": 1000, "messages_each": 10},
        {"messages": 4000, "windows": 20, "messages_each": 10},
        rounds=1,
        on_request=True,
    ),
)
