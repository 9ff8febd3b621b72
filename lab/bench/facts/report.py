"""Report of the gateways: each figure beside the peer's, targets, one JSON document, tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict

from rich.table import Table

from lab.bench.facts.systems import Ours
from lab.bench.machine import Facts
from lab.bench.measure import Figures
from lab.bench.target import Target, Verdict, at_least, judged, verdicts_table

Systems = Mapping[str, Figures]
TARGETS = (
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
    Target("evidence: share below the default memory's in the same room", "recall_missing", 0, is_speed=True),
)
TIMES = 20
"""So many times the peer's requests are to be answered, 16 clients at once."""
KNOWN_PER_S = 2.7
"""The peer's, as it was measured once, where it is not measured now."""
ROWS = {
    "start, empty store: healthy, s": "start_empty_s",
    "quiet request: added p50, ms": "added_p50_ms",
    "quiet request: added p95, ms": "added_p95_ms",
    "first text of a stream: added p50, ms": "first_text_p50_ms",
    "first text of a stream: added p95, ms": "first_text_p95_ms",
    "quiet turn: CPU, ms": "quiet_cpu_ms",
    "quiet turn: written, kB": "written_kb",
    "quiet turn: calls for embeddings": "calls_embed",
    "quiet turn: calls for facts": "calls_extract",
    "quiet turn: calls for reconciliation": "calls_reconcile",
    "quiet turn: calls for summaries": "calls_summarize",
    "16 at once: requests/s": "crowd_per_s",
    "16 at once: turns done with all work/s": "crowd_done_per_s",
    "16 at once: share of turns asked for facts": "crowd_extracted",
    "16 at once: p50, ms": "crowd_p50_ms",
    "16 at once: longest, ms": "crowd_longest_ms",
    "16 at once: CPU a turn, ms": "cpu_ms",
    "RSS at the start, MB": "rss_start_mb",
    "RSS after load, MB": "rss_mb",
    "1,000 facts, first start: all embedded, s": "first_filled_s",
    "1,000 facts, first start: calls": "first_calls",
    "1,000 facts, second start: healthy, s": "start_s",
    "1,000 facts, second start: first answer, s": "start_answered_s",
    "1,000 facts, second start: texts embedded": "start_texts",
    "1,000 facts: added p50, ms": "few_added_p50_ms",
    "1,000 facts: written a turn, kB": "few_written_kb",
    "1,000 facts: share of questions shown their fact": "few_shown",
    "10,000 facts, first start: all embedded, s": "many_filled_s",
    "10,000 facts: search p50, ms": "search_p50_ms",
    "10,000 facts: search p95, ms": "search_p95_ms",
    "10,000 facts: added p50, ms": "many_added_p50_ms",
    "10,000 facts: written a turn, kB": "many_written_kb",
    "10,000 facts: share of questions shown their fact": "many_shown",
    "10,000 facts: RSS, MB": "many_rss_mb",
    "kills": "kills",
    "kills: turns answered": "answered",
    "kills: words of answered turns lost": "words_lost",
    "kills: whole answers lost": "answers_lost",
    "kills: streamed answers lost": "streams_lost",
    "kills: facts lost": "facts_lost",
    "kills: turns and facts doubled": "doubled",
}
_EVIDENCE = {
    "the default memory": "memory",
    "facts and turns in the same room": "both",
    "turns alone": "turns",
    "facts alone": "facts",
    "facts and turns in 8,000 characters": "roomy",
    "facts and turns, 5 at most, as the settings come": "default",
    "facts and turns, the newest 500 kept, as the settings come": "evicted",
}
MORE_IS_BETTER = frozenset({"crowd_per_s", "crowd_done_per_s", "few_shown", "many_shown"})
NO_RATIO = frozenset(
    {"kills", "answered", "words_lost", "answers_lost", "streams_lost", "facts_lost", "doubled", "first_calls"}
)


def verdicts(systems: Systems, *, quick: bool) -> tuple[Verdict, ...]:
    """Every target that was measured and that the sizes say something of."""
    ours = systems[Ours.name]
    found = list(judged((target for target in TARGETS if target.figure in ours), ours, quick=quick))
    if not quick:
        peer = _peer(systems)
        known = peer.get("crowd_per_s", KNOWN_PER_S)
        name = f"16 at once: requests/s, {TIMES} times the peer's" + ("" if peer else ", as measured once")
        found.insert(1, at_least(name, ours["crowd_per_s"], TIMES * known))
    return tuple(found)


def is_sound(systems: Systems, *, quick: bool) -> bool:
    """Whether every target is met."""
    return all(verdict.met for verdict in verdicts(systems, quick=quick))


def ratios(systems: Systems) -> dict[str, float]:
    """Figure -> how many times better ours is than the peer's, where both were measured."""
    ours, peer = systems[Ours.name], _peer(systems)
    found = {}
    for figure in ROWS.values():
        values = ours.get(figure), peer.get(figure)
        if figure not in NO_RATIO and values[0] and values[1]:
            found[figure] = values[0] / values[1] if figure in MORE_IS_BETTER else values[1] / values[0]
    return found


def as_document(systems: Systems, machine: Facts, *, quick: bool) -> dict[str, object]:
    """All of it, for `json.dumps`."""
    return {
        "machine": machine,
        "quick": quick,
        "figures": {name: dict(figures) for name, figures in systems.items()},
        "ratios": ratios(systems),
        "targets": [asdict(verdict) for verdict in verdicts(systems, quick=quick)],
    }


def tables(systems: Systems, *, quick: bool) -> Iterator[Table | str]:
    """A row for each figure, evidence where there is any, and the targets."""
    better = ratios(systems)
    built = Table(box=None, pad_edge=False)
    for heading in ("figure", *systems, *(["ours is"] if len(systems) > 1 else [])):
        built.add_column(heading, justify="left" if heading == "figure" else "right")
    for name, figure in ROWS.items():
        cells = [_cell(figures, figure) for figures in systems.values()]
        if any(cells):
            ratio = [f"{better[figure]:,.3g} x" if figure in better else ""] if len(systems) > 1 else []
            built.add_row(name, *cells, *ratio)
    yield built
    ours = systems[Ours.name]
    if "recall_questions" in ours:
        yield _evidence(ours)
        yield "facts and turns beside the default memory: {recall_gain:+.3f} ± {recall_gain_error:.3f}".format_map(ours)
    yield verdicts_table(verdicts(systems, quick=quick))


def _evidence(figures: Figures) -> Table:
    built = Table(box=None, pad_edge=False)
    for heading in (f"evidence for {figures['recall_questions']:.0f} questions in", "share", "characters"):
        built.add_column(heading, justify="right" if built.columns else "left")
    for name, way in _EVIDENCE.items():
        built.add_row(name, f"{figures[f'recall_{way}']:.3f}", f"{figures[f'recall_{way}_chars']:,.0f}")
    return built


def _peer(systems: Systems) -> Figures:
    return next((figures for name, figures in systems.items() if name != Ours.name), {})


def _cell(figures: Figures, figure: str) -> str:
    value = figures.get(figure)
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.3g}"
