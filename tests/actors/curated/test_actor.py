"""Curated memory as windows meet it: what stands in prompts, and how a fact gets into a file."""

from __future__ import annotations

from pathlib import Path

from messages.curated import AddFact, ArchiveFact, FactsFlushed, FactWritten, FixFact, MoveFact, RemoveFact
from messages.curated_view import CuratedDescribed, DescribeCurated
from tests.actors.curated.rig import DM, PRIVATE, CuratedRig


def test_without_files_the_block_is_the_preamble_and_nothing_is_made(tmp_path: Path) -> None:
    rig = CuratedRig(tmp_path)
    block = rig.block()
    assert block.startswith("## Persistent memory\n")
    assert str(rig.folder) in block
    assert "###" not in block
    assert not rig.folder.exists()
    assert not (tmp_path / "home").exists()


def test_a_fact_is_added_below_a_heading_and_shown_in_the_next_prompt(tmp_path: Path) -> None:
    rig = CuratedRig(tmp_path)
    done = rig.answer(FactWritten, AddFact, scope="global", text="Tests run with make check", section="Build")
    assert done.done == "added"
    assert rig.index() == "## Build\n\n- Tests run with make check\n"
    assert "### Global MEMORY.md\n## Build\n\n- Tests run with make check" in rig.block()


def test_what_is_staged_is_committed_by_a_flush(tmp_path: Path) -> None:
    rig = CuratedRig(tmp_path)
    rig.remember("We ship on Fridays")
    assert not (rig.folder / "MEMORY.md").exists()
    flushed = rig.flush()
    assert isinstance(flushed, FactsFlushed)
    assert flushed.committed == (("global", "We ship on Fridays"),)
    assert rig.index().count("We ship on Fridays") == 1


def test_fix_remove_archive_and_move_change_one_fact(tmp_path: Path) -> None:
    rig = CuratedRig(tmp_path)
    rig.write_index("# Notes\n\n## Build\n\n- one is 1\n- two is 2\n- three is 3\n- four\n  with more\n\nend\n")
    assert rig.answer(FactWritten, FixFact, scope="global", fact="one is", text="one is I").text == "one is I"
    assert rig.answer(FactWritten, RemoveFact, scope="global", fact="two is 2").done == "removed"
    assert rig.answer(FactWritten, ArchiveFact, scope="global", fact="three").done == "archived"
    moved = rig.answer(
        FactWritten, MoveFact, scope="global", fact="four", topic="four.md", title="Four", gist="more of it"
    )
    assert moved.done == "moved"
    assert rig.index() == "# Notes\n\n## Build\n\n- one is I\n- [Four](four.md) — more of it\n\nend\n"
    assert (rig.folder / "archive" / "MEMORY.md").read_text() == "## Build\n\n- three is 3\n"
    assert (rig.folder / "four.md").read_text() == "## Build\n\n- four\n  with more\n"


def test_private_windows_read_and_do_not_write(tmp_path: Path) -> None:
    rig = CuratedRig(tmp_path)
    for window in (PRIVATE, DM):
        assert rig.refusal(AddFact, window, scope="global", text="a secret plan").startswith("denied: ")
    assert not rig.folder.exists()


def test_the_status_has_six_facts(tmp_path: Path) -> None:
    rig = CuratedRig(tmp_path)
    rig.write_index("- a\n")
    status = rig.answer(CuratedDescribed, DescribeCurated)
    assert status.scopes[0].folder == str(rig.folder)
