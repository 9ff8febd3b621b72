"""Measurement of one system after the other, each on stores of its own."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lab.bench.benchmark import Benchmark, Column, Rows, Target
from lab.bench.facts.crowd import crowd
from lab.bench.facts.quiet import first_texts, quiet, shown_share
from lab.bench.facts.stage import Gateway, Seen, Upstream, upstream
from lab.bench.facts.store import fill
from lab.bench.facts.systems import Ours, Peer, System
from lab.bench.facts.words import mark, question
from lab.bench.measure import Figures, percentile
from lab.bench.process import MeasurementError

Say = Callable[[str], object]
SHARED = "global"
"""Conversation that is searched from every other one: what is there before the start."""
KEPT = "kept"
"""Series of its words."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """Sizes of the measurement."""

    quiet: int
    streams: int
    each: int
    """Requests of each of sixteen clients."""
    few: int
    """Facts of the store that is started again."""
    turns: int
    """That are measured there."""
    many: int
    """Facts of the store that is searched; 0 for none."""
    searches: int


WHOLE = Sizes(quiet=100, streams=40, each=25, few=1_000, turns=20, many=10_000, searches=40)
PEERS = Sizes(quiet=12, streams=8, each=3, few=1_000, turns=4, many=10_000, searches=10)
"""Of a system that takes a second for a turn."""
QUICK = Sizes(quiet=3, streams=3, each=2, few=30, turns=3, many=0, searches=0)
TIMES = 20
"""So many times the peer's requests are to be answered, 16 clients at once."""
KNOWN_PER_S = 2.7
"""The peer's, as it was measured once, where it is not measured now."""
SHOWN = 20
"""Most questions whose fact is looked for among what the model is shown."""


def measure(
    say: Say, *, quick: bool, peer: Path | None = None, warn: Say = lambda _: None, also: Callable[[], Figures] = dict
) -> Rows:
    """System -> figures.

    Args:
        say: Called with the current step.
        quick: Small sizes.
        peer: Executable of the peer; None without a peer.
        warn: Called with a failure of the peer, whose figures end there.
        also: Further figures of ours.

    Raises:
        MeasurementError: ours did not start, or did not answer.
    """
    systems: list[tuple[System, Sizes]] = [(Ours(), QUICK if quick else WHOLE)]
    if peer is not None:
        systems.append((Peer(peer), QUICK if quick else PEERS))
    rows = measured(say, warn, systems)
    ours, theirs = rows[Ours.name], rows.get(Peer.name, {})
    ours["crowd_times"] = ours["crowd_per_s"] / theirs.get("crowd_per_s", KNOWN_PER_S)
    ours |= also()
    return rows


def measured(say: Say, warn: Say, systems: Sequence[tuple[System, Sizes]]) -> dict[str, Figures]:
    """Figures of systems, each on stores of its own; the first is ours, and of the others trouble is told.

    Raises:
        MeasurementError: ours did not start, or did not answer.
    """
    figures: dict[str, Figures] = {}
    with tempfile.TemporaryDirectory(prefix="agent-facts-") as whole:
        for place, (system, sizes) in enumerate(systems):
            folder = Path(whole) / system.name
            folder.mkdir()
            figures[system.name] = {}
            try:
                with upstream(folder) as its_upstream:
                    for part in _parts(say, system, sizes, folder, its_upstream):
                        figures[system.name] |= part
            except MeasurementError as error:
                if not place:
                    raise
                warn(f"{system.name}: {error}")
    return figures


def _parts(say: Say, system: System, sizes: Sizes, folder: Path, its_upstream: Upstream) -> Iterator[Figures]:
    say(f"{system.name}: an empty store")
    yield _empty(say, system, sizes, _place(folder, "empty"), its_upstream)
    say(f"{system.name}: {sizes.few:,} facts, first start")
    yield _few(say, system, sizes, _place(folder, "few"), its_upstream)
    if sizes.many:
        say(f"{system.name}: {sizes.many:,} facts, first start")
        yield _many(say, system, sizes, _place(folder, "many"), its_upstream)


def _place(folder: Path, name: str) -> Path:
    place = folder / name
    place.mkdir()
    return place


