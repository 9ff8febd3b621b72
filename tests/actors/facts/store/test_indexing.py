from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from tests.actors.facts.rig import FactsRig


@pytest.fixture
def rig(tmp_path: Path) -> FactsRig:
    return FactsRig(tmp_path / "data")


def locked(rig: FactsRig, mode: str = "normal") -> apsw.Connection:
    """Another program that writes to the index, or in the mode `exclusive` lets nobody read it either."""
    other = apsw.Connection(str(rig.root / "facts" / "index.sqlite"))
    list(other.execute(f"PRAGMA locking_mode = {mode}"))
    list(other.execute("BEGIN EXCLUSIVE"))
    return other


def test_an_index_that_cannot_be_asked_at_the_start_is_asked_again_and_nothing_is_embedded_again(rig: FactsRig) -> None:
    for number in range(5):
        rig.add(f"The user has {number} cats")
    rig.stop()
    rig.embedder.asked.clear()
    other = locked(rig, "exclusive")
    rig.start()
    assert rig.figures()["state"] == "in trouble"
    assert rig.embedder.texts == []

    other.close()
    rig.wait(6)
    assert rig.figures()["state"] == "ready"
    assert rig.embedder.texts == []
    assert rig.recall("The user has cats").hits


def test_an_index_that_is_locked_hears_of_entries_later_and_the_trouble_is_over(rig: FactsRig) -> None:
    rig.add("The user has a cat")
    other = locked(rig)
    rig.add("The user has a dog")
    rig.system.run()
    assert "index" in rig.figures()["trouble"]

    other.close()
    for _ in range(3):
        rig.wait(31)
    assert rig.figures()["trouble"] == "none"
    assert {hit.content for hit in rig.recall("The user has a").hits} == {"The user has a cat", "The user has a dog"}


def test_an_embedder_that_is_down_leaves_entries_known_and_gives_them_vectors_later(rig: FactsRig) -> None:
    rig.embedder.failure = "down"
    rig.add("The user has a cat")
    rig.system.run()
    assert "down" in rig.figures()["trouble"]
    assert rig.figures()["entries"] == 1

    rig.embedder.failure = ""
    rig.wait(31)
    assert rig.figures()["trouble"] == "none"
    assert [hit.content for hit in rig.recall("The user has a").hits] == ["The user has a cat"]
