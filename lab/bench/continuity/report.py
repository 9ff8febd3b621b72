"""Report of continuity: targets, one JSON document, tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass

from rich.table import Table

from lab.bench.continuity.course import PROBES, Outcome, Reach
from lab.bench.machine import Facts
from lab.bench.measure import Figures
from lab.bench.target import Target, Verdict, at_least, at_most, judged, verdicts_table

LEAST = {"files": 1.0, "files_llm": 1.0, "said_llm": 1.0, "said": 0.6}
"""Condition -> the share of constraints that each probe is to reach."""
NAMES = {
    "files": "in SESSION or MEMORY, no model",
    "files_llm": "in SESSION or MEMORY, workers",
    "said_llm": "only said, workers",
    "said": "only said, no model; memory on",
    "off": "layer off; memory on",
}
LEAST_CUTS = 3


@dataclass(frozen=True, slots=True)
class Results:
    """Everything that was measured."""

    outcomes: tuple[Outcome, ...]
    figures: Figures
    """Of kills, edits, hanging workers and speed."""


_KILLS = (
    Target("kills: items lost that were said in answered turns", "kill_lost", 0),
    Target("kills: items doubled in MEMORY", "kill_doubled", 0),
    Target("kills: reports doubled in HISTORY", "kill_history_doubled", 0),
    Target("kills: files broken", "kill_broken", 0),
    Target("kills: versions left beside the files", "kill_left", 0),
    Target("kills: lives that ended otherwise than planned", "kill_failures", 0),
)
_EDITS = (
    Target("edits: a person's lines lost", "human_lost", 0),
    Target("edits: a person's lines doubled", "human_doubled", 0),
    Target("edits: workers' entries doubled", "edit_entries_doubled", 0),
    Target("edits: versions left beside the files", "edit_left", 0),
)
_HANGING = (
    Target("hanging workers: turns delayed, with a state of the work", "hang_delayed", 1),
    Target("hanging workers: turns delayed, without one", "hang_delayed_stateless", 1),
    Target("workers that hang from the first cut on: turns delayed", "hang_delayed_cut", 1),
    Target("hanging workers: longest delay, s", "hang_longest_s", 61),
    Target("hanging workers: longest delay after the first, s", "hang_after_s", 1),
)
_SPEED = (
    Target("contribution with 100 KB of files, p95, ms", "prepare_p95_ms", 2, is_speed=True),
    Target("100 threads: faults", "load_faults", 0),
)
TARGETS = (*_KILLS, *_EDITS, *_HANGING, *_SPEED)
_RATIO = 0.95


def verdicts(results: Results, *, quick: bool) -> tuple[Verdict, ...]:
    """Every target that the sizes say something of."""
    figures = results.figures
    bounds = [*judged(TARGETS, figures, quick=quick)]
    if not quick:
        ratio = figures["load_ratio"]
        bounds.append(at_least("100 threads: turns/s, times without", ratio, _RATIO))
    return (*_of_outcomes(results, quick=quick), *bounds)


def is_sound(results: Results, *, quick: bool) -> bool:
    """Whether every target is met."""
    return all(verdict.met for verdict in verdicts(results, quick=quick))


def _of_outcomes(results: Results, *, quick: bool) -> Iterator[Verdict]:
    for outcome in results.outcomes:
        least = LEAST.get(outcome.condition)
        if least is None:
            continue
        for when, reach in (("after cuts and a restart", outcome.old), ("after /new, too", outcome.new)):
            worst = min(reach.share(probe) for probe in PROBES)
            name = f"{outcome.condition}: least share of the three, {when}"
            yield at_least(name, worst, least)
        off = abs(outcome.breaks - outcome.cuts)
        yield at_most(f"{outcome.condition}: breaks of the beginning that are no cuts", off, 0)
        if not quick:
            cuts, name = outcome.least_cuts, f"{outcome.condition}: cuts of each work"
            yield at_least(name, cuts, LEAST_CUTS)


def as_document(results: Results, machine: Facts, *, quick: bool) -> dict[str, object]:
    """All of it, for `json.dumps`."""
    return {
        "machine": machine,
        "quick": quick,
        "conditions": [_as_dict(outcome) for outcome in results.outcomes],
        "figures": results.figures,
        "targets": [asdict(verdict) for verdict in verdicts(results, quick=quick)],
    }


def _as_dict(outcome: Outcome) -> dict[str, object]:
    shares = {
        name: {probe: reach.share(probe) for probe in PROBES}
        for name, reach in (("after_restart", outcome.old), ("after_new", outcome.new))
    }
    return {**asdict(outcome), "shares": shares, "silent_share": 1 - _share(outcome.recalled, outcome.talk_turns)}


def table(results: Results) -> Table:
    """A row for each condition: shares of the three probes, then how often requests began anew."""
    built = Table(box=None, pad_edge=False)
    built.add_column("constraint", no_wrap=True)
    for heading in ("restarted", "after /new", "x off", "cuts", "breaks", "recall", "chars"):
        built.add_column(heading, justify="right", no_wrap=True)
    peer = next((each for each in results.outcomes if each.condition == "off"), None)
    for outcome in results.outcomes:
        built.add_row(
            NAMES[outcome.condition],
            _shares(outcome.old),
            _shares(outcome.new),
            _ratio(outcome, peer),
            str(outcome.cuts),
            str(outcome.breaks),
            f"{_share(outcome.recalled, outcome.talk_turns):.2f}",
            f"{_share(outcome.recalled_chars, outcome.talk_turns):.0f}",
        )
    return built


def lines(results: Results) -> Iterator[str]:
    """What there is to say beside the tables."""
    yield (
        "Shares of the constraints that requests hold hundreds of turns later, when it is told to continue, for an "
        "act that they shape, and for themselves; recall: share of turns of other talk to which the files bring "
        "something, and how many characters on average."
    )
    figures = results.figures
    ends = ", ".join(
        f"{name.removeprefix('kill_in_')} {count:.0f}" for name, count in figures.items() if name.startswith("kill_in_")
    )
    yield f"{figures['kills']:.0f} kills, by what had begun last: {ends}; {figures['kill_items']:.0f} items were said"
    yield (
        "{human_edits:.0f} edits of a person's against {edit_worker_calls:.0f} answers of workers; {load_turns:.0f} "
        "turns of {load_threads:.0f} threads: {load_layer_per_s:.1f} turns/s with the layer, {load_bare_per_s:.1f} "
        "without (CPU {load_layer_cpu_ms:.1f} and {load_bare_cpu_ms:.1f} ms a turn)"
    ).format_map(figures)
    yield (
        "contribution with {prepare_kb:.0f} KB: p50 {prepare_p50_ms:.2f} ms, p95 {prepare_p95_ms:.2f} ms (of a "
        "processor {prepare_cpu_p95_ms:.2f}); right after somebody's edit p95 {prepare_edited_p95_ms:.0f} ms"
    ).format_map(figures)
    for outcome in results.outcomes:
        if outcome.missed and outcome.condition in LEAST:
            yield f"{outcome.condition}, not reached after /new: {'; '.join(outcome.missed[:12])}"


def targets_table(results: Results, *, quick: bool) -> Table:
    """A row for each target."""
    return verdicts_table(verdicts(results, quick=quick))


def _shares(reach: Reach) -> str:
    return " ".join(f"{reach.share(probe):.2f}" for probe in PROBES)


def _ratio(outcome: Outcome, peer: Outcome | None) -> str:
    """How many times as many constraints are reached as without the layer, over all probes after `/new`."""
    if peer is None or outcome is peer:
        return ""
    ours, theirs = (sum(each.new.share(probe) for probe in PROBES) for each in (outcome, peer))
    return f"{ours / theirs:.1f}" if theirs else ""


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
