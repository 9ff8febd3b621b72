"""A log that a person changes in the middle of a turn: nothing is run or answered that stands in no log of theirs."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.actors.context.rig import Rig, bash_call


def saved_by_an_editor(place: Path) -> None:
    fresh = place.with_suffix(".new")
    fresh.write_bytes(place.read_bytes())
    fresh.rename(place)


def remove(place: Path) -> None:
    place.unlink()


def cut_shorter(place: Path) -> None:
    os.truncate(place, place.stat().st_size - 9)


def added_to(place: Path) -> None:
    with place.open("ab") as file:
        file.write(b"I was here\n")


def folder_removed(place: Path) -> None:
    shutil.rmtree(place.parent)


def made_a_folder(place: Path) -> None:
    place.unlink()
    place.mkdir()


CHANGES = (saved_by_an_editor, remove, cut_shorter, added_to, folder_removed, made_a_folder)


@pytest.mark.req("X-171")
def test_no_command_is_run_whose_call_is_in_no_log(tmp_path: Path, subtests: pytest.Subtests) -> None:
    cases: list[Callable[[Path], None]] = list(CHANGES)
    for number, change in enumerate(cases):
        with subtests.test(change=change):
            root = tmp_path / str(number)
            root.mkdir()
            rig = Rig(root)
            rig.say("what time is it?", 1)
            change(rig.logs()[-1])
            rig.answer("", bash_call("date"))

            assert rig.commands() == []
            rig.stop()


@pytest.mark.req("X-171")
def test_no_answer_is_posted_that_is_in_no_log(tmp_path: Path, subtests: pytest.Subtests) -> None:
    cases: list[Callable[[Path], None]] = list(CHANGES)
    for number, change in enumerate(cases):
        with subtests.test(change=change):
            root = tmp_path / str(number)
            root.mkdir()
            rig = Rig(root)
            rig.say("what time is it?", 1)
            change(rig.logs()[-1])
            rig.answer("It is noon.")

            assert "It is noon." not in [post.text for post in rig.posts()]
            rig.stop()


@pytest.mark.req("X-171")
def test_a_command_is_run_once_though_its_log_was_saved_by_an_editor_before_its_call(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    rig.say("what time is it?", 1)
    (place,) = rig.logs()
    saved_by_an_editor(place)
    rig.disk.sync_folder(place.parent)
    rig.answer("", bash_call("date"))
    rig.posts()
    rig.say("well?", 2)
    rig.answer("", bash_call("date", "call-2"))
    rig.finish_command("noon")
    rig.answer("It is noon.")
    rig.deliver()
    rig.answer("As I said.")
    rig.deliver()
    rig.kill()

    again = Rig(tmp_path)
    again.say("thanks", 3)
    assert len(again.requests()) == 1
    assert again.commands() == []
    assert [event.content for event in again.events()].count("It is noon.") == 1
    again.stop()
