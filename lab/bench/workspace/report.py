"""Report of recall from a workspace's files: targets, one JSON document, tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

from rich.table import Table

from lab.bench.machine import Facts
from lab.bench.measure import Figures
from lab.bench.target import Target, Verdict, judged, verdicts_table

TARGETS = (
    Target("everyday messages: share not silent", "everyday_not_silent", 0.15),
    Target("everyday messages: characters on average", "everyday_chars", 200),
    Target("messages that say that work goes on: share silent", "go_on_silent", 0.05),
    Target("everyday messages, 13 of 40 saying that work goes on: characters", "mixed_chars", 200),
    Target("held-out messages: share whose section is not shown", "held_wrong", 0.10),
    Target("held-out messages that nothing bears on: share not silent", "held_noise", 0.05),
    Target("questions of conversations: evidence in neither block", "evidence_missed", 0.115, is_speed=True),
    Target("recall over 100 KB, p50, ms", "recall_p50_ms", 1, is_speed=True),
    Target("recall over 100 KB, p95, ms", "recall_p95_ms", 2, is_speed=True),
)
_BLOCKS = {
    "the memory's own block": ("evidence_plain", ""),
    "recall from the workspace alone": ("evidence_recall", "evidence_recall_chars"),
    "both": ("evidence_both", "evidence_recall_chars"),
    "more of the memory's own for the same room": ("evidence_more", "evidence_more_chars"),
}
_SETS = {"held": "held out", "tuned": "looked at while the rules were made"}


def verdicts(figures: Figures, *, quick: bool) -> tuple[Verdict, ...]:
    """Every target that was measured and that the sizes say something of."""
    measured = (target for target in TARGETS if target.figure in figures)
    return tuple(judged(measured, figures, quick=quick))


def is_sound(figures: Figures, *, quick: bool) -> bool:
    """Whether every target is met."""
    return all(verdict.met for verdict in verdicts(figures, quick=quick))


def as_document(figures: Figures, machine: Facts, *, quick: bool) -> dict[str, object]:
    """All of it, for `json.dumps`."""
    return {
        "machine": machine,
        "quick": quick,
        "figures": figures,
        "targets": [asdict(verdict) for verdict in verdicts(figures, quick=quick)],
    }


def tables(figures: Figures, *, quick: bool) -> Iterator[Table | str]:
    """Evidence beside the peer, messages, speed, targets."""
    if "questions" in figures:
        yield _evidence(figures)
        yield (
            "both beside more of the memory's own: {evidence_ratio:.3f} times, {evidence_gain:+.3f} "
            "± {evidence_gain_error:.3f} over {questions:.0f} questions, silent on {evidence_silent:.1%}"
        ).format_map(figures)
    yield _messages(figures)
    yield (
        "everyday messages in each workspace: {everyday:.0f}, not silent {everyday_not_silent:.3f}, "
        "{everyday_chars:.0f} characters on average; if 13 of 40 say that work goes on, for which the state of the "
        "work is shown on purpose: {mixed_not_silent:.3f}, {mixed_chars:.0f} characters"
    ).format_map(figures)
    yield (
        "recall over {speed_bytes:,.0f} bytes in {speed_entries:.0f} entries: p50 {recall_p50_ms:.2f} ms, p95 "
        "{recall_p95_ms:.2f} ms; their index is made in {index_ms:.0f} ms"
    ).format_map(figures)
    yield verdicts_table(verdicts(figures, quick=quick))


def _table(*headings: str) -> Table:
    built = Table(box=None, pad_edge=False)
    for number, heading in enumerate(headings):
        built.add_column(heading, justify="right" if number else "left")
    return built


def _evidence(figures: Figures) -> Table:
    built = _table("evidence in", "share", "more characters")
    for name, (share, chars) in _BLOCKS.items():
        built.add_row(name, f"{figures[share]:.3f}", f"{figures[chars]:,.0f}" if chars else "")
    return built


def _messages(figures: Figures) -> Table:
    built = _table("messages", "asked", "section shown", "shown first", "characters", "foreign", "silent", "elsewhere")
    for key, name in _SETS.items():
        shares = [1 - figures[f"{key}_wrong"], figures[f"{key}_first"]]
        silent = [1 - figures[f"{key}_noise"], figures[f"{key}_silent_elsewhere"]]
        built.add_row(
            *(name, f"{figures[f'{key}_asked']:.0f}", *(f"{share:.3f}" for share in shares)),
            *(f"{figures[f'{key}_chars']:.0f}", f"{figures[f'{key}_foreign']:.0f}"),
            *(f"{share:.3f}" for share in silent),
        )
    return built
