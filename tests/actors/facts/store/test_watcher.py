from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.actors.facts.running import RunningFacts
from tests.actors.gateway.waiting import wait_until

QUESTION = "The user has a"


@pytest.mark.req("S2-03", "S2-14", "X-82")
def test_what_people_make_change_and_remove_is_seen_at_once(tmp_path: Path) -> None:
    with RunningFacts(tmp_path, start_watcher=True) as facts:
        facts.add("The user has a cat")
        wait_until(lambda: facts.found(QUESTION) == {"The user has a cat"})
        (path,) = (facts.memory / "entries" / "c" / "facts").glob("*.md")

        path.write_text(path.read_text().replace("cat", "parrot"))
        wait_until(lambda: facts.found(QUESTION) == {"The user has a parrot"})
        path.with_name("mine.md").write_text("The user has a dog")
        wait_until(lambda: facts.found(QUESTION) == {"The user has a parrot", "The user has a dog"})
        path.unlink()
        wait_until(lambda: facts.found(QUESTION) == {"The user has a dog"})


def test_folders_that_come_all_at_once_are_seen(tmp_path: Path) -> None:
    made = tmp_path / "made"
    for number in range(20):
        (made / f"c{number}" / "facts").mkdir(parents=True)
        (made / f"c{number}" / "facts" / "x.md").write_text(
            f"---\nconversation_id: c\n---\nThe user has a number {number}"
        )
    with RunningFacts(tmp_path, start_watcher=True) as facts:
        wait_until(lambda: facts.figures()["is_loaded"] == "yes")
        for folder in made.iterdir():
            shutil.move(folder, facts.memory / "entries" / folder.name)
        wait_until(lambda: len(facts.found(QUESTION)) == 20)


def test_what_we_write_ourselves_is_not_embedded_again(tmp_path: Path) -> None:
    with RunningFacts(tmp_path, start_watcher=True) as facts:
        for number in range(5):
            facts.add(f"The user has {number} cats")
        (facts.memory / "entries" / "c" / "facts" / "mine.md").write_text("The user has a dog")
        wait_until(lambda: "The user has a dog" in facts.embedder.texts)
        wait_until(lambda: facts.figures()["to_be_indexed"] == 0)

        assert sorted(facts.embedder.texts) == [*(f"The user has {n} cats" for n in range(5)), "The user has a dog"]


@pytest.mark.req("S2-96")
def test_without_the_setting_edits_wait_for_the_next_start(tmp_path: Path) -> None:
    with RunningFacts(tmp_path) as facts:
        facts.add("The user has a cat")
        (facts.memory / "entries" / "c" / "facts" / "mine.md").write_text("The user has a dog")
        wait_until(lambda: facts.found(QUESTION) == {"The user has a cat"})
        assert "The user has a dog" not in facts.embedder.texts


def test_a_name_that_is_no_text_does_not_end_the_watch(tmp_path: Path) -> None:
    with RunningFacts(tmp_path, start_watcher=True) as facts:
        facts.add("The user has a cat")
        folder = facts.memory / "entries" / "c" / "facts"
        odd = Path(os.fsdecode(os.fsencode(folder) + b"/\xff.md"))
        odd.write_text("The user has a bug")
        wait_until(lambda: facts.figures()["to_be_indexed"] == 0)
        odd.unlink()
        (folder / "mine.md").write_text("The user has a dog")

        wait_until(lambda: facts.found(QUESTION) == {"The user has a cat", "The user has a dog"})


def test_another_folder_in_the_place_of_the_one_that_is_watched_is_watched_too(tmp_path: Path) -> None:
    with RunningFacts(tmp_path, start_watcher=True) as facts:
        facts.add("The user has a cat")
        facts.memory.rename(tmp_path / "old")
        facts.add("The user has a parrot")
        wait_until(lambda: facts.found(QUESTION) == {"The user has a parrot"})
        (facts.memory / "entries" / "c" / "facts" / "mine.md").write_text("The user has a dog")

        wait_until(lambda: facts.found(QUESTION) == {"The user has a parrot", "The user has a dog"})
