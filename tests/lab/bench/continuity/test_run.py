from __future__ import annotations

from pathlib import Path

import pytest

from domain.workspace.files.memory_file import MEMORY_TEMPLATE
from domain.workspace.files.session_state import SESSION_TEMPLATE
from lab.bench.continuity.constraints import WORKS
from lab.bench.continuity.course import CONDITIONS, PROBES, Condition, measured
from lab.bench.continuity.edits import HUMAN, NOTES, Person, edited
from lab.bench.continuity.hanging import hanging
from lab.bench.continuity.kills import judged, killed
from lab.bench.continuity.life import Book, entries
from lab.bench.continuity.preparing import prepared
from lab.bench.continuity.talk import talk


def condition(name: str) -> Condition:
    return next(each for each in CONDITIONS if each.name == name)


@pytest.mark.req("S4-02", "S4-03", "S4-04", "S4-66", "S4-67", "S4-68")
def test_constraints_in_files_are_reached_after_cuts_a_restart_and_a_new_window() -> None:
    outcome = measured(condition("files"), WORKS[:1], 130)

    assert outcome.cuts >= 1
    assert outcome.breaks == outcome.cuts
    for reach in (outcome.old, outcome.new):
        assert [reach.share(probe) for probe in PROBES] == [1.0, 1.0, 1.0]
    assert outcome.missed == []
    assert outcome.worker_calls == 0


@pytest.mark.req("S4-65")
def test_constraints_that_workers_wrote_down_are_reached_likewise() -> None:
    outcome = measured(condition("said_llm"), WORKS[-1:], 130)

    assert outcome.worker_calls > 0
    assert outcome.breaks == outcome.cuts
    assert [outcome.new.share(probe) for probe in PROBES] == [1.0, 1.0, 1.0]


def test_without_the_layer_cuts_show_and_hardly_a_constraint_is_reached() -> None:
    outcome = measured(condition("off"), WORKS[:1], 130)

    assert outcome.breaks == outcome.cuts >= 1
    assert outcome.new.share("continue") == 0.0
    assert "continue: ledger-intake" in outcome.missed
    assert outcome.recalled == 0


def test_talk_is_the_same_each_time_and_of_like_length_in_all_languages() -> None:
    sizes = {
        language: sum(len(text + answer) for text, answer in talk(language, 200, "x"))
        for language in ("en", "de", "zh")
    }

    assert list(talk("en", 5, "x")) == list(talk("en", 5, "x")) != list(talk("en", 5, "y"))
    assert max(sizes.values()) < 2.5 * min(sizes.values())


def test_workers_that_hang_delay_a_cut_at_most() -> None:
    figures = hanging(25)

    assert figures["hang_delayed_cut"] <= 1
    assert figures["hang_longest_s"] <= 61
    assert figures["hang_after_s"] < 1


def test_times_of_contributions_are_told_for_files_that_stay_and_that_change() -> None:
    figures = prepared(20)

    assert figures["prepare_turns"] == 18
    assert 0 < figures["prepare_p50_ms"] <= figures["prepare_p95_ms"]
    assert figures["prepare_edited_p95_ms"] > 0


def test_a_persons_edits_are_counted_and_none_is_lost() -> None:
    figures = edited(40, 2)

    assert figures["human_edits"] >= 40
    assert (figures["human_lost"], figures["human_doubled"], figures["edit_entries_doubled"]) == (0, 0, 0)


def test_a_person_writes_in_a_section_of_their_own_and_never_into_a_comment() -> None:
    person, lines = Person("p", in_notes=True), (SESSION_TEMPLATE + b"\n" + NOTES + b"\n").split(b"\n")
    other, memory = Person("q", in_notes=False), MEMORY_TEMPLATE.split(b"\n")
    for number in range(60):
        person.revise(lines, number)
        other.revise(memory, number)

    assert all(lines.index(NOTES) < place for place, line in enumerate(lines) if line.startswith(HUMAN))
    assert {line for line in memory if line.startswith(HUMAN)} == other.there
    assert other.gone
    assert not other.gone & other.there


def test_lives_are_killed_and_their_files_are_whole() -> None:
    figures = killed(2, "test")

    assert figures["kills"] == 2
    assert [figures[f"kill_{name}"] for name in ("lost", "doubled", "broken", "failures")] == [0, 0, 0, 0]


def test_what_is_wrong_with_files_is_counted(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_bytes(
        MEMORY_TEMPLATE.replace(b"## Decisions", b"## Decision") + b"- Item L1-1 is kept.\n- Item L1-1 is kept.\n"
    )
    (tmp_path / "HISTORY.md").write_text("# History\n- Report L1\n")
    (tmp_path / "HISTORY.archive.md").write_text("- Report L1\ntorn")
    (tmp_path / ".SESSION.md.0.agent").touch()

    assert judged(tmp_path, ["L1-1", "L1-2"]) == {
        "items": 2,
        "lost": 1,
        "doubled": 1,
        "history_doubled": 1,
        "broken": 3,  # no SESSION, a heading that is gone, a last line without its end
        "left": 1,
    }


def test_a_book_has_every_line_that_was_noted(tmp_path: Path) -> None:
    assert entries(tmp_path / "book") == []
    book = Book(tmp_path / "book")
    book.note("turn")
    book.note("answered", "L1-1")

    assert entries(tmp_path / "book") == [("turn", ""), ("answered", "L1-1")]
