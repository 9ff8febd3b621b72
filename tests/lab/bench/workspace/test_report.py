from __future__ import annotations

from collections.abc import Iterable
from io import StringIO

import pytest
from rich.console import Console, RenderableType

from lab.bench.measure import Figures
from lab.bench.workspace.report import TARGETS, as_document, is_sound, tables, verdicts

OTHERS = (
    *("everyday", "mixed_not_silent", "speed_bytes", "speed_entries", "index_ms"),
    *(
        f"evidence_{name}"
        for name in ("plain", "recall", "both", "more", "recall_chars", "more_chars", "ratio", "gain")
    ),
    *("evidence_gain_error", "evidence_silent"),
    *(
        f"{kind}_{name}"
        for kind in ("held", "tuned")
        for name in ("asked", "first", "chars", "foreign", "silent_elsewhere")
    ),
    *("tuned_wrong", "tuned_noise"),
)
FIGURES: Figures = {
    **dict.fromkeys(OTHERS, 1.0),
    **{target.figure: target.at_most for target in TARGETS},
    "questions": 699,
}


def printed(parts: Iterable[RenderableType]) -> str:
    stream = StringIO()
    console = Console(file=stream, width=120)
    for part in parts:
        console.print(part)
    return stream.getvalue()


@pytest.mark.parametrize("figure", [target.figure for target in TARGETS])
def test_a_figure_above_its_target_is_no_success(figure: str) -> None:
    assert is_sound(FIGURES, quick=False)
    missed = FIGURES | {figure: FIGURES[figure] + 1}
    assert not is_sound(missed, quick=False)
    assert [verdict.name for verdict in verdicts(missed, quick=False) if not verdict.met] == [
        target.name for target in TARGETS if target.figure == figure
    ]
    assert "NO" in printed(tables(missed, quick=False))


def test_small_sizes_say_nothing_of_speed_and_evidence() -> None:
    slow = FIGURES | {"recall_p95_ms": 9.0, "evidence_missed": 0.5}
    assert is_sound(slow, quick=True)
    assert not is_sound(FIGURES | {"held_wrong": 0.5}, quick=True)


def test_without_what_is_recorded_the_rows_of_evidence_are_left_out() -> None:
    without = {name: value for name, value in FIGURES.items() if "evidence" not in name and name != "questions"}
    assert is_sound(without, quick=False)
    assert "evidence in" not in printed(tables(without, quick=False))
    assert "evidence in" in printed(tables(FIGURES, quick=False))
    assert "over 699 questions" in printed(tables(FIGURES, quick=False))


def test_the_document_has_the_figures_and_the_targets() -> None:
    document = as_document(FIGURES, {"cores": 2}, quick=False)
    assert document["machine"] == {"cores": 2}
    assert document["figures"] == FIGURES
    assert document["quick"] is False
    assert len(list(verdicts(FIGURES, quick=False))) == len(TARGETS)
