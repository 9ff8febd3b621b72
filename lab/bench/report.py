"""Report of the results: ratios to the peers, targets, one JSON document."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass

from lab.bench.campaign import Results
from lab.bench.kernel.workload import OURS, WORKLOADS
from lab.bench.measure import Figures

Systems = Mapping[str, Figures]
HEADLINES = {row.name: row.headline for row in WORKLOADS}
LESS_IS_BETTER = frozenset({"bytes", "p50_us", "p99_beside_us", "reactivate_us"})


@dataclass(frozen=True, slots=True)
class Target:
    """Figure that the kernel is to reach."""

    name: str
    workload: str
    value_of: Callable[[Systems], float]
    """May raise KeyError when the peer was not measured."""
    target: float
    at_least: bool = False
    """Otherwise at most."""

    def is_met_by(self, value: float) -> bool:
        """True if `value` is good enough."""
        return value >= self.target if self.at_least else value <= self.target


@dataclass(frozen=True, slots=True)
class Verdict:
    """Comparison of a figure with its target; None where it was not measured."""

    name: str
    workload: str
    value: float | None
    target: str
    met: bool | None


def _ours(figure: str) -> Callable[[Systems], float]:
    return lambda systems: systems[OURS][figure]


def _rate_to(peer: str) -> Callable[[Systems], float]:
    return lambda systems: systems[OURS]["msg_per_s"] / systems[peer]["msg_per_s"]


def _beside_to_alone(systems: Systems) -> float:
    return systems[OURS]["p99_beside_us"] / systems[OURS]["p99_alone_us"]


def _unburied(systems: Systems) -> float:
    return systems[OURS]["poison"] - systems[OURS]["poison_buried"]


TARGETS = (
    Target("fan-out rate, share of gen_server's", "fan_out_10000x100", _rate_to("erlang"), 0.7, at_least=True),
    Target("fan-out rate, times plain pykka's", "fan_out_10000x100", _rate_to("pykka"), 100, at_least=True),
    Target("bytes of an idle supervised actor", "idle_bytes_100000", _ours("bytes"), 1500),
    Target("bytes of a passivated one", "directory_1000000", _ours("bytes"), 300),
    Target("crash storm: lost", "crash_storm", _ours("lost"), 0),
    Target("crash storm: doubled, except retried", "crash_storm", _ours("doubled"), 0),
    Target("crash storm: poison not in dead letters", "crash_storm", _unburied, 0),
    Target("restart p50, us, without log records", "restart_latency", _ours("p50_us"), 50),
    Target("quiet actors' p99 beside a flooder, times alone", "fairness", _beside_to_alone, 2),
    Target("growth of RSS over the last nine tenths", "churn_10m", _ours("growth"), 0.05),
)


def verdicts(results: Results) -> tuple[Verdict, ...]:
    """Every target whose workload was run, with what was reached; small sizes say nothing of any."""
    if results.quick:
        return ()
    return tuple(
        _verdict(target, results.workloads[target.workload])
        for target in TARGETS
        if target.workload in results.workloads
    )


def _verdict(target: Target, systems: Systems) -> Verdict:
    bound = f"{'>=' if target.at_least else '<='} {target.target:g}"
    try:
        value = target.value_of(systems)
    except KeyError:  # the peer is not installed
        return Verdict(target.name, target.workload, None, bound, None)
    return Verdict(target.name, target.workload, value, bound, target.is_met_by(value))


def ratios(results: Results) -> dict[str, dict[str, float]]:
    """Workload -> peer -> how many times better ours is by the row's headline (below 1: worse)."""
    return {
        name: {
            peer: _advantage(systems, peer, HEADLINES[name])
            for peer in systems
            if _is_comparable(systems, peer, HEADLINES[name])
        }
        for name, systems in results.workloads.items()
    }


def _is_comparable(systems: Systems, peer: str, headline: str) -> bool:
    return peer != OURS and bool(systems[peer].get(headline)) and bool(systems[OURS].get(headline))


def _advantage(systems: Systems, peer: str, headline: str) -> float:
    quotient = systems[OURS][headline] / systems[peer][headline]
    return 1 / quotient if headline in LESS_IS_BETTER else quotient


def as_document(results: Results) -> dict[str, object]:
    """The results as JSON has them."""
    return {
        "workloads": {
            name: {
                system: {figure: _rounded(value) for figure, value in figures.items()}
                for system, figures in systems.items()
            }
            for name, systems in results.workloads.items()
        },
        "ratios": {
            name: {peer: _rounded(value) for peer, value in row.items()} for name, row in ratios(results).items()
        },
        "targets": [asdict(verdict) for verdict in verdicts(results)],
        "machine": {**asdict(results.machine), "at": results.machine.at.isoformat(timespec="seconds")},
        "rounds": dict(results.rounds),
        "quick": results.quick,
    }


def _rounded(value: float) -> float:
    """To five significant digits: more would only look exact."""
    return value if isinstance(value, int) else float(f"{value:.5g}")
