from __future__ import annotations

from pathlib import Path

import pytest

from lab.bench.curated.data import BUDGET, CHANNELS, INDEX_BYTES, TOPICS, folders, index, make_folders, windows
from lab.bench.curated.report import TARGETS, as_document, is_sound, verdicts
from lab.bench.curated.run import Size, measure
from lab.bench.measure import Figures
from lab.bench.target import Target

GOOD: Figures = {target.figure: target.at_most for target in TARGETS}


def test_turns_are_measured_with_files_unchanged_and_after_changes_beside_a_floor() -> None:
    said: list[str] = []
    figures = measure(said.append, Size(windows=CHANNELS + 2, turns=30, changes=6))
    assert is_sound(figures, quick=True), figures
    assert (figures["turns"], figures["changes"]) == (30, 6)
    assert figures["changed_files_read"] >= 6
    for name in ("unchanged", "changed"):
        assert 0 < figures[f"{name}_p50_ms"] <= figures[f"{name}_p95_ms"] <= figures[f"{name}_p99_ms"]
        assert figures[f"{name}_floor_p95_ms"] > 0
        assert figures[f"{name}_p95_to_floor"] == figures[f"{name}_p95_ms"] / figures[f"{name}_floor_p95_ms"]
    assert len(said) == 2


def test_both_memories_are_as_large_as_is_injected_of_them(tmp_path: Path) -> None:
    config = make_folders(tmp_path)
    for folder in folders(config):
        assert len((folder / "MEMORY.md").read_bytes()) == INDEX_BYTES
        assert len(list(folder.glob("topic-*.md"))) == TOPICS
        assert (folder / "config.json").exists()
    assert INDEX_BYTES * 2 > BUDGET * 4
    assert len(index("version 17").split(b"\n")) < 200


def test_windows_are_channels_and_threads_of_theirs() -> None:
    told = windows(CHANNELS + 3)
    assert len({each.window for each in told}) == CHANNELS + 3
    assert {each.readers.channel_id for each in told if each.readers} == {each.window.id for each in told[:CHANNELS]}


def test_a_target_is_met_when_it_is_just_reached() -> None:
    assert [verdict.met for verdict in verdicts(GOOD, quick=False)] == [True] * len(TARGETS)
    assert is_sound(GOOD, quick=False)


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.figure)
def test_a_target_that_is_missed_is_unsound_but_for_the_speed_of_small_sizes(target: Target) -> None:
    missed = GOOD | {target.figure: target.at_most + 0.1}
    assert [verdict.name for verdict in verdicts(missed, quick=False) if not verdict.met] == [target.name]
    assert not is_sound(missed, quick=False)
    assert is_sound(missed, quick=True) == target.is_speed


def test_the_document_has_machine_figures_and_targets() -> None:
    document = as_document(GOOD, {"cores": 2}, quick=False)
    assert (document["machine"], document["figures"]) == ({"cores": 2}, GOOD)
    assert len(document["targets"]) == len(TARGETS)  # type: ignore[arg-type]
