"""Measurement of each system in turn, each on separate stores."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from lab.bench.benchmark import Benchmark, Column, Rows, Target
from lab.bench.facts.hostile import BODIES, CONNECTIONS, hostile
from lab.bench.facts.load import crowd, first_texts, quiet
from lab.bench.facts.stage import Gateway, Upstream, upstream
from lab.bench.facts.store import fill
from lab.bench.facts.systems import Ours, Peer, System
from lab.bench.facts.words import question
from lab.bench.measure import Figures, percentile

Say = Callable[[str], object]
SHARED = "global"
"""Conversation searched from every other conversation: facts present before the start."""
SERIES = "kept"
"""Series of the conversation's words."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """Sizes of the measurement."""

    quiet: int
    each: int
    """Requests of each of sixteen clients."""
    few: int
    """Facts in the store for the second start."""
    many: int
    """Facts in the store for the search; 0 to skip the search."""
    searches: int
    hostile: tuple[int, int] = (0, 0)
    """Connections of hostile clients, and number with an unfinished body; zero for a peer."""
    pause_s: float = 0.15
    """Rest after which a conversation counts as paused."""


WHOLE = Sizes(quiet=100, each=25, few=1_000, many=10_000, searches=40, hostile=(CONNECTIONS, BODIES), pause_s=12.0)
PEERS = Sizes(quiet=12, each=3, few=1_000, many=10_000, searches=10)
"""Sizes for a system that takes a second for a turn."""
QUICK = Sizes(quiet=3, each=2, few=30, many=0, searches=0, hostile=(20, 2))
TIMES = 20
"""Multiple of the peer's requests/s to be answered, 16 clients at once."""
KNOWN_PER_S = 2.7
"""The peer's requests/s, as measured once, for runs without the peer."""


def measure(say: Say, *, quick: bool, peer: Path | None = None) -> Rows:
    """System -> figures.

    Raises:
        MeasurementError: a system did not start, or did not answer.
    """
    theirs = {} if peer is None else {Peer.name: figures_of(say, Peer(peer.absolute()), QUICK if quick else PEERS)}
    ours = figures_of(say, Ours(), QUICK if quick else WHOLE)
    ours |= _at_defaults(say, QUICK if quick else WHOLE)
    ours["crowd_times"] = ours["crowd_per_s"] / theirs.get(Peer.name, {}).get("crowd_per_s", KNOWN_PER_S)
    return {Ours.name: ours, **theirs}


def figures_of(say: Say, system: System, sizes: Sizes) -> Figures:
    """Figures of a system on separate stores.

    Raises:
        MeasurementError: the system did not start, or did not answer.
    """
    with tempfile.TemporaryDirectory(prefix="agent-facts-") as whole, upstream(Path(whole)) as its_upstream:

        def place(name: str, facts: int = 0) -> Path:
            say(f"{system.name}: {facts:,} facts")
            folder = Path(whole) / name
            folder.mkdir()
            if facts:
                fill(system.store(folder), SHARED, SERIES, facts)
            return folder

        figures = _empty(system, sizes, place("empty"), its_upstream)
        figures |= _few(system, sizes, place("few", sizes.few), its_upstream)
        if sizes.many:
            figures |= _many(system, sizes, place("many", sizes.many), its_upstream)
    return figures


def _empty(system: System, sizes: Sizes, place: Path, its_upstream: Upstream) -> Figures:
    with Gateway(system, place, its_upstream) as gateway:
        gateway.wait()
        figures = quiet(gateway, sizes.quiet) | crowd(gateway, sizes.each)
        if any(sizes.hostile):
            figures |= hostile(gateway, *sizes.hostile)
        gateway.stop()
    return figures


def _at_defaults(say: Say, sizes: Sizes) -> Figures:
    """CPU of a turn at the default of `turns_a_call`, including the calls after a pause."""
    say(f"{Ours.name}: default turns_a_call")
    system = Ours(turns_a_call=None)
    with tempfile.TemporaryDirectory(prefix="agent-facts-") as whole, upstream(Path(whole)) as its_upstream:
        place = Path(whole) / "defaults"
        place.mkdir()
        with Gateway(system, place, its_upstream) as gateway:
            gateway.wait()
            alone = quiet(gateway, sizes.quiet, sizes.pause_s)
            together = crowd(gateway, sizes.each, sizes.pause_s)
            gateway.stop()
    return {"default_quiet_cpu_ms": alone["quiet_cpu_ms"], "default_cpu_ms": together["cpu_ms"]}


