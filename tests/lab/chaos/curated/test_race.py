"""Real files, real threads, the real actor; the long version is `agent chaos curated`."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.chaos.curated.race import BEFORE, Asker, Person, RaceReport, race, report_of
from lab.chaos.curated_memory import CuratedMemory, global_config
from lab.chaos.editor import WAITS, Editor, Saver


@pytest.mark.slow
@pytest.mark.parametrize("saver", Saver)
def test_neither_an_editors_lines_nor_the_agents_facts_are_lost(tmp_path: Path, saver: Saver) -> None:
    report = race(tmp_path, saver, edits=20, seed="test")
    assert report.is_sound, report
    assert report.human_edits >= report.agent_edits == 20


def test_a_person_adds_changes_and_takes_out_lines_of_their_own_only() -> None:
    person, lines = Person("seed"), BEFORE.split(b"\n")
    for number in range(200):
        person.revise(lines, number)
    own = [line for line in lines if line.startswith(b"- human ")]
    assert sorted(own) == sorted(person.there)
    assert [line for line in lines if line not in person.there] == BEFORE.split(b"\n")
    assert len(person.gone) > 30
    assert person.there.isdisjoint(person.gone)


def judged(folder: Path, index: bytes) -> RaceReport:
    """What is said of an index after a person added one line and took out another, and the agent did likewise."""
    (folder / "MEMORY.md").write_bytes(index)
    person, editor = Person("seed"), Editor(folder / "MEMORY.md", Saver.RENAME, "seed", lambda _lines, _number: None)
    person.there, person.gone = {b"- human 1"}, {b"- human 0"}
    with CuratedMemory(global_config(folder / "root", WAITS), workers=0) as memory:
        agent = Asker(memory, "seed")
    agent.there, agent.gone = {"agent 1": (1.0, 2.0)}, {"agent 0": (1.0, 2.0)}
    return report_of(folder, Saver.RENAME, 2, (person, editor, agent), 0.0)


def test_everybodys_lines_as_they_were_left_are_sound(tmp_path: Path) -> None:
    assert judged(tmp_path, BEFORE + b"- human 1\n- agent 1\n").is_sound


@pytest.mark.parametrize(
    ("index", "figure"),
    [
        (BEFORE + b"- agent 1\n", "human_lost"),
        (BEFORE + b"- human 0\n- human 1\n- agent 1\n", "human_lost"),
        (BEFORE.replace(b"wiki", b"Wiki") + b"- human 1\n- agent 1\n", "human_lost"),
        (BEFORE + b"- human 1\n- human 1\n- agent 1\n", "human_doubled"),
        (BEFORE + b"- human 1\n", "agent_lost"),
        (BEFORE + b"- human 1\n- agent 0\n- agent 1\n", "agent_lost"),
        (BEFORE + b"- human 1\n- agent 1\n- agent 1\n", "agent_doubled"),
    ],
)
def test_what_is_lost_or_doubled_is_counted(tmp_path: Path, index: bytes, figure: str) -> None:
    report = judged(tmp_path, index)
    assert getattr(report, figure) == 1
    assert not report.is_sound


def test_what_an_edit_left_beside_the_index_is_counted(tmp_path: Path) -> None:
    (tmp_path / f".MEMORY.md.{'0' * 32}.agent").write_bytes(b"")
    assert judged(tmp_path, BEFORE + b"- human 1\n- agent 1\n").left == 1
