"""Copies and by-products of programs that synchronise folders, beside the entries of a real store."""

from __future__ import annotations

import logging
import os
from pathlib import Path

import pytest

from messages.facts import FACTS, EntryForgotten, FilesChanged, ForgetEntry
from tests.actors.facts.rig import FactsRig

ENTRY = '---\nid: "{id}"\nrole: "memory"\nconversation_id: "c"\ncreated_at: "2026-01-02T03:04:05+00:00"\n---\n{text}\n'
NAME = "2026-01-02T03-04-05.000000Z__e-1"
TEXT = "The user keeps bees"
COPIES = {
    "Dropbox": "{} (conflicted copy 2026-01-02).md",
    "Dropbox, with a name": "{} (Anne's conflicted copy 2026-01-02 (1)).md",
    "Dropbox in German": "{} (In Konflikt stehende Kopie von Anne 2026-01-02).md",
    "Dropbox, letters": "{} (Case Conflict 1).md",
    "syncthing/syncthing#2925, syncthing/syncthing#6676": "{}.sync-conflict-20260102-030405-5RQAITR.md",
    "Nextcloud": "{} (conflicted copy 2026-01-02 030405).md",
    "ownCloud": "{}_conflict-20260102-030405.md",
    "iCloud": "{} 2.md",
    "OneDrive": "{}-DESKTOP-5RQAITR.md",
    "Google Drive": "{} (1).md",
    "Obsidian Sync": "{} (Conflicted copy phone 202601020304).md",
    "Seafile": "{} (SFConflict anne@example.org 2026-01-02-03-04-05).md",
    "Unison": "{} (copy: conflict #1 on 2026-01-02).md",
    "rclone": "{}.conflict1.md",
    "Finder": "{} copy 3.md",
    "Explorer": "{} - Copy (2).md",
}
PLAIN = {form for form in COPIES if form not in ("Finder", "Explorer", "iCloud", "OneDrive", "Google Drive")}
"""Forms with the word of a conflict, where texts may differ."""
BY_PRODUCTS = (
    *("._{}.md", ".syncthing.{}.md.tmp", "~syncthing~{}.md.tmp", "~${}.md", ".{}.md.icloud", "{}.md~", ".#{}.md"),
    *("#{}.md#", ".{}.md.swp", "{}.md.part", ".~lock.{}.md#", "{}.md.conflict1", ".trash/{}.md", ".stversions/{}.md"),
)


@pytest.fixture
def rig(tmp_path: Path) -> FactsRig:
    return FactsRig(tmp_path / "data")


def put(rig: FactsRig, name: str, text: str = TEXT, entry_id: str = "e-1") -> Path:
    return rig.write(f"c/facts/{name}", ENTRY.format(id=entry_id, text=text))


def look(rig: FactsRig) -> None:
    rig.system.tell(FACTS, FilesChanged(paths=()))
    rig.system.run()
    rig.wait(3)


def shown_texts(rig: FactsRig) -> list[str]:
    return [hit.content for hit in rig.recall("Does the user keep bees?").hits]


@pytest.mark.req("X-225")
def test_a_copy_of_any_program_is_the_entry_of_its_original_and_the_log_names_it_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """As standardnotes/forum#678, vrtmrz/obsidian-livesync#133 and syncthing/syncthing#2282 report of doubled notes."""
    caplog.set_level(logging.WARNING)
    failures = []
    for number, (form, name) in enumerate(COPIES.items()):
        rig = FactsRig(tmp_path / str(number))
        put(rig, f"{NAME}.md")
        copy = put(rig, name.format(NAME))
        caplog.clear()
        for second in range(2):
            os.utime(copy, (second, second))
            look(rig)
        said = [each.getMessage() for each in caplog.records if copy.name in each.getMessage()]
        found = (rig.figures()["entries"], shown_texts(rig), len(said))
        rig.live_again()
        if found != (1, [TEXT], 1) or rig.figures()["entries"] != 1:
            failures.append(f"{form}: {found}, again {rig.figures()['entries']}")
        rig.answer(EntryForgotten, FACTS, ForgetEntry, id="e-1", for_good=True)
        if left := [path for path in rig.paths() if TEXT in path.read_text()]:
            failures.append(f"{form}: forgotten, and left in {left}")
        rig.stop()
    assert not failures


@pytest.mark.req("X-225")
def test_another_version_beside_an_entry_is_named_and_not_used_and_takes_its_place_when_that_goes(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """As standardnotes/forum#88 reports of one note in two versions, where one of them was edited."""
    failures = []
    for number, form in enumerate(sorted(PLAIN)):
        for copy_comes_first in (False, True):
            rig = FactsRig(tmp_path / f"{number}{copy_comes_first}")
            names = [f"{NAME}.md", COPIES[form].format(NAME)]
            for name in reversed(names) if copy_comes_first else names:
                put(rig, name, TEXT if name == names[0] else "The user keeps bees and goats")
                look(rig)
            found = rig.figures()["entries"], shown_texts(rig), "merge it by hand" in caplog.text
            caplog.clear()
            (rig.memory / "entries/c/facts" / names[0]).unlink()
            look(rig)
            if found != (1, [TEXT], True) or shown_texts(rig) != ["The user keeps bees and goats"]:
                failures.append(f"{form}, {copy_comes_first}: {found}, then {shown_texts(rig)}")
            rig.stop()
    assert not failures


@pytest.mark.req("X-225")
def test_a_folder_that_is_there_twice_and_files_without_an_id_are_no_doubles(rig: FactsRig) -> None:
    put(rig, f"{NAME}.md")
    rig.write(f"c (1)/facts/{NAME}.md", ENTRY.format(id="e-1", text=TEXT))
    rig.write("c/facts/by hand.md", "The user has a boat\n")
    rig.write("c/facts/by hand (conflicted copy 2026-01-02).md", "The user has a boat\n")
    rig.live_again()
    assert rig.figures()["entries"] == 2
    rig.stop()


@pytest.mark.req("X-225")
def test_a_copy_that_a_person_makes_an_entry_of_is_one_and_a_forgotten_entry_takes_its_copies_along(
    rig: FactsRig,
) -> None:
    put(rig, f"{NAME}.md")
    put(rig, f"{NAME} copy 2.md")
    copy = put(rig, f"{NAME} copy.md")
    look(rig)
    for text, count in (("The user has a boat", 2), (TEXT, 1), ("The user has a boat", 2)):
        put(rig, copy.name, text)
        look(rig)
        assert rig.figures()["entries"] == count
    rig.answer(EntryForgotten, FACTS, ForgetEntry, id="e-1", for_good=False)
    rig.live_again()
    assert [hit.content for hit in rig.recall("Has the user a boat?").hits] == ["The user has a boat"]
    assert len(rig.paths("deleted/facts/*.md")) == 2
    rig.stop()


@pytest.mark.req("X-225")
def test_by_products_of_programs_are_no_entries(rig: FactsRig) -> None:
    """As basicmachines-co/basic-memory#528 reports of foreign files; drafts, locks and resource forks are not text."""
    put(rig, f"{NAME}.md")
    for name in BY_PRODUCTS:
        put(rig, name.format(NAME), "\x00\x05\x16\x07 Mac OS X", entry_id="?")
    rig.live_again()
    assert (rig.figures()["entries"], shown_texts(rig)) == (1, [TEXT])
    rig.stop()
