from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from actors.facts.store.memory_folder import ENTRIES
from actors.facts.store.watcher import Watcher, WatchPace
from actors.kernel import Actor, ActorSpec, ActorSystem
from tests.actors.facts.running import RunningFacts
from tests.patience import eventually

QUESTION = "The user has a"


class Watching(Actor):
    """Owner of a watch, from its start to its end."""

    def __init__(self, root: Path, take: Callable[[tuple[str, ...]], None]) -> None:
        super().__init__()
        self._watcher = Watcher(self, root, take, WatchPace(again_s=0.1, look_ms=100))

    def on_start(self) -> None:
        self._watcher.start()

    def on_stop(self) -> None:
        self._watcher.stop()


@pytest.mark.req("S2-03", "S2-14", "X-82")
def test_what_people_make_change_and_remove_is_seen_at_once(tmp_path: Path) -> None:
    with RunningFacts(tmp_path, start_watcher=True) as facts:
        facts.add("The user has a cat")
        eventually(lambda: facts.contents_found(QUESTION) == {"The user has a cat"})
        (path,) = (facts.memory / "entries" / "c" / "facts").glob("*.md")

        path.write_text(path.read_text().replace("cat", "parrot"))
        eventually(lambda: facts.contents_found(QUESTION) == {"The user has a parrot"})
        path.with_name("mine.md").write_text("The user has a dog")
        eventually(lambda: facts.contents_found(QUESTION) == {"The user has a parrot", "The user has a dog"})
        path.unlink()
        eventually(lambda: facts.contents_found(QUESTION) == {"The user has a dog"})


def test_folders_that_come_all_at_once_are_seen(tmp_path: Path) -> None:
    made = tmp_path / "made"
    for number in range(20):
        (made / f"c{number}" / "facts").mkdir(parents=True)
        (made / f"c{number}" / "facts" / "x.md").write_text(
            f"---\nconversation_id: c\n---\nThe user has a number {number}"
        )
    with RunningFacts(tmp_path, start_watcher=True) as facts:
        eventually(lambda: facts.figures()["is_loaded"] == "yes")
        for folder in made.iterdir():
            shutil.move(folder, facts.memory / "entries" / folder.name)
        eventually(lambda: len(facts.contents_found(QUESTION)) == 20)


def test_what_we_write_ourselves_is_not_embedded_again(tmp_path: Path) -> None:
    with RunningFacts(tmp_path, start_watcher=True) as facts:
        for number in range(5):
            facts.add(f"The user has {number} cats")
        (facts.memory / "entries" / "c" / "facts" / "mine.md").write_text("The user has a dog")
        eventually(lambda: "The user has a dog" in facts.embedder.texts)
        eventually(lambda: facts.figures()["to_be_indexed"] == 0)

        assert sorted(facts.embedder.texts) == [*(f"The user has {n} cats" for n in range(5)), "The user has a dog"]


@pytest.mark.req("S2-96")
def test_without_the_setting_edits_wait_for_the_next_start(tmp_path: Path) -> None:
    with RunningFacts(tmp_path) as facts:
        facts.add("The user has a cat")
        (facts.memory / "entries" / "c" / "facts" / "mine.md").write_text("The user has a dog")
        eventually(lambda: facts.contents_found(QUESTION) == {"The user has a cat"})
        assert "The user has a dog" not in facts.embedder.texts


def test_a_name_that_is_no_text_does_not_end_the_watch(tmp_path: Path) -> None:
    with RunningFacts(tmp_path, start_watcher=True) as facts:
        facts.add("The user has a cat")
        folder = facts.memory / "entries" / "c" / "facts"
        odd = Path(os.fsdecode(os.fsencode(folder) + b"/\xff.md"))
        odd.write_text("The user has a bug")
        eventually(lambda: facts.figures()["to_be_indexed"] == 0)
        odd.unlink()
        (folder / "mine.md").write_text("The user has a dog")

        eventually(lambda: facts.contents_found(QUESTION) == {"The user has a cat", "The user has a dog"})


@pytest.mark.parametrize("is_there", [True, False])
def test_what_changes_between_a_look_at_all_and_a_watch_is_told(tmp_path: Path, is_there: bool) -> None:
    told: list[tuple[str, ...]] = []
    entries = tmp_path / ENTRIES
    if is_there:
        entries.mkdir()

    def take(paths: tuple[str, ...]) -> None:
        told.append(paths)
        if not entries.exists():  # the look finds nothing, and then there is something
            entries.mkdir()
            (entries / "mine.md").write_text("The user has a dog")

    system = ActorSystem()
    system.register(ActorSpec("watching", lambda _key: Watching(tmp_path, take), core=True))
    system.start()
    try:
        eventually(lambda: len(told) == (1 if is_there else 2))
    finally:
        system.stop()
    assert set(told) == {()}


def test_another_folder_in_the_place_of_the_one_that_is_watched_is_watched_too(tmp_path: Path) -> None:
    with RunningFacts(tmp_path, start_watcher=True) as facts:
        facts.add("The user has a cat")
        facts.memory.rename(tmp_path / "old")
        facts.add("The user has a parrot")
        eventually(lambda: facts.contents_found(QUESTION) == {"The user has a parrot"})
        (facts.memory / "entries" / "c" / "facts" / "mine.md").write_text("The user has a dog")

        eventually(lambda: facts.contents_found(QUESTION) == {"The user has a parrot", "The user has a dog"})
