from __future__ import annotations

from pathlib import Path

from actors.kernel import ManualClock
from lab.bench.objects.idle import at_rest, in_memory
from lab.bench.objects.layer import Layer, folder_of, stored_bytes
from lab.bench.objects.play import STARTS_AT, Play, Ticks, played
from lab.bench.objects.run import compared
from lab.bench.objects.speed import compared as compared_speed
from lab.bench.objects.story import Act, Exchange, Step, Story
from lab.bench.objects.work_folder import WorkFolder
from lab.bench.objects.workloads import repeat_reader

STORY = Story(
    "tiny",
    {"a.txt": 4_000},
    (
        Exchange("", "First question?", ((Step(Act.PRINT, "a.txt"),), (Step(Act.PRINT, "a.txt"),)), "First answer."),
        Exchange("", "Second question?", ((Step(Act.MANAGE, "a.txt", word="deactivate"),),), "Second answer."),
    ),
)


def test_the_layer_words_each_request_by_its_real_actors(tmp_path: Path) -> None:
    clock = ManualClock(STARTS_AT)
    with Layer(tmp_path, clock) as layer:
        now = Ticks(clock)
        folder = WorkFolder(folder_of(tmp_path), STORY, now())
        play = Play(STORY, folder, layer.bounds, layer.manage, now)
        requests = []
        for turn in play.model_calls():
            asked = play.ask(turn)
            requests.append("\n".join(message.text for message in play.messages(asked, layer.word(asked))))
        assert sum(stored_bytes(tmp_path)) > 0
    text = (folder.folder / "a.txt").read_text().strip()
    assert [request.count(text) for request in requests] == [0, 1, 1, 1, 0]
    assert "[output t1 is file f1: a.txt, version 1" in requests[1]
    assert "its text stands above" in requests[2]
    assert "inactive" in requests[4]


def test_a_row_has_plain_history_and_the_layer_of_the_same_story() -> None:
    row, disk = compared(repeat_reader(6, 30))
    assert (row.workload, row.turns, row.calls) == ("repeat_reader", 6, 30)
    assert row.plain.model_calls == row.worded.model_calls
    assert row.price_ratio < 0.9
    assert row.size_ratio < 1
    assert row.worded.words == 6
    assert row.unbounded is None
    assert disk[0] + disk[1] > 10_000


def test_the_layer_gives_the_same_sums_each_time(tmp_path: Path) -> None:
    found = []
    for name in ("one", "other"):
        clock = ManualClock(STARTS_AT)
        with Layer(tmp_path / name, clock) as layer:
            found.append(played(repeat_reader(3, 12), folder_of(tmp_path / name), layer, clock))
    assert found[0] == found[1]


def test_speed_is_measured_with_the_layer_and_without() -> None:
    figures = compared_speed(windows=3, turns=2, rate=60, rounds=1)
    assert figures["speed_model_calls"] >= 3
    assert figures["unworded"] == 0
    assert figures["bare_p95_ms"] > 0
    assert figures["sync_p95_ms"] > 0
    assert figures["added_p50_ms"] > 0


def test_windows_at_rest_have_left_memory_and_others_have_not() -> None:
    figures = at_rest(5) | in_memory(3)
    assert (figures["idle_windows"], figures["idle_living"], figures["awake_windows"]) == (5, 0, 3)
    assert figures["idle_kib"] >= 0
    assert figures["awake_kib"] >= 0