def _empty(say: Say, system: System, sizes: Sizes, place: Path, its_upstream: Upstream) -> Figures:
    with Gateway(system, place, its_upstream) as gateway:
        figures = {"start_empty_s": gateway.wait()}
        gateway.settle()
        figures["rss_start_mb"] = gateway.costs().rss_mb
        say(f"{system.name}: quiet requests")
        figures |= quiet(gateway, "quiet", sizes.quiet)
        streams = first_texts(gateway, sizes.streams, "quiet")
        figures["first_text_p50_ms"] = 1000 * percentile(streams, 0.5)
        figures["first_text_p95_ms"] = 1000 * percentile(streams, 0.95)
        say(f"{system.name}: 16 at once")
        figures |= crowd(gateway, sizes.each)
        figures["stop_s"] = gateway.stop()
    return figures


def _few(say: Say, system: System, sizes: Sizes, place: Path, its_upstream: Upstream) -> Figures:
    fill(system.store(place), SHARED, KEPT, sizes.few)
    figures = _filled(system, place, its_upstream, sizes.few)
    say(f"{system.name}: {sizes.few:,} facts, second start")
    before = its_upstream.seen()
    with Gateway(system, place, its_upstream) as gateway:
        figures["start_s"] = gateway.wait()
        with gateway.client() as client:
            client.ask("first", question(KEPT, sizes.few // 2))
        figures["start_answered_s"] = gateway.age_s()
        figures["start_shown"] = mark(KEPT, sizes.few // 2) in its_upstream.seen().shown[-1]["marks"]
        after = gateway.settle(1.0)
        figures["start_texts"] = max(0, _embedded(before, after) - _of_a_turn(its_upstream, gateway))
        figures |= {f"few_{name}": value for name, value in quiet(gateway, "quiet", sizes.turns, "few").items()}
        figures["few_shown"] = shown_share(gateway, min(sizes.turns, SHOWN), KEPT, sizes.few)
        gateway.stop()
    return figures


def _many(say: Say, system: System, sizes: Sizes, place: Path, its_upstream: Upstream) -> Figures:
    fill(system.store(place), SHARED, KEPT, sizes.many)
    with Gateway(system, place, its_upstream) as gateway:
        gateway.wait()
        gateway.settle(1.5)
        figures = {"many_filled_s": gateway.age_s() - 1.5}
        say(f"{system.name}: searches in {sizes.many:,} facts")
        added = first_texts(gateway, sizes.searches, KEPT)
        figures["search_p50_ms"] = 1000 * percentile(added, 0.5)
        figures["search_p95_ms"] = 1000 * percentile(added, 0.95)
        figures |= {
            f"many_{name}": value for name, value in quiet(gateway, "quiet", sizes.searches // 2, "many").items()
        }
        figures["many_shown"] = shown_share(gateway, min(sizes.searches, SHOWN), KEPT, sizes.many)
        figures["many_rss_mb"] = gateway.costs().rss_mb
    return figures


def _filled(system: System, place: Path, its_upstream: Upstream, facts: int) -> Figures:
    """First start on facts that have no vectors yet."""
    before = its_upstream.seen()
    with Gateway(system, place, its_upstream) as gateway:
        healthy_s = gateway.wait()
        after = gateway.settle(1.5)
        figures = {
            "first_start_s": healthy_s,
            "first_filled_s": gateway.age_s() - 1.5,
            "first_calls": after.calls.get("embed", 0) - before.calls.get("embed", 0),
            "first_embeddings": _embedded(before, after) / facts,
        }
        gateway.stop()
    return figures


def _embedded(before: Seen, after: Seen) -> int:
    return after.texts - before.texts


def _of_a_turn(its_upstream: Upstream, gateway: Gateway) -> int:
    """Texts that a turn like the first one has embedded when all else is done."""
    before = its_upstream.seen()
    with gateway.client() as client:
        client.ask("second", question(KEPT, 1))
    return _embedded(before, gateway.settle(0.5))


FACTS = Benchmark(
    name="facts",
    measure=measure,
    is_upright=True,
    peer=Peer.name,
    targets=(
        Target("16 at once: requests/s, times the peer's", "crowd_times", TIMES, at_least=True, is_speed=True),
        Target("quiet request: added, p50, ms", "added_p50_ms", 10, is_speed=True),
        Target("CPU a turn, 16 at once, ms", "cpu_ms", 25, is_speed=True),
        Target("CPU a turn, quiet, ms", "quiet_cpu_ms", 25, is_speed=True),
        Target("16 at once: share of turns whose facts nobody asked for", "crowd_unasked", 0),
        Target("start with 1,000 facts, first answer, s", "start_answered_s", 1.5, is_speed=True),
        Target("the same, unchanged: texts embedded", "start_texts", 0),
        Target("search in 10,000 facts: added to the first text, p95, ms", "search_p95_ms", 15, is_speed=True),
        Target("RSS after load, MB", "rss_mb", 200, is_speed=True),
        Target("RSS with 10,000 facts, MB", "many_rss_mb", 200, is_speed=True),
        Target("kills: words of answered turns lost", "words_lost", 0),
        Target("kills: whole answers lost", "answers_lost", 0),
        Target("kills: streamed answers lost", "streams_lost", 0),
        Target("kills: turns doubled", "turns_doubled", 0),
        Target("kills: facts lost", "facts_lost", 0),
        Target("kills: facts doubled", "facts_doubled", 0),
        Target("kills: files that are no whole entry", "broken", 0),
        Target("kills: half entries right after one", "torn", 0),
    ),
    columns=(
        Column("start, empty store: healthy, s", "start_empty_s", better="less"),
        Column("quiet request: added p50, ms", "added_p50_ms", better="less"),
        Column("quiet request: added p95, ms", "added_p95_ms", better="less"),
        Column("first text of a stream: added p50, ms", "first_text_p50_ms", better="less"),
        Column("first text of a stream: added p95, ms", "first_text_p95_ms", better="less"),
        Column("quiet turn: CPU, ms", "quiet_cpu_ms", better="less"),
        Column("quiet turn: written, kB", "written_kb", better="less"),
        Column("quiet turn: calls for embeddings", "calls_embed", better="less"),
        Column("quiet turn: calls for facts", "calls_extract", better="less"),
        Column("quiet turn: calls for reconciliation", "calls_reconcile", better="less"),
        Column("quiet turn: calls for summaries", "calls_summarize", better="less"),
        Column("16 at once: requests/s", "crowd_per_s", better="more"),
        Column("16 at once: turns done with all work/s", "crowd_done_per_s", better="more"),
        Column("16 at once: share of turns asked for facts", "crowd_extracted", better="less"),
        Column("16 at once: p50, ms", "crowd_p50_ms", better="less"),
        Column("16 at once: longest, ms", "crowd_longest_ms", better="less"),
        Column("16 at once: CPU a turn, ms", "cpu_ms", better="less"),
        Column("RSS at the start, MB", "rss_start_mb", better="less"),
        Column("RSS after load, MB", "rss_mb", better="less"),
        Column("1,000 facts, first start: all embedded, s", "first_filled_s", better="less"),
        Column("1,000 facts, first start: calls", "first_calls"),
        Column("1,000 facts, second start: healthy, s", "start_s", better="less"),
        Column("1,000 facts, second start: first answer, s", "start_answered_s", better="less"),
        Column("1,000 facts, second start: texts embedded", "start_texts", better="less"),
        Column("1,000 facts: added p50, ms", "few_added_p50_ms", better="less"),
        Column("1,000 facts: written a turn, kB", "few_written_kb", better="less"),
        Column("1,000 facts: share of questions shown their fact", "few_shown", better="more"),
        Column("10,000 facts, first start: all embedded, s", "many_filled_s", better="less"),
        Column("10,000 facts: search p50, ms", "search_p50_ms", better="less"),
        Column("10,000 facts: search p95, ms", "search_p95_ms", better="less"),
        Column("10,000 facts: added p50, ms", "many_added_p50_ms", better="less"),
        Column("10,000 facts: written a turn, kB", "many_written_kb", better="less"),
        Column("10,000 facts: share of questions shown their fact", "many_shown", better="more"),
        Column("10,000 facts: RSS, MB", "many_rss_mb", better="less"),
        Column("kills", "kills"),
        Column("kills: turns answered", "answered"),
        Column("kills: words of answered turns lost", "words_lost"),
        Column("kills: whole answers lost", "answers_lost"),
        Column("kills: streamed answers lost", "streams_lost"),
        Column("kills: facts lost", "facts_lost"),
        Column("kills: turns and facts doubled", "doubled"),
    ),
)
