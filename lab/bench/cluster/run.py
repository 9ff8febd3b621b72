"""Windows on hosts: the rate of a link, and a host that is killed with a turn in flight in every window."""

from __future__ import annotations

from actors.cluster.ray_pool import missing
from lab.bench.benchmark import Benchmark, Column, Rows, Target
from lab.bench.cluster import killed_host
from lab.bench.cluster.killed_host import Say
from lab.bench.measure import Figures
from lab.bench.process import MeasurementError
from lab.bench.process import measure as in_process


def measure(say: Say, *, messages: int, threads: int, model_latency_ms: int, link_only: bool) -> Rows:
    """Figures of the link and of both runs.

    Raises:
        MeasurementError: Ray is not installed, the agent did not come online, or a thread could not be begun.
    """
    if reason := missing():
        raise MeasurementError(reason)
    say("measuring the link")
    rows: dict[str, Figures] = {"link": in_process("lab.bench.cluster.link_rate", {"messages": messages})}
    for name in () if link_only else ("undisturbed", "killed"):
        rows[name] = killed_host.measure(threads, model_latency_ms / 1000, say, kills=name == "killed")
    if rows.get("undisturbed", {}).get("p95_s"):
        rows["killed"]["times"] = rows["killed"]["p95_s"] / rows["undisturbed"]["p95_s"]
    return rows


CLUSTER = Benchmark(
    name="cluster",
    measure=measure,
    is_upright=True,
    targets=(
        Target("messages/s one way", "one_way_per_s", 50_000, at_least=True),
        Target("messages lost", "lost", 0),
        Target("messages answered twice", "doubled", 0),
        Target("p95 of the other host's windows, times that without the kill", "times", 1.5),
    ),
    columns=(
        Column("messages/s one way", "one_way_per_s", ",.0f"),
        Column("messages/s both ways together", "both_ways_per_s", ",.0f"),
        Column("CPU of a message on the head, us", "head_cpu_us"),
        Column("CPU of a message on the host, us", "host_cpu_us"),
        Column("one message there and back, ms", "round_trip_ms"),
        Column("turns in flight", "in_flight", ".0f"),
        Column("answered", "answered", ".0f"),
        Column("lost", "lost", ".0f"),
        Column("doubled", "doubled", ".0f"),
        Column("p95 of the other host's windows, s", "p95_s"),
    ),
    promises=frozenset({"lost", "doubled"}),
)
