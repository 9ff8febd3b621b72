from __future__ import annotations

import itertools
import random
from pathlib import Path

import pytest

from lab.chaos.lives.account import STARTED, Account, LifePlan
from lab.chaos.lives.campaign import Counts, ForkedLives, Subject, run

needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="asks /proc who stems from whom")


class Lives:
    """Killer that notes every call."""

    def __init__(self, trouble: str = "") -> None:
        self.trouble = trouble
        self.folders: list[str] = []

    def kill(self, folder: Path, number: int, chance: random.Random) -> str:
        assert (folder / "prepared").exists()
        self.folders.append(folder.name)
        (folder / f"life{number}").write_text(f"{chance.random()}")
        return self.trouble

    def finish(self, folder: Path) -> str:
        self.folders.append(f"last of {folder.name}")
        return ""

    def __enter__(self) -> Lives:
        return self

    def __exit__(self, *_: object) -> None: ...


def subject(lives: Lives, lost: int = 0) -> Subject:
    def judge(folder: Path) -> Counts:
        return {"kept": len([*folder.glob("life*")]), "lost": lost}

    return Subject(
        name="any",
        killer=lambda _scratch: lives,
        judge=judge,
        wrong=frozenset({"lost", "left"}),
        lives_a_folder=2,
        prepare=lambda folder: (folder / "prepared").touch(),
        look=lambda _folder: {"looks": 1},
    )


def test_lives_share_folders_and_each_folder_is_judged_after_its_last_life() -> None:
    lives, ticks = Lives(), list[int]()
    report = run(subject(lives), 3, "seed", ticks.append)

    assert lives.folders == ["0", "0", "last of 0", "1", "last of 1"]
    assert ticks == [1, 2, 3]
    assert report.is_sound
    assert report.counts_of_all() == {"left": 0, "lost": 0, "kept": 3, "looks": 3}


def test_a_wrong_end_and_a_figure_that_must_be_0_are_unsound_and_told() -> None:
    for trouble, lost in (("hangs", 0), ("", 1)):
        report = run(subject(Lives(trouble), lost), 2, "seed")

        assert not report.is_sound
        assert report.failures == [trouble] * 2 * bool(trouble)
        assert report.as_dict()["lost"] == lost
        summary, *failed = report.lines("any")
        assert summary.startswith(f"any: 2 kills: 0 left, {lost} lost, 2 looks, 2 kept (")
        assert failed == ["failed: hangs"] * 2 * bool(trouble)


def live(plan_file: str) -> None:
    """A life that dies as its plan says, or waits for its end."""
    folder, plan = Path(plan_file).parent, LifePlan.read(Path(plan_file))
    Account(folder).note(STARTED, str(plan.number))
    if plan.is_last or plan.ends:
        raise SystemExit(3 if plan.ends else 0)
    for _ in itertools.count():
        pass


@needs_proc
def test_a_forked_life_is_killed_after_its_first_step_and_another_end_is_told(tmp_path: Path) -> None:
    def plan(number: int, _chance: random.Random) -> LifePlan:
        return LifePlan(number, ends=number == 2)

    with ForkedLives(__name__, tmp_path, 0.0, plan) as lives:
        assert lives.kill(tmp_path, 1, random.Random(1)) == ""
        assert "ended with 3" in lives.kill(tmp_path, 2, random.Random(1))
        assert lives.finish(tmp_path) == ""
    assert Account(tmp_path).about(STARTED) == ["1", "2", "0"]
