"""Price of requests with the layer of objects, beside plain history: every workload with the layer and without."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from actors.context.config import COUNTED_RESULT_CHARS
from actors.kernel import ManualClock
from domain.turn.worded import AS_LOGGED
from lab.bench.benchmark import Benchmark, Column, Rows, Target
from lab.bench.measure import Figures
from lab.bench.objects import workloads
from lab.bench.objects.layer import BOUNDS, SHORT_KEEP, SHORT_TOKENS, SHORT_WORDED, Layer, folder_of
from lab.bench.objects.play import PLAIN, STARTS_AT, Bounds, play_story
from lab.bench.objects.request import Sums
from lab.bench.objects.story import Story

PRICES = {"repeat_reader": 0.65, "big_outputs": 0.65, "chatty": 1.05, "small_talk": 1.05, "recorded": 0.65}
"""Workload -> the largest permitted price of its input, as a multiple of plain history's."""
FLOOD = "flood"
BESIDE = "long_talk"
"""Workload for measuring `workspace.compaction` and the layer, each alone and both together."""


def measure(say: Callable[[str], object], *, quick: bool) -> Rows:
    """Workload -> figures."""
    rows = {}
    for story in workloads.small() if quick else workloads.whole():
        say(f"{story.name}: {len(story.exchanges)} turns, {story.calls} calls")
        rows[story.name] = compare_story(story)
    story = workloads.long_talk(40) if quick else workloads.long_talk()
    say(f"{story.name}: {len(story.exchanges)} turns, with handovers")
    rows[story.name] = compare_handovers(story)
    return rows


def compare_handovers(story: Story) -> Figures:
    """Figures of a story with cut words: handovers alone, the layer alone, and both together."""
    alone = Bounds(SHORT_TOKENS, None, hands_over=True)
    worded = Bounds(SHORT_WORDED, COUNTED_RESULT_CHARS)
    with tempfile.TemporaryDirectory(prefix="agent-objects-") as whole:
        root = Path(whole)
        handed = play_story(story, root / "alone", alone, lambda _call: AS_LOGGED, ManualClock(STARTS_AT))
        layer, both = (
            _play_worded(story, root / name, bounds)
            for name, bounds in (("worded", worded), ("both", replace(worded, hands_over=True)))
        )
    better = min(handed.price, layer.price)
    return {
        "turns": len(story.exchanges),
        "calls": story.calls,
        "tokens": both.mean_tokens,
        "cached": both.cached_share,
        "price_handovers": handed.price / better,
        "price_layer": layer.price / better,
        "price_both": both.price / better,
    }


def _play_worded(story: Story, root: Path, bounds: Bounds) -> Sums:
    clock = ManualClock(STARTS_AT)
    with Layer(root, clock, SHORT_KEEP) as layer:
        return play_story(story, folder_of(root), bounds, layer.word, clock)


def compare_story(story: Story) -> Figures:
    """Figures of a story's requests in plain history, and with the real fold and the real actors."""
    with tempfile.TemporaryDirectory(prefix="agent-objects-") as whole:
        root, clock = Path(whole), ManualClock(STARTS_AT)
        plain = play_story(story, root / "plain", PLAIN, lambda _call: AS_LOGGED, ManualClock(STARTS_AT))
        with Layer(root / "worded", clock) as layer:
            worded = play_story(story, folder_of(root / "worded"), BOUNDS, layer.word, clock)
    turns = len(story.exchanges)
    return {
        "turns": turns,
        "calls": story.calls,
        "plain_tokens": plain.mean_tokens,
        "plain_cached": plain.cached_share,
        "plain_words": plain.words,
        "tokens": worded.mean_tokens,
        "largest_tokens": worded.largest_tokens,
        "cached": worded.cached_share,
        "words": worded.words,
        "words_missing": turns - worded.words,
        "price_ratio": worded.price / plain.price,
        "size_ratio": worded.mean_tokens / plain.mean_tokens,
        "points_lost": 100 * (plain.cached_share - worded.cached_share),
    }


OBJECTS = Benchmark(
    name="objects",
    measure=measure,
    targets=(
        *(
            Target("price, times plain history's", "price_ratio", most, row, is_speed=True)
            for row, most in PRICES.items()
        ),
        *(Target("cached share, points below plain history's", "points_lost", 4, row, is_speed=True) for row in PRICES),
        *(Target("turns whose words are not in the last request", "words_missing", 0, row) for row in PRICES),
        Target("tokens of the largest request", "largest_tokens", 70_000, FLOOD),
        Target("price beside handovers, times the better of both alone", "price_both", 1.05, BESIDE, is_speed=True),
    ),
    columns=(
        Column("turns", "turns", ",.0f"),
        Column("calls", "calls", ",.0f"),
        Column("tokens", "plain_tokens", ",.0f"),
        Column("cached", "plain_cached", ".0%"),
        Column("words", "plain_words", ".0f"),
        Column("with it", "tokens", ",.0f"),
        Column("cached", "cached", ".0%"),
        Column("words", "words", ".0f"),
        Column("price", "price_ratio", ".2f"),
        Column("size", "size_ratio", ".2f"),
        Column("handovers", "price_handovers", ".2f"),
        Column("layer", "price_layer", ".2f"),
        Column("both", "price_both", ".2f"),
    ),
    note=(
        "recorded is one turn, as in the record, which has one prompt; flood is one turn of outputs of 60 KB. "
        "long_talk is cut several times: its price with handovers, the layer and both, times the lower of two."
    ),
)