def _few(system: System, sizes: Sizes, place: Path, its_upstream: Upstream) -> Figures:
    """Second start of a store: the first start makes the vectors."""
    with Gateway(system, place, its_upstream) as gateway:
        gateway.wait()
        before = gateway.settle(1.5).texts
        gateway.stop()
    with Gateway(system, place, its_upstream) as gateway:
        gateway.wait()
        with gateway.client() as client:
            client.ask("first", question(SERIES, sizes.few // 2))
            answered_s = gateway.age_s()
            after = gateway.settle(1.0).texts
            client.ask("second", question(SERIES, 1))  # has as many texts embedded as the first one itself
        of_a_turn = gateway.settle(0.5).texts - after
        gateway.stop()
    return {"start_answered_s": answered_s, "start_texts": max(0, after - before - of_a_turn)}


def _many(system: System, sizes: Sizes, place: Path, its_upstream: Upstream) -> Figures:
    with Gateway(system, place, its_upstream) as gateway:
        gateway.wait()
        gateway.settle(1.5)
        added = first_texts(gateway, sizes.searches, SERIES)
        return {
            "search_p95_ms": 1000 * percentile(added, 0.95),
            "many_rss_mb": gateway.costs().rss_mb,
        }


FACTS = Benchmark(
    name="facts",
    measure=measure,
    is_upright=True,
    peer=Peer.name,
    targets=(
        Target("16 at once: requests/s, times the peer's", "crowd_times", TIMES, at_least=True, is_speed=True),
        Target("quiet request: added, p50, ms", "added_p50_ms", 10, is_speed=True),
        Target("CPU a turn, 16 at once, ms", "cpu_ms", 15, is_speed=True),
        Target("CPU a turn, quiet, ms", "quiet_cpu_ms", 15, is_speed=True),
        Target("CPU a turn, default turns_a_call, 16 at once, ms", "default_cpu_ms", 15, is_speed=True),
        Target("CPU a turn, default turns_a_call, quiet, ms", "default_quiet_cpu_ms", 15, is_speed=True),
        Target("16 at once: share of turns whose facts were not asked for", "crowd_unasked", 0),
        Target("start with 1,000 facts, first answer, s", "start_answered_s", 1.5, is_speed=True),
        Target("the same, unchanged: texts embedded", "start_texts", 0),
        Target("search in 10,000 facts: added to the first text, p95, ms", "search_p95_ms", 15, is_speed=True),
        Target("RSS after load, MB", "rss_mb", 200, is_speed=True),
        Target("RSS with 10,000 facts, MB", "many_rss_mb", 200, is_speed=True),
        Target("RSS under hostile clients, MB", "hostile_rss_mb", 200, is_speed=True),
    ),
    columns=(
        Column("quiet request: added p50, ms", "added_p50_ms", better="less"),
        Column("quiet request: added p95, ms", "added_p95_ms", better="less"),
        Column("quiet turn: CPU, ms", "quiet_cpu_ms", better="less"),
        Column("16 at once: requests/s", "crowd_per_s", better="more"),
        Column("16 at once: CPU a turn, ms", "cpu_ms", better="less"),
        Column("default turns_a_call, quiet: CPU a turn, ms", "default_quiet_cpu_ms", better="less"),
        Column("default turns_a_call, 16 at once: CPU a turn, ms", "default_cpu_ms", better="less"),
        Column("RSS after load, MB", "rss_mb", better="less"),
        Column("1,000 hostile connections, 64 MiB of unfinished bodies: RSS, MB", "hostile_rss_mb", better="less"),
        Column("1,000 facts, second start: first answer, s", "start_answered_s", better="less"),
        Column("1,000 facts, second start: texts embedded", "start_texts", better="less"),
        Column("10,000 facts: search, added to the first text p95, ms", "search_p95_ms", better="less"),
        Column("10,000 facts: RSS, MB", "many_rss_mb", better="less"),
    ),
)
