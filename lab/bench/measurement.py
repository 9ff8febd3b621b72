"""Registry of measurements by name: what a process of its own can be asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lab.bench.kernel import asyncio_peer, fairness, faults, footprint, passivation, pykka_peer, throughput
from lab.bench.measure import Figures

OURS: Mapping[str, Callable[..., Figures]] = {
    "ping_pong": throughput.ping_pong,
    "request_reply": throughput.request_reply,
    "fan_out": throughput.fan_out,
    "spawn": footprint.spawn,
    "idle_bytes": footprint.idle_bytes,
    "directory": footprint.directory,
    "crash_storm": faults.crash_storm,
    "restart_latency": faults.restart_latency,
    "fairness": fairness.fairness,
    "passivate_reactivate": passivation.passivate_reactivate,
    "churn": passivation.churn,
}
PYKKA: Mapping[str, Callable[..., Figures]] = {
    "ping_pong": pykka_peer.ping_pong,
    "request_reply": pykka_peer.request_reply,
    "fan_out": pykka_peer.fan_out,
    "spawn": pykka_peer.spawn,
    "idle_bytes": pykka_peer.idle_bytes,
    "crash_storm": pykka_peer.crash_storm,
    "fairness": pykka_peer.fairness,
}
ASYNCIO: Mapping[str, Callable[..., Figures]] = {
    "ping_pong": asyncio_peer.ping_pong,
    "request_reply": asyncio_peer.request_reply,
    "fan_out": asyncio_peer.fan_out,
    "spawn": asyncio_peer.spawn,
    "idle_bytes": asyncio_peer.idle_bytes,
}
SYSTEMS = {"remembrancer": OURS, "pykka": PYKKA, "asyncio": ASYNCIO}
