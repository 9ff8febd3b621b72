from __future__ import annotations

from pathlib import Path

import pytest

from actors.kernel import ManualClock
from lab.bench.objects.layer import BOUNDS, Layer, folder_of
from lab.bench.objects.play import STARTS_AT, Play, moments_of
from lab.bench.objects.run import FLOOD, OBJECTS, PRICES, compare_story
from lab.bench.objects.story import Act, Exchange, Step, Story
from lab.bench.objects.work_folder import WorkFolder
from lab.bench.objects.workloads import repeat_reader

STORY = Story(
    "tiny",
    {"a.txt": 4_000},
    (
        Exchange("", "First question?", ((Step(Act.PRINT, "a.txt"),), (Step(Act.PRINT, "a.txt"),)), "First answer."),
        Exchange("", "Second question?", ((Step(Act.LIST, "."),),), "Second answer."),
    ),
)


def test_the_layer_words_each_request_by_its_real_actors(tmp_path: Path) -> None:
    clock = ManualClock(STARTS_AT)
    with Layer(tmp_path, clock) as layer:
        now = moments_of(clock)
        folder = WorkFolder(folder_of(tmp_path), STORY, now())
        play = Play(STORY, folder, BOUNDS, now)
        requests = []
        for turn in play.model_calls():
            call = play.ask(turn)
            requests.append("\n".join(message.text for message in play.messages(call, layer.word(call))))
    text = (folder.folder / "a.txt").read_text().strip()
    assert [request.count(text) for request in requests] == [0, 1, 1, 1, 1]
    assert "[output t1 is file f1: a.txt, version 1" in requests[1]
    assert "its text stands above" in requests[2]


def test_a_row_has_plain_history_and_the_layer_of_the_same_story() -> None:
    row = compare_story(repeat_reader(6, 30))
    assert (row["turns"], row["calls"]) == (6, 30)
    assert row["price_ratio"] < 0.9
    assert row["size_ratio"] < 1
    assert (row["words"], row["words_missing"]) == (6, 0)
    assert row["points_lost"] == pytest.approx(100 * (row["plain_cached"] - row["cached"]))


def test_each_target_is_about_its_own_workload() -> None:
    good = {"price_ratio": 0.65, "points_lost": 4.0, "words_missing": 0, "largest_tokens": 70_000}
    rows = {name: dict(good) for name in (*PRICES, FLOOD)}
    assert OBJECTS.is_sound(rows, quick=False)
    for row, figure, value in (
        ("recorded", "price_ratio", 0.66),
        ("chatty", "points_lost", 4.1),
        ("big_outputs", "words_missing", 1),
        (FLOOD, "largest_tokens", 70_001),
    ):
        bad = {**rows, row: {**good, figure: value}}
        assert [(each.row, each.met) for each in OBJECTS.verdicts(bad, quick=False) if not each.met] == [(row, False)]
