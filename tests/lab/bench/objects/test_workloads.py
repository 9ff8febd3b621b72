from __future__ import annotations

import os
from pathlib import Path

import pytest

from domain.text.output_tail import MAX_BYTES
from lab.bench.objects import recorded
from lab.bench.objects.play import STARTS_AT
from lab.bench.objects.prose import build_log, source
from lab.bench.objects.story import Act, Step, Story
from lab.bench.objects.work_folder import WorkFolder
from lab.bench.objects.workloads import small, whole

COUNTS = {
    "repeat_reader": (60, 270),
    "big_outputs": (60, 277),
    "chatty": (60, 5),
    "small_talk": (30, 30),
    "recorded": (1, 196),
    "flood": (1, 50),
}


def test_each_workload_has_as_many_turns_and_calls_as_the_design_says() -> None:
    assert {story.name: (len(story.exchanges), story.calls) for story in whole()} == COUNTS
    assert [story.name for story in small()] == list(COUNTS)


def test_a_workload_is_the_same_each_time_and_no_two_of_its_prompts_or_answers_are() -> None:
    for story, again in zip(whole(), whole(), strict=True):
        assert story == again
        texts = [text for exchange in story.exchanges for text in (exchange.prompt, exchange.answer)]
        assert len(set(texts)) == len(texts)
        assert not any(one in other for one in texts for other in texts if one is not other)


def test_recorded_calls_name_the_files_of_the_record() -> None:
    paths = [step.path for calls in recorded.rounds() for step in calls if step.act is Act.PRINT]
    assert len(paths) == 99
    assert set(paths) <= set(recorded.FILES)


def test_generated_texts_have_the_size_that_is_asked_for_and_are_plain() -> None:
    assert len(source("seed", 9_000)) == 9_000
    assert len(build_log("seed", 50_000)) >= 50_000
    assert (source("seed", 9_000) + build_log("seed", 5_000)).isascii()
    assert source("seed", 500) != source("other", 500)


@pytest.fixture
def folder(tmp_path: Path) -> WorkFolder:
    return WorkFolder(tmp_path / "work", Story("story", {"src/a.py": 4_000, "src/b.py": 300}, ()), STARTS_AT)


def test_an_edit_changes_a_few_lines_and_makes_a_new_file_in_the_place_of_the_old_one(folder: WorkFolder) -> None:
    path = folder.folder / "src/a.py"
    before, inode = path.read_text().split("\n"), path.stat().st_ino
    os.link(path, path.with_name("kept"))  # or the new file might get the number of the old one
    assert folder.run(Step(Act.EDIT, "src/a.py"), STARTS_AT).text == "(no output)"
    after = path.read_text().split("\n")
    changed = sum(one != other for one, other in zip(before, after, strict=True))
    assert 1 <= changed <= 2
    assert path.stat().st_ino != inode
    assert path.stat().st_mtime == STARTS_AT.timestamp()


def test_searches_and_lists_are_real(folder: WorkFolder) -> None:
    lines = (folder.folder / "src/a.py").read_text().split("\n")
    number, _, line = folder.run(Step(Act.SEARCH, "src/a.py", word="def"), STARTS_AT).text.split("\n")[0].partition(":")
    assert lines[int(number) - 1][:100] == line[:100]
    assert folder.run(Step(Act.SEARCH, ".", word="no-such-word"), STARTS_AT).text == "(no output)"
    assert folder.run(Step(Act.LIST, "src"), STARTS_AT).text == "src/a.py\nsrc/b.py"


def test_of_a_build_no_more_is_shown_than_of_any_command(folder: WorkFolder) -> None:
    text = folder.run(Step(Act.BUILD, word="all", chars=70_000), STARTS_AT).text
    assert MAX_BYTES - 300 <= len(text) <= MAX_BYTES + 300
    assert text.endswith("]")
