from __future__ import annotations

from pathlib import Path

import pytest

from lab.bench.recall.data import files, read
from tests.lab.bench.recall.conversations import document, write


def test_questions_count_unless_they_have_no_answer_or_their_evidence_is_doubted(tmp_path: Path) -> None:
    conversation = read(write(tmp_path))

    assert [case.question.id for case in conversation.cases] == ["q1", "q2"]
    assert [case.evidence for case in conversation.cases] == [{2}, {3, 5}]


def test_a_limit_keeps_the_first_questions_that_count(tmp_path: Path) -> None:
    assert [case.question.id for case in read(write(tmp_path), 1).cases] == ["q1"]


def test_a_file_that_contradicts_itself_or_is_no_json_is_refused_by_its_name(tmp_path: Path) -> None:
    turns = document()["turns"]
    for change, complaint in (
        ({"turns": "none"}, "Expected `array`"),
        ({"now": "2026-02-12T00:00:00"}, "must say its offset from UTC"),
        ({"turns": turns * 2}, "two turns have the same id"),
        ({"turns": turns[:3]}, "question q2 names no turn of the conversation: t3, t5"),
    ):
        file = write(tmp_path, document() | change)
        with pytest.raises(ValueError, match=complaint) as refused:
            read(file)
        assert str(file) in str(refused.value)
    (tmp_path / "a.json").write_text("{")
    with pytest.raises(ValueError, match=r"a\.json"):
        read(tmp_path / "a.json")


def test_files_are_found_below_a_folder_in_order_or_by_name_or_given_themselves(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    b, a = write(tmp_path, name="b"), write(tmp_path / "deep", name="a")
    (tmp_path / "LICENSE.txt").touch()

    assert files(tmp_path) == [b, a]
    assert files(tmp_path, ("a",)) == [a]
    assert files(b) == [b]


def test_a_folder_without_the_files_that_are_asked_for_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"no \*\.json"):
        files(tmp_path)
    write(tmp_path)
    with pytest.raises(ValueError, match=r"no file other\.json"):
        files(tmp_path, ("tiny", "other"))
