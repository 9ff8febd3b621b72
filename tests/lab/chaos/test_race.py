"""Judgement on a race: every line of the editor and of the agent that is lost, doubled or left."""

from __future__ import annotations

from pathlib import Path

from lab.chaos.editor import Editor, Saver
from lab.chaos.race import Lines, Person, RaceReport, judge_race

BEFORE = b"# Memory\n\n- The wiki is at docs.example\n"


def test_a_person_adds_changes_and_takes_out_lines_of_their_own_only() -> None:
    person, lines = Person("seed"), BEFORE.split(b"\n")
    for number in range(200):
        person.revise(lines, number)
    own = [line for line in lines if line.startswith(b"- human ")]
    assert sorted(own) == sorted(person.there)
    assert [line for line in lines if line not in person.there] == BEFORE.split(b"\n")
    assert len(person.gone) > 30
    assert person.there.isdisjoint(person.gone)


def judge(path: Path, text: bytes) -> RaceReport:
    """Judge a file after a person added one line and took out another, and the agent did likewise."""
    path.write_bytes(text)
    person, editor = Person("seed"), Editor(path, Saver.RENAME, "seed", lambda _lines, _number: None)
    person.there, person.gone = {b"- human 1"}, {b"- human 0"}
    lines = Lines(there={b"- agent 1": (1.0, 2.0)}, gone={b"- agent 0": (1.0, 2.0)})
    return judge_race(path, BEFORE, (person, editor, lines), 2, 0.0)


def test_what_is_lost_doubled_or_left_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "MEMORY.md"
    assert judge(path, BEFORE + b"- human 1\n- agent 1\n").is_sound
    failures = []
    for text, figure in (
        (BEFORE + b"- agent 1\n", "human_lost"),
        (BEFORE + b"- human 0\n- human 1\n- agent 1\n", "human_lost"),
        (BEFORE.replace(b"wiki", b"Wiki") + b"- human 1\n- agent 1\n", "human_lost"),
        (BEFORE + b"- human 1\n- human 1\n- agent 1\n", "human_doubled"),
        (BEFORE + b"- human 1\n", "agent_lost"),
        (BEFORE + b"- human 1\n- agent 0\n- agent 1\n", "agent_lost"),
        (BEFORE + b"- human 1\n- agent 1\n- agent 1\n", "agent_doubled"),
    ):
        report = judge(path, text)
        if getattr(report, figure) != 1 or report.is_sound:
            failures.append((text, figure, report))
    assert failures == []
    (tmp_path / f".MEMORY.md.{'0' * 32}.agent").write_bytes(b"")
    assert judge(path, BEFORE + b"- human 1\n- agent 1\n").left == 1


def test_what_a_slow_save_overwrote_is_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "MEMORY.md"
    path.write_bytes(BEFORE)
    editor = Editor(path, Saver.RENAME, "seed", lambda _lines, _number: None)
    editor.slow = [(1.5, 3.0)]
    lines = Lines(there={b"- agent 1": (1.0, 2.0), b"- agent 2": (4.0, 5.0)})
    report = judge_race(path, BEFORE, (Person("seed"), editor, lines), 2, 0.0)
    assert (report.overwritten, report.agent_lost) == (1, 1)
